package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"

	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

var pngFormat = Format{
	Name:  "png",
	Doc:   "bitmap for documents without SVG; it contains its own font",
	Write: PNG,
}

// The resolution of bitmaps, in pixels for each point: the finer one if the picture then
// has no more than finePixels. Each pixel takes four bytes of memory.
const (
	fine       = 2
	coarse     = 1
	finePixels = 8 << 20 // of a large screen
	maxPixels  = 64 << 20
)

// PNG draws the drawing as a bitmap, with a font that is part of the program. It writes nothing if it fails.
func PNG(ctx context.Context, w io.Writer, d *drawing.Drawing) error {
	scale := scaleOf(d)
	if pixels := d.Width * d.Height * scale * scale; pixels > maxPixels || pixels < 1 {
		return fmt.Errorf("a picture of %.0f x %.0f pixels, expected at most %d million: draw an SVG", d.Width*scale,
			d.Height*scale, maxPixels>>20)
	}
	c := newCanvas(d.Width, d.Height, scale)
	if size := d.Pixels; size != (drawing.Pixels{}) {
		c.image = image.NewRGBA(image.Rect(0, 0, size.Width, size.Height))
	}
	c.theme = d.Theme
	draw.Draw(c.image, c.image.Bounds(), image.NewUniform(colorOf(c.theme.Color(drawing.Paper))), image.Point{}, draw.Src)
	if err := c.draw(ctx, d); err != nil {
		return err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, c.image); err != nil {
		return err
	}
	return writeChunks(w, out.Bytes(), d)
}

// scaleOf returns the number of pixels for a point of the drawing.
func scaleOf(d *drawing.Drawing) float64 {
	switch {
	case d.Pixels != (drawing.Pixels{}):
		return min(float64(d.Pixels.Width)/d.Width, float64(d.Pixels.Height)/d.Height)
	case d.Width*d.Height*fine*fine > finePixels:
		return coarse
	}
	return fine
}

// afterHeader is the end of the first chunk of a PNG, where texts may be inserted.
const afterHeader = 8 + 4 + 4 + 13 + 4

// writeChunks writes a PNG with texts that describe it. Package atomicfile recognises the file by the
// first text.
func writeChunks(w io.Writer, picture []byte, d *drawing.Drawing) error {
	var out bytes.Buffer
	out.Write(picture[:afterHeader])
	chunk(&out, "tEXt", "Software\x00Written by etrace")
	for _, entry := range []struct{ key, value string }{{"Title", d.Title}, {"Description", d.Desc}} {
		chunk(&out, "iTXt", entry.key+"\x00\x00\x00\x00\x00"+text.Printable(entry.value))
	}
	out.Write(picture[afterHeader:])
	_, err := w.Write(out.Bytes())
	return err
}

// chunk appends a chunk of a PNG, with its length and checksum.
func chunk(out *bytes.Buffer, kind, data string) {
	sum := crc32.NewIEEE()
	io.WriteString(sum, kind+data)
	out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	out.WriteString(kind + data)
	out.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32()))
}

// canvas is a bitmap with coordinates in points.
type canvas struct {
	image *image.RGBA
	scale float64
	pen   pen
	theme drawing.Theme
}

// newCanvas returns an empty bitmap for a drawing of that size.
func newCanvas(width, height, scale float64) *canvas {
	return &canvas{image: image.NewRGBA(image.Rect(0, 0, int(math.Ceil(width*scale)), int(math.Ceil(height*scale)))), scale: scale}
}

// draw draws the areas, then the nodes and paths of each layer, as SVG has them: elements of one style
// together, in the order of the styles.
func (c *canvas) draw(ctx context.Context, d *drawing.Drawing) error {
	for _, a := range d.Areas {
		c.fill(colorOf(c.theme.Color(a.Fill)), a.Corners)
	}
	rank := ranks(d)
	for i := range d.Layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := &d.Layers[i]
		for _, group := range groups(len(l.Nodes), func(j int) look { return look{style: rank[l.Nodes[j].Style], faint: l.Nodes[j].Faint} }) {
			for _, j := range group {
				if err := c.node(&l.Nodes[j]); err != nil {
					return err
				}
			}
		}
		for _, group := range groups(len(l.Paths), func(j int) look {
			return look{rank[l.Paths[j].Style], l.Paths[j].Hue, l.Paths[j].Line, l.Paths[j].Faint}
		}) {
			for _, j := range group {
				c.path(&l.Paths[j])
			}
		}
	}
	return nil
}

// doubleGap is the distance between the two outlines of a node.
const doubleGap = periphery

// node draws the shape of a node, then its text.
func (c *canvas) node(n *drawing.Node) error {
	s := c.theme.Shade(n.Look())
	outline := outlineOf(s.Shape, n.X, n.Y, n.W, n.H)
	c.fill(colorOf(s.Fill), outline)
	if s.Stroke != "" {
		c.stroke(&s, [][]drawing.Point{closed(outline)})
		if s.Double {
			c.stroke(&s, [][]drawing.Point{closed(outlineOf(s.Shape, n.X, n.Y, n.W-2*doubleGap, n.H-2*doubleGap))})
		}
	}
	if n.Text == "" || s.Text == "" {
		return nil
	}
	return c.text(n, &s)
}

// path draws the lines of a path, then its arrowhead.
func (c *canvas) path(p *drawing.Path) {
	s := c.theme.Shade(p.Look())
	var lines [][]drawing.Point
	for i, stroke := range p.Strokes {
		if s.Head == drawing.NoHead || i < len(p.Strokes)-1 {
			lines = append(lines, flatten(stroke))
			continue
		}
		short, tip := shorten(stroke, headShapes[s.Head].length*drawing.HeadLength)
		lines = append(lines, flatten(short))
		defer c.head(&s, short[len(short)-1], tip)
	}
	if s.Double {
		outer, core := s, s
		outer.Width, core.Width, core.Stroke = doubleWidth+s.Width, doubleWidth-s.Width, c.theme.Color(drawing.Paper)
		c.stroke(&outer, lines)
		c.stroke(&core, lines)
		return
	}
	c.stroke(&s, lines)
}

// doubleWidth is the distance between the lines of a double line, as in Graphviz.
const doubleWidth = 4

// colorOf parses #rrggbb or #rrggbbaa; anything else is transparent.
func colorOf(text string) color.NRGBA {
	if len(text) == 7 {
		text += "ff"
	}
	v, err := strconv.ParseUint(text[min(1, len(text)):], 16, 32)
	if err != nil || len(text) != 9 {
		return color.NRGBA{}
	}
	return color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}
}
