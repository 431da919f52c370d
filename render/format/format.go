// Package format writes drawings in languages of pictures: DOT, the text
// that Graphviz reads, and SVG, which Graphviz draws from it.
package format

import (
	"context"
	"io"

	"etrace/render/diagram"
)

// Format is one language in which drawings are written.
type Format struct {
	Name string
	// Doc says in a line what the format is for.
	Doc string
	// Ext is the extension of file names, with its dot.
	Ext string
	// Write writes the drawing. It writes nothing unless all went well.
	Write func(ctx context.Context, w io.Writer, d *diagram.Drawing) error
}

// All returns the formats in the order of their names.
func All() []Format {
	return []Format{
		dotFormat,
		svgFormat,
	}
}
