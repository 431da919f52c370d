package diagram

import (
	"cmp"
	"fmt"
	"math"
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

// TestHistoryLaws: bars in one lane do not overlap. Each operation has its whole text in some row, and room for it. The effects on
// an object are inside their bars, and in their order.
func TestHistoryLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec, order := drawOperations(t)
		s, err := story.Read(t.Context(), rec, story.Options{Operations: true, Order: order})
		if err != nil {
			t.Fatal(err)
		}
		l := Layout{Width: float64(rapid.IntRange(300, 1200).Draw(t, "width"))}
		l.Spacing = Spacing(rapid.IntRange(0, int(Tight)).Draw(t, "spacing"))
		made, err := buildHistory(t.Context(), s, l)
		if err != nil {
			t.Fatal(err)
		}
		written := map[string]bool{} // by the number of the operation
		bars := barsOf(made)
		ops := s.Operations()
		for _, n := range bars {
			if w := n.Style.TextWidth(n.Text); w > n.W {
				t.Fatalf("%q has %.0f points, and needs %.0f", n.Text, n.W, w)
			}
			number, _, _ := strings.Cut(n.ID, "_")
			for i := range ops {
				if number == fmt.Sprintf("o%d", i+1) && strings.HasSuffix(n.Text, ops[i].Text) {
					written[number] = true
				}
			}
		}
		for i, a := range bars {
			for _, b := range bars[:i] {
				if a.Y == b.Y && max(a.X-a.W/2, b.X-b.W/2) < min(a.X+a.W/2, b.X+b.W/2)-1e-6 {
					t.Fatalf("%s (%s) and %s (%s) overlap", a.ID, a.Text, b.ID, b.Text)
				}
			}
		}
		if len(written) != len(ops) && made.Width > 600 {
			t.Fatalf("%d of %d operations have their texts: %v", len(written), len(ops), written)
		}
		for _, n := range nodes(made) {
			if n.Text != "" && n.X-n.W/2 < 0 {
				t.Fatalf("%q is left of the picture", n.Text)
			}
		}
		checkEffects(t, s)
	})
}

// barsOf are the bars of the operations in a drawing.
func barsOf(d *drawing.Drawing) (bars []drawing.Node) {
	for _, n := range nodes(d) {
		if strings.HasPrefix(n.ID, "o") {
			bars = append(bars, n)
		}
	}
	return bars
}

// TestHistoryFrames: in the frame of a history each bar begins where it begins in the whole history. Operations that ended by then end
// there, too. Nothing begins after the last event of the frame.
func TestHistoryFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec, order := drawOperations(t)
		o := story.Options{Operations: true, Order: order}
		o.From = tracefmt.Seq(rapid.IntRange(1, rec.Len()).Draw(t, "from"))
		run, err := story.Read(t.Context(), rec, o)
		if err != nil {
			t.Fatal(err)
		}
		l := Layout{Width: float64(rapid.IntRange(300, 1200).Draw(t, "width"))}
		l.Spacing = Spacing(rapid.IntRange(0, int(Tight)).Draw(t, "spacing"))
		complete, err := buildHistory(t.Context(), run, l)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]drawing.Node{}
		for _, n := range barsOf(complete) {
			want[n.ID] = n
		}
		now := rapid.IntRange(max(1, int(o.From)), rec.Len()).Draw(t, "now")
		o.To, o.Frame, l.Like, o.Keep = tracefmt.Seq(now), true, run, make([]bool, len(run.Column))
		for _, p := range run.Order {
			o.Keep[p] = true
		}
		part, err := story.Read(t.Context(), rec, o)
		if err != nil {
			t.Fatal(err)
		}
		frame, err := buildHistory(t.Context(), part, l)
		if err != nil {
			t.Fatal(err)
		}
		got := barsOf(frame)
		for _, n := range got {
			w, ok := want[n.ID]
			if !ok || math.Abs(n.X-n.W/2-(w.X-w.W/2)) > 1e-6 || n.Y != w.Y || n.W > w.W+1e-6 {
				t.Fatalf("%s is at %.1f, %.1f, %.1f wide, in the whole history at %.1f, %.1f, %.1f wide", n.ID, n.X, n.Y, n.W, w.X, w.Y, w.W)
			}
		}
		// A bar has a part in each row, and the operation of all these counts once. Operations that are open all through a row may
		// share a bar, whose tip lists them.
		begun := map[string]bool{}
		for _, n := range got {
			number, _, _ := strings.Cut(n.ID, "_")
			begun[number] = true
			if _, list, joined := strings.Cut(n.Tip, " operations: "); joined {
				delete(begun, number)
				for i, op := range part.Operations() {
					if strings.Contains(list, part.Name(op.Process)+": "+op.Text) {
						begun[fmt.Sprintf("o%d", i+1)] = true
					}
				}
			}
		}
		if want := openWithin(rec, int(o.From), now); len(begun) != want {
			t.Fatalf("%d operations are drawn, and %d are open in the window", len(begun), want)
		}
	})
}

// openWithin counts the operations that are open at a moment of a window: each client has at most one at a time.
func openWithin(rec *tracefmt.Memory, from, until int) (count int) {
	open := map[tracefmt.ProcessID]bool{}
	for e, err := range rec.Events(1) {
		switch {
		case err != nil || int(e.Seq) > until:
			return count
		case int(e.Seq) == from:
			count += len(open)
		}
		switch e.Kind {
		case tracefmt.Invoke:
			open[e.Process] = true
			if int(e.Seq) >= from {
				count++
			}
		case tracefmt.Return:
			delete(open, e.Process)
		}
	}
	return count
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

// TestOpenTogether: many operations that are open during a whole row share a bar; operations that return later have another.
func TestOpenTogether(t *testing.T) {
	h := &history{mixed: true, story: &story.Story{Steps: make([]story.Step, 3)}, effects: make([]float64, 5)}
	var parts []barPart
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		op := &story.Operation{Outcome: story.Unended, Later: i%2 == 1}
		parts = append(parts, barPart{bar: &bar{text: name, until: 3, op: op}, index: i, begin: sideCut})
	}
	var got []string
	for _, s := range h.mergeLongBars(parts, 1) {
		got = append(got, fmt.Sprintf("%s, later %t", s.text, s.returnsLater()))
	}
	if want := []string{"a; c; e, later false", "b; d, later true"}; !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	if few := h.mergeLongBars(parts[:2], 1); len(few) != 2 || few[0].text != "a" || few[1].text != "b" {
		t.Errorf("two operations share bars: %+v", few)
	}
	if parts[0].text != "a" {
		t.Errorf("the text of an operation became %q", parts[0].text)
	}
}
