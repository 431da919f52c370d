package diagram

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// drawMessages draws an arrow for every message with an end in the window, and requests its label.
func (s *sequence) drawMessages() {
	sent := make(map[drawing.Point]bool)
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		sendLit := st.Match >= 0 && s.story.Lit(st.Match)
		s.faint = !sendLit && !s.story.Lit(i)
		switch st.Kind {
		case tracefmt.Send:
			// A fan-out has one point, which is faint only if all its messages are.
			sent[s.at(i)] = sent[s.at(i)] || s.story.Lit(i)
			switch {
			case s.goesAway(i):
				s.drawAway(i)
			case st.Unsure:
				s.drawUnsure(i)
			case st.Fate == tracefmt.InFlight:
				s.drawOpen(i)
			}
		case tracefmt.Receive, tracefmt.Lose:
			s.drawArrival(i)
		}
	}
	points := slices.SortedFunc(maps.Keys(sent), func(a, b drawing.Point) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	for _, lit := range [...]bool{false, true} {
		s.faint = !lit
		s.drawSendPoints(slices.DeleteFunc(slices.Clone(points), func(at drawing.Point) bool { return sent[at] != lit }))
	}
}

// drawSendPoints draws a dot where messages are sent, once for simultaneous sends. In long diagrams the dots are
// short thick strokes, many to a path, since Graphviz would need too long for that many nodes.
func (s *sequence) drawSendPoints(points []drawing.Point) {
	const r, limit = 2.2, 100
	for chunk := range slices.Chunk(points, limit) {
		p := drawing.Path{Style: sendPointMark}
		for _, at := range chunk {
			s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(r + 1))
			if len(s.story.Steps) <= denseFrom {
				s.addNode(Marks, drawing.Node{Style: sendDot, X: at.X, Y: at.Y, W: 2 * r, H: 2 * r})
			} else {
				p.Strokes = append(p.Strokes, drawing.Line(drawing.At(at.X, at.Y-r), drawing.At(at.X, at.Y+r)))
			}
		}
		if p.Strokes != nil {
			s.addPath(Marks, p)
		}
	}
}

// drawArrival draws the message that ends with a step, by its fate.
func (s *sequence) drawArrival(i int) {
	st := &s.story.Steps[i]
	switch {
	case st.Match >= 0: // its other end is drawn
	case st.Unsent && s.story.Shown(st.Peer):
		s.drawUnsent(i)
		return
	default:
		s.drawStub(i)
		return
	}
	from, to := s.at(st.Match), s.at(i)
	switch {
	case st.Fate == tracefmt.Lost:
		s.drawDropped(i, from)
	case st.Fate == tracefmt.ReceiverCrashed:
		s.page.Explain(legendTooLate)
		s.arrow(i, lostLine, from, to)
		s.cross(i, to)
	case st.Again:
		s.page.Explain(legendAgain)
		s.arrow(i, duplicateLine, from, to)
	default:
		s.arrow(i, messageLine, from, to)
	}
}

// arrow draws a message from one point to another and requests its label. The step is the end of the message, or its
// send if it has no end.
func (s *sequence) arrow(i int, style *drawing.Style, from, to drawing.Point) {
	st := &s.story.Steps[i]
	s.page.ExplainType(st.TypeNumber)
	sender, receiver := st.Peer, st.Process
	if st.Kind == tracefmt.Send {
		sender, receiver = receiver, sender
	}
	p := drawing.Path{
		ID: messageID(st), Style: style, Hue: drawing.HueOf(st.TypeNumber), Line: s.page.lineOf(st.Strand),
		From: nodeID(sender), To: nodeID(receiver), Tip: s.story.MessageTip(i),
	}
	if via := s.relays(i); len(via) > 0 && st.Match >= 0 {
		s.passedOn(i, p, via, from, to)
		return
	}
	if sender == receiver {
		s.selfArrow(i, p, from, to)
		return
	}
	p.Strokes = [][]drawing.Point{drawing.Line(from, to)}
	s.crossing(i, from, to)
	s.addPath(Lines, p)
	s.plan.draw(from, to)
	s.keepStart(from, to)
	s.keepHead(from, to)
	s.crossedPartition(i, from, to)
	s.markInferred(i, from, to)
	if st.Fate == tracefmt.ReceiverCrashed && st.Match >= 0 {
		st = &s.story.Steps[st.Match] // the payload of a loss is the reason
	}
	text := s.arrowLabel(st)
	s.ask(messageLabel, text, s.alongArrow(from, to, text), normal(from, to))
}

