package diagram

import (
	"context"
	"math"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

var ringDiagram = Diagram{
	Name:  "ring",
	Doc:   "the processes on a circle in ring order, messages numbered in the order of their sending",
	Build: buildRing,
}

// Distances in the ring diagram.
const (
	nodeRadius     = 25.0
	mostNodeRadius = 44.0  // where names are long
	ringSpacing    = 62    // between neighbours along the circle
	smallRing      = 135.0 // the least radius
	tablePitch     = 16.5
	tableRows      = 30 // messages that the table lists
	// The longest labels of messages beside their link and in the table.
	maxLinkLabel, maxTableLabel = 28, 60
	maxLinkTip                  = 300
)

// ring is the work in progress of one ring diagram.
type ring struct {
	*story.Story
	page    *Page
	d       *drawing.Drawing // of the page
	plan    *plan
	center  drawing.Point
	radius  float64
	links   []*link
	spans   [][]story.LifeSpan
	omitted int
	numbers int // messages numbered
	rows    []tableRow
	left    float64 // of the table
	top     float64
	node    float64  // radius of a node
	names   []string // of the processes, that fit into nodes
}

func buildRing(ctx context.Context, s *story.Story) (*drawing.Drawing, error) {
	page := NewPage("ring", s)
	r := &ring{Story: s, page: page, d: page.Drawing, plan: newPlan(nil), spans: s.LifeSpans()}
	r.collect()
	r.fitNodes()
	r.measure()
	r.drawRing()
	r.drawProcesses()
	r.drawLinks()
	r.drawTable()
	return r.footing(), ctx.Err()
}

// collect gathers the messages into links, in the order of their sending.
func (r *ring) collect() {
	type key struct {
		from, to tracefmt.ProcessID
		fate     tracefmt.Fate
		skips    bool
		unsure   bool
		unsent   bool
	}
	index := make(map[key]*link)
	for i := range r.Steps {
		st := &r.Steps[i]
		if st.Kind != tracefmt.Send && !st.Unsent {
			continue
		}
		r.numbers++
		from, to := st.Ends()
		k := key{from, to, st.Fate, r.skipsOver(i, from, to), st.Unsure, st.Unsent}
		l := index[k]
		if l == nil {
			l = &link{from: k.from, to: k.to, fate: k.fate, skips: k.skips, unsure: k.unsure, unsent: k.unsent}
			index[k] = l
			r.links = append(r.links, l)
		}
		m := linkMessage{number: r.numbers, hue: st.TypeNumber, strand: st.Strand, step: i, label: st.ShortLabel(maxLinkLabel)}
		if st.Fate == tracefmt.Lost && st.Match >= 0 {
			m.reason = r.Steps[st.Match].Text
		}
		l.messages = append(l.messages, m)
		if len(r.rows) < tableRows {
			r.rows = append(r.rows, r.tableRow(&m))
		}
	}
}

// measure chooses the sizes and writes the heading.
func (r *ring) measure() {
	n := float64(max(len(r.Order), 1))
	r.radius = max(smallRing, n*(2*r.node+ringSpacing)/(2*math.Pi))
	widest := 60.0
	across, most := 0, 2
	for _, l := range r.links {
		if r.inner(l) {
			across++
		}
		lines := r.lines(l.messages)
		most = max(most, len(lines))
		for _, line := range lines {
			widest = max(widest, messageLabel.TextWidth(line))
		}
	}
	r.radius += min(6*float64(across), 90) // room for labels within
	side := r.radius + 2*r.node + 26 + min(widest, 190)
	r.left = Margin + 2*side + 10
	r.d.Width = r.left + r.tableWidth() + Margin
	if r.d.Width < 560 {
		side += (560 - r.d.Width) / 2
		r.d.Width = 560
	}
	r.top = r.page.Heading() + 10
	r.center = drawing.At(Margin+side, r.top+r.radius+r.node+74+labelHeight*float64(most-2))
}

// angle of a process, clockwise from the top.
func (r *ring) angle(p tracefmt.ProcessID) float64 {
	return -math.Pi/2 + 2*math.Pi*float64(r.Column[p])/float64(len(r.Order))
}

// polar returns the point in that direction and distance from another.
func polar(from drawing.Point, angle, distance float64) drawing.Point {
	return drawing.At(from.X+distance*math.Cos(angle), from.Y+distance*math.Sin(angle))
}

func (r *ring) at(p tracefmt.ProcessID) drawing.Point { return polar(r.center, r.angle(p), r.radius) }

// drawRing draws the circle on which the processes are.
func (r *ring) drawRing() {
	if len(r.Order) > 1 {
		r.page.Node(Ground, drawing.Node{Style: ringLine, X: r.center.X, Y: r.center.Y, W: 2 * r.radius, H: 2 * r.radius})
	}
}

// drawProcesses draws the processes as they are when the window ends.
func (r *ring) drawProcesses() {
	leader := r.LeaderAfter
	for _, p := range r.Order {
		at := r.at(p)
		c := r.After[p]
		n := drawing.Node{ID: nodeID(p), Style: ringNode, X: at.X, Y: at.Y, W: 2 * r.node, H: 2 * r.node, Tip: r.processTip(p)}
		small := ""
		switch {
		case c.Down || c.Halted:
			n.Style = ringDown
			r.page.Explain(legendNodeDown)
			mark := polar(at, -math.Pi/4, r.node*1.12)
			r.page.Path(Marks, drawing.Path{Style: crossMark, Strokes: saltire(mark, 5)})
			r.plan.cover(box{mark.X, mark.Y, mark.X, mark.Y}.grow(7))
			small = "down"
			if c.Halted {
				small = "halted"
			}
		case c.Leads:
			n.Style, small = r.leaderStyle(p, &c)
		case c.Leader == p:
			small = leads + "itself" // but it tells another role
		case c.Leader == 0 && c.Elected == "":
			small = c.Role
		case c.Leader != 0 && c.Leader != leader:
			small = leads + r.elected(&c)
		}
		if r.RoleName(p) != r.Name(p) {
			small = "Byzantine" // what else it is, its look says
		}
		switch {
		case r.Untold(p):
			n.Style, small = ringUntold, "no log"
			r.page.Explain(legendNodeUntold)
		case c.Doubtful && small != "":
			small += "?"
		}
		r.page.Node(Lines, n)
		r.plan.cover(bounds(&n))
		r.nameProcess(p, n, small)
	}
}

// leaderStyle is the look of a process that leads, and the small text in it.
func (r *ring) leaderStyle(p tracefmt.ProcessID, c *story.Condition) (style *drawing.Style, small string) {
	byRole := c.Leader != p
	row := legendNodeSelf
	switch {
	case p == r.LeaderAfter && byRole:
		style, small, row = ringLeader, "leader", legendNodeLeads
	case p == r.LeaderAfter:
		style, small, row = ringLeader, "leader", legendNodeLeader
		if r.LeaderDoubtful() {
			row = legendNodeUnsure
		}
	case byRole:
		style, small, row = ringSelf, c.Role, legendNodeOther
	default:
		style, small = ringSelf, leads+"itself"
	}
	r.page.Explain(row)
	return style, small
}

// nameProcess writes the name into the node and a smaller text below it.
func (r *ring) nameProcess(p tracefmt.ProcessID, n drawing.Node, small string) {
	name, style := r.Name(p), ringName
	if style.TextWidth(name) > 2*r.node-12 {
		name, style = r.names[p], ringSmallName
		r.page.Shortened(p, name)
	}
	y := n.Y
	if small != "" {
		y -= 5
		r.page.Node(Texts, drawing.Node{Style: ringState, X: n.X, Y: n.Y + 10, W: 2 * r.node, H: 10, Text: ringState.Fit(small, 2*r.node-8)})
	}
	r.page.Node(Texts, drawing.Node{Style: style, X: n.X, Y: y, W: 2 * r.node, H: 16, Text: name})
}

// elected is the name of the process that one has elected, as in its node.
func (r *ring) elected(c *story.Condition) string {
	if c.Leader == 0 {
		return c.Elected
	}
	r.page.Shortened(c.Leader, r.names[c.Leader])
	return r.names[c.Leader]
}

// fitNodes chooses the size of the nodes, and of their names, such that few names
// are shortened.
func (r *ring) fitNodes() {
	r.node = nodeRadius
	for _, p := range r.Order {
		if w := ringSmallName.TextWidth(r.Name(p)); ringName.TextWidth(r.Name(p)) > 2*r.node-12 && w > 2*r.node-8 {
			r.node = min(max(r.node, (w+ringState.TextWidth(leads))/2+4), mostNodeRadius)
		}
	}
	r.names = fitNames(r.Story, ringSmallName, 2*r.node-8-ringState.TextWidth(leads))
}

// leads is before the name of whom a process has elected.
const leads = "→ "

func (r *ring) processTip(p tracefmt.ProcessID) string {
	tip := "process " + r.FullName(p)
	c := r.After[p]
	if r.RoleName(p) != r.Name(p) {
		tip += ", Byzantine"
	}
	if r.Untold(p) {
		tip += ", of which nothing is recorded"
	}
	if c.Down {
		tip += ", down"
	}
	if c.Elected != "" {
		tip += ", " + story.Elected + " = " + c.Elected
	}
	if c.Role != "" {
		tip += ", " + story.Role + " = " + c.Role
	}
	if c.Doubtful {
		tip += ", as far as is recorded"
	}
	return tip
}

// footing writes what is below the ring and closes the picture.
func (r *ring) footing() *drawing.Drawing {
	y := r.center.Y + r.radius + r.node + 70
	for i := range r.d.Layers[Texts].Nodes {
		n := &r.d.Layers[Texts].Nodes[i]
		y = max(y, n.Y+n.H/2+10)
	}
	return r.page.Close(r.page.omission(r.omitted, ": see the table", ", or point at an arrow", y))
}
