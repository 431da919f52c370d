package format

import (
	"bytes"
	"context"
	"encoding/xml"
	"math"
	"strconv"
	"strings"

	"etrace/render/drawing"
)

// Element returns the drawing as an SVG element of a page, with a title and a description. Graphviz is not needed. The
// prefix makes the IDs of the element unique on a page with several pictures.
func Element(ctx context.Context, d *drawing.Drawing, prefix string) ([]byte, error) {
	e := &element{theme: d.Theme}
	e.begin(d, prefix)
	rank := ranks(d)
	for i := range d.Layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.layer(&d.Layers[i], rank)
	}
	e.text("</g></svg>\n")
	return e.out.Bytes(), nil
}

// element writes a drawing as an SVG element. Elements of one look are in a group, which has the attributes once.
type element struct {
	out   bytes.Buffer
	theme drawing.Theme
}

// begin writes the root with its title and description, the background and the areas.
func (e *element) begin(d *drawing.Drawing, prefix string) {
	title, desc := prefix+"etrace-title", prefix+"etrace-desc"
	e.text(`<svg role="img" aria-labelledby="` + title + " " + desc + `" xmlns="http://www.w3.org/2000/svg"`) // the mark in package atomicfile
	if size := d.Pixels; size != (drawing.Pixels{}) {
		e.text(` width="` + strconv.Itoa(size.Width) + `" height="` + strconv.Itoa(size.Height) + `"`)
	} else {
		e.text(` width="` + strconv.Itoa(int(math.Ceil(d.Width))) + `pt" height="` + strconv.Itoa(int(math.Ceil(d.Height))) + `pt"`)
	}
	e.text(` viewBox="0 0`)
	e.numbers(" ", d.Width, " ", d.Height)
	e.text(`"><title id="` + title + `">`)
	e.escaped(d.Title)
	e.text(`</title><desc id="` + desc + `">`)
	e.escaped(d.Desc)
	e.text(`</desc><g font-family="` + drawing.Family + `" text-anchor="middle" stroke-linejoin="round">`)
	for _, a := range append([]drawing.Area{{Fill: drawing.Paper, Corners: rectangle(d.Width, d.Height)}}, d.Areas...) {
		e.text("<path")
		e.paint("fill", e.theme.Color(a.Fill))
		e.polygon(a.Corners)
	}
}

// layer writes the nodes, then the paths, grouped by look.
func (e *element) layer(l *drawing.Layer, rank map[*drawing.Style]int) {
	for _, group := range nodeGroups(l, rank) {
		s := e.theme.Shade(l.Nodes[group[0]].Look())
		e.open(&s, s.Fill)
		for _, j := range group {
			e.node(&l.Nodes[j], &s)
		}
		e.text("</g>\n")
	}
	for _, group := range pathGroups(l, rank) {
		s := e.theme.Shade(l.Paths[group[0]].Look())
		e.open(&s, "")
		for _, j := range group {
			e.path(&l.Paths[j], &s)
		}
		e.text("</g>\n")
	}
}

// open begins the group of a look.
func (e *element) open(s *drawing.Style, fill string) {
	e.text("<g")
	e.paint("fill", fill)
	if s.Stroke != "" {
		e.paint("stroke", s.Stroke)
		e.numbers(` stroke-width="`, s.Width, `"`)
	}
	if pattern := patterns[s.Dash]; pattern != nil {
		e.numbers(` stroke-dasharray="`, pattern[0], ",", pattern[1], `"`)
	}
	if s.Text != "" {
		e.numbers(` font-size="`, s.Size, `"`)
	}
	if s.Bold {
		e.text(` font-weight="bold"`)
	}
	e.text(">")
}

// tip begins an element with a tip, if it has one, and returns what ends it.
func (e *element) tip(tip string) (end string) {
	if tip == "" {
		return "\n"
	}
	e.text("<g><title>")
	e.escaped(tip)
	e.text("</title>")
	return "</g>\n"
}

// node writes the shape and the text of a node.
func (e *element) node(n *drawing.Node, s *drawing.Style) {
	end := e.tip(n.Tip)
	if s.Fill != "" || s.Stroke != "" {
		e.shape(s.Shape, n.X, n.Y, n.W, n.H)
		if s.Double {
			e.shape(s.Shape, n.X, n.Y, n.W-2*doubleGap, n.H-2*doubleGap)
		}
	}
	if words := n.Text + n.Pointing; words != "" && s.Text != "" {
		x := n.X + [...]float64{drawing.Center: 0, drawing.Left: -n.W / 2, drawing.Right: n.W / 2}[n.Align]
		e.numbers(`<text x="`, x, `" y="`, n.Y+s.Size*baseline, `"`)
		e.text([...]string{drawing.Center: "", drawing.Left: ` text-anchor="start"`, drawing.Right: ` text-anchor="end"`}[n.Align])
		e.paint("fill", s.Text)
		if len(s.Fill) > opaque {
			e.text(` fill-opacity="1"`)
		}
		if s.Stroke != "" {
			e.text(` stroke="none"`)
		}
		e.text(">")
		e.escaped(words)
		e.text("</text>")
	}
	e.text(end)
}