// markInferred draws a question mark before the head of an arrow whose send is inferred.
func (s *sequence) markInferred(i int, from, end drawing.Point) {
	const before = 10 + unsureR
	st := &s.story.Steps[i]
	if !st.Inferred || st.Kind == tracefmt.Send {
		return
	}
	s.page.Explain(legendInferred)
	part := 1 - min(before/math.Hypot(end.X-from.X, end.Y-from.Y), 0.5)
	at := drawing.At(from.X+part*(end.X-from.X), from.Y+part*(end.Y-from.Y))
	s.addNode(Marks, drawing.Node{Style: unsureMark, X: at.X, Y: at.Y, W: 2 * unsureR, H: 2 * unsureR, Text: "?", Tip: s.story.MessageTip(i)})
	s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(unsureR))
}

// keepStart makes it costly for a text to hide the start of an arrow, which alone shows the sender.
func (s *sequence) keepStart(from, to drawing.Point) {
	const start = 16
	part := min(start/math.Hypot(to.X-from.X, to.Y-from.Y), 1)
	s.plan.draw(from, drawing.At(from.X+part*(to.X-from.X), from.Y+part*(to.Y-from.Y)))
}

// keepHead makes it even more costly to hide the head of an arrow, which alone shows the direction.
func (s *sequence) keepHead(from, end drawing.Point) {
	const head, times = 10, 3
	part := min(head/math.Hypot(end.X-from.X, end.Y-from.Y), 1)
	for range times {
		s.plan.draw(drawing.At(end.X-part*(end.X-from.X), end.Y-part*(end.Y-from.Y)), end)
	}
}

// crossedPartition marks where a message in transit crosses the line of a partition.
func (s *sequence) crossedPartition(i int, from, end drawing.Point) {
	const r = 3.6
	j, ok := s.story.Find(s.story.Steps[i].Crossed)
	if !ok || s.y[j] <= from.Y || s.y[j] >= end.Y {
		return
	}
	s.page.Explain(legendUnderWay)
	part := (s.y[j] - from.Y) / (end.Y - from.Y)
	at := drawing.At(from.X+part*(end.X-from.X), s.y[j])
	tip := "sent before the partition, which does not stop it: " + s.story.MessageTip(i)
	s.addNode(Marks, drawing.Node{Style: underWayMark, X: at.X, Y: at.Y, W: 2 * r, H: 2 * r, Tip: tip})
	s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(r + 1))
}

// hopDrop is the height difference for each process that passes on a message.
const hopDrop = 9.0

// passedOn draws a message with the processes that pass it on: the line has a dot at each.
func (s *sequence) passedOn(i int, p drawing.Path, via []story.Hop, from, to drawing.Point) {
	const r = 1.7
	s.page.Explain(legendPassedOn)
	points := []drawing.Point{from}
	for k, y := range s.hopRows(via, from.Y, to.Y) {
		at := drawing.At(s.x[s.story.Column[via[k].Process]], y)
		points = append(points, at)
		s.addNode(Marks, drawing.Node{Style: passDot, X: at.X, Y: at.Y, W: 2 * r, H: 2 * r})
	}
	points = append(points, to)
	p.Strokes = [][]drawing.Point{drawing.Line(points...)}
	s.addPath(Lines, p)
	text := s.story.Steps[i].ShortLabel(maxText) + ", " + story.Plural(int64(len(via)+1), "hop")
	var spots []spot
	for k := 1; k < len(points); k++ {
		a, b := points[k-1], points[k]
		s.plan.draw(a, b)
		if b == to {
			s.keepHead(a, b)
			s.markInferred(i, a, b)
		}
		for n, side := range [...]float64{1, -1, 0} {
			spots = append(spots, spot{drawing.At((a.X+b.X)/2, (a.Y+b.Y)/2+side*(labelHeight/2+4)), float64(k + 3*n)})
		}
	}
	s.ask(messageLabel, text, spots, segment{})
	s.texts[len(s.texts)-1].limit = math.Inf(1) // a long line needs a name
}

