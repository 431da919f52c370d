package diagram

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

var sequenceDiagram = Diagram{
	Name:  "sequence",
	Doc:   "a lifeline for each process, time running downward, an arrow for each message",
	Build: buildSequence,
}

// Distances in the sequence diagram.
const (
	bandPad      = 11.0 // of a band above its first and below its last row
	headerHeight = 27.0
	headerGap    = 18.0   // below the headers
	margin       = 16.0   // around the picture
	headerEvery  = 1100.0 // headers are repeated after so many points
	footerFrom   = 560.0  // and at the bottom of pictures longer than that
)

// spacing is how much room time takes.
type spacing struct {
	pitch float64 // between rows of one band
	gap   float64 // between bands, at least
	// A message goes down by drop at least, and by perColumn more for each
	// lifeline that it passes: the arrows of a fan-out part sooner.
	drop, perColumn float64
}

// Long diagrams, which are scrolled through, are closer than those that fit
// on a slide.
var (
	roomy = spacing{pitch: 22, gap: 13, drop: 40, perColumn: 8}
	dense = spacing{pitch: 18, gap: 6, drop: 32, perColumn: 5}
)

// denseFrom is the number of steps that make a diagram long.
const denseFrom = 400

// sequence is the work in progress of one sequence diagram.
type sequence struct {
	*story
	*schedule
	d    *Drawing
	plan *plan

	spacing
	width float64   // between lifelines
	x     []float64 // of the lifelines, by column
	y     []float64 // of the steps; NaN-free: steps without a place have 0
	// reach is how far to the left the first process's texts go.
	reach float64
	// left and right bound the lifelines and their texts, top and bottom them
	// in time.
	left, right, top, bottom float64
	headers                  []float64 // y of each row of headers
	lives                    [][]change

	legend  legend
	omitted int // labels for which there was no room
	texts   []pendingText
}

// pendingText is a text to be placed once everything else has its place.
type pendingText struct {
	id     string
	class  Class
	text   string
	spots  []spot
	limit  float64
	own    segment
	band   int32 // of a value: its band, from 1
	covers box   // what is taken from then on: the line that the text names
}

func buildSequence(ctx context.Context, rec tracefmt.Recording, o Options) (*Drawing, error) {
	story, err := read(ctx, rec, o)
	if err != nil {
		return nil, err
	}
	s := &sequence{
		story: story, schedule: story.schedule(), spacing: roomy,
		d: &Drawing{Diagram: "sequence", Layers: make([]Layer, layers), Hidden: story.hidden},
	}
	if len(s.steps) > denseFrom {
		s.spacing = dense
	}
	s.placeColumns()
	s.heading()
	s.placeRows()
	s.plan = newPlan(s.x)
	s.drawBands()
	s.drawHeaders()
	s.drawLifelines()
	s.drawMessages()
	s.drawMarks()
	s.drawCauses()
	s.placeTexts()
	s.footing()
	return s.d, ctx.Err()
}

// The layers of the drawing, back to front.
const (
	layerGround   = iota // bands, lifelines
	layerMessages        // headers and the messages between them
	layerMarks           // marks on lifelines, and what is drawn inside them
	layerTexts
	layers
)

func (s *sequence) node(layer int, n Node) {
	s.d.Layers[layer].Nodes = append(s.d.Layers[layer].Nodes, n)
}

func (s *sequence) path(layer int, p Path) {
	s.d.Layers[layer].Paths = append(s.d.Layers[layer].Paths, p)
}

