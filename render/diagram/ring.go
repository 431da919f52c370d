package diagram

import (
	"context"
	"errors"
	"math"

	"etrace/tracefmt"
)

var ringDiagram = Diagram{
	Name:  "ring",
	Doc:   "the processes on a circle in ring order, messages numbered in the order of their sending",
	Build: buildRing,
}

// Distances in the ring diagram.
const (
	nodeRadius  = 25.0
	ringSpacing = 2*nodeRadius + 62 // between neighbours along the circle
	smallRing   = 135.0             // the least radius
	tablePitch  = 16.5
	tableRows   = 30 // messages that the table lists
	// The longest labels of messages beside their link and in the table.
	maxLinkLabel, maxTableLabel = 22, 40
)

// ring is the work in progress of one ring diagram.
type ring struct {
	*story
	d       *Drawing
	plan    *plan
	center  Point
	radius  float64
	links   []*link
	legend  legend
	omitted int
	numbers int // messages numbered
	rows    []tableRow
	left    float64 // of the table
	top     float64
}

func buildRing(ctx context.Context, rec tracefmt.Recording, o Options) (*Drawing, error) {
	if o.marked() {
		return nil, errors.New("events and cuts cannot be marked, expected a sequence diagram for that")
	}
	story, err := read(ctx, rec, o)
	if err != nil {
		return nil, err
	}
	r := &ring{story: story, plan: newPlan(nil), d: &Drawing{Diagram: "ring", Layers: make([]Layer, layers), Hidden: story.hidden}}
	r.collect()
	r.measure()
	r.drawRing()
	r.drawProcesses()
	r.drawLinks()
	r.drawTable()
	r.footing()
	return r.d, ctx.Err()
}

// collect gathers the messages into links, in the order of their sending.
func (r *ring) collect() {
	type key struct {
		from, to tracefmt.ProcessID
		fate     fate
		skips    bool
	}
	index := make(map[key]*link)
	conditions := append([]condition(nil), r.before...)
	for i := range r.steps {
		st := &r.steps[i]
		r.followStep(conditions, st)
		if st.kind != tracefmt.Send {
			continue
		}
		r.numbers++
		k := key{st.process, st.peer, linkFate(st.fate), r.skipsOver(conditions, st.process, st.peer)}
		l := index[k]
		if l == nil {
			l = &link{from: k.from, to: k.to, fate: k.fate, skips: k.skips}
			index[k] = l
			r.links = append(r.links, l)
		}
		m := linkMessage{number: r.numbers, hue: st.hue, step: i, label: st.shortLabel(maxLinkLabel)}
		if st.fate == dropped && st.send >= 0 {
			m.reason = r.steps[st.send].text
		}
		l.messages = append(l.messages, m)
		if len(r.rows) < tableRows {
			r.rows = append(r.rows, r.tableRow(&m))
		}
	}
}

// followStep keeps track of who is down while the messages are sent.
func (r *ring) followStep(conditions []condition, st *step) {
	switch st.kind {
	case tracefmt.Crash, tracefmt.Halt:
		conditions[st.process].down = true
	case tracefmt.Start, tracefmt.Recover:
		conditions[st.process].down = false
	}
}

// measure chooses the sizes and writes the heading.
func (r *ring) measure() {
	n := float64(max(len(r.order), 1))
	r.radius = max(smallRing, n*ringSpacing/(2*math.Pi))
	widest := 60.0
	across := 0
	for _, l := range r.links {
		if r.inner(l) {
			across++
		}
		for _, line := range r.lines(l) {
			widest = max(widest, textWidth(line, MessageLabel))
		}
	}
	r.radius += min(6*float64(across), 90) // room for labels within
	side := r.radius + 2*nodeRadius + 26 + min(widest, 190)
	r.left = margin + 2*side + 10
	r.d.Width = r.left + r.tableWidth() + margin
	if r.d.Width < 560 {
		side += (560 - r.d.Width) / 2
		r.d.Width = 560
	}
	r.d.Title = r.title()
	r.d.Desc = r.describe(r.d)
	r.top = writeHeading(r.d, &r.d.Layers[layerTexts], r.story) + 10
	r.center = Point{margin + side, r.top + r.radius + nodeRadius + 74}
}

// angle of a process, clockwise from the top.
func (r *ring) angle(p tracefmt.ProcessID) float64 {
	return -math.Pi/2 + 2*math.Pi*float64(r.column[p])/float64(len(r.order))
}

