package diagram

import (
	"cmp"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// The radius of a node, at least and, where names are long, at most.
const (
	nodeRadius     = 25.0
	mostNodeRadius = 44.0
)

// processNodes draws the processes as nodes, each in its state at the end of the window.
type processNodes struct {
	story *story.Story
	page  *Page
	plan  *plan
	node  float64  // the radius
	names []string // the names of the processes, shortened to fit into nodes
}

// newProcessNodes prepares the nodes, with names that fit into them.
func newProcessNodes(s *story.Story, page *Page) processNodes {
	n := processNodes{story: s, page: page, plan: newPlan(nil)}
	n.fitNodes()
	return n
}

// drawProcess draws a process in its state at the end of the window, and returns its node.
func (r *processNodes) drawProcess(p tracefmt.ProcessID, at drawing.Point) drawing.Node {
	leader := r.story.LeaderAfter
	c := r.story.After[p]
	n := drawing.Node{ID: nodeID(p), Style: ringNode, X: at.X, Y: at.Y, W: 2 * r.node, H: 2 * r.node, Tip: r.processTip(p)}
	small := ""
	switch {
	case c.Down || c.Halted:
		n.Style = ringDown
		r.page.Explain(legendNodeDown)
		small = "down"
		if c.Halted {
			small = "halted"
		}
	case c.Leads:
		n.Style, small = r.leaderStyle(p, &c)
	case c.Leader == p:
		small = electedPrefix + "self" // the process elected itself, but its role is not leader
	case c.Leader == 0 && c.Elected == "":
		small = c.Role
	case c.Leader != 0 && c.Leader != leader:
		small = electedPrefix + r.electedName(&c)
	}
	if role := r.story.RoleWord(p); r.story.Run.Role(p) == tracefmt.Byzantine || small == "" {
		small = role // colour and outline show the other states of a Byzantine process
	}
	switch {
	case r.story.Unrecorded(p):
		n.Style, small = ringUnrecorded, "no log"
		r.page.Explain(legendNodeUnrecorded)
	case c.Doubtful && small != "":
		small += "?"
	}
	const narrow, outline = 26, 6
	if n.Style.Double && n.W < narrow { // the inner outline leaves the name its room
		n.W, n.H = n.W+outline, n.H+outline
	}
	r.page.Node(Lines, n)
	r.plan.cover(bounds(&n))
	r.nameProcess(p, n, small)
	return n
}

// noteEarlier writes how many messages arrive whose sends are before the window; these are not drawn. It returns the
// y below.
func (r *processNodes) noteEarlier(y float64) float64 {
	var count int64
	for i := range r.story.Steps {
		st := &r.story.Steps[i]
		isEnd := st.Kind == tracefmt.Receive || st.Kind == tracefmt.Lose
		if isEnd && st.Match < 0 && !st.Unsent {
			count++
		}
	}
	if count == 0 {
		return y
	}
	return r.page.writeText(y, story.Plural(count, "message")+" not drawn: the sending is not shown", summaryText) + 8
}

// leaderStyle returns the look of a process that leads or has elected, and the small text in its node.
func (r *processNodes) leaderStyle(p tracefmt.ProcessID, c *story.Condition) (style *drawing.Style, small string) {
	byRole := c.Leader != p
	row := legendNodeSelf
	switch {
	case p == r.story.LeaderAfter && byRole:
		style, small, row = ringLeader, "leader", legendNodeLeads
	case p == r.story.LeaderAfter:
		style, small, row = ringLeader, "leader", legendNodeLeader
		if r.story.LeaderDoubtful() {
			row = legendNodeUnsure
		}
	case byRole:
		style, small = ringSelf, c.Role
	default:
		style, small = ringSelf, electedPrefix+"self"
	}
	r.page.Explain(row)
	return style, small
}

// nameProcess writes the name into the node and a smaller text below it.
func (r *processNodes) nameProcess(p tracefmt.ProcessID, n drawing.Node, small string) {
	name, style := r.story.Name(p), ringName
	if style.TextWidth(name) > 2*r.node-12 {
		name, style = r.names[p], ringSmallName
		r.page.Shortened(p, name)
	}
	y := n.Y
	if r.node < nodeRadius {
		name, style, small = r.names[p], ringSmallName, ""
		r.page.Shortened(p, name)
	}
	if small != "" {
		y -= 5
		r.page.Node(Texts, drawing.Node{Style: ringState, X: n.X, Y: n.Y + 10, W: 2 * r.node, H: 10, Text: ringState.Fit(small, 2*r.node-8)})
	}
	r.page.Node(Texts, drawing.Node{Style: style, X: n.X, Y: y, W: 2 * r.node, H: 16, Text: name})
}

// electedName returns the name of the process that a process has elected, as in its node.
func (r *processNodes) electedName(c *story.Condition) string {
	if c.Leader == 0 {
		return c.Elected
	}
	r.page.Shortened(c.Leader, r.names[c.Leader])
	return r.names[c.Leader]
}

// fitNodes chooses the sizes of the nodes and of their names such that few names and roles are shortened.
func (r *processNodes) fitNodes() {
	r.node = nodeRadius
	for _, p := range r.story.Order {
		role := r.story.RoleWord(p)
		// drawProcess shows the role below the name under the same condition.
		if c := &r.story.After[p]; !c.Down && !c.Halted && c.Leader == 0 && c.Elected == "" {
			role = cmp.Or(c.Role, role)
		}
		r.node = min(max(r.node, ringState.TextWidth(role)/2+5), mostNodeRadius)
		// A node grows only if its name fits neither in large nor in small letters.
		large, small := ringName.TextWidth(r.story.Name(p)), ringSmallName.TextWidth(r.story.Name(p))
		if large > 2*r.node-12 && small > 2*r.node-8 {
			r.node = min(max(r.node, (small+ringState.TextWidth(electedPrefix))/2+4), mostNodeRadius)
		}
	}
	r.names = fitNames(r.story, ringSmallName, 2*r.node-8-ringState.TextWidth(electedPrefix))
}

// leastNode is the least radius of a node: a name of two digits fits in it.
const leastNode = 9.5

// setNode makes the nodes smaller.
func (r *processNodes) setNode(radius float64) {
	r.node = radius
	if radius < nodeRadius { // without a state below the name
		r.names = fitNames(r.story, ringSmallName, 2*radius-2)
	}
}

// electedPrefix is the text before the name of the process that a process has elected.
const electedPrefix = "→ "

// processTip describes a process in its state at the end of the window.
func (r *processNodes) processTip(p tracefmt.ProcessID) string {
	tip := "process " + r.story.FullName(p)
	c := r.story.After[p]
	if role := r.story.RoleWord(p); role != "" {
		tip += ", " + role
	}
	if r.story.Unrecorded(p) {
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
