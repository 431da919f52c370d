package diagram

import (
	"testing"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/replay"
	"etrace/tracefmt"
)

// always is a span that goes on everywhere from the first event on.
type always struct{ begun bool }

func (a *always) Step(*replay.State, *tracefmt.Event) { a.begun = true }
func (a *always) Local() bool                         { return true }
func (a *always) Since(tracefmt.ProcessID) tracefmt.Seq {
	if a.begun {
		return 1
	}
	return 0
}

// TestBars: each process has a bar of each span, which goes on to the end and is torn off there; the
// bars of a process differ in width, and a narrow one is upon a wide one.
func TestBars(t *testing.T) {
	goesOn := story.Span{Name: "goes on", Follow: func(*tracefmt.Run) story.Following { return &always{} }}
	rec := load(t, "bully")
	d := build(t, sequenceDiagram, rec, story.Options{Spans: []story.Span{goesOn, goesOn, goesOn, goesOn}})
	checkInside(t, d)
	widths := make(map[float64][]float64) // by x, from back to front
	for _, n := range d.Layers[Ground].Nodes {
		for i := range spanFills {
			if n.Style == spanFills[i] {
				widths[n.X] = append(widths[n.X], n.W)
			}
		}
	}
	if len(widths) != len(rec.Run().Members) {
		t.Errorf("bars on %d lifelines, want %d", len(widths), len(rec.Run().Members))
	}
	for x, list := range widths {
		if len(list) != story.MostSpans {
			t.Errorf("at %g are %d bars, want %d", x, len(list), story.MostSpans)
		}
		for i := 1; i < len(list); i++ {
			if list[i] >= list[i-1] {
				t.Errorf("at %g a bar of width %g is upon one of %g", x, list[i], list[i-1])
			}
		}
	}
	// An edge that is torn off has teeth: more corners than four, and the first once more.
	for _, p := range d.Layers[Ground].Paths {
		for i := range spanLines {
			if corners := len(p.Strokes[0]) / 3; p.Style == spanLines[i] && corners <= 4 {
				t.Errorf("a bar of span %d has %d corners, though it is not over", i+1, corners)
			}
		}
	}
	if complete := spanLooks[0]; len(outlineOf(complete)) != 1+3*4 {
		t.Errorf("a bar that begins and ends has the outline %v, want a rectangle", outlineOf(complete))
	}
}

func outlineOf(look spanLook) []drawing.Point {
	_, paths := look.bar(0, 0, 10, false, false)
	return paths[0].Strokes[0]
}
