package diagram

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// drawOperations draws a run in which three clients write and read two keys. Each operation takes effect at one moment, which
// gives the order.
func drawOperations(t *rapid.T) (*tracefmt.Memory, map[tracefmt.Seq]int) {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays}
	for i, name := range []string{"a", "b", "c", "server"} {
		run.Members = append(run.Members, tracefmt.Member{Name: name, Position: i + 1})
	}
	rec, order := tracefmt.NewMemory(run), map[tracefmt.Seq]int{}
	type call struct {
		seq       tracefmt.Seq
		key       string
		effective bool
	}
	const server = 4
	down := false
	open, placed := map[tracefmt.ProcessID]*call{}, map[string]int{}
	write := func(e tracefmt.Event) {
		e.Seq = tracefmt.Seq(rec.Len() + 1)
		e.Time = tracefmt.Time(rec.Len()) * tracefmt.Unit
		rec.Write(&e)
	}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		p := tracefmt.ProcessID(rapid.IntRange(1, 4).Draw(t, "process"))
		c := open[p]
		switch {
		case p == server:
			kind := tracefmt.Crash
			if down {
				kind = tracefmt.Recover
			}
			down = !down
			write(tracefmt.Event{Kind: kind, Process: p})
		case c == nil:
			c = &call{seq: tracefmt.Seq(rec.Len() + 1), key: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "key")}
			open[p] = c
			text := strings.Repeat("v", rapid.IntRange(1, 12).Draw(t, "length"))
			payload := fmt.Appendf(nil, `{"key":%q,"value":%q}`, c.key, text)
			write(tracefmt.Event{Kind: tracefmt.Invoke, Process: p, Type: "write", Payload: payload})
		case !c.effective:
			c.effective = true
			placed[c.key]++
			order[c.seq] = placed[c.key]
		default:
			delete(open, p)
			write(tracefmt.Event{Kind: tracefmt.Return, Process: p, Type: "write"})
		}
	}
	rec.Finish(tracefmt.Stopped)
	return rec, order
}

// TestHistoryLaws: bars in one lane do not overlap. A bar has its text once, and room for it. The effects on an object are inside
// their bars, and in their order.
func TestHistoryLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec, order := drawOperations(t)
		s, err := story.Read(t.Context(), rec, story.Options{Operations: true, Order: order})
		if err != nil {
			t.Fatal(err)
		}
		made, err := buildHistory(t.Context(), s, Layout{Width: float64(rapid.IntRange(300, 1200).Draw(t, "width"))})
		if err != nil {
			t.Fatal(err)
		}
		// A bar that goes on in the next row has its text in one of the rows.
		texts := map[string]int{}
		var bars []drawing.Node
		for _, n := range nodes(made) {
			if n.Style == doneBar && n.ID != "" || n.Style == openBar && n.ID != "" {
				if n.Text != "" {
					texts[n.Text]++
				}
				if w := n.Style.TextWidth(n.Text); w > n.W {
					t.Fatalf("%q has %.0f points, and needs %.0f", n.Text, n.W, w)
				}
				bars = append(bars, n)
			}
		}
		for i, a := range bars {
			for _, b := range bars[:i] {
				if a.Y == b.Y && max(a.X-a.W/2, b.X-b.W/2) < min(a.X+a.W/2, b.X+b.W/2)-1e-6 {
					t.Fatalf("%s (%s) and %s (%s) overlap", a.ID, a.Text, b.ID, b.Text)
				}
			}
		}
		want := map[string]int{}
		for _, op := range s.Operations() {
			want[op.Text]++
		}
		for text, n := range want {
			if texts[text] != n && made.Width > 600 {
				t.Fatalf("%q is written %d times, of %d operations", text, texts[text], n)
			}
		}
		checkEffects(t, s)
	})
}

// checkEffects checks the places of the effects.
func checkEffects(t *rapid.T, s *story.Story) {
	h := &history{story: s}
	ops := s.Operations()
	for i := range ops {
		b := bar{from: ops[i].Invoke, until: ops[i].Return, op: &ops[i]}
		if b.until < 0 {
			b.until = len(h.story.Steps)
		}
		h.bars = append(h.bars, b)
	}
	h.placeEffects()
	latest := map[string]float64{}
	places := make([]int, len(h.bars))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(h.bars[a].op.Point, h.bars[b].op.Point) })
	for _, i := range places {
		b, at := &h.bars[i], h.effects[i]
		if b.op.Point == 0 {
			continue
		}
		if at <= float64(b.from) || at >= float64(b.until) || at <= latest[b.op.Object] {
			t.Fatalf("%s lasts from %d to %d and takes effect at %f, after %f", b.op.Text, b.from, b.until, at, latest[b.op.Object])
		}
		latest[b.op.Object] = at
	}
}
