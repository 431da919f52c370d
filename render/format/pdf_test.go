package format

import (
	"bytes"
	"testing"

	"etrace/render/drawing"
)

// TestPDF: a document has the size of the drawing, or of a picture with a size at 96 pixels an inch. It ends with the mark of
// etrace, and is the same each time. Its texts may have any characters.
func TestPDF(t *testing.T) {
	box := &drawing.Style{
		Shape: drawing.Octagon, Stroke: drawing.Ink, Width: 1, Fill: drawing.Veil, Text: drawing.Ink, Size: 12, Dash: drawing.Dashed,
		Double: true,
	}
	line := &drawing.Style{Stroke: drawing.Vermilion, Width: 4, Head: drawing.Empty}
	d := &drawing.Drawing{
		Title: "t (\x1b", Width: 200, Height: 100,
		Areas: []drawing.Area{{Fill: "#00ff0080", Corners: []drawing.Point{{X: 0, Y: 80}, {X: 40, Y: 80}, {X: 40, Y: 100}}}},
		Layers: []drawing.Layer{{
			Nodes: []drawing.Node{
				{Style: box, X: 30, Y: 30, W: 40, H: 30, Text: "a → 東京 🙂 \x00)"}, {Style: box, X: 9, Y: 9, Text: "b", Align: drawing.Right},
			},
			Paths: []drawing.Path{{Style: line, Strokes: [][]drawing.Point{drawing.Line(drawing.At(80, 70), drawing.At(120, 70))}}},
		}},
	}
	for _, c := range []struct {
		pixels drawing.Pixels
		size   string
	}{{drawing.Pixels{}, "/MediaBox [0 0 200.00 100.00]"}, {drawing.Pixels{Width: 1280, Height: 720}, "/MediaBox [0 0 960.00 540.00]"}} {
		d.Pixels = c.pixels
		var first, second bytes.Buffer
		for _, out := range []*bytes.Buffer{&first, &second} {
			if err := PDF(t.Context(), out, d); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(first.Bytes(), []byte("%PDF-")) || !bytes.Contains(first.Bytes(), []byte(c.size)) {
			t.Errorf("no %s in a document of %d bytes", c.size, first.Len())
		}
		if end := first.Bytes()[max(first.Len()-4096, 0):]; !bytes.Contains(end, []byte("/Creator (Written by etrace)")) {
			t.Error("the mark of etrace is not near the end")
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Error("two documents of one drawing differ")
		}
	}
}