// placeColumns spaces the lifelines so that the texts of most messages fit
// between two of them.
func (s *sequence) placeColumns() {
	n := len(s.order)
	widest, tag := 40.0, 0.0
	for i, p := range s.order {
		widest = max(widest, s.headerWidth(s.order[i])+14, textWidth(s.name(p), MessageLabel))
	}
	for i := range s.steps {
		st := &s.steps[i]
		switch {
		case st.kind == tracefmt.Send && st.peer != st.process:
			widest = max(widest, textWidth(st.label(s.story), MessageLabel)+28)
		case st.elected != "":
			tag = max(tag, tagWidth(st)+6)
		}
	}
	widest = max(widest, tag+10)
	narrow, wide := 92.0, 150.0
	switch {
	case n <= 4:
		narrow, wide = 130, 190
	case n > 24:
		narrow, wide = 58, 84
	case n > 12:
		narrow, wide = 70, 110
	}
	s.width = min(max(widest, narrow), wide)
	s.reach = max(s.headerHalf(0), min(tag, s.width)/2)
	s.left = margin + s.axisWidth() + 14 + s.reach
	for i := range n {
		s.x = append(s.x, s.left+float64(i)*s.width)
	}
	s.right = s.left + float64(max(n-1, 0))*s.width + max(s.headerHalf(n-1)+10, 66)
	s.d.Width = s.right + margin + s.loopWidth()
	if missing := 560 - s.d.Width; missing > 0 {
		for i := range s.x {
			s.x[i] += missing / 2
		}
		s.left, s.right, s.d.Width = s.left+missing/2, s.right+missing/2, 560
	}
}

func (s *sequence) headerWidth(p tracefmt.ProcessID) float64 {
	return max(46, textWidth(s.headerText(p), Process)+18)
}

func (s *sequence) headerText(p tracefmt.ProcessID) string {
	if p != 0 && s.after[p].downFromStart && s.after[p].down {
		return s.name(p) + " (down)"
	}
	return s.name(p)
}

func (s *sequence) headerHalf(column int) float64 {
	if column < 0 || column >= len(s.order) {
		return 23
	}
	return s.headerWidth(s.order[column]) / 2
}

// axisWidth is the room that the times at the left need.
func (s *sequence) axisWidth() float64 {
	widest := 30.0
	for i := range s.bands {
		widest = max(widest, textWidth(s.bandLabel(&s.bands[i]), AxisText))
	}
	return widest
}

func (s *sequence) loopWidth() float64 {
	if s.totals.loop {
		return 110
	}
	return 0
}

// bandLabel is what stands beside a band: "t = 3.5".
func (s *sequence) bandLabel(b *band) string {
	switch {
	case s.run.TimeUnit == tracefmt.Delays:
		return "t = " + clean(b.time.String(), maxValue)
	case s.run.TimeUnit == tracefmt.Logical && b.lamport > 0:
		return "C = " + strconv.FormatInt(b.lamport, 10)
	case s.run.TimeUnit == tracefmt.Logical:
		return ""
	}
	return "+" + duration(b.time-s.first)
}

// duration writes nanoseconds with a unit that suits them.
func duration(t tracefmt.Time) string {
	for _, u := range []struct {
		unit tracefmt.Time
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if t >= u.unit || t <= -u.unit {
			return strconv.FormatFloat(float64(t)/float64(u.unit), 'f', 3, 64) + " " + u.name
		}
	}
	return strconv.FormatInt(int64(t), 10) + " ns"
}

// placeRows gives every band, and with it every step, its height. Pictures
// that are scrolled through get their headers again and again.
func (s *sequence) placeRows() {
	s.y = make([]float64, len(s.steps))
	s.stack(math.Inf(1))
	if s.bottom > 1.7*headerEvery {
		s.stack(headerEvery)
	}
	if s.anyOpen() {
		s.bottom += 30
	}
	if s.bottom-s.headers[len(s.headers)-1] > footerFrom {
		s.headers = append(s.headers, s.bottom+headerHeight/2)
	}
}

// stack puts the bands below one another, with headers after so many points.
// A band lies as high as it can while each message still has room to fall.
func (s *sequence) stack(every float64) {
	s.headers = append(s.headers[:0], s.top+headerHeight/2)
	y := s.top + headerHeight + headerGap
	for i := range s.bands {
		b := &s.bands[i]
		if y-s.headers[len(s.headers)-1] > every {
			s.headers = append(s.headers, y+headerHeight/2)
			y += headerHeight + headerGap/2
		}
		first := s.firstRow(b, y+bandPad)
		for _, j := range b.steps {
			s.y[j] = first + float64(s.slots[j].row)*s.pitch
		}
		y = first + float64(b.rows-1)*s.pitch + bandPad + s.gap
	}
	s.bottom = y
}

