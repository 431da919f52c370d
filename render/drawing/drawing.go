// Package diagram turns a run into a drawing: shapes, lines and texts with
// computed positions, which package format then writes in some language of
// pictures. It computes geometry and knows neither Graphviz nor SVG.
//
// Lengths are points (1/72 inch). The origin is the upper left corner and y
// grows downward, as time does in a sequence diagram.
package diagram

import (
	"context"

	"etrace/tracefmt"
)

// Diagram is one way to draw a run.
type Diagram struct {
	Name string
	// Doc says in a line what the diagram shows.
	Doc string
	// Build reads the run and computes the drawing. Its time and memory grow
	// with the number of events drawn; of events beyond it only counts are kept.
	Build func(ctx context.Context, rec tracefmt.Recording, o Options) (*Drawing, error)
}

// All returns the diagrams in the order of their names.
func All() []Diagram {
	return []Diagram{
		ringDiagram,
		sequenceDiagram,
	}
}

// DefaultMaxEvents is how many events are drawn unless told otherwise: about
// as many as a browser scrolls through with ease.
const DefaultMaxEvents = 10_000

// Options say which part of a run is drawn. The zero value draws all of it, up
// to [DefaultMaxEvents].
type Options struct {
	// From and To bound the window of events; 0 is the first, or last, event.
	From, To tracefmt.Seq
	// MaxEvents is the greatest number of events drawn; 0 is DefaultMaxEvents.
	MaxEvents int
	// Title replaces the title made from the run's description.
	Title string
	// Caption is what the picture is to show, in a sentence below the title.
	Caption string
	// Highlight lists the events that the picture is about; all others are
	// drawn faint. Unless there is a window, it is the one that they span.
	Highlight []tracefmt.Seq
	// Faint says in the legend what those others are; by default, that they do
	// not matter.
	Faint string
	// Witness lists events that are marked and numbered in this order.
	Witness []tracefmt.Seq
	// Cut lists the last event of each process in a consistent cut, which is
	// drawn as a line: what happens above it is in the cut.
	Cut []tracefmt.Seq
}

// Point is a place in the drawing.
type Point struct{ X, Y float64 }

// Drawing is a picture: layers from back to front, and what it shows in words.
type Drawing struct {
	// Diagram is the name of the diagram that this is.
	Diagram string
	// Title says in a line what the run is; it is also drawn.
	Title string
	// Desc tells in a few sentences what can be seen, for those who cannot.
	Desc          string
	Width, Height float64
	Layers        []Layer
	// Hidden is the number of events in the window that are not drawn
	// because there are more than Options.MaxEvents.
	Hidden int64
}

// Layer is drawn nodes first, then paths.
type Layer struct {
	Nodes []Node
	Paths []Path
}

// Node is a shape with an optional line of text inside; its class says which
// shape. X and Y are its middle.
type Node struct {
	// ID is unique in the drawing, or empty. It is a letter and a number,
	// never text from the run.
	ID         string
	Class      Class
	X, Y, W, H float64
	Text       string
	Align      Align
	// Faint: the node is only there to show where the others stand.
	Faint bool
	// Tip is a sentence about the node, shown when pointing at it.
	Tip string
}

// Align says where in its node a text stands.
type Align uint8

// The alignments of text.
const (
	Center Align = iota
	Left
	Right
)

// Path is a line of one or more strokes.
type Path struct {
	ID    string
	Class Class
	// Hue is 0 for the class's own colour and arrowhead, else it picks from
	// [Hues]: messages of one type look alike.
	Hue int
	// From and To are the IDs of nodes of the same layer that the path joins,
	// for readers of the DOT text; empty for lines that join nothing.
	From, To string
	// Faint: the line is only there to show where the others stand.
	Faint bool
	// Strokes are cubic Bézier curves: a starting point, then three points
	// for each piece. An arrowhead, if the class has one, ends the last one.
	Strokes [][]Point
	Tip     string
}

// Line returns the stroke that goes straight through the points.
func Line(points ...Point) []Point {
	stroke := make([]Point, 1, 3*len(points)-2)
	stroke[0] = points[0]
	for i := 1; i < len(points); i++ {
		stroke = append(stroke, points[i-1], points[i], points[i])
	}
	return stroke
}

// bounds returns the middle and extent of a node as a box.
func (n *Node) bounds() box {
	return box{n.X - n.W/2, n.Y - n.H/2, n.X + n.W/2, n.Y + n.H/2}
}

// box is a rectangle with its sides parallel to the axes.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) overlaps(c box) bool {
	return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1
}

func (b box) grow(by float64) box { return box{b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by} }