// shape writes the outline of a node.
func (e *element) shape(shape drawing.Shape, x, y, w, h float64) {
	switch shape {
	case drawing.NoShape, drawing.Rectangle, drawing.Rounded:
		e.numbers(`<rect x="`, x-w/2, `" y="`, y-h/2, `" width="`, w, `" height="`, h)
		if shape == drawing.Rounded {
			e.numbers(`" rx="`, cornerRadius(w, h))
		}
		e.text(`"/>`)
	case drawing.Ellipse:
		e.numbers(`<ellipse cx="`, x, `" cy="`, y, `" rx="`, w/2, `" ry="`, h/2, `"/>`)
	default:
		e.text("<path")
		e.polygon(outlineOf(shape, x, y, w, h))
	}
}

// polygon writes the corners of a path, which it ends.
func (e *element) polygon(corners []drawing.Point) {
	before := ` d="M`
	for _, at := range corners {
		e.numbers(before, at.X, " ", at.Y)
		before = "L"
	}
	e.text(`Z"/>`)
}

// path writes the strokes of a path, then its arrowhead.
func (e *element) path(p *drawing.Path, s *drawing.Style) {
	if len(p.Strokes) == 0 {
		return
	}
	end := e.tip(p.Tip)
	strokes, last := append([][]drawing.Point(nil), p.Strokes...), len(p.Strokes)-1
	var point drawing.Point
	if s.Head != drawing.NoHead {
		strokes[last], point = shorten(strokes[last], headShapes[s.Head].length*drawing.HeadLength)
	}
	if s.Double {
		e.numbers(`<path stroke-width="`, doubleWidth+s.Width, `"`)
		e.strokes(strokes)
		e.numbers(`<path stroke-width="`, doubleWidth-s.Width, `"`)
		e.paint("stroke", e.theme.Color(drawing.Paper))
	} else {
		e.text("<path")
	}
	e.strokes(strokes)
	if s.Head != drawing.NoHead {
		e.text("<path")
		if s.Head != drawing.Empty && s.Head != drawing.EmptyDiamond {
			e.paint("fill", s.Stroke)
		}
		if s.Dash != drawing.Solid {
			e.text(` stroke-dasharray="none"`)
		}
		e.polygon(headOf(s.Head, strokes[last][len(strokes[last])-1], point))
	}
	e.text(end)
}

// strokes writes the curves of a path, which it ends.
func (e *element) strokes(strokes [][]drawing.Point) {
	e.text(` d="`)
	for _, stroke := range strokes {
		e.numbers("M", stroke[0].X, " ", stroke[0].Y)
		for i := 0; i+3 < len(stroke); i += 3 {
			a, b, c, d := stroke[i], stroke[i+1], stroke[i+2], stroke[i+3]
			if a == b && c == d {
				e.numbers("L", d.X, " ", d.Y)
			} else {
				e.numbers("C", b.X, " ", b.Y, " ", c.X, " ", c.Y, " ", d.X, " ", d.Y)
			}
		}
	}
	e.text(`"/>`)
}

// text writes a text that is markup.
func (e *element) text(text string) { e.out.WriteString(text) }

// escaped writes a text that is no markup.
func (e *element) escaped(text string) {
	xml.EscapeText(&e.out, []byte(strings.Map(func(r rune) rune {
		if drawable(r) {
			return r
		}
		return -1
	}, text)))
}

// opaque is the length of a colour without an opacity.
const opaque = len("#rrggbb")

// paint writes an attribute with a colour, #rrggbb or #rrggbbaa, and its opacity.
func (e *element) paint(name, color string) {
	switch alpha := colorOf(color).A; {
	case alpha == 0:
		e.text(" " + name + `="none"`)
	case len(color) > opaque:
		e.numbers(" "+name+`="`+color[:opaque]+`" `+name+`-opacity="`, float64(alpha)/math.MaxUint8, `"`)
	default:
		e.text(" " + name + `="` + color + `"`)
	}
}

// numbers writes texts and numbers with at most two decimals.
func (e *element) numbers(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			e.text(part)
		case float64:
			const decimals = 100
			e.out.Write(strconv.AppendFloat(e.out.AvailableBuffer(), math.Round(part*decimals)/decimals, 'f', -1, 64))
		}
	}
}
