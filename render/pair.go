package render

import (
	"context"
	"fmt"
	"io"

	"etrace/render/drawing"
	"etrace/tracefmt"
)

// Picture is a run and how it is drawn.
type Picture struct {
	Recording tracefmt.Recording
	Options   Options
}

// RenderPair draws two runs side by side to w, in the format of the first,
// under one title. Nothing is written unless all went well.
func RenderPair(ctx context.Context, w io.Writer, title string, left, right Picture) error {
	_, f, err := left.Options.resolve()
	if err != nil {
		return fmt.Errorf("render: %w", err)
	}
	var drawings [2]*drawing.Drawing
	for i, p := range [...]Picture{left, right} {
		if drawings[i], err = build(ctx, p.Recording, p.Options); err != nil {
			return err
		}
	}
	return write(ctx, w, f, drawing.Beside(drawings[0], drawings[1], title))
}
