package render

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"etrace/render/diagram"
	"etrace/render/drawing"
	"etrace/tracefmt"
)

// Picture is a run with the options by which it is drawn.
type Picture struct {
	Recording tracefmt.Recording
	Options   Options
}

// RenderPair draws two runs side by side to w, in the format of the first,
// under one title. Nothing is written unless all went well.
func RenderPair(ctx context.Context, w io.Writer, title string, left, right Picture) error {
	_, f, err := left.Options.resolve()
	switch {
	case err != nil:
		return fmt.Errorf("render: %w", err)
	case f.draw == nil:
		return fmt.Errorf("render: %s: two runs are drawn side by side in pictures only, expected dot or svg", f.Name)
	}
	var drawings [2]*drawing.Drawing
	for i, p := range [...]Picture{left, right} {
		drawings[i], err = p.draw(ctx)
		if err != nil {
			return fmt.Errorf("render: %w", err)
		}
	}
	var out bytes.Buffer
	if err := f.draw(ctx, &out, drawing.Beside(drawings[0], drawings[1], title)); err != nil {
		return fmt.Errorf("render: %s: %w", f.Name, err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// draw makes the drawing of the run.
func (p *Picture) draw(ctx context.Context) (*drawing.Drawing, error) {
	d, f, err := p.Options.resolve()
	if err != nil {
		return nil, err
	}
	s, err := p.Options.read(ctx, p.Recording, d, f)
	if err != nil {
		return nil, fmt.Errorf("%s diagram: %w", d.Name, err)
	}
	return build(ctx, s, d, diagram.Layout{})
}
