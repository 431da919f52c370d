package diagram

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

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
	if s.options.Caption != "" {
		write(clean(s.options.Caption, maxSummary), CaptionText)
	}
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

// bandLabel is what stands beside a band: "t = 3.5".
func (s *sequence) bandLabel(b *band) string {
	switch {
	case s.run.TimeUnit == tracefmt.Delays:
		return "t = " + shortTime(b.time)
	case s.run.TimeUnit == tracefmt.Logical && b.lamport > 0:
		return "C = " + strconv.FormatInt(b.lamport, 10)
	case s.run.TimeUnit == tracefmt.Logical:
		return ""
	}
	return "+" + duration(b.time-s.first)
}

// shortTime writes a time with at most three decimals; the tips have it whole.
func shortTime(t tracefmt.Time) string {
	const thousandth = tracefmt.Unit / 1000
	if t >= 0 && t < 1<<62 {
		t = (t + thousandth/2) / thousandth * thousandth
	}
	return clean(t.String(), maxValue)
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
			if row == 0 {
				s.knownAtStart(p, Point{n.X, y + headerHeight/2 + 7})
			}
		}
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

// knownAtStart writes below a header whom the process holds for elected when
// the picture begins.
func (s *sequence) knownAtStart(p tracefmt.ProcessID, at Point) {
	elected := s.before[p].elected
	if !s.before[p].known {
		elected = s.openingElected[p]
	}
	if elected == "" || elected == noValue {
		return
	}
	text := electedVariable + " = " + elected
	w := textWidth(text, ValueLabel) + 4
	if w > s.width-8 {
		text, w = fit(text, ValueLabel, s.width-12), s.width-8
	}
	s.node(layerTexts, Node{Class: ValueLabel, X: at.X, Y: at.Y, W: w, H: 10, Text: text})
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

// lifeChanges lists the changes of all lifelines, by ProcessID, in time order.
func (s *sequence) lifeChanges() [][]change {
	start := s.headers[0]
	lives := make([][]change, len(s.final))
	for _, p := range s.order {
		lives[p] = append(lives[p], change{start, s.stateBefore(p)})
	}
	for i := range s.steps {
		st := &s.steps[i]
		state, ok := changesLife[st.kind]
		if !ok || st.process == 0 {
			continue
		}
		if st.opening {
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

var changesLife = map[tracefmt.Kind]lifeState{
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
	state := up
	for _, c := range s.lives[p] {
		if c.y <= y {
			state = c.state
		}
	}
	return state == down
}
