package render_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"etrace/render"
	"etrace/render/diagram"
	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// matrix is a diagram from outside: how many messages each process sent to
// each other. It brings its own styles and its own row of the legend.
var matrix = diagram.Diagram{Name: "matrix", Doc: "who sent how many messages to whom", Build: buildMatrix}

var (
	cell = &drawing.Style{
		Name: "cell", Shape: drawing.Rectangle, Stroke: drawing.Grey, Width: 0.8,
		Fill: drawing.Paper, Text: drawing.Ink, Size: 11,
	}
	busy = &drawing.Style{
		Name: "busy", Shape: drawing.Hexagon, Stroke: drawing.Ink, Width: 2, Fill: "#cfe8ff",
		Text: drawing.Ink, Size: 11, Bold: true,
	}
	name   = &drawing.Style{Name: "name", Text: drawing.Ink, Size: 12, Bold: true}
	legend = &diagram.LegendRow{Text: "most messages", Draw: func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{{Style: busy, X: at.X, Y: at.Y, W: 26, H: 15}}, nil
	}}
)

func buildMatrix(ctx context.Context, s *story.Story, l diagram.Layout) (*drawing.Drawing, error) {
	const width, height = 56.0, 24.0
	type link struct{ from, to tracefmt.ProcessID }
	sent, limit := map[link]int{}, 0
	for i := range s.Steps {
		if st := &s.Steps[i]; st.Kind == tracefmt.Send {
			sent[link{st.Process, st.Peer}]++
			limit = max(limit, sent[link{st.Process, st.Peer}])
		}
	}
	p := diagram.NewPage("matrix", s, l)
	p.Drawing.Width = max(560, 2*diagram.Margin+width*float64(len(s.Order)+1))
	top := p.Heading() + height
	box := func(style *drawing.Style, column, row int, text, tip string) {
		x, y := diagram.Margin+width*(float64(column)+0.5), top+height*float64(row)
		p.Node(diagram.Marks, drawing.Node{Style: style, X: x, Y: y, W: width - 4, H: height - 4, Text: text, Tip: tip})
	}
	for i, from := range s.Order {
		box(name, i+1, 0, s.Name(from), "")
		box(name, 0, i+1, s.Name(from), "")
		for j, to := range s.Order {
			n, style := sent[link{from, to}], cell
			if n == limit && limit > 0 {
				style = busy
				p.Explain(legend)
			}
			box(style, j+1, i+1, strconv.Itoa(n), s.Name(from)+" to "+s.Name(to))
		}
	}
	return p.Close(top + height*float64(len(s.Order)+1)), ctx.Err()
}

// TestDiagramFromOutside: process 6, the seventh, sent one COORDINATOR to each
// of the processes 0 to 5 and one OK to 4 and 5 each: two is the most.
func TestDiagramFromOutside(t *testing.T) {
	diagrams, err := diagram.Builtin().With(matrix)
	if err != nil {
		t.Fatal(err)
	}
	o := render.Options{Diagram: "matrix", Diagrams: diagrams, Format: "dot"}
	dot := draw(t, load(t, "bully"), o)
	// The style of its cells is written once, before the 62 cells that have it.
	for want, times := range map[string]int{`fillcolor="#cfe8ff"`: 1, `label="2"`: 2 + 2, `label="most messages`: 1, `shape="hexagon"`: 1} {
		if got := strings.Count(dot, want); got != times {
			t.Errorf("%s occurs %d times, want %d:\n%s", want, got, times, dot)
		}
	}
	o.Format = "svg"
	doc := parseSVG(t, draw(t, load(t, "bully"), o))
	if texts := strings.Join(doc.texts, "\n"); !strings.Contains(texts, "most messages") ||
		!strings.Contains(texts, "bully: election among 8 processes") {
		t.Errorf("the heading or the legend is missing: %q", doc.texts)
	}
	if !strings.HasPrefix(doc.desc, "A matrix diagram of 8 processes") {
		t.Errorf("the description is %q", doc.desc)
	}
	if _, err := diagrams.With(matrix); err == nil {
		t.Error("a diagram was added twice")
	}
	if _, err := diagram.Builtin().Lookup("matrix"); err == nil {
		t.Error("what was added is among the diagrams of everybody")
	}
}