// firstRow returns the y of the band's first row, at least y.
func (s *sequence) firstRow(b *band, y float64) float64 {
	for _, j := range b.steps {
		st := &s.steps[j]
		if st.kind == tracefmt.Send || st.send < 0 || s.slots[st.send].band == s.slots[j].band {
			continue
		}
		columns := s.column[st.process] - s.column[st.peer]
		drop := s.drop + s.perColumn*float64(min(max(columns, -columns)-1, 14))
		y = max(y, s.y[st.send]+drop-float64(s.slots[j].row)*s.pitch)
	}
	return y
}

func (s *sequence) anyOpen() bool {
	for i := range s.steps {
		if st := &s.steps[i]; st.kind == tracefmt.Send && (st.fate == inFlight || st.fate == elsewhere) {
			return true
		}
	}
	return false
}

// drawBands draws the strips behind what happens at one instant, and the times
// beside them.
func (s *sequence) drawBands() {
	left, right := s.left-s.reach-8, s.right
	for i := range s.bands {
		b := &s.bands[i]
		y0 := s.y[b.steps[0]] - float64(s.slots[b.steps[0]].row)*s.pitch
		y1 := y0 + float64(b.rows-1)*s.pitch
		s.node(layerGround, Node{Class: Band, X: (left + right) / 2, Y: (y0 + y1) / 2, W: right - left, H: y1 - y0 + 2*bandPad - 2})
		if label := s.bandLabel(b); label != "" {
			w := textWidth(label, AxisText)
			s.node(layerTexts, Node{Class: AxisText, X: left - 8 - w/2, Y: y0, W: w, H: 14, Text: label})
		}
	}
}

func (s *sequence) drawHeaders() {
	for row, y := range s.headers {
		for i, p := range s.order {
			n := Node{
				Class: Process, X: s.x[i], Y: y, W: min(s.headerWidth(p), s.width-6), H: headerHeight,
				Text: s.name(p), Tip: "process " + clean(s.run.ProcessName(p), maxTip),
			}
			if row == 0 {
				n.ID = nodeID(p)
				n.Text = s.headerText(p)
				n.Class = Process
			}
			if n.Text != s.name(p) || s.downAt(p, y) {
				n.Class = ProcessDown
			}
			if textWidth(n.Text, n.Class)+8 > n.W {
				n.Text = fit(n.Text, n.Class, n.W-8)
			}
			s.node(layerMessages, n)
			s.plan.cover(n.bounds())
		}
	}
}

