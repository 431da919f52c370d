package diagram

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// edge joins two processes that exchange messages, with the number of messages in each direction.
type edge struct {
	ends [2]tracefmt.ProcessID
	// sent is the traffic from each end.
	sent [2]traffic
}

// traffic is the number of messages from one end of an edge to the other.
type traffic struct {
	messages, lost int
	byType         []int // by type number
}

// collectEdges gathers the messages of the window.
func (g *graph) collectEdges() {
	g.alone = make([]int, len(g.story.Column))
	var tokens []string
	for _, typ := range g.story.Run.Token {
		tokens = append(tokens, story.TypeText(typ))
	}
	for i := range g.story.Steps {
		st := &g.story.Steps[i]
		if st.Kind != tracefmt.Send && !st.Unsent {
			continue
		}
		from, to := st.Ends()
		if from == to {
			g.alone[from]++
			continue
		}
		g.count(st, from, to)
		if st.Kind == tracefmt.Send && st.Fate == tracefmt.InFlight && slices.Contains(tokens, st.Type) {
			g.tokens = append(g.tokens, i)
		}
	}
}

// count adds a message to the edge of two processes.
func (g *graph) count(st *story.Step, from, to tracefmt.ProcessID) {
	key, end := [2]tracefmt.ProcessID{from, to}, 0
	if from > to {
		key, end = [2]tracefmt.ProcessID{to, from}, 1
	}
	e := g.byEnds[key]
	if e == nil {
		e = &edge{ends: key}
		g.byEnds[key] = e
		g.edges = append(g.edges, e)
	}
	t := &e.sent[end]
	t.messages++
	if st.Fate == tracefmt.Lost || st.Fate == tracefmt.ReceiverCrashed {
		t.lost++
	}
	for len(t.byType) <= st.TypeNumber {
		t.byType = append(t.byType, 0)
	}
	t.byType[st.TypeNumber]++
}

// drawEdges draws a line for each edge.
func (g *graph) drawEdges() {
	for _, e := range g.edges {
		a, b := g.at[e.ends[0]], g.at[e.ends[1]]
		curve := g.edgeCurve(a, b)
		g.page.Path(Lines, drawing.Path{
			Style: edgeLine, From: nodeID(e.ends[0]), To: nodeID(e.ends[1]), Strokes: [][]drawing.Point{curve}, Tip: g.edgeTip(e),
		})
		g.drawCurve(curve)
	}
}

// edgeCurve returns a straight line between two nodes. If other nodes are in the way, it returns a curve around them,
// on the side with more room.
func (g *graph) edgeCurve(a, b drawing.Point) (curve []drawing.Point) {
	angle, length := math.Atan2(b.Y-a.Y, b.X-a.X), math.Hypot(b.X-a.X, b.Y-a.Y)
	around := math.Asin(min((g.node+16)/(0.75*chordReach*length), 0.8)) // the middle then passes a node with some room
	mostRoom := -1.0
	for _, bend := range [...]float64{0, around, -around, 1.5 * around, -1.5 * around} {
		tried := g.chord(a, b, angle, length, bend)
		if room := g.roomBeside(tried, a, b); room > mostRoom {
			curve, mostRoom = tried, room
		}
		if mostRoom >= g.node+5 {
			break
		}
	}
	return curve
}

// roomBeside returns the distance between a curve from a to b and the nearest other node.
func (g *graph) roomBeside(curve []drawing.Point, a, b drawing.Point) float64 {
	const pieces = 8
	var places [pieces + 1]drawing.Point
	for i := range places {
		places[i] = along(curve, float64(i)/pieces)
	}
	nearest := math.Inf(1)
	for _, p := range g.story.Order {
		if c := g.at[p]; c != a && c != b {
			for i := range pieces {
				nearest = min(nearest, distanceToLine(places[i], places[i+1], c))
			}
		}
	}
	return nearest
}

// chord returns a curve that leaves a at an angle to the right of the straight line, and arrives at b at the same
// angle.
func (g *graph) chord(a, b drawing.Point, angle, length, bend float64) []drawing.Point {
	from, to := polar(a, angle+bend, g.node+1), polar(b, angle+math.Pi-bend, g.node+2)
	if bend == 0 {
		return drawing.Line(from, to)
	}
	return []drawing.Point{from, polar(from, angle+bend, length*chordReach), polar(to, angle+math.Pi-bend, length*chordReach), to}
}

