package format

import (
	"context"
	"image/color"
	"strconv"

	"etrace/render/drawing"
)

// surface is what a drawing is drawn on: a bitmap, or a page of a PDF document. Coordinates are points.
type surface interface {
	// fill fills polygons; a polygon has at least three corners.
	fill(ink color.NRGBA, polygons ...[]drawing.Point)
	// stroke draws lines with the width, the dashes and the colour of the style.
	stroke(s *drawing.Style, lines [][]drawing.Point)
	// text writes the text of a node in the style.
	text(n *drawing.Node, s *drawing.Style) error
	// width returns the width of a text in the style.
	width(text string, s *drawing.Style) (float64, error)
}

// canvas draws the elements of a drawing on a surface.
type canvas struct {
	surface
	theme drawing.Theme
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
		for _, group := range nodeGroups(l, rank) {
			for _, j := range group {
				if err := c.drawNode(&l.Nodes[j]); err != nil {
					return err
				}
			}
		}
		for _, group := range pathGroups(l, rank) {
			for _, j := range group {
				c.drawPath(&l.Paths[j])
			}
		}
	}
	return nil
}

// doubleGap is the distance between the two outlines of a node.
const doubleGap = periphery

// drawNode draws the shape of a node, then its text.
func (c *canvas) drawNode(n *drawing.Node) error {
	s := c.theme.Shade(n.Look())
	outline := outlineOf(s.Shape, n.X, n.Y, n.W, n.H)
	if s.Shape == drawing.NoShape && s.Fill != "" && n.Align == drawing.Center {
		// The ground of a label. The label may be wider in other fonts, which do not draw here.
		width, err := c.width(n.Text, &s)
		if err != nil {
			return err
		}
		outline = outlineOf(s.Shape, n.X, n.Y, min(n.W, width+4), n.H)
	}
	c.fill(colorOf(s.Fill), outline)
	if s.Stroke != "" {
		c.stroke(&s, [][]drawing.Point{closedPolygon(outline)})
		if s.Double {
			c.stroke(&s, [][]drawing.Point{closedPolygon(outlineOf(s.Shape, n.X, n.Y, n.W-2*doubleGap, n.H-2*doubleGap))})
		}
	}
	if n.Text == "" || s.Text == "" {
		return nil
	}
	return c.text(n, &s)
}

// drawPath draws the lines of a path, then its arrowhead.
func (c *canvas) drawPath(p *drawing.Path) {
	s := c.theme.Shade(p.Look())
	var lines [][]drawing.Point
	for i, stroke := range p.Strokes {
		if s.Head == drawing.NoHead || i < len(p.Strokes)-1 {
			lines = append(lines, flatten(stroke))
			continue
		}
		short, tip := shorten(stroke, headShapes[s.Head].length*drawing.HeadLength)
		lines = append(lines, flatten(short))
		defer c.drawHead(&s, short[len(short)-1], tip)
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
