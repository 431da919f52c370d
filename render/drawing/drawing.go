package drawing

// Point is a place in the drawing.
type Point struct{ X, Y float64 }

// At returns the point with these coordinates.
func At(x, y float64) Point { return Point{x, y} }

// Drawing is a picture: layers from back to front, with a description in words.
type Drawing struct {
	// Diagram is the name of the kind of diagram.
	Diagram string
	// Title describes the run in a line; it is also drawn.
	Title string
	// Desc describes the picture in a few sentences, for readers who cannot see it.
	Desc          string
	Width, Height float64
	// Pixels is the size of the shown picture; zero means the size in points.
	Pixels Pixels
	// Theme is the background of the drawing: light or dark.
	Theme Theme
	// Areas are behind all layers, from back to front.
	Areas  []Area
	Layers []Layer
	// Styles is the order of styles in which formats write the elements of a layer. Styles that are not listed
	// follow, in the order of their first use.
	Styles []*Style
	// Hidden is the number of events that are not drawn because there are too many.
	Hidden int64
	// Omitted is the number of labels that are omitted or cut.
	Omitted int
}

// Pixels is a size in pixels.
type Pixels struct{ Width, Height int }

// Area is a filled region without an outline, a band of a plot for example.
type Area struct {
	// Fill is the colour, #rrggbb or #rrggbbaa.
	Fill string
	// Corners are the corners of its polygon, at least three.
	Corners []Point
}

// Layer has nodes and paths; the nodes are drawn first.
type Layer struct {
	Nodes []Node
	Paths []Path
}

// Node is a shape with an optional line of text inside. The style has the shape. X and Y are the middle, W
// and H the size.
type Node struct {
	// ID is unique in the drawing, or empty. It is a letter and a number, never text from the run.
	ID         string
	Style      *Style
	X, Y, W, H float64
	Text       string
	Align      Align
	// Faint is set for a node that only shows the surroundings of the emphasized nodes.
	Faint bool
	// Tip is a sentence about the node, shown when pointing at it.
	Tip string
	// Pointing is appended to the text by formats that show tips: ": point at an arrow to read it".
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
	// Hue is 0 for the style's own colour and arrowhead. A number of [HueOf] gives the path another colour, and
	// another arrowhead if the style has a filled one.
	Hue int
	// Line is 0 for the style's own pattern. A number up to [Lines] gives a solid path another width, or doubles
	// it; 1 leaves it unchanged.
	Line int
	// From and To are the IDs of the nodes of the same layer that the path joins, for readers of the DOT text.
	// Both are empty if it joins no nodes.
	From, To string
	// Faint is set for a line that only shows the surroundings of the emphasized lines.
	Faint bool
	// Strokes are cubic Bézier curves: a starting point, then three points for each piece. The arrowhead, if the
	// style has one, is at the end of the last stroke.
	Strokes [][]Point
	Tip     string
}

// Line returns the stroke of straight pieces through the points.
func Line(points ...Point) []Point {
	stroke := make([]Point, 1, 3*len(points)-2)
	stroke[0] = points[0]
	for i := 1; i < len(points); i++ {
		stroke = append(stroke, points[i-1], points[i], points[i])
	}
	return stroke
}
