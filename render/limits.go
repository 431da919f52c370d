package render

import (
	"context"
	"errors"
	"fmt"

	"etrace/render/diagram"
	"etrace/render/drawing"
	"etrace/render/story"
)

// mostElements bounds the shapes, lines and texts of a picture. An element costs Graphviz 50 to 70 microseconds, and
// takes 370 bytes of SVG. The bound is more than ten seconds of a processor, and more than a browser shows. Memory is
// needed only for a part at a time; see package format.
const mostElements = 200_000

// ErrTooLarge is part of the error for a picture with more elements than can be
// drawn.
var ErrTooLarge = errors.New("the picture is too large")

// refuseTooLarge refuses too large a drawing before it is written, since writing takes much more memory than drawing.
func refuseTooLarge(d *drawing.Drawing) error {
	const bytesPerElement = 370
	n := 0
	for i := range d.Layers {
		n += len(d.Layers[i].Nodes) + len(d.Layers[i].Paths)
	}
	if n <= mostElements {
		return nil
	}
	return fmt.Errorf("%w: %d shapes and lines, some %d MB of SVG, expected at most %d", ErrTooLarge, n, n*bytesPerElement>>20, mostElements)
}

// build makes the drawing of a story, and refuses a drawing that is too large.
func build(ctx context.Context, s *story.Story, d diagram.Diagram, l diagram.Layout) (*drawing.Drawing, error) {
	made, err := d.Build(ctx, s, l)
	if err == nil {
		err = refuseTooLarge(made)
	}
	if err != nil {
		return nil, fmt.Errorf("%s diagram: %w", d.Name, err)
	}
	return made, nil
}