// passedPart draws the part of a message that processes have received and passed on, though it does not arrive: up to
// the given height. It returns the place where the rest begins.
func (s *sequence) passedPart(i int, from drawing.Point, bottom float64) drawing.Point {
	via := s.relays(i)
	if len(via) == 0 {
		return from
	}
	last := len(via) - 1
	at := drawing.At(s.x[s.story.Column[via[last].Process]], s.hopRows(via, from.Y, bottom)[last])
	st := &s.story.Steps[i]
	p := drawing.Path{Style: messageLine, Hue: drawing.HueOf(st.TypeNumber), Line: s.page.lineOf(st.Strand), Tip: s.story.MessageTip(i)}
	s.passedOn(i, p, via[:last], from, at)
	return at
}

// hopRows returns the y of each hop of a message between two heights. On a time axis a hop is in the band of its
// time, otherwise between the bands before and after it. A dot in another band would seem to belong to the events
// there.
func (s *sequence) hopRows(via []story.Hop, from, end float64) []float64 {
	rows := make([]float64, 0, len(via))
	low, between := from, 0        // the last row that is known, and the number of hops after it without a row
	spread := func(high float64) { // gives these hops evenly spaced rows
		for n := range between {
			rows = append(rows, low+(high-low)*float64(n+1)/float64(between+1))
		}
		low, between = high, 0
	}
	next := 0
	// Only bands of instants have times.
	bands := s.schedule.bands
	if s.schedule.unit != instant {
		bands = nil
	}
	for _, hop := range via {
		met := false // met is true if a band has the time of the hop
		for ; next < len(bands) && bands[next].key <= int64(hop.Time); next++ {
			first, last := s.rowsOf(&bands[next])
			if first <= low || last >= end {
				continue
			}
			spread(first)
			met, low = bands[next].key == int64(hop.Time), last
			if met {
				rows = append(rows, first)
			}
		}
		if !met {
			between++
		}
	}
	spread(end)
	return rows
}

// rowsOf returns the y of the first and of the last row of a band.
func (s *sequence) rowsOf(b *band) (first, last float64) {
	first, last = math.Inf(1), math.Inf(-1)
	for _, j := range b.steps {
		first, last = min(first, s.y[j]), max(last, s.y[j])
	}
	return first, last
}

// relays returns the processes that pass on the message of a step.
func (s *sequence) relays(i int) []story.Hop {
	st := &s.story.Steps[i]
	if st.Kind != tracefmt.Send && st.Match >= 0 {
		st = &s.story.Steps[st.Match]
	}
	return st.Via
}

// selfArrow draws a message of a process to itself as an arc.
func (s *sequence) selfArrow(i int, p drawing.Path, from, to drawing.Point) {
	out := s.sideWithRoom(s.story.Steps[i].Process) * s.width * 0.55
	p.Strokes = [][]drawing.Point{{from, drawing.At(from.X+out, from.Y), drawing.At(to.X+out, to.Y), to}}
	s.addPath(Lines, p)
	s.keepHead(drawing.At(to.X+out, to.Y), to)
	s.markInferred(i, along(p.Strokes[0], 0.6), along(p.Strokes[0], 1))
	text := s.arrowLabel(&s.story.Steps[i])
	x := from.X + out*0.75 + math.Copysign(messageLabel.TextWidth(text)/2+4, out)
	var spots []spot
	for n, t := range [...]float64{0.5, 0.35, 0.65, 0.2, 0.8} {
		spots = append(spots, spot{drawing.At(x, from.Y+t*(to.Y-from.Y)), float64(n)},
			spot{drawing.At(x-math.Copysign(12, out), from.Y+t*(to.Y-from.Y)), float64(n) + 1})
	}
	s.ask(messageLabel, text, spots, segment{})
}

