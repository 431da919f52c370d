package drawing

// Point is a place in the drawing.
type Point struct{ X, Y float64 }

// At returns the point with these coordinates.
func At(x, y float64) Point { return Point{x, y} }

// Drawing is a picture: layers from back to front, with a description in words.
type Drawing struct {
	// Diagram is the name of the diagram that this is.
	Diagram string
	// Title describes the run in a line; it is also drawn.
	Title string
	// Desc describes in a few sentences what can be seen, for readers who cannot see it.
	Desc          string
	Width, Height float64
	// Pixels is the size in which the drawing is to be shown; zero is that of its points.
	Pixels Pixels
	// Theme is on what ground the drawing is shown.
	Theme Theme
	// Areas are behind all layers, from back to front.
	Areas  []Area
	Layers []Layer
	// Styles lists styles in the order in which formats write what has them.
	// Those not listed come after these, in the order of their first use.
	Styles []*Style
	// Hidden is the number of events that are not drawn because there are too
	// many.
	Hidden int64
	// Omitted is the number of labels that are left out or cut.
	Omitted int
}

// Pixels is a size in pixels.
type Pixels struct{ Width, Height int }

// Area is a filled region without an outline, a band of a plot for example.
type Area struct {
	// Fill is its colour, #rrggbb or #rrggbbaa.
	Fill string
	// Corners are those of its polygon, at least three.
	Corners []Point
}

// Layer is drawn nodes first, then paths.
type Layer struct {
	Nodes []Node
	Paths []Path
}

// Node is a shape with an optional line of text inside; its style has the shape.
// X and Y are its middle.
type Node struct {
	// ID is unique in the drawing, or empty. It is a letter and a number,
	// never text from the run.
	ID         string
	Style      *Style
	X, Y, W, H float64
	Text       string
	Align      Align
	// Faint is set for a node that only shows the surroundings of the emphasized nodes.
	Faint bool
	// Tip is a sentence about the node, shown when pointing at it.
	Tip string
	// Pointing goes on with the text where tips are shown, such as ": point at an arrow to read
	// it"; formats without tips leave it out.
	Pointing string
}

// Align is the place of a text in its node.
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
	Style *Style
	// Hue is 0 for the style's own colour and arrowhead; a number of [HueOf]
	// gives the path a colour of its own, and an arrowhead where the style has a
	// filled one.
	Hue int
	// Line is 0 for the style's own pattern; a number up to [Lines] gives a
	// solid path another pattern or width, 1 being as it is.
	Line int
	// From and To are the IDs of nodes of the same layer that the path joins,
	// for readers of the DOT text; both are empty for lines that join nothing.
	From, To string
	// Faint is set for a line that only shows the surroundings of the emphasized lines.
	Faint bool
	// Strokes are cubic Bézier curves: a starting point, then three points
	// for each piece. An arrowhead, if the style has one, ends the last one.
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
