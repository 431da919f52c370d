package diagram

import (
	"cmp"
	"math"
	"slices"

	"etrace/render/drawing"
	"etrace/tracefmt"
)

// pointer is a variable that names other processes and is drawn as arrows.
type pointer struct {
	name string
	// line is nil if another variable points the other way and is drawn.
	line *drawing.Style
	// words explain in the legend what an arrow means, if it is not the variable that points.
	words string
	// back reverses the arrow: it comes from the named process.
	back bool
	// beside is a variable that the process must also have, "" for none.
	beside string
}

// pointers are the variables that are drawn as arrows. A recording may call so what is no pointer: a value
// that names no process is written at the node.
var pointers = [...]pointer{
	{name: "parent", line: pointerLine},
	{name: "father", line: pointerLine},
	{name: "holder", line: holderLine},
	{name: "next", line: laterLine},
	// A member of a quorum is locked for one request, and its vote is one of the votes for it. The other requests are in
	// its queue.
	{name: lockedVariable, line: lockedLine, words: "locked for"},
	{name: "votes", beside: lockedVariable},
	{name: "queue", line: queueLine, words: "in the queue of", back: true, beside: lockedVariable},
}

const lockedVariable = "locked"

// pointerArrow is an arrow from a process to a process that its variable names.
type pointerArrow struct {
	row      int // the index of the variable in pointers
	from, to tracefmt.ProcessID
	doubtful bool
}

// drawArrows draws the pointers.
func (g *graph) drawArrows() {
	bend := 14 * degree
	// Many arrows stay nearer to their edges, since they have less room.
	if len(g.arrows) > 2*len(g.story.Order) {
		bend /= 2
	}
	beside := make(map[[2]tracefmt.ProcessID]float64) // the number of arrows from one process to another
	doubtful := make([]bool, len(pointers))
	for _, a := range g.arrows {
		doubtful[a.row] = doubtful[a.row] || a.doubtful
	}
	rows := make([]*LegendRow, len(pointers))
	for i := range rows {
		rows[i] = pointerRow(i, doubtful[i])
	}
	for _, a := range g.arrows {
		row := &pointers[a.row]
		g.page.Explain(rows[a.row])
		tip := row.name + " of " + g.story.Name(a.from) + " is " + g.story.Name(a.to)
		if row.words != "" {
			tip = g.story.Name(a.from) + " is " + row.words + " " + g.story.Name(a.to)
		}
		if a.doubtful {
			tip += ", as far as is recorded"
		}
		var curve []drawing.Point
		if a.from == a.to {
			curve = g.loop(g.at[a.from], g.freeDirection(a.from))
		} else {
			key := [2]tracefmt.ProcessID{a.from, a.to}
			beside[key]++
			from, to := g.at[a.from], g.at[a.to]
			curve = g.arrowCurve(from, to, bend*beside[key])
		}
		g.page.Path(Lines, drawing.Path{Style: row.line, From: nodeID(a.from), To: nodeID(a.to), Strokes: [][]drawing.Point{curve}, Tip: tip})
		g.coverCurve(curve)
	}
}

// arrowCurve returns a curve that bends to the right of the straight line by the given amount. If other nodes are in
// the way, it bends more or less.
func (g *graph) arrowCurve(a, b drawing.Point, bend float64) (curve []drawing.Point) {
	angle, length := math.Atan2(b.Y-a.Y, b.X-a.X), math.Hypot(b.X-a.X, b.Y-a.Y)
	mostRoom := -1.0
	for _, part := range [...]float64{1, 0.4, 1.8, 2.6} {
		tried := g.chord(a, b, angle, length, part*bend)
		if room := g.roomBeside(tried, a, b); room > mostRoom {
			curve, mostRoom = tried, room
		}
		if mostRoom >= g.node+5 {
			break
		}
	}
	return curve
}

// loop returns a curve from a node in a direction and back to it.
func (g *graph) loop(at drawing.Point, angle float64) []drawing.Point {
	from, to := polar(at, angle-28*degree, g.node+1), polar(at, angle+28*degree, g.node+2)
	return []drawing.Point{from, polar(from, angle-34*degree, 40), polar(to, angle+34*degree, 40), to}
}

// freeDirection returns the direction from a node with most room between its edges and arrows. If several have as
// much room, it is the one farthest outside of the graph.
func (g *graph) freeDirection(p tracefmt.ProcessID) float64 {
	at, outward := g.at[p], g.outward(g.at[p])
	var taken []float64 // the directions of edges and arrows, clockwise from outward
	take := func(from, to tracefmt.ProcessID) {
		if from == to || from != p && to != p {
			return
		}
		peer := g.at[from+to-p] // p is one of the ends, so this is the other one
		turn := math.Mod(math.Atan2(peer.Y-at.Y, peer.X-at.X)-outward+4*math.Pi, 2*math.Pi)
		taken = append(taken, turn)
	}
	for _, e := range g.edges {
		take(e.ends[0], e.ends[1])
	}
	for _, a := range g.arrows {
		take(a.from, a.to)
	}
	if len(taken) == 0 {
		return outward
	}
	slices.Sort(taken)
	best, room := 0.0, 0.0
	// Take the widest gap between two directions. Of gaps of equal width, up to rounding, take the one nearest to
	// outward.
	for i, from := range taken {
		to := taken[0] + 2*math.Pi
		if i+1 < len(taken) {
			to = taken[i+1]
		}
		middle := math.Remainder((from+to)/2, 2*math.Pi)
		if wider := to - from - room; wider > 1e-6 || wider > -1e-6 && math.Abs(middle) < math.Abs(best) {
			best, room = middle, to-from
		}
	}
	return outward + best
}

// outward returns the direction from the middle of the graph to a place; upward for the middle itself.
func (g *graph) outward(at drawing.Point) float64 {
	if math.Hypot(at.X-g.center.X, at.Y-g.center.Y) <= 1 {
		return -math.Pi / 2
	}
	return math.Atan2(at.Y-g.center.Y, at.X-g.center.X)
}

// pointerRow returns the row of the legend for the arrows of a variable.
func pointerRow(i int, doubtful bool) *LegendRow {
	text := cmp.Or(pointers[i].words, pointers[i].name)
	if doubtful {
		text += ", as far as is recorded"
	}
	return &LegendRow{text, arrowSample(pointers[i].line)}
}