// sideWithRoom returns the direction with room beside a lifeline: right, except for the last lifeline.
func (s *sequence) sideWithRoom(p tracefmt.ProcessID) float64 {
	if n := len(s.story.Order); n > 1 && s.story.Column[p] == n-1 {
		return -1
	}
	return 1
}

// arrowLabel returns the label of a step, shortened to fit between two lifelines; "" if the type is too wide. If
// there is room, it has the reason of a loss in transit. The tip has the whole label.
func (s *sequence) arrowLabel(st *story.Step) string {
	text := st.Label()
	if st.Fate == tracefmt.Lost && st.Kind == tracefmt.Lose && st.Text != "" && !s.tooWide(text+": "+st.Text) {
		return text + ": " + st.Text
	}
	if form := s.labelOf(st); !s.tooWide(form) {
		return form
	}
	if !s.tooWide(text) {
		return text
	}
	label := st.LabelIn(func(label string) bool { return !s.tooWide(label) })
	if payload := st.Payload(); s.tooWide(label) && payload != "" && !s.tooWide(payload) {
		s.shortened++
		return payload // the arrow has the look of the type
	}
	s.shortened++
	switch {
	case !s.tooWide(label):
		return label
	case !s.tooWide(st.Type):
		return st.Type
	}
	return "" // the colour and the head of the arrow show the type
}

// messageID returns the ID of the arrow of a step.
func messageID(st *story.Step) string { return "m" + strconv.FormatInt(int64(st.Seq), 10) }

// tooWide reports whether a text does not fit between two lifelines.
func (s *sequence) tooWide(text string) bool { return messageLabel.TextWidth(text) > s.labelRoom() }

// labelRoom returns the width of a label that leaves arrowheads visible.
func (s *sequence) labelRoom() float64 { return max(s.width-26, 46) }

// normal returns the segment from left to right, as the plan stores it.
func normal(a, b drawing.Point) segment {
	if a.X > b.X {
		a, b = b, a
	}
	return segment{a, b}
}

const (
	labelHeight = 13.0
	spotsPerGap = 6
)

// alongArrow lists places for a label on an arrow. The best is the gap beside the receiver, where the arrows of
// simultaneous sends are apart. Next come the gap beside the sender and the gaps between.
func (s *sequence) alongArrow(from, to drawing.Point, text string) []spot {
	w := messageLabel.TextWidth(text) + 4
	dx := to.X - from.X
	length := math.Abs(dx)
	gaps := max(1, int(math.Round(length/s.width)))
	if length < s.width {
		gaps = 1
	}
	gap := length / float64(gaps)
	var spots []spot
	add := func(t, extra float64) {
		spots = append(spots, spot{drawing.At(from.X+t*dx, from.Y+t*(to.Y-from.Y)), extra})
	}
	for rank, k := range gapOrder(gaps) {
		middle := (float64(k) + 0.5) * gap / length
		play := max(0, (gap-w-12)/2) / length
		extra := 1.5 * float64(rank)
		for n, shift := range [spotsPerGap]float64{0.25, 0, 0.7, -0.45, 1, -0.9} {
			add(middle+shift*play, extra+0.4*float64(n))
		}
	}
	if steep := math.Abs((to.Y-from.Y)/dx)*w > 2*labelHeight; steep && gaps == 1 {
		// Higher and lower on a steep arrow, a label is beside the middle of the arrow, and the arrow still crosses it.
		middle, play := (from.X+to.X)/2, max(0, (gap-w-12)/2)
		for n, t := range [...]float64{0.35, 0.65, 0.22, 0.78} {
			at := drawing.At(from.X+t*dx, from.Y+t*(to.Y-from.Y))
			at.X = min(max(at.X, middle-play), middle+play)
			spots = append(spots, spot{at, costLifeline + float64(n)})
		}
	}
	// Above or below the line a label might be taken for that of another
	// arrow; right beside the receiver it is not.
	slope := math.Abs((to.Y - from.Y) / dx)
	if rise := slope * w / 2; rise < 9 {
		for _, at := range spots[:spotsPerGap:spotsPerGap] {
			lift := labelHeight/2 + rise + 1
			spots = append(spots, spot{drawing.At(at.X, at.Y-lift), at.extra + 8}, spot{drawing.At(at.X, at.Y+lift), at.extra + 9})
		}
	}
	return spots
}

