package render_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"etrace/render"
	"etrace/render/diagram"
	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// A picture of more elements than can be drawn is refused before it is written,
// in every form, and its size is foretold.
func TestTooLarge(t *testing.T) {
	elements := 0
	dots := diagram.Diagram{Name: "dots", Doc: "As many dots as the test wants."}
	dots.Build = func(context.Context, *story.Story, diagram.Layout) (*drawing.Drawing, error) {
		d := &drawing.Drawing{
			Diagram: "dots", Title: "dots", Width: 10, Height: 10,
			Layers: []drawing.Layer{{Nodes: make([]drawing.Node, elements)}},
		}
		for i := range elements {
			d.Layers[0].Nodes[i] = drawing.Node{Style: &drawing.Style{}, X: 5, Y: 5, W: 1, H: 1}
		}
		return d, nil
	}
	diagrams, err := diagram.Builtin().With(dots)
	if err != nil {
		t.Fatal(err)
	}
	run := tracefmt.Run{Name: "small", TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}}}
	rec := tracefmt.NewMemory(run)
	for _, format := range []string{"svg", "dot", "html"} {
		elements = 200_001
		var out bytes.Buffer
		err := render.Render(context.Background(), &out, rec, render.Options{Diagram: "dots", Diagrams: diagrams, Format: format})
		const want = "dots diagram: the picture is too large: 200001 shapes and lines, some 70 MB of SVG, expected at most 200000"
		if !errors.Is(err, render.ErrTooLarge) || !strings.HasSuffix(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%s: %v, want %s", format, err, want)
		}
		elements = 1
		if err := render.Render(context.Background(), &out, rec,
			render.Options{Diagram: "dots", Diagrams: diagrams, Format: format}); err != nil {
			t.Errorf("%s of one dot: %v", format, err)
		}
	}
}
