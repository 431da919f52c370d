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
	e.writeBegin(d, prefix)
	rank := ranks(d)
	for i := range d.Layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.writeLayer(&d.Layers[i], rank)
	}
	e.writeMarkup("</g></svg>\n")
	return e.out.Bytes(), nil
}

// element writes a drawing as an SVG element. Elements of one look are in a group, which has the attributes once.
type element struct {
	out   bytes.Buffer
	theme drawing.Theme
}

// writeBegin writes the root with its title and description, the background and the areas.
func (e *element) writeBegin(d *drawing.Drawing, prefix string) {
	title, desc := prefix+"etrace-title", prefix+"etrace-desc"
	// Package atomicfile recognises pictures of etrace by the first two attributes.
	e.writeMarkup(`<svg role="img" aria-labelledby="` + title + " " + desc + `" xmlns="http://www.w3.org/2000/svg"`)
	if size := d.Pixels; size != (drawing.Pixels{}) {
		e.writeMarkup(` width="` + strconv.Itoa(size.Width) + `" height="` + strconv.Itoa(size.Height) + `"`)
	} else {
		e.writeMarkup(` width="` + strconv.Itoa(int(math.Ceil(d.Width))) + `pt" height="` + strconv.Itoa(int(math.Ceil(d.Height))) + `pt"`)
	}
	e.writeMarkup(` viewBox="0 0`)
	e.writeNumbers(" ", d.Width, " ", d.Height)
	e.writeMarkup(`"><title id="` + title + `">`)
	e.writeEscaped(d.Title)
	e.writeMarkup(`</title><desc id="` + desc + `">`)
	e.writeEscaped(d.Desc)
	e.writeMarkup(`</desc><g font-family="` + drawing.Family + `" text-anchor="middle" stroke-linejoin="round">`)
	for _, a := range append([]drawing.Area{{Fill: drawing.Paper, Corners: rectangle(d.Width, d.Height)}}, d.Areas...) {
		e.writeMarkup("<path")
		e.writeColor("fill", e.theme.Color(a.Fill))
		e.writePolygon(a.Corners)
	}
}

// writeLayer writes the nodes, then the paths, grouped by look.
func (e *element) writeLayer(l *drawing.Layer, rank map[*drawing.Style]int) {
	for _, group := range nodeGroups(l, rank) {
		s := e.theme.Shade(l.Nodes[group[0]].Look())
		e.beginGroup(&s, s.Fill)
		for _, j := range group {
			e.writeNode(&l.Nodes[j], &s)
		}
		e.writeMarkup("</g>\n")
	}
	for _, group := range pathGroups(l, rank) {
		s := e.theme.Shade(l.Paths[group[0]].Look())
		e.beginGroup(&s, "")
		for _, j := range group {
			e.writePath(&l.Paths[j], &s)
		}
		e.writeMarkup("</g>\n")
	}
}

// beginGroup begins the group of a look.
func (e *element) beginGroup(s *drawing.Style, fill string) {
	e.writeMarkup("<g")
	e.writeColor("fill", fill)
	if s.Stroke != "" {
		e.writeColor("stroke", s.Stroke)
		e.writeNumbers(` stroke-width="`, s.Width, `"`)
	}
	if pattern := patterns[s.Dash]; pattern != nil {
		e.writeNumbers(` stroke-dasharray="`, pattern[0], ",", pattern[1], `"`)
	}
	if s.Text != "" {
		e.writeNumbers(` font-size="`, s.Size, `"`)
	}
	if s.Bold {
		e.writeMarkup(` font-weight="bold"`)
	}
	e.writeMarkup(">")
}

// beginTip begins an element with a tip, if it has one, and returns what ends it.
func (e *element) beginTip(tip string) (end string) {
	if tip == "" {
		return "\n"
	}
	e.writeMarkup("<g><title>")
	e.writeEscaped(tip)
	e.writeMarkup("</title>")
	return "</g>\n"
}

// writeNode writes the shape and the text of a node.
func (e *element) writeNode(n *drawing.Node, s *drawing.Style) {
	end := e.beginTip(n.Tip)
	if s.Fill != "" || s.Stroke != "" {
		e.writeShape(s.Shape, n.X, n.Y, n.W, n.H)
		if s.Double {
			e.writeShape(s.Shape, n.X, n.Y, n.W-2*doubleGap, n.H-2*doubleGap)
		}
	}
	if words := n.Text + n.Pointing; words != "" && s.Text != "" {
		x := n.X + [...]float64{drawing.Center: 0, drawing.Left: -n.W / 2, drawing.Right: n.W / 2}[n.Align]
		e.writeNumbers(`<text x="`, x, `" y="`, n.Y+s.Size*baseline, `"`)
		e.writeMarkup([...]string{drawing.Center: "", drawing.Left: ` text-anchor="start"`, drawing.Right: ` text-anchor="end"`}[n.Align])
		e.writeColor("fill", s.Text)
		if len(s.Fill) > opaqueLength {
			e.writeMarkup(` fill-opacity="1"`)
		}
		if s.Stroke != "" {
			e.writeMarkup(` stroke="none"`)
		}
		e.writeMarkup(">")
		e.writeEscaped(words)
		e.writeMarkup("</text>")
	}
	e.writeMarkup(end)
}