// gapOrder lists the gaps that an arrow passes, at most five, counted from its sender, in the order in which they are
// tried.
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

// drawOpen draws a message that has not arrived at the end of the picture. Its head is right before the receiver's
// lifeline. A head at another lifeline would suggest a message to that process.
func (s *sequence) drawOpen(i int) {
	s.page.explainOpen()
	st := &s.story.Steps[i]
	from := s.at(i)
	goal := s.x[s.story.Column[st.Peer]]
	if st.Peer == st.Process && len(st.Via) == 0 {
		goal += s.sideWithRoom(st.Process) * s.width / 2
	}
	reach := goal - from.X
	if end, ok := s.arrives(i); ok {
		s.openArrow(i, openLine, from, drawing.At(from.X+reach*underWay, from.Y+(end-from.Y)*underWay))
		return
	}
	from = s.passedPart(i, from, s.bottom-10)
	reach = goal - from.X
	// Messages that were sent together to one receiver end one before the other, so that each has a line.
	short := openShort + openApart*float64(s.openBefore(i))
	reach -= math.Copysign(min(short, 0.45*math.Abs(reach)), reach)
	s.openArrow(i, openLine, from, drawing.At(from.X+reach, s.bottom-10))
}

// openBefore counts the messages in flight that are drawn before a step from the same point to the same receiver.
func (s *sequence) openBefore(i int) (n int) {
	st := &s.story.Steps[i]
	for j := i - 1; j >= 0 && s.y[j] == s.y[i]; j-- {
		o := &s.story.Steps[j]
		if o.Kind == tracefmt.Send && o.Fate == tracefmt.InFlight && o.Process == st.Process && o.Peer == st.Peer {
			n++
		}
	}
	return n
}

// underWay is the part of its way that a message is drawn if it arrives after the frame.
const underWay = 0.6

// arrives returns the height at which a message arrives. This drawing is a frame, and the height is in the whole
// drawing. If the message does not arrive there, ok is false.
func (s *sequence) arrives(i int) (y float64, ok bool) {
	like := s.page.Layout.Like
	if like == nil || like.Steps[i].Match < 0 || like.Steps[i].Fate == tracefmt.Lost {
		return 0, false
	}
	return s.y[like.Steps[i].Match], true
}

// openShort is the distance between the receiver and the arrow of a message in flight, openApart that between two
// arrows.
const openShort, openApart = 16.0, 12.0

// openArrow draws an arrow that does not end at a lifeline; even a message to the sender itself is straight.
func (s *sequence) openArrow(i int, style *drawing.Style, from, to drawing.Point) {
	st := &s.story.Steps[i]
	s.page.ExplainType(st.TypeNumber)
	p := drawing.Path{
		ID: messageID(st), Style: style, Hue: drawing.HueOf(st.TypeNumber), Line: s.page.lineOf(st.Strand),
		Strokes: [][]drawing.Point{drawing.Line(from, to)}, Tip: s.story.MessageTip(i),
	}
	s.crossing(i, from, to)
	s.addPath(Lines, p)
	s.plan.draw(from, to)
	s.keepHead(from, to)
	s.markInferred(i, from, to)
	text := s.arrowLabel(st)
	if to := strings.TrimSpace(text + " to " + s.story.Name(st.Peer)); st.Kind == tracefmt.Send && !s.tooWide(to) {
		text = to
	}
	spots := s.alongArrow(from, to, text)
	if style == lostLine {
		spots = besideCross(to, messageLabel.TextWidth(text))
	}
	s.ask(messageLabel, text, spots, normal(from, to))
}

// besideCross lists places for a label beside the cross at the end of a lost message. The lines of simultaneous
// messages are so close that a label on one would cover another.
func besideCross(at drawing.Point, width float64) []spot {
	const gap = 8
	return []spot{
		{drawing.At(at.X, at.Y+labelHeight/2+gap), 0},
		{drawing.At(at.X+width/2+gap+4, at.Y), 1},
		{drawing.At(at.X, at.Y-labelHeight/2-gap), 2},
		{drawing.At(at.X-width/2-gap-4, at.Y), 3},
	}
}

