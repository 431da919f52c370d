package drawing

import (
	"fmt"
	"strconv"
)

// Shape is the outline of a node.
type Shape uint8

// The shapes of nodes.
const (
	NoShape Shape = iota
	Rectangle
	Rounded
	Octagon
	Ellipse
	Diamond
	TriangleUp
	TriangleRight
	TriangleLeft
	Hexagon
)

// Dash is the pattern of a line.
type Dash uint8

// The patterns of lines.
const (
	Solid Dash = iota
	Dashed
	Dotted
	// Invisible lines are not drawn, but the filling of the shape is.
	Invisible
)

// Head is the arrowhead of a path.
type Head uint8

// The arrowheads.
const (
	NoHead Head = iota
	Filled
	Vee
	Empty
	HeadDiamond
	EmptyDiamond
	HeadBox
)

// Style is the look of elements. Colours are #rrggbb or #rrggbbaa, or empty for none.
type Style struct {
	// Name is the name of the elements of this style, such as "message".
	Name string
	// Shape is the outline of a node.
	Shape  Shape
	Stroke string
	Fill   string
	// Text is the colour of the text, Size its height in points.
	Text  string
	Size  float64
	Bold  bool
	Width float64
	Dash  Dash
	// Double draws the outline, or the line, twice.
	Double bool
	Head   Head
}

// The palette of Okabe and Ito, which readers with any common colour vision distinguish. No meaning depends on colour
// alone.
const (
	Ink       = "#222222"
	Grey      = "#666666"
	Pale      = "#9a9a9a"
	Paper     = "#ffffff"
	Veil      = "#ffffffd8"
	Blue      = "#0072b2"
	Vermilion = "#d55e00"
	Green     = "#00805e"
	Orange    = "#b87400"
	Purple    = "#a2478a"
	Brown     = "#7a5230"
)

// The looks of paths of different kinds, in the order in which the kinds first occur. The first six differ in colour
// and head. The next six have the same colours, each with the head of the next one, and so on.
var (
	hueColors = [...]string{Blue, Green, Vermilion, Purple, Orange, Brown}
	hueHeads  = [...]Head{Filled, Vee, Empty, HeadDiamond, EmptyDiamond, HeadBox}
)

// Hues is the number of kinds of paths with different looks.
const Hues = len(hueColors) * len(hueHeads)

// HueOf returns the hue of the paths of the n-th kind, from 1. After [Hues] kinds, the hues repeat.
func HueOf(n int) int { return 1 + (n-1)%Hues }

// hueHead returns the arrowhead of a hue.
func hueHead(hue int) Head { return hueHeads[(hue-1+(hue-1)/len(hueColors))%len(hueHeads)] }

// line is a variant of a solid path: the factor of its width, and whether it is double.
type line struct {
	wider  float64
	double bool
}

// lines distinguish kinds with the same hue. They have no dashes or dots, which have other meanings. [0] is unused.
var lines = [...]line{{}, {1, false}, {2.4, false}, {1, true}, {4, false}}

// Lines is the number of variants, which are numbered from 1.
const Lines = len(lines) - 1

// HeadLength is the length of an arrowhead.
const HeadLength = 7.5

// Look returns the style of the node as it is drawn.
func (n *Node) Look() Style {
	if n.Faint {
		return n.Style.faint()
	}
	return *n.Style
}

// Look returns the style of the path as it is drawn, in its hue.
func (p *Path) Look() Style {
	look := *p.Style
	look.Head = p.Head()
	if p.Hue > 0 {
		look.Stroke = hueColors[(p.Hue-1)%len(hueColors)]
	}
	if p.Line > 0 && look.Dash == Solid {
		look.Double = lines[p.Line].double
		look.Width *= lines[p.Line].wider
	}
	if p.Faint {
		look = look.faint()
	}
	return look
}

// Head returns the arrowhead of the path as it is drawn.
func (p *Path) Head() Head {
	if p.Hue > 0 && p.Style.Head == Filled {
		return hueHead(p.Hue)
	}
	return p.Style.Head
}

// faint returns the style for a faint element.
func (s Style) faint() Style {
	s.Stroke, s.Fill, s.Text = fade(s.Stroke), fade(s.Fill), fade(s.Text)
	s.Bold = false
	return s
}

// fade mixes a colour with much white. Transparency is kept.
func fade(color string) string {
	const keep, total = 28, 100
	if len(color) < 7 {
		return color
	}
	out := []byte("#")
	for i := 1; i < 7; i += 2 {
		c, err := strconv.ParseUint(color[i:i+2], 16, 8)
		if err != nil {
			return color
		}
		out = fmt.Appendf(out, "%02x", 255-(255-c)*keep/total)
	}
	return string(out) + color[7:]
}
