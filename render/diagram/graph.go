package diagram

import (
	"context"
	"math"
	"slices"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

var graphDiagram = Diagram{
	Name:      "graph",
	Doc:       "the processes as a graph: an edge for each channel with its number of messages, and pointers such as parent at the end",
	Variables: true,
	Build:     buildGraph,
}

// tokenVariable is true at the process that has the token of the run; see docs/vocabulary.md.
const tokenVariable = "token"

// Distances in graphs.
const (
	edgeLength  = 150.0 // about
	graphGap    = 64.0  // between two nodes, at least
	tokenRadius = 6.5
)

// graph is a graph diagram while it is drawn.
type graph struct {
	processNodes
	d        *drawing.Drawing // the drawing of the page
	edges    []*edge
	byEnds   map[[2]tracefmt.ProcessID]*edge
	arrows   []pointerArrow
	alone    []int           // by process, the messages to itself
	tokens   []int           // the steps by which a token is on its way
	lines    [][]string      // by process, what is written at its node
	tips     [][]string      // by process, all its variables
	at       []drawing.Point // by process
	center   drawing.Point   // the middle of all nodes
	top      float64         // below the heading
	right    float64         // the border of what is drawn
	hasToken []bool          // by process
	omitted  int
	// doubtfulToken and doubtfulLines: since the record is incomplete, the token may be elsewhere, and the values at the
	// nodes may be others.
	doubtfulToken, doubtfulLines bool
}

// buildGraph draws the processes as nodes, joined by their messages and pointers.
func buildGraph(ctx context.Context, s *story.Story, l Layout) (*drawing.Drawing, error) {
	page := NewPage("graph", s, l)
	g := &graph{processNodes: newProcessNodes(s, page), d: page.Drawing, byEnds: make(map[[2]tracefmt.ProcessID]*edge)}
	g.collectEdges()
	g.collectVariables()
	g.placeLike(l)
	for _, p := range g.story.Order {
		g.drawGraphProcess(p)
	}
	g.drawEdges()
	g.drawArrows()
	g.drawTokens()
	g.labelEdges()
	g.writeVariables()
	return g.footing(), ctx.Err()
}

// placeLike places the nodes. A frame has the places of the whole drawing.
func (g *graph) placeLike(l Layout) {
	if l.Like == nil {
		g.place()
		return
	}
	full := l
	full.Like = nil
	page := NewPage("graph", l.Like, full)
	like := &graph{processNodes: newProcessNodes(l.Like, page), d: page.Drawing, byEnds: make(map[[2]tracefmt.ProcessID]*edge)}
	like.collectEdges()
	like.collectVariables()
	like.place()
	g.node, g.names, g.at, g.center, g.top, g.d.Width = like.node, like.names, like.at, like.center, like.top, like.d.Width
	g.page.Heading()
	g.right, g.page.column = like.right, like.page.column
}

// place places the nodes and writes the heading.
func (g *graph) place() {
	index := func(p tracefmt.ProcessID) int { return g.story.Column[p] }
	neighbours := make([][]int, len(g.story.Order))
	join := func(p, q tracefmt.ProcessID) {
		if i, j := index(p), index(q); i != j && !slices.Contains(neighbours[i], j) {
			neighbours[i], neighbours[j] = append(neighbours[i], j), append(neighbours[j], i)
		}
	}
	for _, e := range g.edges {
		join(e.ends[0], e.ends[1])
	}
	for _, a := range g.arrows {
		join(a.from, a.to)
	}
	for _, list := range neighbours {
		slices.Sort(list)
	}
	g.scale(layOut(neighbours))
}

// scale converts places with distances of about 1 to places in the picture. It writes the heading, whose height
// depends on the width of the picture.
func (g *graph) scale(places []drawing.Point) {
	low, high, nearest := extent(places)
	unit := edgeLength + 2*(g.node-nodeRadius)
	unit = max(unit, (2*g.node+graphGap)/max(nearest, 0.05)) // so that no two nodes touch
	side := g.node + 60.0
	for _, lines := range g.lines {
		for _, line := range lines {
			side = max(side, valueLabel.TextWidth(line)/2+14)
		}
	}
	legend := 0.0
	if room := g.page.Layout; room.Height > 0 {
		if room.wide() { // values that have no room are left out
			legend, side = legendColumn+Margin, min(side, g.node+60)
		}
		across, down := room.Width-legend-2*(Margin+side), room.Height-room.around()-2*(g.node+20)
		const larger = 1.6 // a graph may fill its room
		unit = min(larger*unit, across/max(high.X-low.X, 0.01), down/max(high.Y-low.Y, 0.01))
		g.setNode(max(min(g.node, 0.3*unit*nearest), leastNode))
		unit = max(unit, leastSpacing/max(nearest, 0.05))
	}
	width := 2*(Margin+side) + (high.X-low.X)*unit
	g.d.Width = math.Ceil(max(width+legend, g.page.Layout.leastWidth()))
	g.top = g.page.Heading()
	g.right = g.d.Width
	if legend > 0 {
		g.right -= legend
		g.page.column = column{g.right, g.top + 10}
	}
	top := g.top + g.node + 52
	if g.page.Layout.Height > 0 {
		top = g.top + g.node + 24
	}
	g.at = make([]drawing.Point, len(g.story.Column))
	for i, p := range places {
		g.at[g.story.Order[i]] = drawing.At(math.Round((g.right-(high.X-low.X)*unit)/2+(p.X-low.X)*unit), math.Round(top+(p.Y-low.Y)*unit))
	}
	if len(places) > 0 {
		g.center = drawing.At(g.right/2, top+(high.Y-low.Y)*unit/2)
	}
}

// extent returns the corners of the smallest rectangle around the places, and the smallest distance of two of the
// first mostStressed places.
func extent(places []drawing.Point) (low, high drawing.Point, nearest float64) {
	nearest = math.Inf(1)
	for i := range places {
		for j := range min(i, mostStressed) {
			nearest = min(nearest, math.Hypot(places[i].X-places[j].X, places[i].Y-places[j].Y))
		}
	}
	low, high = drawing.At(math.Inf(1), math.Inf(1)), drawing.At(math.Inf(-1), math.Inf(-1))
	for _, p := range places {
		low, high = drawing.At(min(low.X, p.X), min(low.Y, p.Y)), drawing.At(max(high.X, p.X), max(high.Y, p.Y))
	}
	return low, high, nearest
}

// drawGraphProcess draws the node of a process, whose tip has its variables.
func (g *graph) drawGraphProcess(p tracefmt.ProcessID) {
	g.drawProcess(p, g.at[p])
	drawn := g.d.Layers[Lines].Nodes
	tip := &drawn[len(drawn)-1].Tip
	const limit = 12
	for i, line := range g.tips[p] {
		if i == limit {
			*tip += ", and more"
			break
		}
		*tip += ", " + line
	}
	if g.hasToken[p] {
		g.drawToken(polar(g.at[p], g.freeDirection(p)+75*degree, g.node), "process "+g.story.Name(p)+" has the token")
	}
}

// drawToken draws the token at a place.
func (g *graph) drawToken(at drawing.Point, tip string) {
	if g.doubtfulToken {
		g.page.Explain(legendTokenRecorded)
	} else {
		g.page.Explain(legendToken)
	}
	g.page.Node(Marks, drawing.Node{Style: tokenMark, X: at.X, Y: at.Y, W: 2 * tokenRadius, H: 2 * tokenRadius, Tip: tip})
	g.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(tokenRadius + 1))
}

// drawTokens draws the tokens in transit, in the middle of their edges.
func (g *graph) drawTokens() {
	for _, step := range g.tokens {
		from, to := g.story.Steps[step].Ends()
		a, b := g.at[from], g.at[to]
		g.drawToken(drawing.At((a.X+b.X)/2, (a.Y+b.Y)/2), "the token is on its way: "+g.story.MessageTip(step))
	}
}

// footing writes the texts below the graph and completes the picture.
func (g *graph) footing() *drawing.Drawing {
	y := 0.0
	for _, p := range g.story.Order {
		y = max(y, g.at[p].Y+g.node+14)
	}
	for _, b := range g.plan.boxes {
		y = max(y, b.y1)
	}
	return g.page.Close(g.noteEarlier(g.page.writeOmission(g.omitted, "", ": point at an edge or a node", y+18)))
}
