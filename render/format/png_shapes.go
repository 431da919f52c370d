package format

import (
	"math"

	hinting "golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"etrace/render/drawing"
)

// corners are the outlines of shapes in a box from -1 to 1, as in Graphviz.
var corners = [...][]drawing.Point{
	drawing.NoShape:   {{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}},
	drawing.Rectangle: {{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}},
	drawing.Octagon: {
		{X: -slant, Y: -1},
		{X: slant, Y: -1},
		{X: 1, Y: -slant},
		{X: 1, Y: slant},
		{X: slant, Y: 1},
		{X: -slant, Y: 1},
		{X: -1, Y: slant},
		{X: -1, Y: -slant},
	},
	drawing.Diamond:       {{X: 0, Y: -1}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: -1, Y: 0}},
	drawing.TriangleUp:    {{X: 0, Y: -1}, {X: 1, Y: 0.5}, {X: -1, Y: 0.5}},
	drawing.TriangleRight: {{X: 1, Y: 0}, {X: -0.5, Y: 1}, {X: -0.5, Y: -1}},
	drawing.TriangleLeft:  {{X: -1, Y: 0}, {X: 0.5, Y: -1}, {X: 0.5, Y: 1}},
	drawing.Hexagon:       {{X: -0.5, Y: -1}, {X: 0.5, Y: -1}, {X: 1, Y: 0}, {X: 0.5, Y: 1}, {X: -0.5, Y: 1}, {X: -1, Y: 0}},
}

// slant is the distance of an octagon's corner from the middle of its side.
const slant = 0.41421356

// outlineOf returns the outline of a node as a polygon.
func outlineOf(shape drawing.Shape, x, y, w, h float64) []drawing.Point {
	switch shape {
	case drawing.Ellipse:
		return ellipse(x, y, w, h, 12+int(math.Sqrt(max(w, h))*4))
	case drawing.Rounded:
		return rounded(x, y, w, h)
	}
	list := make([]drawing.Point, len(corners[shape]))
	for i, p := range corners[shape] {
		list[i] = drawing.At(x+p.X*w/2, y+p.Y*h/2)
	}
	return list
}

// ellipse returns an ellipse as a polygon with that many sides.
func ellipse(x, y, w, h float64, sides int) []drawing.Point {
	list := make([]drawing.Point, sides)
	for i := range list {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
		list[i] = drawing.At(x+cos*w/2, y+sin*h/2)
	}
	return list
}

// cornerRadius returns the radius of the corners of a rounded rectangle.
func cornerRadius(w, h float64) float64 {
	const maxRadius = 12
	return min(maxRadius, w/3, h/3)
}

// rounded returns a rectangle with rounded corners as a polygon.
func rounded(x, y, w, h float64) []drawing.Point {
	r := cornerRadius(w, h)
	var list []drawing.Point
	for corner, c := range []drawing.Point{
		{X: x + w/2 - r, Y: y + h/2 - r},
		{X: x - w/2 + r, Y: y + h/2 - r},
		{X: x - w/2 + r, Y: y - h/2 + r},
		{X: x + w/2 - r, Y: y - h/2 + r},
	} {
		const steps = 5
		for i := range steps + 1 {
			sin, cos := math.Sincos(math.Pi / 2 * (float64(corner) + float64(i)/steps))
			list = append(list, drawing.At(c.X+cos*r, c.Y+sin*r))
		}
	}
	return list
}

// heads are the outlines of arrowheads: x goes along the line, from 0 to 1 at the tip, and y across it.
var heads = [...][]drawing.Point{
	drawing.Filled:       {{X: 0, Y: 0.35}, {X: 1, Y: 0}, {X: 0, Y: -0.35}},
	drawing.Vee:          {{X: 0, Y: 0.45}, {X: 1, Y: 0}, {X: 0, Y: -0.45}, {X: 0.33, Y: 0}, {X: 0, Y: 0}, {X: 0.33, Y: 0}}, // with a shaft
	drawing.Empty:        {{X: 0, Y: 0.35}, {X: 1, Y: 0}, {X: 0, Y: -0.35}},
	drawing.HeadDiamond:  {{X: 0, Y: 0}, {X: 0.5, Y: 0.33}, {X: 1, Y: 0}, {X: 0.5, Y: -0.33}},
	drawing.EmptyDiamond: {{X: 0, Y: 0}, {X: 0.5, Y: 0.33}, {X: 1, Y: 0}, {X: 0.5, Y: -0.33}},
	drawing.HeadBox:      {{X: 0, Y: 0.5}, {X: 1, Y: 0.5}, {X: 1, Y: -0.5}, {X: 0, Y: -0.5}},
}