// distanceToLine returns the distance of c from the line between a and b.
func distanceToLine(a, b, c drawing.Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := max(0, min(1, ((c.X-a.X)*dx+(c.Y-a.Y)*dy)/max(dx*dx+dy*dy, 1e-9)))
	return math.Hypot(c.X-a.X-t*dx, c.Y-a.Y-t*dy)
}

// drawCurve records the course of an edge, which texts should avoid.
func (g *graph) drawCurve(curve []drawing.Point) {
	const pieces = 8
	for k := range pieces {
		g.plan.draw(along(curve, float64(k)/pieces), along(curve, float64(k+1)/pieces))
	}
}

// coverCurve records the course of an arrow, which texts must not cover.
func (g *graph) coverCurve(curve []drawing.Point) {
	const pieces, half = 24, 3.5
	for k := range pieces {
		at := along(curve, float64(k+1)/pieces)
		g.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(half))
	}
}

// edgeTip describes the messages of an edge, by direction and type.
func (g *graph) edgeTip(e *edge) string {
	var parts []string
	for end, t := range e.sent {
		if t.messages == 0 {
			continue
		}
		var types []string
		for number, n := range t.byType {
			if n > 0 {
				types = append(types, story.Group(int64(n))+" "+g.story.Types[number-1])
			}
		}
		part := g.story.Name(e.ends[end]) + " to " + g.story.Name(e.ends[1-end]) + ": " + strings.Join(types, ", ")
		if t.lost > 0 {
			part += fmt.Sprintf(" (%d lost)", t.lost)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// labelEdges writes, at each end of an edge, the number of messages sent from there.
func (g *graph) labelEdges() {
	row := legendCounts
	if !g.story.Complete() {
		row = legendCountsRecorded
	}
	for _, e := range g.edges {
		for end, t := range e.sent {
			if t.messages == 0 {
				continue
			}
			g.page.Explain(row)
			if !g.labelEnd(g.at[e.ends[end]], g.at[e.ends[1-end]], story.Group(int64(t.messages))) {
				g.omitted++
			}
		}
	}
}

// labelEnd writes a text beside the edge from a to b, near a. It reports whether there was room.
func (g *graph) labelEnd(a, b drawing.Point, text string) bool {
	angle := math.Atan2(b.Y-a.Y, b.X-a.X)
	w, h := messageLabel.TextWidth(text)+2, messageLabel.Size+1
	var spots []spot
	for i, along := range [...]float64{14, 22, 31, 42} {
		for j, side := range [...]float64{-1, 1} {
			off := 2 + (math.Abs(math.Sin(angle))*w+math.Abs(math.Cos(angle))*h)/2
			beside := polar(a, angle, g.node+along)
			// Between the edge and an arrow beside it there may be no room, beyond the arrow there is.
			spots = append(spots, spot{polar(beside, angle+side*math.Pi/2, off), float64(2*i + j)},
				spot{polar(beside, angle+side*math.Pi/2, off+9), float64(2*i + j + 8)})
		}
	}
	at, ok := g.plan.cheapest(spots, w, h, crowded, segment{})
	if ok {
		n := drawing.Node{Style: messageLabel, X: at.X, Y: at.Y, W: w, H: h, Text: text}
		g.page.Node(Texts, n)
		g.plan.cover(bounds(&n))
	}
	return ok
}

var (
	legendCounts = &LegendRow{"messages sent from this end", countSample}
	// In an incomplete recording there may be more.
	legendCountsRecorded = &LegendRow{"messages sent from this end, as far as is recorded", countSample}
)

// countSample draws an edge with a number for the legend.
func countSample(at drawing.Point) ([]drawing.Node, []drawing.Path) {
	return []drawing.Node{{Style: messageLabel, X: at.X - 11, Y: at.Y, W: 10, H: 12, Text: strconv.Itoa(3)}},
		[]drawing.Path{lineSample(edgeLine, drawing.At(at.X-4, at.Y), drawing.At(at.X+16, at.Y))}
}