// The length of a line that crosses the border of the picture, in columns, and how far it goes down: it is steeper
// than an arrow between neighbours, so that neither hides the other.
const stubReach, stubDrop = 0.34, 19

// stubRoom returns the width of a stub with its label. A stub is a line that crosses the border of the picture.
func (s *sequence) stubRoom(st *story.Step) float64 {
	return s.width*stubReach + messageLabel.TextWidth(st.ShortLabel(maxText)+" from "+s.story.Name(st.Peer))
}

// drawStub draws the end of a message whose send is not in the picture: it was before, or at a hidden process.
func (s *sequence) drawStub(i int) {
	st := &s.story.Steps[i]
	to := s.at(i)
	side := s.toward(st) * s.width * stubReach
	from := drawing.At(to.X+side, to.Y-stubDrop)
	style := borderLine
	if st.Kind == tracefmt.Lose {
		style = lostBorderLine
		s.page.Explain(legendsOfLoss[st.Fate])
		s.cross(i, to)
	}
	border := to
	if st.Inferred { // room for the question mark
		border = drawing.At((from.X+to.X)/2, (from.Y+to.Y)/2)
		s.markInferred(i, from, to)
	}
	s.markBorder(from, border)
	s.page.ExplainType(st.TypeNumber)
	p := drawing.Path{
		ID: messageID(st), Style: style, Hue: drawing.HueOf(st.TypeNumber), Line: s.page.lineOf(st.Strand),
		Strokes: [][]drawing.Point{drawing.Line(from, to)}, Tip: s.story.MessageTip(i),
	}
	s.addPath(Lines, p)
	s.plan.draw(from, to)
	s.keepHead(from, to)
	text := strings.TrimSpace(s.arrowLabel(st) + " from " + s.story.Name(st.Peer))
	w := messageLabel.TextWidth(text)
	x := from.X + math.Copysign(w/2-10, side)
	s.ask(messageLabel, text, []spot{{drawing.At(x, from.Y-5), 0}, {drawing.At(to.X+side/2, to.Y+7), 1}}, normal(from, to))
}

// legendsOfLoss explain a cross, by the fate of the message.
var legendsOfLoss = map[tracefmt.Fate]*LegendRow{tracefmt.Lost: legendDropped, tracefmt.ReceiverCrashed: legendTooLate}

// markBorder marks a line that crosses the border of the picture by two strokes.
func (s *sequence) markBorder(from, end drawing.Point) {
	s.page.Explain(legendBorder)
	s.addPath(Marks, drawing.Path{Style: borderMark, Strokes: slashes(from, end)})
	middle := drawing.At((from.X+end.X)/2, (from.Y+end.Y)/2)
	s.plan.cover(box{middle.X, middle.Y, middle.X, middle.Y}.grow(slashHalf + 1))
}

// slashHalf is half of the length of a stroke of slashes.
const slashHalf = 3.6

// slashes are two short strokes across the middle of a line.
func slashes(from, end drawing.Point) [][]drawing.Point {
	const half, apart, slant = slashHalf, 1.5, 1.2
	length := math.Hypot(end.X-from.X, end.Y-from.Y)
	dx, dy := (end.X-from.X)/length, (end.Y-from.Y)/length
	var strokes [][]drawing.Point
	for _, shift := range [...]float64{-apart, apart} {
		x, y := (from.X+end.X)/2+shift*dx, (from.Y+end.Y)/2+shift*dy
		low, high := drawing.At(x-slant*dx-half*dy, y-slant*dy+half*dx), drawing.At(x+slant*dx+half*dy, y+slant*dy-half*dx)
		strokes = append(strokes, drawing.Line(low, high))
	}
	return strokes
}

// goesAway reports whether the message of a send may end outside the picture: the receiver is hidden, or the end is
// omitted or outside of the shown causal past.
func (s *sequence) goesAway(i int) bool {
	st := &s.story.Steps[i]
	if !s.story.Shown(st.Peer) {
		return true
	}
	outsidePast := st.Later && s.story.Options.Past != nil
	return st.Fate == tracefmt.InFlight && (st.LeftOut || outsidePast)
}

