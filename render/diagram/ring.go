package diagram

import (
	"context"
	"math"
	"unicode/utf8"

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
	ringSpacing = 62    // between neighbours along the circle
	smallRing   = 135.0 // the least radius
	tablePitch  = 16.5
	tableRows   = 30 // messages that the table lists
	// The longest labels of messages beside their link and in the table.
	maxLinkLabel, maxTableLabel = 28, 60
	maxLinkTip                  = 300
)

// ring is a ring diagram while it is drawn.
type ring struct {
	processNodes
	d       *drawing.Drawing // the drawing of the page
	center  drawing.Point
	radius  float64
	links   []*link
	spans   [][]story.LifeSpan
	table   [tableColumns]float64 // the widths of its columns
	above   float64               // the distance from the top of the nodes to the heading
	omitted int
	numbers int // messages numbered
	rows    []tableRow
	left    float64 // the left edge of the table
	top     float64
	beside  bool // the legend is below the table, not below the ring
}

// buildRing draws the processes on a circle, their messages as numbered arrows, and a table of the messages.
func buildRing(ctx context.Context, s *story.Story, l Layout) (*drawing.Drawing, error) {
	r := newRing(s, l)
	r.drawRing()
	r.drawProcesses()
	r.drawLinks()
	r.drawTable()
	return r.footing(), ctx.Err()
}

// newRing places the ring and draws the heading.
func newRing(s *story.Story, l Layout) *ring {
	page := NewPage("ring", s, l)
	r := &ring{processNodes: newProcessNodes(s, page), d: page.Drawing, spans: s.LifeSpans()}
	r.collect()
	if l.Like == nil {
		r.measure()
		return r
	}
	full := l
	full.Like = nil
	like := newRing(l.Like, full)
	r.node, r.names, r.radius, r.center, r.beside = like.node, like.names, like.radius, like.center, like.beside
	r.left, r.top, r.above, r.d.Width, r.table = like.left, like.top, like.above, like.d.Width, like.table
	r.cutTable(len(like.rows))
	r.page.Heading()
	return r
}

// collect gathers the messages into links, in the order of their sending.
func (r *ring) collect() {
	type key struct {
		from, to tracefmt.ProcessID
		fate     tracefmt.Fate
		skips    bool
		unsure   bool
		leftOut  bool
		unsent   bool
		inferred bool
	}
	index := make(map[key]*link)
	// All frames have the labels of the whole picture, so that a label does not change from one to the next.
	full := r.story
	if like := r.page.Layout.Like; like != nil {
		full = like
	}
	labelOf := full.Labels(func(label string) bool { return utf8.RuneCountInString(label) <= maxLinkLabel })
	label := func(st *story.Step, length int) string {
		if form := labelOf(st); utf8.RuneCountInString(form) <= length {
			return form
		}
		return st.ShortLabel(length)
	}
	for i := range r.story.Steps {
		st := &r.story.Steps[i]
		if st.Kind != tracefmt.Send && !st.Unsent {
			continue
		}
		r.numbers++
		from, to := st.Ends()
		k := key{from, to, st.Fate, r.skipsOver(i, from, to), st.Unsure, st.LeftOut && st.Fate == tracefmt.InFlight, st.Unsent, st.Inferred}
		l := index[k]
		if l == nil {
			l = &link{
				from: k.from, to: k.to, fate: k.fate, skips: k.skips, unsure: k.unsure, leftOut: k.leftOut, unsent: k.unsent,
				inferred: k.inferred,
			}
			index[k] = l
			r.links = append(r.links, l)
		}
		m := linkMessage{number: r.numbers, hue: st.TypeNumber, strand: st.Strand, step: i}
		m.label, m.long = label(st, maxLinkLabel), label(st, maxTableLabel)
		if st.Fate == tracefmt.Lost && st.Match >= 0 {
			m.reason = r.story.Steps[st.Match].Text
		}
		l.messages = append(l.messages, m)
		if r.page.Layout.Like != nil && len(r.rows) == tableRows { // a frame lists the last messages
			r.rows = r.rows[1:]
		}
		if len(r.rows) < tableRows {
			r.rows = append(r.rows, r.tableRow(&m))
		}
	}
}

