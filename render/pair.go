package render

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"etrace/render/diagram"
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
	_, f, err := left.Options.Resolve()
	if err != nil {
		return fmt.Errorf("render: %w", err)
	}
	var drawings [2]*diagram.Drawing
	for i, p := range [...]Picture{left, right} {
		if drawings[i], err = build(ctx, p.Recording, p.Options); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	if err := f.Write(ctx, &out, diagram.Beside(drawings[0], drawings[1], title)); err != nil {
		return fmt.Errorf("render: %s: %w", f.Name, err)
	}
	_, err = w.Write(out.Bytes())
	return err
}
