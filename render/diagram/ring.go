package diagram

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

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

// link is all messages from one process to another that fared alike; they
// share an arrow.
type link struct {
	from, to tracefmt.ProcessID
	fate     fate
	skips    bool // the processes between are down: the message goes around them
	messages []linkMessage
}

type linkMessage struct {
	number int
	hue    int
	step   int
	label  string
	reason string
}

func buildRing(ctx context.Context, rec tracefmt.Recording, o Options) (*Drawing, error) {
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
		m := linkMessage{number: r.numbers, hue: st.hue, step: i, label: st.label(r.story)}
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

// linkFate joins the fates that look the same in a ring.
func linkFate(f fate) fate {
	switch f {
	case tooLate, dropped:
		return dropped
	case inFlight, elsewhere:
		return inFlight
	}
	return delivered
}

// skipsOver reports whether the message goes to the next live process, past
// some that are down.
func (r *ring) skipsOver(conditions []condition, from, to tracefmt.ProcessID) bool {
	n := len(r.order)
	i, j := r.column[from], r.column[to]
	gap := (j - i + n) % n
	if gap < 2 || gap > n-1 {
		return false
	}
	for k := 1; k < gap; k++ {
		if !conditions[r.order[(i+k)%n]].down {
			return false
		}
	}
	return true
}

// measure chooses the sizes and writes the heading.
func (r *ring) measure() {
	n := float64(max(len(r.order), 1))
	r.radius = max(smallRing, n*ringSpacing/(2*math.Pi))
	widest := 60.0
	for _, l := range r.links {
		for _, line := range r.lines(l) {
			widest = max(widest, textWidth(line, MessageLabel))
		}
	}
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
	r.center = Point{margin + side, r.top + r.radius + 2*nodeRadius + 46}
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
	if len(r.order) < 2 {
		return
	}
	var points []Point
	for k := range 25 {
		points = append(points, polar(r.center, 2*math.Pi*float64(k)/24, r.radius))
	}
	r.path(layerGround, Path{Class: RingLine, Strokes: [][]Point{smooth(points)}})
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

// drawLinks draws an arrow for each link and then finds room for the labels:
// those outside the circle, where there is room, before those within.
func (r *ring) drawLinks() {
	curves := make([][]Point, len(r.links))
	for i, l := range r.links {
		curves[i] = r.curve(l)
		r.drawLink(l, curves[i])
	}
	for _, inner := range [...]bool{false, true} {
		for i, l := range r.links {
			if r.inner(l) == inner {
				r.labelLink(l, curves[i])
			}
		}
	}
}

func (r *ring) drawLink(l *link, curve []Point) {
	first := &l.messages[0]
	p := Path{
		ID: messageID(&r.steps[first.step]), Class: Message, Hue: r.linkHue(l), From: nodeID(l.from), To: nodeID(l.to),
		Strokes: [][]Point{curve}, Tip: r.linkTip(l),
	}
	switch l.fate {
	case dropped:
		p.Class = Lost
		end := along(curve, 0.93)
		r.path(layerMarks, Path{Class: Cross, Strokes: saltire(end, 5)})
		r.plan.cover(box{end.X, end.Y, end.X, end.Y}.grow(6))
		r.legend.use(legendLost)
	case inFlight:
		p.Class = Open
		r.legend.use(legendOpen)
	}
	if l.skips {
		r.legend.use(legendSkipped)
	}
	for i := range l.messages {
		r.legend.useType(l.messages[i].hue)
	}
	r.path(layerMessages, p)
	for i := 0; i < 12; i++ {
		r.plan.draw(along(curve, float64(i)/12), along(curve, float64(i+1)/12))
	}
}

// linkHue is that of the messages' type, or none if they differ.
func (r *ring) linkHue(l *link) int {
	hue := hueOf(l.messages[0].hue)
	for i := range l.messages {
		if hueOf(l.messages[i].hue) != hue {
			return 0
		}
	}
	return hue
}

func (r *ring) linkTip(l *link) string {
	return clean(r.name(l.from)+" to "+r.name(l.to)+": "+strings.Join(r.lines(l), "; "), maxTip)
}

// inner reports whether the link runs inside the circle.
func (r *ring) inner(l *link) bool { return !l.skips && !r.next(l.from, l.to) && l.from != l.to }

// next reports whether to follows from in the ring.
func (r *ring) next(from, to tracefmt.ProcessID) bool {
	return (r.column[from]+1)%len(r.order) == r.column[to] && from != to
}

// curve is the way of a link's arrow: outside the circle to the next process,
// inside to the one before, around processes that are passed over, and across
// to all others.
func (r *ring) curve(l *link) []Point {
	switch {
	case l.from == l.to:
		return r.selfCurve(l)
	case l.skips:
		return r.aroundCurve(l)
	case r.next(l.from, l.to):
		return r.sideCurve(l, 52)
	case r.next(l.to, l.from):
		return r.sideCurve(l, 128)
	}
	return r.acrossCurve(l)
}

// tilt keeps links that differ only in what became of the messages apart.
func tilt(l *link) float64 {
	switch l.fate {
	case dropped:
		return -24
	case inFlight:
		return -40
	}
	return 0
}

const degree = math.Pi / 180

// sideCurve leaves the node at an angle from its outward direction, which
// lies on the side of the goal, and arrives likewise.
func (r *ring) sideCurve(l *link, degrees float64) []Point {
	turn := (degrees + tilt(l)) * degree
	a, b := r.angle(l.from)+turn, r.angle(l.to)-turn
	if degrees > 90 { // to the process before: the other way round
		a, b = r.angle(l.from)-turn, r.angle(l.to)+turn
	}
	from, to := polar(r.at(l.from), a, nodeRadius+1), polar(r.at(l.to), b, nodeRadius+2)
	reach := 0.36 * math.Hypot(to.X-from.X, to.Y-from.Y)
	return []Point{from, polar(from, a, reach), polar(to, b, reach), to}
}

// aroundCurve passes outside the nodes between.
func (r *ring) aroundCurve(l *link) []Point {
	span := float64((r.column[l.to] - r.column[l.from] + len(r.order)) % len(r.order))
	step := 2 * math.Pi / float64(len(r.order))
	a, b := r.angle(l.from), r.angle(l.from)+span*step
	outer := r.radius + nodeRadius + 22 - tilt(l)/2
	points := []Point{polar(r.at(l.from), a+35*degree, nodeRadius+1)}
	pieces := max(3, int(math.Ceil((b-a)/(25*degree))))
	lead := min(0.42*step, 30*degree)
	for k := range pieces + 1 {
		points = append(points, polar(r.center, a+lead+(b-a-2*lead)*float64(k)/float64(pieces), outer))
	}
	return smooth(append(points, polar(r.at(l.to), b-35*degree, nodeRadius+2)))
}

// acrossCurve is a chord, bent to its right so that there and back differ.
func (r *ring) acrossCurve(l *link) []Point {
	a, b := r.at(l.from), r.at(l.to)
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	angle := math.Atan2(b.Y-a.Y, b.X-a.X)
	bend := (9 - tilt(l)/3) * degree
	from, to := polar(a, angle+bend, nodeRadius+1), polar(b, angle+math.Pi-bend, nodeRadius+2)
	return []Point{from, polar(from, angle+bend, length*0.3), polar(to, angle+math.Pi-bend, length*0.3), to}
}

func (r *ring) selfCurve(l *link) []Point {
	at, angle := r.at(l.from), r.angle(l.from)
	from, to := polar(at, angle-28*degree, nodeRadius+1), polar(at, angle+28*degree, nodeRadius+2)
	return []Point{from, polar(from, angle-34*degree, 44), polar(to, angle+34*degree, 44), to}
}

// smooth returns a curve through all the points (Catmull-Rom).
func smooth(points []Point) []Point {
	n := len(points)
	curve := []Point{points[0]}
	for i := 0; i+1 < n; i++ {
		before, a, b, after := points[max(i-1, 0)], points[i], points[i+1], points[min(i+2, n-1)]
		curve = append(curve,
			Point{a.X + (b.X-before.X)/6, a.Y + (b.Y-before.Y)/6},
			Point{b.X - (after.X-a.X)/6, b.Y - (after.Y-a.Y)/6}, b)
	}
	return curve
}

// along returns the point of a curve at t in 0..1.
func along(curve []Point, t float64) Point {
	pieces := (len(curve) - 1) / 3
	i := min(int(t*float64(pieces)), pieces-1)
	t = t*float64(pieces) - float64(i)
	p := curve[3*i : 3*i+4]
	u := 1 - t
	w := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
	return Point{
		w[0]*p[0].X + w[1]*p[1].X + w[2]*p[2].X + w[3]*p[3].X,
		w[0]*p[0].Y + w[1]*p[1].Y + w[2]*p[2].Y + w[3]*p[3].Y,
	}
}

// maxLines is the greatest number of lines of a link's label.
const maxLines = 4

// lines writes the label of a link: a line for each type and payload, or, if
// these are too many, for each type.
func (r *ring) lines(l *link) []string {
	lines := groupLines(l.messages, func(m *linkMessage) string {
		if m.reason != "" {
			return m.label + ": " + m.reason
		}
		return m.label
	})
	if len(lines) > maxLines {
		lines = groupLines(l.messages, func(m *linkMessage) string { return r.names[m.hue-1] })
	}
	if len(lines) > maxLines {
		more := len(lines) - maxLines + 1
		lines = append(lines[:maxLines-1], fmt.Sprintf("… and %d types more", more))
	}
	return lines
}

// groupLines writes the numbers of the messages that have the same text
// before it: "1, 9 election".
func groupLines(messages []linkMessage, textOf func(*linkMessage) string) []string {
	var texts []string
	numbers := make(map[string][]int)
	for i := range messages {
		text := textOf(&messages[i])
		if numbers[text] == nil {
			texts = append(texts, text)
		}
		numbers[text] = append(numbers[text], messages[i].number)
	}
	for i, text := range texts {
		texts[i] = numberList(numbers[text]) + " " + text
	}
	return texts
}

// numberList is "1, 9, 17", or "1, 9, … 33 (5×)" when there are many.
func numberList(numbers []int) string {
	const most = 4
	var b strings.Builder
	for i, n := range numbers {
		if len(numbers) > most && i == most-2 {
			fmt.Fprintf(&b, ", … %d (%d×)", numbers[len(numbers)-1], len(numbers))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// labelLink places the label of a link beside its curve.
func (r *ring) labelLink(l *link, curve []Point) {
	lines := r.lines(l)
	w := 0.0
	for _, line := range lines {
		w = max(w, textWidth(line, MessageLabel)+4)
	}
	h := float64(len(lines)) * labelHeight
	at, ok := r.plan.choose(r.labelSpots(l, curve, w, h), w, h, tooDear, segment{})
	if !ok {
		r.omitted++
		return
	}
	b := box{at.X - w/2, at.Y - h/2, at.X + w/2, at.Y + h/2}
	r.plan.cover(b.grow(1))
	for i, line := range lines {
		lw := textWidth(line, MessageLabel) + 4
		r.node(layerTexts, Node{Class: MessageLabel, X: at.X, Y: b.y0 + (float64(i)+0.5)*labelHeight, W: lw, H: labelHeight, Text: line})
	}
}

// labelSpots lists places for a label of that size: beyond the curve as seen
// from the centre, or on it where it runs inside the circle.
func (r *ring) labelSpots(l *link, curve []Point, w, h float64) []spot {
	var spots []spot
	for n, t := range [...]float64{0.5, 0.42, 0.58, 0.32, 0.68, 0.24, 0.76} {
		p := along(curve, t)
		angle := math.Atan2(p.Y-r.center.Y, p.X-r.center.X)
		extra := float64(n)
		if r.inner(l) {
			// A single line may stand on its curve: it belongs to no other.
			spots = append(spots, spot{p, extra})
			if r.next(l.to, l.from) {
				spots = append(spots, spot{polar(p, angle+math.Pi, 5+clearance(angle, w, h)), extra + 0.5})
			}
			continue
		}
		for k := range 4 {
			distance := 6 + clearance(angle, w, h) + 14*float64(k)
			spots = append(spots, spot{polar(p, angle, distance), extra + 3*float64(k)})
		}
	}
	for i := range spots {
		spots[i].X = min(max(spots[i].X, w/2+4), r.left-w/2)
		if spots[i].Y-h/2 < r.top {
			spots[i].extra += tooDear
		}
	}
	return spots
}

// clearance is how far the middle of a box must be from a point for the box
// to lie clear of it in that direction.
func clearance(angle, w, h float64) float64 {
	c, s := math.Abs(math.Cos(angle)), math.Abs(math.Sin(angle))
	return min(w/2/max(c, 1e-9), h/2/max(s, 1e-9))
}

func (r *ring) footing() {
	y := r.center.Y + r.radius + 2*nodeRadius + 46
	for i := range r.d.Layers[layerTexts].Nodes {
		n := &r.d.Layers[layerTexts].Nodes[i]
		y = max(y, n.Y+n.H/2+10)
	}
	if r.omitted > 0 {
		text := plural(int64(r.omitted), "label") + " left out where there is no room: point at an arrow to read it"
		r.node(layerTexts, Node{Class: SummaryText, X: r.d.Width / 2, Y: y, W: r.d.Width - 2*margin, H: 14, Text: text})
		y += 22
	}
	y = r.legend.draw(r.d, layerMarks, r.names, y)
	r.d.Width, r.d.Height = math.Ceil(r.d.Width), math.Ceil(y+margin)
}