// polar returns the point in that direction and distance from another.
func polar(from Point, angle, distance float64) Point {
	return Point{from.X + distance*math.Cos(angle), from.Y + distance*math.Sin(angle)}
}

func (r *ring) at(p tracefmt.ProcessID) Point { return polar(r.center, r.angle(p), r.radius) }

// drawRing draws the circle on which the processes stand.
func (r *ring) drawRing() {
	if len(r.order) > 1 {
		r.node(layerGround, Node{Class: RingLine, X: r.center.X, Y: r.center.Y, W: 2 * r.radius, H: 2 * r.radius})
	}
}

func (r *ring) node(layer int, n Node) {
	r.d.Layers[layer].Nodes = append(r.d.Layers[layer].Nodes, n)
}

func (r *ring) path(layer int, p Path) {
	r.d.Layers[layer].Paths = append(r.d.Layers[layer].Paths, p)
}

// drawProcesses draws the nodes as they stand when the window ends.
func (r *ring) drawProcesses() {
	leader := r.leader()
	for _, p := range r.order {
		at := r.at(p)
		c := r.after[p]
		n := Node{ID: nodeID(p), Class: RingNode, X: at.X, Y: at.Y, W: 2 * nodeRadius, H: 2 * nodeRadius, Tip: r.processTip(p)}
		small := ""
		switch {
		case c.down || c.halted:
			n.Class = RingDown
			r.legend.use(legendNodeDown)
			mark := polar(at, -math.Pi/4, nodeRadius*1.12)
			r.path(layerMarks, Path{Class: Cross, Strokes: saltire(mark, 5)})
			r.plan.cover(box{mark.X, mark.Y, mark.X, mark.Y}.grow(7))
			small = "down"
			if c.halted {
				small = "halted"
			}
		case p == leader && c.leader == p:
			n.Class, small = RingLeader, "leader"
			r.legend.use(legendNodeLeader)
		case c.leader == p:
			n.Class = RingSelf
			r.legend.use(legendNodeSelf)
			small = "own leader"
		case c.leader != 0 && c.leader != leader:
			small = "→ " + c.elected
		}
		r.node(layerMessages, n)
		r.plan.cover(n.bounds())
		r.nameProcess(p, n, small)
	}
}

// nameProcess writes the name into the node and a smaller text below it.
func (r *ring) nameProcess(p tracefmt.ProcessID, n Node, small string) {
	name := r.name(p)
	class := RingName
	if textWidth(name, class) > 2*nodeRadius-12 {
		class = RingSmallName
	}
	if textWidth(name, class) > 2*nodeRadius-8 {
		name = fit(name, class, 2*nodeRadius-8)
	}
	y := n.Y
	if small != "" {
		y -= 5
		if textWidth(small, RingState) > 2*nodeRadius-8 {
			small = fit(small, RingState, 2*nodeRadius-8)
		}
		r.node(layerTexts, Node{Class: RingState, X: n.X, Y: n.Y + 10, W: 2 * nodeRadius, H: 10, Text: small})
	}
	r.node(layerTexts, Node{Class: class, X: n.X, Y: y, W: 2 * nodeRadius, H: 16, Text: name})
}

func (r *ring) processTip(p tracefmt.ProcessID) string {
	tip := "process " + clean(r.run.ProcessName(p), maxTip)
	c := r.after[p]
	if c.down {
		tip += ", down"
	}
	if c.elected != "" {
		tip += ", " + electedVariable + " = " + c.elected
	}
	return tip
}

func (r *ring) footing() {
	y := r.center.Y + r.radius + nodeRadius + 70
	for i := range r.d.Layers[layerTexts].Nodes {
		n := &r.d.Layers[layerTexts].Nodes[i]
		y = max(y, n.Y+n.H/2+10)
	}
	if r.omitted > 0 {
		text := plural(int64(r.omitted), "label") + " left out where there is no room: see the table, or point at an arrow"
		r.node(layerTexts, Node{Class: SummaryText, X: r.d.Width / 2, Y: y, W: r.d.Width - 2*margin, H: 14, Text: text})
		y += 22
	}
	y = r.legend.draw(r.d, layerMarks, r.names, y)
	r.d.Width, r.d.Height = math.Ceil(r.d.Width), math.Ceil(y+margin)
}
