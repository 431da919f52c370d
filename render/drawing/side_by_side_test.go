package drawing

import (
	"testing"
)

// Side by side, what the two drawings show stays as it is, only further right;
// no two things have one ID, and the drawings themselves are not touched.
func TestBeside(t *testing.T) {
	first := func() *Drawing {
		return &Drawing{Diagram: "sequence", Desc: "One.", Width: 100, Height: 50, Layers: []Layer{{
			Nodes: []Node{{ID: "p1", X: 10, Y: 20}, {ID: "p2", X: 90, Y: 20}, {X: 50}},
			Paths: []Path{
				{ID: "m1", From: "p1", To: "p2", Strokes: [][]Point{Line(Point{10, 20}, Point{90, 20})}},
				{Strokes: [][]Point{Line(Point{0, 0}, Point{1, 1})}},
			},
		}}}
	}
	a, b := first(), first()
	b.Height = 80
	d := Beside(a, b, "both")
	if d.Width != 200+besideGap || d.Height != 80 || d.Title != "both" || len(d.Layers) != 1 {
		t.Errorf("%v x %v, %q, %d layers", d.Width, d.Height, d.Title, len(d.Layers))
	}
	ids := map[string]bool{}
	for _, n := range d.Layers[0].Nodes {
		if n.ID != "" && ids[n.ID] {
			t.Errorf("two things are called %s", n.ID)
		}
		ids[n.ID] = true
	}
	right := d.Layers[0].Paths[2]
	if !ids[right.From] || !ids[right.To] || right.From == d.Layers[0].Paths[0].From {
		t.Errorf("the right line joins %s and %s", right.From, right.To)
	}
	if x := right.Strokes[0][0].X; x != 10+100+besideGap {
		t.Errorf("the right line begins at %v", x)
	}
	if x := b.Layers[0].Paths[0].Strokes[0][0].X; x != 10 {
		t.Errorf("the drawing that was placed is changed: its line begins at %v", x)
	}
}
