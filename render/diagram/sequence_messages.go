package diagram

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// drawMessages draws an arrow for every message that has an end in the
// window, and asks for its label.
func (s *sequence) drawMessages() {
	sent := make(map[Point]bool)
	for i := range s.steps {
		st := &s.steps[i]
		s.faint = !s.lit(i) && !(st.send >= 0 && s.lit(st.send))
		switch st.kind {
		case tracefmt.Send:
			sent[s.at(i)] = sent[s.at(i)] || s.lit(i)
			if st.fate == inFlight || st.fate == elsewhere {
				s.drawOpen(i)
			}
		case tracefmt.Receive, tracefmt.Lose:
			s.drawArrival(i)
		}
	}
	points := slices.SortedFunc(maps.Keys(sent), func(a, b Point) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	for _, lit := range [...]bool{false, true} {
		s.faint = !lit
		s.drawSendPoints(slices.DeleteFunc(slices.Clone(points), func(at Point) bool { return sent[at] != lit }))
	}
}

// drawSendPoints puts a dot where messages leave, once for a fan-out. In long
// diagrams the dots are short thick strokes, many to a path: a node for each
// would take Graphviz as long as all the rest.
func (s *sequence) drawSendPoints(points []Point) {
	const r, most = 2.2, 100
	for chunk := range slices.Chunk(points, most) {
		p := Path{Class: SendPoint}
		for _, at := range chunk {
			if s.spacing == roomy {
				s.node(layerMarks, Node{Class: SendDot, X: at.X, Y: at.Y, W: 2 * r, H: 2 * r})
			} else {
				p.Strokes = append(p.Strokes, Line(Point{at.X, at.Y - r}, Point{at.X, at.Y + r}))
			}
		}
		if p.Strokes != nil {
			s.path(layerMarks, p)
		}
	}
}

func (s *sequence) drawArrival(i int) {
	st := &s.steps[i]
	if st.send < 0 {
		s.drawStub(i)
		return
	}
	from, to := s.at(st.send), s.at(i)
	switch {
	case st.fate == dropped:
		s.drawDropped(i, from)
	case st.fate == tooLate:
		s.legend.use(legendTooLate)
		s.arrow(i, Lost, from, to)
		s.cross(i, to)
	case st.fate == again:
		s.legend.use(legendAgain)
		s.arrow(i, Duplicate, from, to)
	default:
		s.arrow(i, Message, from, to)
	}
}

// arrow draws a message from one point to another and asks for its label. The
// step is the message's end, or its send if it has none.
func (s *sequence) arrow(i int, class Class, from, to Point) {
	st := &s.steps[i]
	s.legend.useType(st.hue)
	sender, receiver := st.peer, st.process
	if st.kind == tracefmt.Send {
		sender, receiver = receiver, sender
	}
	p := Path{
		ID: messageID(st), Class: class, Hue: hueOf(st.hue),
		From: nodeID(sender), To: nodeID(receiver), Tip: s.messageTip(i),
	}
	if sender == receiver {
		s.selfArrow(i, p, from, to)
		return
	}
	p.Strokes = [][]Point{Line(from, to)}
	s.path(layerMessages, p)
	s.plan.draw(from, to)
	text := s.label(st)
	s.ask(MessageLabel, text, s.alongArrow(from, to, text), normal(from, to))
}

// selfArrow draws a message of a process to itself as a bow.
func (s *sequence) selfArrow(i int, p Path, from, to Point) {
	out := s.aside(s.steps[i].process) * s.width * 0.55
	p.Strokes = [][]Point{{from, {from.X + out, from.Y}, {to.X + out, to.Y}, to}}
	s.path(layerMessages, p)
	text := s.label(&s.steps[i])
	x := from.X + out*0.75 + math.Copysign(textWidth(text, MessageLabel)/2+4, out)
	var spots []spot
	for n, t := range [...]float64{0.5, 0.35, 0.65, 0.2, 0.8} {
		spots = append(spots, spot{Point{x, from.Y + t*(to.Y-from.Y)}, float64(n)}, spot{Point{x - math.Copysign(12, out), from.Y + t*(to.Y-from.Y)}, float64(n) + 1})
	}
	s.ask(MessageLabel, text, spots, segment{})
}

// aside is the direction in which there is room beside a lifeline: to the
// right, but for the last one.
func (s *sequence) aside(p tracefmt.ProcessID) float64 {
	if n := len(s.order); n > 1 && s.column[p] == n-1 {
		return -1
	}
	return 1
}

// label is that of the step, cut to what fits between two lifelines, with the
// reason if the message is lost on its way; the tip has the whole.
func (s *sequence) label(st *step) string {
	text := st.label()
	if st.fate == dropped && st.kind == tracefmt.Lose && st.text != "" {
		return s.fitGap(text + ": " + st.text)
	}
	if s.tooWide(text) && st.text != "" && st.typ != "" {
		text = st.typ + "(…)"
	}
	return s.fitGap(text)
}

// messageID is the ID of the arrow that ends, or begins, at the step.
func messageID(st *step) string { return "m" + strconv.FormatInt(int64(st.seq), 10) }

func (s *sequence) ask(class Class, text string, spots []spot, own segment) {
	if text == "" {
		return
	}
	s.texts = append(s.texts, pendingText{class: class, text: text, spots: spots, limit: crowded, own: own, faint: s.faint})
}

// fitGap cuts a text down to what fits between two lifelines.
func (s *sequence) fitGap(text string) string {
	if s.tooWide(text) {
		return fit(text, MessageLabel, s.labelRoom())
	}
	return text
}

func (s *sequence) tooWide(text string) bool { return textWidth(text, MessageLabel) > s.labelRoom() }

// labelRoom is the room for a label that leaves arrowheads to be seen.
func (s *sequence) labelRoom() float64 { return max(s.width-26, 46) }

// normal is the segment as the plan keeps it: from left to right.
func normal(a, b Point) segment {
	if a.X > b.X {
		a, b = b, a
	}
	return segment{a, b}
}

const (
	labelHeight = 13.0
	spotsPerGap = 6
)

// alongArrow lists places for a label on an arrow. Best is the gap beside
// the receiver, where the arrows of a fan-out have parted, then the one beside
// the sender, then those between.
func (s *sequence) alongArrow(from, to Point, text string) []spot {
	w := textWidth(text, MessageLabel) + 4
	dx := to.X - from.X
	length := math.Abs(dx)
	gaps := max(1, int(math.Round(length/s.width)))
	if length < s.width {
		gaps = 1
	}
	gap := length / float64(gaps)
	var spots []spot
	add := func(t, extra float64) {
		spots = append(spots, spot{Point{from.X + t*dx, from.Y + t*(to.Y-from.Y)}, extra})
	}
	for rank, k := range gapOrder(gaps) {
		middle := (float64(k) + 0.5) * gap / length
		play := max(0, (gap-w-12)/2) / length
		extra := 1.5 * float64(rank)
		for n, shift := range [spotsPerGap]float64{0.25, 0, 0.7, -0.45, 1, -0.9} {
			add(middle+shift*play, extra+0.4*float64(n))
		}
	}
	// Above or below the line a label might be taken for that of another
	// arrow; right beside the receiver it is not.
	slope := math.Abs((to.Y - from.Y) / dx)
	if rise := slope * w / 2; rise < 9 {
		for _, at := range spots[:spotsPerGap:spotsPerGap] {
			lift := labelHeight/2 + rise + 1
			spots = append(spots, spot{Point{at.X, at.Y - lift}, at.extra + 8}, spot{Point{at.X, at.Y + lift}, at.extra + 9})
		}
	}
	return spots
}

// gapOrder lists the gaps that an arrow passes, counted from its sender, in
// the order in which they are tried: at most five.
func gapOrder(gaps int) []int {
	order := []int{gaps - 1}
	if gaps > 1 {
		order = append(order, 0)
	}
	for k := gaps - 2; k > 0 && len(order) < 5; k-- {
		order = append(order, k)
	}
	return order
}

// drawOpen draws a message that has not arrived when the picture ends.
func (s *sequence) drawOpen(i int) {
	s.legend.use(legendOpen)
	st := &s.steps[i]
	from := s.at(i)
	goal := s.x[s.column[st.peer]]
	if st.peer == st.process {
		goal += s.aside(st.process) * s.width / 2
	}
	end := s.bottom - 10
	// Farther goals lie farther out: the arrows of a fan-out stay apart.
	distance := math.Abs(goal - from.X)
	most := max((end-from.Y)*2.2, s.width*0.9) * (0.5 + 0.5*distance/(distance+2*s.width))
	reach := math.Copysign(min(distance*0.8, most), goal-from.X)
	s.arrow2(i, Open, from, Point{from.X + reach, end})
}

// arrow2 is arrow for a line that does not end at a lifeline, so that even a
// message to oneself is straight.
func (s *sequence) arrow2(i int, class Class, from, to Point) {
	st := &s.steps[i]
	s.legend.useType(st.hue)
	p := Path{ID: messageID(st), Class: class, Hue: hueOf(st.hue), Strokes: [][]Point{Line(from, to)}, Tip: s.messageTip(i)}
	s.path(layerMessages, p)
	s.plan.draw(from, to)
	text := s.label(st)
	s.ask(MessageLabel, text, s.alongArrow(from, to, text), normal(from, to))
}

// drawDropped draws a message that is lost on its way.
func (s *sequence) drawDropped(i int, from Point) {
	s.legend.use(legendDropped)
	st := &s.steps[i]
	to := s.lossPoint(st, from)
	s.arrow2(i, Lost, from, to)
	s.cross(i, to)
}

// lossPoint is where a message from there is lost on its way.
func (s *sequence) lossPoint(st *step, from Point) Point {
	dx := s.x[s.column[st.process]] - from.X
	if dx == 0 {
		dx = s.aside(st.process) * s.width
	}
	reach := math.Copysign(min(math.Abs(dx)*0.75, s.width*0.75), dx)
	return Point{from.X + reach, from.Y + s.drop*0.55}
}

// drawStub draws the end of a message that was sent before the picture begins.
func (s *sequence) drawStub(i int) {
	s.legend.use(legendStub)
	st := &s.steps[i]
	to := s.at(i)
	side := math.Copysign(s.width*0.42, s.x[s.column[st.peer]]-to.X)
	if st.peer == st.process {
		side = s.aside(st.process) * s.width * 0.42
	}
	from := Point{to.X + side, to.Y - 15}
	class := Duplicate
	if st.kind == tracefmt.Lose {
		class = Lost
		s.cross(i, to)
	}
	s.legend.useType(st.hue)
	p := Path{ID: messageID(st), Class: class, Hue: hueOf(st.hue), Strokes: [][]Point{Line(from, to)}, Tip: s.messageTip(i)}
	s.path(layerMessages, p)
	s.plan.draw(from, to)
	text := s.label(st) + " from " + s.name(st.peer)
	w := textWidth(text, MessageLabel)
	x := from.X + math.Copysign(w/2-10, side)
	s.ask(MessageLabel, text, []spot{{Point{x, from.Y - 5}, 0}, {Point{to.X + side/2, to.Y + 7}, 1}}, normal(from, to))
}

// cross marks the end of a lost message.
func (s *sequence) cross(i int, at Point) {
	s.path(layerMarks, Path{Class: Cross, Strokes: saltire(at, 4.6), Tip: s.messageTip(i)})
	s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(6))
}

