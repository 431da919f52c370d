package diagram

import (
	"context"
	"math"
	"slices"
	"strconv"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

var graphDiagram = Diagram{
	Name:      "graph",
	Doc:       "the processes as a graph: who sent to whom, how often, and who points to whom when the picture ends",
	Variables: true,
	Build:     buildGraph,
}

// pointer is a variable that names other processes, so that it is drawn as arrows.
type pointer struct {
	name string
	line *drawing.Style
	// words say in the legend what an arrow means, if it is not the variable that points.
	words string
	// back: the arrow comes from the process that the variable names.
	back bool
	// beside is a variable without which this is none, "" for any.
	beside string
}

// pointers are the variables that are drawn as arrows. A recording may call so what is no pointer: a value
// that names no process is written at the node.
var pointers = [...]pointer{
	{name: "parent", line: pointerLine},
	{name: "father", line: pointerLine},
	{name: "holder", line: holderLine},
	{name: "next", line: laterLine},
	// A member of a quorum is locked for one request, and the others are in its queue.
	{name: lockedVariable, line: lockedLine, words: "locked for"},
	{name: "queue", line: queueLine, words: "in the queue of", back: true, beside: lockedVariable},
}

const lockedVariable = "locked"

// tokenVariable says whether a process has the token of the run; see docs/vocabulary.md.
const tokenVariable = "token"

// Distances in graphs.
const (
	edgeLength  = 150.0 // about
	graphGap    = 64.0  // between two nodes, at least
	mostLines   = 3     // of variables at a node
	linePitch   = 11.0
	tokenRadius = 6.5
)

// graph is the work in progress of one graph.
type graph struct {
	processNodes
	d        *drawing.Drawing // of the page
	edges    []*edge
	byEnds   map[[2]tracefmt.ProcessID]*edge
	arrows   []pointerArrow
	alone    []int           // by process, the messages to itself
	tokens   []int           // the steps by which a token is on its way
	lines    [][]string      // by process, of messages to itself, and its variables
	at       []drawing.Point // by process
	center   drawing.Point   // of all
	top      float64         // below the heading
	hasToken []bool          // by process
	omitted  int
	// doubtfulToken and doubtfulLines: since the run does not tell everything, the token may be elsewhere, and
	// what is written at the nodes may be otherwise.
	doubtfulToken, doubtfulLines bool
}

func buildGraph(ctx context.Context, s *story.Story) (*drawing.Drawing, error) {
	page := NewPage("graph", s)
	g := &graph{processNodes: newProcessNodes(s, page), d: page.Drawing, byEnds: make(map[[2]tracefmt.ProcessID]*edge)}
	g.collectEdges()
	g.collectVariables()
	g.place()
	for _, p := range g.Order {
		g.drawGraphProcess(p)
	}
	g.drawEdges()
	g.drawArrows()
	g.drawTokens()
	g.labelEdges()
	g.writeVariables()
	return g.footing(), ctx.Err()
}

// collectVariables finds the pointers, the token, and what is written at the nodes, messages to oneself first.
func (g *graph) collectVariables() {
	n := len(g.Column)
	g.lines, g.hasToken = make([][]string, n), make([]bool, n)
	for _, p := range g.Order {
		if n := g.alone[p]; n > 0 {
			g.lines[p] = append(g.lines[p], story.Plural(int64(n), "message")+" to itself")
		}
		if g.After[p].Down {
			continue
		}
		all := g.VariablesOf(p)
		for i := range all {
			g.take(p, &all[i], all)
		}
	}
}

// take makes of a variable of a process, one of all that it has, what is drawn.
func (g *graph) take(p tracefmt.ProcessID, v *story.Variable, all []story.Variable) {
	row := slices.IndexFunc(pointers[:], func(row pointer) bool {
		return row.name == v.Name && (row.beside == "" || slices.ContainsFunc(all, func(other story.Variable) bool { return other.Name == row.beside }))
	})
	switch {
	case row >= 0 && len(v.Processes) > 0:
		for _, q := range v.Processes {
			a := pointerArrow{row: row, from: p, to: q, doubtful: v.Doubtful}
			if pointers[row].back {
				a.from, a.to = a.to, a.from
			}
			g.arrows = append(g.arrows, a)
		}
	case v.Name == tokenVariable:
		g.hasToken[p] = v.Set
		g.doubtfulToken = g.doubtfulToken || v.Doubtful
	case v.Set && v.Name != story.Elected && v.Name != story.Role:
		g.lines[p] = append(g.lines[p], v.Text)
		g.doubtfulLines = g.doubtfulLines || v.Doubtful
	}
}

// place gives the nodes their places, and writes the heading.
func (g *graph) place() {
	index := func(p tracefmt.ProcessID) int { return g.Column[p] }
	neighbours := make([][]int, len(g.Order))
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

// scale makes of places by column, at distances of about 1, those of the picture.
func (g *graph) scale(places []drawing.Point) {
	nearest := math.Inf(1)
	for i := range places {
		for j := range min(i, mostStressed) {
			nearest = min(nearest, math.Hypot(places[i].X-places[j].X, places[i].Y-places[j].Y))
		}
	}
	unit := edgeLength + 2*(g.node-nodeRadius)
	unit = max(unit, (2*g.node+graphGap)/max(nearest, 0.05))
	low, high := drawing.At(math.Inf(1), math.Inf(1)), drawing.At(math.Inf(-1), math.Inf(-1))
	for _, p := range places {
		low, high = drawing.At(min(low.X, p.X), min(low.Y, p.Y)), drawing.At(max(high.X, p.X), max(high.Y, p.Y))
	}
	side := g.node + 60.0
	for _, lines := range g.lines {
		for _, line := range lines {
			side = max(side, valueLabel.TextWidth(line)/2+14)
		}
	}
	width := 2*(Margin+side) + (high.X-low.X)*unit
	g.d.Width = math.Ceil(max(width, 560))
	g.top = g.page.Heading()
	top := g.top + g.node + 52
	g.at = make([]drawing.Point, len(g.Column))
	for i, p := range places {
		g.at[g.Order[i]] = drawing.At(math.Round((g.d.Width-(high.X-low.X)*unit)/2+(p.X-low.X)*unit), math.Round(top+(p.Y-low.Y)*unit))
	}
	if len(places) > 0 {
		g.center = drawing.At(g.d.Width/2, top+(high.Y-low.Y)*unit/2)
	}
}

// drawGraphProcess draws the node of a process, whose tip has its variables.
func (g *graph) drawGraphProcess(p tracefmt.ProcessID) {
	g.drawProcess(p, g.at[p])
	drawn := g.d.Layers[Lines].Nodes
	tip := &drawn[len(drawn)-1].Tip
	const most = 12
	for i, line := range g.lines[p] {
		if i == most {
			*tip += ", and more"
			break
		}
		*tip += ", " + line
	}
	if g.hasToken[p] {
		g.drawToken(polar(g.at[p], g.free(p)+75*degree, g.node), "process "+g.Name(p)+" has the token")
	}
}

func (g *graph) drawToken(at drawing.Point, tip string) {
	if g.doubtfulToken {
		g.page.Explain(legendTokenRecorded)
	} else {
		g.page.Explain(legendToken)
	}
	g.page.Node(Marks, drawing.Node{Style: tokenMark, X: at.X, Y: at.Y, W: 2 * tokenRadius, H: 2 * tokenRadius, Tip: tip})
	g.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(tokenRadius + 1))
}

// drawTokens draws those that are on their way, in the middle of the edge.
func (g *graph) drawTokens() {
	for _, step := range g.tokens {
		from, to := g.Steps[step].Ends()
		a, b := g.at[from], g.at[to]
		g.drawToken(drawing.At((a.X+b.X)/2, (a.Y+b.Y)/2), "the token is on its way: "+g.MessageTip(step))
	}
}

// writeVariables writes at each node what its variables are, the first of them.
func (g *graph) writeVariables() {
	for _, p := range g.Order {
		lines := g.lines[p]
		if more := len(lines) - mostLines; more > 0 {
			lines = append(slices.Clone(lines[:mostLines]), "and "+strconv.Itoa(more)+" more")
		}
		if len(lines) > 0 && !g.writeLines(g.at[p], lines) {
			g.omitted++
		}
	}
	if g.doubtfulLines {
		g.page.Explain(legendLinesRecorded)
	}
}

// writeLines writes a block of lines beside a node, and reports whether there was room.
func (g *graph) writeLines(at drawing.Point, lines []string) bool {
	w := 0.0
	for _, line := range lines {
		w = max(w, valueLabel.TextWidth(line)+4)
	}
	h := linePitch * float64(len(lines))
	var spots []spot
	for ring, away := range [...]float64{0, 8, 18, 30} {
		// below, above, right, left, and between these
		for i, turn := range [...]float64{90, -90, 0, 180, 45, 135, -45, -135} {
			sin, cos := math.Sincos(turn * degree)
			place := drawing.At(at.X+cos*(g.node+w/2+3+away), at.Y+sin*(g.node+h/2+3+away))
			spots = append(spots, spot{place, float64(3*ring) + float64(i)})
		}
	}
	spots = slices.DeleteFunc(spots, func(s spot) bool { return s.X-w/2 < Margin || s.X+w/2 > g.d.Width-Margin || s.Y-h/2 < g.top })
	place, ok := g.plan.choose(spots, w, h, tooDear, segment{})
	if !ok {
		return false
	}
	for i, line := range lines {
		g.page.Node(Texts, drawing.Node{Style: valueLabel, X: place.X, Y: place.Y - h/2 + (float64(i)+0.5)*linePitch, W: w, H: linePitch, Text: line})
	}
	g.plan.cover(box{place.X - w/2, place.Y - h/2, place.X + w/2, place.Y + h/2}.grow(1))
	return true
}

// footing writes what is below the graph and closes the picture.
func (g *graph) footing() *drawing.Drawing {
	y := 0.0
	for _, p := range g.Order {
		y = max(y, g.at[p].Y+g.node+14)
	}
	for _, b := range g.plan.boxes {
		y = max(y, b.y1)
	}
	return g.page.Close(g.page.omission(g.omitted, "", ": point at an edge or a node", y+18))
}