// measure chooses the sizes and writes the heading.
func (r *ring) measure() {
	n := float64(max(len(r.story.Order), 1))
	l := r.page.Layout
	r.radius = max(smallRing, n*(2*r.node+ringSpacing)/(2*math.Pi))
	rows := tableRows
	if l.Height > 0 {
		rows = int((l.Height-l.around())/tablePitch) - 1
	}
	r.rows = r.rows[:min(max(rows, 1), len(r.rows))]
	r.table = r.tableWidths()
	r.beside = l.wide()
	// Without room for the smallest ring beside the table, the table is left out.
	diameter := 2 * (n*leastSpacing/(2*math.Pi) + leastNode + 14)
	if l.Width > 0 && l.Width-2*Margin-10-r.columnWidth() < diameter {
		r.rows, r.beside = nil, false
	}
	widest := 60.0
	across, limit := 0, 2
	for _, l := range r.links {
		if r.inner(l) {
			across++
		}
		lines := r.lines(l.messages)
		limit = max(limit, len(lines))
		for _, line := range lines {
			widest = max(widest, messageLabel.TextWidth(line))
		}
	}
	r.radius += min(6*float64(across), 90) // room for labels within
	r.above = 74 + labelHeight*float64(limit-2)
	r.shrink()
	side := r.radius + 2*r.node + 26 + min(widest, 190)
	if l.Width > 0 { // labels that have no room are left out
		side = max(min(side, (l.Width-2*Margin-10-r.columnWidth())/2), r.radius+r.node+14)
	}
	r.left = Margin + 2*side + 10
	r.d.Width = r.left + r.columnWidth() + Margin
	if width := l.leastWidth(); r.d.Width < width {
		side += (width - r.d.Width) / 2
		r.left += width - r.d.Width
		r.d.Width = width
	}
	r.top = r.page.Heading() + 10
	r.center = drawing.At(Margin+side, r.top+r.radius+r.node+r.above)
}

// manyNodes is the number of nodes from which on a ring is made large, at the cost of room for labels above and
// below.
const manyNodes = 24

// leastSpacing is the least distance of the middles of two neighbours on a ring.
const leastSpacing = 2*leastNode + 3

// LeastAround is the room above and below a ring or a graph that heading and legend take at least.
const LeastAround = 76.0

// around returns the height of heading and legend.
func (l *Layout) around() float64 { return max(l.Around, LeastAround) }

// leastWidth returns the least width of a picture.
func (l *Layout) leastWidth() float64 {
	if l.Width > 0 {
		return math.Floor(l.Width)
	}
	return leastWidth
}

// wide reports whether the room is so much wider than high that the legend belongs beside the diagram.
func (l *Layout) wide() bool { return l.Height > 0 && l.Width >= 1.4*l.Height && !l.NoLegend }

// legendColumn is the width of a legend beside a diagram.
const legendColumn = 210.0

// columnWidth returns the width of the column beside the ring: the table, and the legend if it is there.
func (r *ring) columnWidth() float64 {
	if r.beside {
		return max(r.tableWidth(), legendColumn)
	}
	return r.tableWidth()
}

// shrink reduces a ring to its room, and its nodes so that arrows fit between them.
func (r *ring) shrink() {
	l := r.page.Layout
	if l.Height == 0 {
		return
	}
	const low = 400 // the height in points below which the picture counts as low
	labels := 42.0  // the height of the labels above and below the ring
	switch {
	case len(r.story.Order) > manyNodes:
		labels = 18
	case l.Height < low:
		labels = 28
	}
	n := float64(max(len(r.story.Order), 1))
	outer := min((l.Height-l.around()-2*labels)/2, (l.Width-2*Margin-10-r.columnWidth())/2-14)
	if r.radius+r.node+r.above <= outer {
		return
	}
	r.above = labels
	r.setNode(min(r.node, max(min(0.27*2*math.Pi*outer/n, outer/4), leastNode)))
	r.radius = max(outer-r.node, n*leastSpacing/(2*math.Pi))
}

// angle returns the direction of a process, clockwise from the top.
func (r *ring) angle(p tracefmt.ProcessID) float64 {
	return -math.Pi/2 + 2*math.Pi*float64(r.story.Column[p])/float64(len(r.story.Order))
}

// polar returns the point in that direction and distance from another.
func polar(from drawing.Point, angle, distance float64) drawing.Point {
	return drawing.At(from.X+distance*math.Cos(angle), from.Y+distance*math.Sin(angle))
}

// at returns the place of a process.
func (r *ring) at(p tracefmt.ProcessID) drawing.Point { return polar(r.center, r.angle(p), r.radius) }

// drawRing draws the circle on which the processes are.
func (r *ring) drawRing() {
	if len(r.story.Order) > 1 {
		r.page.Node(Ground, drawing.Node{Style: ringLine, X: r.center.X, Y: r.center.Y, W: 2 * r.radius, H: 2 * r.radius})
	}
}

// drawProcesses draws the processes in their states at the end of the window.
func (r *ring) drawProcesses() {
	for _, p := range r.story.Order {
		r.drawProcess(p, r.at(p))
	}
}

// footing writes the texts below the ring and completes the picture.
func (r *ring) footing() *drawing.Drawing {
	y := r.center.Y + r.radius + r.node + min(r.above, 70)
	for i := range r.d.Layers[Texts].Nodes {
		n := &r.d.Layers[Texts].Nodes[i]
		y = max(y, n.Y+n.H/2+10)
	}
	table, pointing := ": see the table", ", or point at an arrow"
	if len(r.rows) == 0 {
		table, pointing = "", ": point at an arrow"
	}
	return r.page.Close(r.noteEarlier(r.page.writeOmission(r.omitted, table, pointing, y)))
}