// saltire is an upright cross turned by 45 degrees: ×.
func saltire(at Point, r float64) [][]Point {
	return [][]Point{
		Line(Point{at.X - r, at.Y - r}, Point{at.X + r, at.Y + r}),
		Line(Point{at.X - r, at.Y + r}, Point{at.X + r, at.Y - r}),
	}
}

// messageTip tells the whole story of a message.
func (s *sequence) messageTip(i int) string {
	st := &s.steps[i]
	origin, sender, receiver := st, st.peer, st.process
	sent := "sent before the picture begins"
	if st.kind == tracefmt.Send {
		sender, receiver = receiver, sender
	} else if st.send >= 0 {
		origin = &s.steps[st.send]
	}
	if origin.kind == tracefmt.Send {
		sent = "sent at " + s.timeText(origin.time) + " (" + eventText(origin.seq) + ")"
	}
	tip := origin.label() + " from " + s.name(sender) + " to " + s.name(receiver) + ": " + sent + ", "
	at := " at " + s.timeText(st.time) + " (" + eventText(st.seq) + ")"
	switch {
	case st.kind == tracefmt.Send && st.fate == elsewhere:
		return tip + "arrives after the picture ends"
	case st.kind == tracefmt.Send:
		return tip + "still in flight at the end"
	case st.fate == tooLate:
		return tip + "lost" + at + " because the receiver is down"
	case st.fate == dropped && st.text != "":
		return tip + "lost" + at + ": " + st.text
	case st.fate == dropped:
		return tip + "lost" + at
	case st.fate == again:
		return tip + "received once more" + at
	}
	return tip + "received" + at
}
