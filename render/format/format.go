package format

import (
	"context"
	"errors"
	"io"

	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

// Format is one language in which drawings are written.
type Format struct {
	// Name is also the extension of file names, without its dot.
	Name string
	// Doc describes the use of the format in a line.
	Doc string
	// Write writes the drawing, or nothing if it fails. A comment in the first line with the words "Written by
	// etrace" lets the next drawing replace the file.
	Write func(ctx context.Context, w io.Writer, d *drawing.Drawing) error
}

// Key is the name of the format, by which a registry finds it.
func (f Format) Key() string { return f.Name }

// Check returns an error for a format without a function Write. A registry refuses it.
func (f Format) Check() error {
	if f.Write == nil {
		return errors.New("expected a function Write")
	}
	return nil
}

// Builtin returns the formats of etrace.
func Builtin() text.Registry[Format] {
	return text.NewRegistry("format",
		dotFormat,
		pdfFormat,
		pngFormat,
		svgFormat,
	)
}