// headOf returns the outline of an arrowhead from the end of its line to its tip.
func headOf(head drawing.Head, from, tip drawing.Point) []drawing.Point {
	dx, dy := tip.X-from.X, tip.Y-from.Y
	outline := make([]drawing.Point, len(heads[head]))
	for i, p := range heads[head] {
		outline[i] = drawing.At(from.X+dx*p.X-dy*p.Y, from.Y+dy*p.X+dx*p.Y)
	}
	return outline
}

// drawHead draws an arrowhead from the end of its line to its tip.
func (c *canvas) drawHead(s *drawing.Style, from, tip drawing.Point) {
	outline := headOf(s.Head, from, tip)
	if s.Head != drawing.Empty && s.Head != drawing.EmptyDiamond {
		c.fill(colorOf(s.Stroke), outline)
	}
	solid := *s
	solid.Dash = drawing.Solid
	c.stroke(&solid, [][]drawing.Point{closedPolygon(outline)})
}

// lettering is a font: one of the two Go fonts, which need no file. It is not safe for concurrent use.
type lettering struct {
	font *sfnt.Font
	buf  sfnt.Buffer
}

var fonts = [2][]byte{goregular.TTF, gobold.TTF}

// letters returns the font of a style, which is parsed once for a bitmap.
func (b *bitmap) letters(s *drawing.Style) (*lettering, error) {
	kind := 0
	if s.Bold {
		kind = 1
	}
	if b.fonts[kind] == nil {
		f, err := sfnt.Parse(fonts[kind])
		if err != nil {
			return nil, err
		}
		b.fonts[kind] = &lettering{font: f}
	}
	return b.fonts[kind], nil
}

// baseline is the distance from the middle of a line of text down to its baseline, relative to the text size.
const baseline = 0.33

// beginOf returns where the text of a node begins that has the width.
func beginOf(n *drawing.Node, width float64) float64 {
	switch n.Align {
	case drawing.Left:
		return n.X - n.W/2
	case drawing.Right:
		return n.X + n.W/2 - width
	}
	return n.X - width/2
}

// width implements [surface].
func (b *bitmap) width(text string, s *drawing.Style) (float64, error) {
	l, err := b.letters(s)
	if err != nil {
		return 0, err
	}
	return b.write(l, text, s, drawing.Point{}, false)
}

// text implements [surface].
func (b *bitmap) text(n *drawing.Node, s *drawing.Style) error {
	l, err := b.letters(s)
	if err != nil {
		return err
	}
	width, err := b.write(l, n.Text, s, drawing.Point{}, false)
	if err != nil {
		return err
	}
	_, err = b.write(l, n.Text, s, drawing.At(beginOf(n, width), n.Y+s.Size*baseline), true)
	return err
}

// write writes a text from a point on and returns its width. Without ink it only measures.
func (b *bitmap) write(l *lettering, text string, s *drawing.Style, at drawing.Point, ink bool) (width float64, err error) {
	size := fixed.Int26_6(s.Size * b.scale * 64)
	for _, r := range text {
		if r < ' ' || r == 0x7f {
			continue
		}
		glyph, err := l.font.GlyphIndex(&l.buf, r)
		if err != nil {
			return 0, err
		}
		if ink {
			if err := b.drawGlyph(l, glyph, size, drawing.At(at.X+width, at.Y), s); err != nil {
				return 0, err
			}
		}
		advance, err := l.font.GlyphAdvance(&l.buf, glyph, size, hinting.HintingNone)
		if err != nil {
			return 0, err
		}
		width += float64(advance) / 64 / b.scale
	}
	return width, nil
}

// drawGlyph draws a character. Its contours turn both ways: where they cancel out, there are holes.
func (b *bitmap) drawGlyph(l *lettering, glyph sfnt.GlyphIndex, size fixed.Int26_6, at drawing.Point, s *drawing.Style) error {
	segments, err := l.font.LoadGlyph(&l.buf, glyph, size, nil)
	if err != nil || len(segments) == 0 {
		return err
	}
	b.fillGlyph(segments, at, colorOf(s.Text))
	return nil
}
