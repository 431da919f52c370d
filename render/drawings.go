package render

import (
	"context"
	"fmt"
	"io"

	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

// Drawing are the names of the formats that write any drawing, also a drawing of no run.
func Drawing(formats Registry) (names []string) {
	for _, f := range formats.All() {
		if f.draw != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// Draw writes a drawing in the format of that name. Nothing is written unless all went well.
func Draw(ctx context.Context, w io.Writer, d *drawing.Drawing, format string, formats Registry) error {
	f, err := formats.Lookup(format)
	switch {
	case err != nil:
		return err
	case f.draw == nil:
		return fmt.Errorf("%s: draws runs only, expected %s", f.Name, text.Or(Drawing(formats)))
	}
	return withFormatName(f.Name, f.draw(ctx, w, d))
}