// drawAway draws the beginning of messages that end outside the picture. Simultaneous messages share a line.
func (s *sequence) drawAway(i int) {
	st := &s.story.Steps[i]
	from := s.at(i)
	// Equal messages from one point in one direction share the line of the first of them.
	alike := func(j int) bool {
		o := &s.story.Steps[j]
		return o.Kind == tracefmt.Send && s.goesAway(j) && s.at(j) == from && o.Label() == st.Label() && s.toward(o) == s.toward(st) &&
			(o.Fate == st.Fate || !o.LossHidden() && !st.LossHidden())
	}
	// Lines of different messages from there are below one another.
	before := map[string]bool{}
	for j := range i {
		o := &s.story.Steps[j]
		beside := s.y[j] == from.Y && o.Kind == tracefmt.Send && s.goesAway(j) && s.at(j) == from
		if beside && !alike(j) && s.toward(o) == s.toward(st) {
			before[o.Label()+o.Fate.String()] = true
		}
	}
	var names []string
	for j := i; j < len(s.story.Steps) && s.y[j] == from.Y; j++ {
		if alike(j) {
			names = append(names, s.story.Name(s.story.Steps[j].Peer))
		}
	}
	for j := i - 1; j >= 0 && s.y[j] == from.Y; j-- {
		if alike(j) {
			return // that message has drawn this one along
		}
	}
	s.page.ExplainType(st.TypeNumber)
	side := s.toward(st) * s.width * stubReach
	end := drawing.At(from.X+side, from.Y+stubDrop+float64(len(before))*(labelHeight+2))
	style, beneath := borderLine, 5.0
	if st.LossHidden() {
		style, beneath = lostBorderLine, labelHeight/2+8
		s.page.Explain(legendsOfLoss[st.Fate])
		s.cross(i, end)
	}
	s.addPath(Lines, drawing.Path{
		ID: messageID(st), Style: style, Hue: drawing.HueOf(st.TypeNumber), Line: s.page.lineOf(st.Strand),
		Strokes: [][]drawing.Point{drawing.Line(from, end)}, Tip: s.story.MessageTip(i),
	})
	s.markBorder(from, end)
	s.plan.draw(from, end)
	s.keepStart(from, end)
	const listed = 4
	label := s.arrowLabel(st)
	text := strings.TrimSpace(label + " to " + strings.Join(text.Few(names, listed), ", "))
	w := messageLabel.TextWidth(text)
	below, above := drawing.At(end.X+math.Copysign(w/2-10, side), end.Y+beneath), drawing.At(from.X+side/2, from.Y-7)
	s.ask(messageLabel, text, []spot{{below, 0}, {above, 1}}, normal(from, end))
}

// toward returns the direction of a message's other end, or the direction with room.
func (s *sequence) toward(st *story.Step) float64 {
	at := s.story.Column[st.Process]
	switch peer := s.story.Place(st.Peer); {
	case st.Peer == st.Process:
		return s.sideWithRoom(st.Process)
	case !s.story.Shown(st.Peer) && at == 0 && len(s.story.Order) > 1:
		return 1
	case !s.story.Shown(st.Peer) && at == len(s.story.Order)-1:
		if s.right-s.x[at] >= s.stubRoom(st) {
			return 1
		}
		return -1
	case peer < s.story.Place(st.Process):
		return -1
	}
	return 1
}

// cross marks the end of a lost message.
func (s *sequence) cross(i int, at drawing.Point) {
	s.addPath(Marks, drawing.Path{Style: crossMark, Strokes: saltire(at, 4.6), Tip: s.story.MessageTip(i)})
	s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(6))
}

// saltire returns a diagonal cross: ×.
func saltire(at drawing.Point, r float64) [][]drawing.Point {
	return [][]drawing.Point{
		drawing.Line(drawing.At(at.X-r, at.Y-r), drawing.At(at.X+r, at.Y+r)),
		drawing.Line(drawing.At(at.X-r, at.Y+r), drawing.At(at.X+r, at.Y-r)),
	}
}