// fit cuts the text down to the width.
func fit(text string, class Class, width float64) string {
	runes := []rune(text)
	for len(runes) > 1 && textWidth(string(runes)+"…", class) > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// nodeID is the ID of a process's header.
func nodeID(p tracefmt.ProcessID) string { return "p" + strconv.Itoa(int(p)) }

// change is a moment at which a lifeline changes its look.
type change struct {
	y     float64
	state lifeState
}

type lifeState uint8

const (
	up lifeState = iota
	down
	unborn
	gone
)

// drawLifelines draws, for each process, a line while it is up, dashes while
// it is down or has not begun, and nothing once it has halted.
func (s *sequence) drawLifelines() {
	for i, p := range s.order {
		var solid, dashed [][]Point
		changes := s.lives[p]
		for k, c := range changes {
			end := s.bottom
			if k+1 < len(changes) {
				end = changes[k+1].y
			}
			stroke := Line(Point{s.x[i], c.y}, Point{s.x[i], end})
			switch {
			case end <= c.y || c.state == gone:
			case c.state == up:
				solid = append(solid, stroke)
			default:
				dashed = append(dashed, stroke)
			}
		}
		if solid != nil {
			s.path(layerGround, Path{Class: Lifeline, Strokes: solid, Tip: "process " + s.name(p)})
		}
		if dashed != nil {
			s.legend.use(legendDown)
			s.path(layerGround, Path{Class: LifelineDown, Strokes: dashed, Tip: "process " + s.name(p) + " while it is down"})
		}
	}
}

// changesOf lists the changes of all lifelines, by ProcessID, in time order.
func (s *sequence) changesOf() [][]change {
	start := s.headers[0]
	lives := make([][]change, len(s.final))
	for _, p := range s.order {
		lives[p] = append(lives[p], change{start, s.stateBefore(p)})
	}
	for i := range s.steps {
		st := &s.steps[i]
		state, ok := lifeChanges[st.kind]
		if !ok || st.process == 0 {
			continue
		}
		if s.initial[i] {
			lives[st.process][0].state = state
			continue
		}
		if state == up && st.kind == tracefmt.Start && lives[st.process][0].state == up && len(lives[st.process]) == 1 {
			lives[st.process][0].state = unborn
		}
		lives[st.process] = append(lives[st.process], change{s.y[i], state})
	}
	for _, l := range lives {
		slices.SortStableFunc(l, func(a, b change) int { return cmp.Compare(a.y, b.y) })
	}
	return lives
}

var lifeChanges = map[tracefmt.Kind]lifeState{
	tracefmt.Start: up, tracefmt.Recover: up, tracefmt.Crash: down, tracefmt.Halt: gone,
}

func (s *sequence) stateBefore(p tracefmt.ProcessID) lifeState {
	switch c := s.before[p]; {
	case c.halted:
		return gone
	case c.down:
		return down
	}
	return up
}

// downAt reports whether the process is down at that height.
func (s *sequence) downAt(p tracefmt.ProcessID, y float64) bool {
	if s.lives == nil {
		s.lives = s.changesOf()
	}
	state := up
	for _, c := range s.lives[p] {
		if c.y <= y {
			state = c.state
		}
	}
	return state == down
}

// heading writes the title and the summary, and sets where the picture begins.
func (s *sequence) heading() {
	s.d.Title = s.title()
	s.d.Desc = s.describe(s.d)
	s.top = writeHeading(s.d, &s.d.Layers[layerTexts], s.story) + 14
}

// writeHeading writes title, summary and warnings at the top of a drawing and
// returns the y below.
func writeHeading(d *Drawing, layer *Layer, s *story) float64 {
	y := margin
	write := func(text string, class Class) {
		size := Styles[class].Size
		for _, line := range wrap(text, class, d.Width-2*margin) {
			y += size * 1.35
			layer.Nodes = append(layer.Nodes, Node{Class: class, X: d.Width / 2, Y: y - size*0.55, W: d.Width - 2*margin, H: size * 1.3, Text: line})
		}
		y += 3
	}
	write(d.Title, TitleText)
	write(clean(s.summary(), maxSummary), SummaryText)
	if window := s.windowText(); window != "" {
		write(window, WarningText)
	}
	return y
}

// footing writes the legend below the lifelines and closes the picture.
func (s *sequence) footing() {
	y := s.bottom + 18
	if last := s.headers[len(s.headers)-1]; last > s.bottom {
		y = last + headerHeight/2 + 18
	}
	if s.omitted > 0 {
		text := plural(int64(s.omitted), "label") + " left out where there is no room: point at an arrow to read it"
		s.node(layerTexts, Node{Class: SummaryText, X: s.d.Width / 2, Y: y, W: s.d.Width - 2*margin, H: 14, Text: text})
		y += 22
	}
	y = s.legend.draw(s.d, layerMarks, s.names, y)
	// Whole points: viewers round, and would leave a dark edge.
	s.d.Width, s.d.Height = math.Ceil(s.d.Width), math.Ceil(y+margin)
}

// label is what stands beside a message: "election(5)".
func (st *step) label(s *story) string {
	name := st.typ
	if name == "" && st.text == "" {
		name = "message"
	}
	if st.fate == dropped && st.kind == tracefmt.Lose {
		return name
	}
	return clean(name+st.text, maxLabel)
}

// at returns where the step stands.
func (s *sequence) at(i int) Point { return Point{s.x[s.column[s.steps[i].process]], s.y[i]} }

func (s *sequence) timeText(t tracefmt.Time) string {
	switch s.run.TimeUnit {
	case tracefmt.Delays:
		return "t = " + t.String()
	case tracefmt.Nanoseconds:
		return "+" + duration(t-s.first)
	}
	return "logical time " + t.String()
}

func eventText(seq tracefmt.Seq) string { return fmt.Sprintf("event %d", seq) }