// writeShape writes the outline of a node.
func (e *element) writeShape(shape drawing.Shape, x, y, w, h float64) {
	switch shape {
	case drawing.NoShape, drawing.Rectangle, drawing.Rounded:
		e.writeNumbers(`<rect x="`, x-w/2, `" y="`, y-h/2, `" width="`, w, `" height="`, h)
		if shape == drawing.Rounded {
			e.writeNumbers(`" rx="`, cornerRadius(w, h))
		}
		e.writeMarkup(`"/>`)
	case drawing.Ellipse:
		e.writeNumbers(`<ellipse cx="`, x, `" cy="`, y, `" rx="`, w/2, `" ry="`, h/2, `"/>`)
	default:
		e.writeMarkup("<path")
		e.writePolygon(outlineOf(shape, x, y, w, h))
	}
}

// writePolygon writes the corners of a path, which it ends.
func (e *element) writePolygon(corners []drawing.Point) {
	before := ` d="M`
	for _, at := range corners {
		e.writeNumbers(before, at.X, " ", at.Y)
		before = "L"
	}
	e.writeMarkup(`Z"/>`)
}

// writePath writes the strokes of a path, then its arrowhead.
func (e *element) writePath(p *drawing.Path, s *drawing.Style) {
	if len(p.Strokes) == 0 {
		return
	}
	end := e.beginTip(p.Tip)
	strokes, last := append([][]drawing.Point(nil), p.Strokes...), len(p.Strokes)-1
	var point drawing.Point
	if s.Head != drawing.NoHead {
		strokes[last], point = shorten(strokes[last], headShapes[s.Head].length*drawing.HeadLength)
	}
	if s.Double {
		e.writeNumbers(`<path stroke-width="`, doubleWidth+s.Width, `"`)
		e.writeStrokes(strokes)
		e.writeNumbers(`<path stroke-width="`, doubleWidth-s.Width, `"`)
		e.writeColor("stroke", e.theme.Color(drawing.Paper))
	} else {
		e.writeMarkup("<path")
	}
	e.writeStrokes(strokes)
	if s.Head != drawing.NoHead {
		e.writeMarkup("<path")
		if s.Head != drawing.Empty && s.Head != drawing.EmptyDiamond {
			e.writeColor("fill", s.Stroke)
		}
		if s.Dash != drawing.Solid {
			e.writeMarkup(` stroke-dasharray="none"`)
		}
		e.writePolygon(headOf(s.Head, strokes[last][len(strokes[last])-1], point))
	}
	e.writeMarkup(end)
}

// writeStrokes writes the curves of a path, which it ends.
func (e *element) writeStrokes(strokes [][]drawing.Point) {
	e.writeMarkup(` d="`)
	for _, stroke := range strokes {
		e.writeNumbers("M", stroke[0].X, " ", stroke[0].Y)
		for i := 0; i+3 < len(stroke); i += 3 {
			a, b, c, d := stroke[i], stroke[i+1], stroke[i+2], stroke[i+3]
			if a == b && c == d {
				e.writeNumbers("L", d.X, " ", d.Y)
			} else {
				e.writeNumbers("C", b.X, " ", b.Y, " ", c.X, " ", c.Y, " ", d.X, " ", d.Y)
			}
		}
	}
	e.writeMarkup(`"/>`)
}

// writeMarkup writes a text that is markup.
func (e *element) writeMarkup(text string) { e.out.WriteString(text) }

// writeEscaped writes a text that is no markup.
func (e *element) writeEscaped(text string) {
	xml.EscapeText(&e.out, []byte(strings.Map(func(r rune) rune {
		if isDrawable(r) {
			return r
		}
		return -1
	}, text)))
}

// opaqueLength is the length of a colour without an opacity.
const opaqueLength = len("#rrggbb")

// writeColor writes an attribute with a colour, #rrggbb or #rrggbbaa, and its opacity.
func (e *element) writeColor(name, color string) {
	switch alpha := colorOf(color).A; {
	case alpha == 0:
		e.writeMarkup(" " + name + `="none"`)
	case len(color) > opaqueLength:
		e.writeNumbers(" "+name+`="`+color[:opaqueLength]+`" `+name+`-opacity="`, float64(alpha)/math.MaxUint8, `"`)
	default:
		e.writeMarkup(" " + name + `="` + color + `"`)
	}
}

// writeNumbers writes texts and numbers with at most two decimals.
func (e *element) writeNumbers(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			e.writeMarkup(part)
		case float64:
			const decimals = 100
			e.out.Write(strconv.AppendFloat(e.out.AvailableBuffer(), math.Round(part*decimals)/decimals, 'f', -1, 64))
		}
	}
}
