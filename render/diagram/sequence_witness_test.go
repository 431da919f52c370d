package diagram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// twoLeaders is a run of three processes. 1 and 2 elect themselves (17, 19),
// both upon timeouts (16, 18) of timers that they set (8, 13) because 1 noticed
// something (4) and sent an ELECTION to 2 (6, 9).
var twoLeaders = story.Options{
	Highlight: []tracefmt.Seq{4, 6, 8, 9, 13, 16, 17, 18, 19},
	Witness:   []tracefmt.Seq{17, 19},
}

func pathOf(t *testing.T, d *drawing.Drawing, id string) drawing.Path {
	t.Helper()
	for _, p := range paths(d) {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("no path %s", id)
	return drawing.Path{}
}

func nodesOf(d *drawing.Drawing, style *drawing.Style) (found []drawing.Node) {
	for _, l := range d.Layers {
		for _, n := range l.Nodes {
			if n.Style == style {
				found = append(found, n)
			}
		}
	}
	return found
}

func TestHighlight(t *testing.T) {
	d := build(t, sequenceDiagram, load(t, "two-leaders"), twoLeaders)
	// Messages are named after their ends: 9 is the ELECTION from 1 to 2; 14 and 15 are the messages that are lost at 3,
	// which do not matter.
	for id, faint := range map[string]bool{"m9": false, "m14": true, "m15": true} {
		if pathOf(t, d, id).Faint != faint {
			t.Errorf("%s is faint: %t, want %t", id, !faint, faint)
		}
	}
	for _, n := range nodesOf(d, leaderTag) {
		if n.Faint {
			t.Errorf("%s is faint, but an event of the witness", n.ID)
		}
	}
	// The picture ends with the witness: the COORDINATOR is not in it.
	if !strings.Contains(d.Desc, "events 4 to 19 of 23") {
		t.Errorf("the picture is not of the events 4 to 19: %s", d.Desc)
	}
	for _, want := range []string{"Highlighted: events 4, 6, 8, 9, 13, 16, 17, 18 and 19.", "Marked: events 17 and 19."} {
		if !strings.Contains(d.Desc, want) {
			t.Errorf("%q is not in the description: %s", want, d.Desc)
		}
	}
}

// TestNothingFaint: the legend explains what is faint only if something is.
func TestNothingFaint(t *testing.T) {
	o := story.Options{View: view.View{From: 4, To: 19}, Witness: []tracefmt.Seq{17, 19}}
	for seq := tracefmt.Seq(4); seq <= 19; seq++ {
		if seq != 5 { // the change of a variable before a message, which has no sign of its own
			o.Highlight = append(o.Highlight, seq)
		}
	}
	d := build(t, sequenceDiagram, load(t, "two-leaders"), o)
	faint := slices.ContainsFunc(nodes(d), func(n drawing.Node) bool { return n.Faint })
	if faint || slices.ContainsFunc(nodesOf(d, legendText), func(n drawing.Node) bool { return n.Text == "not part of the witness" }) {
		t.Errorf("something is faint (%t), or the legend has a row for it", faint)
	}
}

// TestLoopIsAsStrongAsItsEvents: a loop that is not highlighted itself is drawn
// like the strongest event that repeats; and the legend explains what is faint.
func TestLoopIsAsStrongAsItsEvents(t *testing.T) {
	rec := load(t, "loop")
	loop := rec.At(tracefmt.Seq(rec.Len()))
	for _, c := range []struct {
		seq   tracefmt.Seq
		faint bool
	}{{loop.Seq - 1, false}, {1, true}} {
		d := build(t, sequenceDiagram, rec, story.Options{View: view.View{From: 1}, Highlight: []tracefmt.Seq{c.seq}, Faint: "in both runs"})
		list := paths(d)
		i := slices.IndexFunc(list, func(p drawing.Path) bool { return p.Style == bracketLine })
		if i < 0 || list[i].Faint != c.faint {
			t.Errorf("with event %d highlighted there is no loop that is faint: %t", c.seq, c.faint)
		}
		if !slices.ContainsFunc(nodesOf(d, legendText), func(n drawing.Node) bool { return n.Text == "in both runs" }) {
			t.Errorf("the legend does not say what is faint")
		}
	}
}

// TestSparse: where the window has more events than may be drawn, the events that matter are drawn.
func TestSparse(t *testing.T) {
	o := twoLeaders
	o.MaxEvents = 10
	d := build(t, sequenceDiagram, load(t, "two-leaders"), o)
	// Of the events 4 to 19 not drawn: 5, 7, 10, 11, 12, 14 and 15, and the timers, 8 and 13.
	if d.Hidden != 9 {
		t.Errorf("%d events are hidden, expected 9", d.Hidden)
	}
	if p := pathOf(t, d, "m9"); p.Faint {
		t.Error("the message that matters is faint")
	}
	if n := len(nodesOf(d, witnessHalo)); n != 3 {
		t.Errorf("%d halos, expected those of two events and that of the legend", n)
	}
}

func TestWitnessIsNumbered(t *testing.T) {
	d := build(t, sequenceDiagram, load(t, "two-leaders"), twoLeaders)
	halos, tags, leaders := nodesOf(d, witnessHalo), nodesOf(d, witnessTag), nodesOf(d, leaderTag)
	if len(halos) < 2 || len(tags) < 2 || len(leaders) < 2 {
		t.Fatalf("%d halos, %d numbers around %d leaders, expected two of each, and those of the legend", len(halos), len(tags), len(leaders))
	}
	for i, want := range []string{"1", "2"} {
		h, l := bounds(&halos[i]), bounds(&leaders[i])
		if h.x0 > l.x0 || h.x1 < l.x1 || h.y0 > l.y0 || h.y1 < l.y1 {
			t.Errorf("halo %d does not go around its event", i+1)
		}
		if !slices.ContainsFunc(tags, func(n drawing.Node) bool { return n.Text == want && bounds(&n).overlaps(h) }) {
			t.Errorf("no number %s at its halo", want)
		}
	}
}

// TestCutLine: what is in the cut is above the line, what is not below.
func TestCutLine(t *testing.T) {
	rec := load(t, "bully")
	// The cut after the timeout of 6 (38), before it elects itself (39); the
	// last events of 4 and 5 in it are 33 and 37. The others have only started.
	d := build(t, sequenceDiagram, rec, story.Options{Cut: story.Cut{5: 33, 6: 37, 7: 38}})
	var line []drawing.Point
	for _, p := range paths(d) {
		if p.Style == cutLine && len(p.Strokes[0]) > 4 {
			line = p.Strokes[0]
		}
	}
	if line == nil {
		t.Fatal("no line")
	}
	depth := func(x float64) float64 {
		for i := 0; i+3 < len(line); i += 3 {
			if a, b := line[i], line[i+3]; a.X <= x && x <= b.X {
				return a.Y + (b.Y-a.Y)*(x-a.X)/(b.X-a.X)
			}
		}
		t.Fatalf("no line at %g", x)
		return 0
	}
	above := map[string]bool{"e9": true, "e38": true, "e39": false, "e47": false, "e55": false}
	for _, l := range d.Layers {
		for _, n := range l.Nodes {
			want, ok := above[n.ID]
			if ok && (n.Y < depth(n.X)) != want {
				t.Errorf("%s is above the line: %t, want %t", n.ID, !want, want)
			}
			delete(above, n.ID)
		}
	}
	if len(above) > 0 {
		t.Errorf("not drawn: %v", above)
	}
}

// TestHighlightOfAll: where everything is highlighted, nothing is faint, and
// the picture is the one without.
func TestHighlightOfAll(t *testing.T) {
	rec := load(t, "faults")
	var list []tracefmt.Seq
	for seq := range rec.Run().Events {
		list = append(list, tracefmt.Seq(seq+1))
	}
	plain, lit := build(t, sequenceDiagram, rec, story.Options{}), build(t, sequenceDiagram, rec, story.Options{Highlight: list})
	if n, m := len(paths(plain)), len(paths(lit)); n != m {
		t.Errorf("%d lines, without highlights %d", m, n)
	}
	for _, p := range paths(lit) {
		if p.Faint {
			t.Errorf("%s is faint", p.ID)
		}
	}
}

// TestMarksOfAnything: whatever is asked to be marked, the drawing is made and
// not turned over. Only where all that is highlighted lies after the end of the
// run is there nothing to draw, which is an error.
func TestMarksOfAnything(t *testing.T) {
	recordings := []*tracefmt.Memory{load(t, "bully"), load(t, "faults"), load(t, "hostile"), load(t, "loop")}
	rapid.Check(t, func(t *rapid.T) {
		rec := rapid.SampledFrom(recordings).Draw(t, "run")
		seqs := rapid.SliceOfN(rapid.Map(rapid.Int64Range(-3, rec.Run().Events+3), func(n int64) tracefmt.Seq { return tracefmt.Seq(n) }), 0, 9)
		o := story.Options{
			Highlight: seqs.Draw(t, "highlight"), Witness: seqs.Draw(t, "witness"), Cut: seqs.Draw(t, "cut"),
			Caption: rapid.String().Draw(t, "caption"),
			View:    view.View{MaxEvents: rapid.IntRange(0, 30).Draw(t, "most")},
		}
		if first := slices.Sorted(slices.Values(slices.Concat(o.Highlight, o.Witness))); len(o.Highlight) > 0 &&
			int64(first[0]) > rec.Run().Events {
			if _, err := story.Read(t.Context(), rec, o); err == nil || !strings.Contains(err.Error(), "but the run has") {
				t.Fatalf("%v, expected an error: the run ends before seq %d", err, first[0])
			}
			return
		}
		d := build(t, sequenceDiagram, rec, o)
		if d.Width <= 0 || d.Height <= 0 {
			t.Fatalf("the picture is %g by %g", d.Width, d.Height)
		}
	})
}

// TestHighlightedChangesAreDrawn: a change of variables that the picture is about has its dot and its label even where rows
// are so close together that others have none.
func TestHighlightedChangesAreDrawn(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a"}}})
	for i := range 3 {
		payload := fmt.Appendf(nil, `{"x":%d}`, i+1)
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit, Kind: tracefmt.State,
			Process: 1, Payload: payload,
		})
	}
	m.Finish(tracefmt.Stopped)
	s, err := story.Read(t.Context(), m, story.Options{Highlight: []tracefmt.Seq{1, 3}, Witness: []tracefmt.Seq{1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := sequenceDiagram.Build(t.Context(), s, Layout{Width: 1120, Height: 630, Spacing: Tight})
	if err != nil {
		t.Fatal(err)
	}
	var dots, labels []string
	for _, n := range nodesOf(d, valueDot) {
		if n.ID != "" { // the legend has none
			dots = append(dots, n.ID)
		}
	}
	for _, n := range nodesOf(d, markLabel) {
		labels = append(labels, n.Text)
	}
	if want := []string{"e1", "e3"}; !slices.Equal(dots, want) {
		t.Errorf("dots of %q, want %q", dots, want)
	}
	if want := []string{"x = 1", "x = 3"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
}
