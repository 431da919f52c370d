package diagram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// explained lists the texts of a legend.
func explained(d *drawing.Drawing) (texts []string) {
	for _, n := range nodesOf(d, legendText) {
		texts = append(texts, n.Text)
	}
	return texts
}

// pair is a run of two processes.
var pair = tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}}

// TestLossOfABorder: the cross of a message that was sent before the picture begins is in the legend.
func TestLossOfABorder(t *testing.T) {
	for reason, row := range map[string]*LegendRow{"dropped": legendDropped, "receiver crashed": legendTooLate} {
		m := tracefmt.NewMemory(pair)
		m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: 1, Type: "m"})
		m.Write(&tracefmt.Event{
			Seq: 2, Kind: tracefmt.Lose, Process: 2, Peer: 1, Message: 1, Type: "m", Cause: 1, Payload: fmt.Appendf(nil, `{"reason":%q}`, reason),
		})
		m.Finish(tracefmt.Stopped)
		d := build(t, sequenceDiagram, m, story.Options{View: view.View{From: 2}})
		if got := explained(d); !slices.Contains(got, row.Text) {
			t.Errorf("%s: the legend has %q, want %q", reason, got, row.Text)
		}
	}
}

// TestInferredSendBeforeThePicture: an arrival with an inferred send is marked, also if that send is before the picture.
func TestInferredSendBeforeThePicture(t *testing.T) {
	m := tracefmt.NewMemory(pair)
	m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: 1, Type: "m"})
	payload := []byte(`{"log":{"guess":true}}`)
	m.Write(&tracefmt.Event{Seq: 2, Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: 1, Type: "m", Cause: 1, Payload: payload})
	m.Finish(tracefmt.Stopped)
	d := build(t, sequenceDiagram, m, story.Options{View: view.View{From: 2}})
	if got := explained(d); !slices.Contains(got, legendInferred.Text) || !slices.Contains(got, legendBorder.Text) {
		t.Errorf("the legend has %q, want that the send is inferred, and not shown", got)
	}
}

// TestSendPointsAreRound: only a diagram of many events has strokes in place of dots where messages leave.
func TestSendPointsAreRound(t *testing.T) {
	s, err := story.Read(t.Context(), load(t, "bully"), story.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := sequenceDiagram.Build(t.Context(), s, Layout{Spacing: Tight})
	if err != nil {
		t.Fatal(err)
	}
	squares := slices.ContainsFunc(paths(d), func(p drawing.Path) bool { return p.Style == sendPointMark })
	if dots := nodesOf(d, sendDot); squares || len(dots) == 0 {
		t.Errorf("%d dots, squares: %t, want dots only", len(dots), squares)
	}
}

// TestFramesOfLeadersAreApart: the double frames of a process that leads by its role and elects itself at one instant do not overlap.
func TestFramesOfLeadersAreApart(t *testing.T) {
	m := tracefmt.NewMemory(pair)
	for i, payload := range []string{`{"role":"candidate"}`, `{"role":"leader"}`, `{"elected":"a"}`} {
		m.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.State, Process: 1, Payload: []byte(payload)})
	}
	m.Finish(tracefmt.Stopped)
	s, err := story.Read(t.Context(), m, story.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for spacing := Roomy; spacing <= Tight; spacing++ {
		d, err := sequenceDiagram.Build(t.Context(), s, Layout{Spacing: spacing})
		if err != nil {
			t.Fatal(err)
		}
		// The samples of the legend have no ID.
		var tags []drawing.Node
		for _, n := range nodes(d) {
			if strings.HasPrefix(n.ID, "e") {
				tags = append(tags, n)
			}
		}
		for i := range tags {
			for j := range i {
				if a, b := bounds(&tags[i]), bounds(&tags[j]); a.overlaps(b.grow(-0.6)) {
					t.Errorf("spacing %d: %q and %q overlap: %v, %v", spacing, tags[i].Text, tags[j].Text, a, b)
				}
			}
		}
		if len(tags) != 3 {
			t.Errorf("%d tags, want 3", len(tags))
		}
	}
}

// TestDotsAreSeen: a change of variables at the mark of another step has no dot, since the mark would hide it. The legend explains no
// such dot.
func TestDotsAreSeen(t *testing.T) {
	m := tracefmt.NewMemory(pair)
	m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.State, Process: 1, Payload: []byte(`{"x":1}`)})
	m.Write(&tracefmt.Event{Seq: 2, Kind: tracefmt.Suspect, Process: 1, Peer: 2})
	m.Finish(tracefmt.Stopped)
	for end, dots := range map[tracefmt.Seq]bool{1: true, 2: false} {
		d := build(t, sequenceDiagram, m, story.Options{View: view.View{To: end}})
		drawn := slices.ContainsFunc(nodesOf(d, valueDot), func(n drawing.Node) bool { return n.ID != "" })
		if legend := slices.Contains(explained(d), legendValue.Text); drawn != dots || legend != dots {
			t.Errorf("up to %d: a dot: %t, explained: %t, want %t", end, drawn, legend, dots)
		}
	}
}

// TestBordersAreSeen: no label hides the strokes of a message that crosses the border of the picture, or a change of variables.
// Such a message goes down, as time does.
func TestBordersAreSeen(t *testing.T) {
	for _, name := range []string{"bully", "chang-roberts", "faults", "two-leaders"} {
		rec := load(t, name)
		for from := 2; from <= rec.Len(); from++ {
			s, err := story.Read(t.Context(), rec, story.Options{View: view.View{From: tracefmt.Seq(from)}})
			if err != nil {
				t.Fatal(err)
			}
			d, err := sequenceDiagram.Build(t.Context(), s, Layout{Spacing: Close, Width: 500})
			if err != nil {
				t.Fatal(err)
			}
			for _, dot := range nodesOf(d, valueDot) {
				for _, n := range nodesOf(d, messageLabel) {
					if bounds(&n).overlaps(bounds(&dot)) {
						t.Errorf("%s from %d: %q hides a change of variables", name, from, n.Text)
					}
				}
			}
			// Labels are above all paths.
			for _, p := range paths(d) {
				if line := p.Strokes[0]; p.Style == borderLine && line[0].Y > line[len(line)-1].Y {
					t.Errorf("%s from %d: a message across the border goes up", name, from)
				}
				if p.Style != borderMark {
					continue
				}
				for _, n := range nodesOf(d, messageLabel) {
					hidden := func(stroke []drawing.Point) bool { return segment{stroke[0], stroke[1]}.crosses(bounds(&n)) }
					if slices.ContainsFunc(p.Strokes, hidden) {
						t.Errorf("%s from %d: %q hides that a message crosses the border", name, from, n.Text)
					}
				}
			}
		}
	}
}
