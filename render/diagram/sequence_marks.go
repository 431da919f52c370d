package diagram

import (
	"math"
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// markers draws a step of a kind on its lifeline. Kinds without one are drawn
// elsewhere (messages) or not at all.
var markers = map[tracefmt.Kind]func(s *sequence, i int, at Point){
	tracefmt.Start:     (*sequence).drawStart,
	tracefmt.Halt:      (*sequence).drawHalt,
	tracefmt.Crash:     (*sequence).drawCrash,
	tracefmt.Recover:   (*sequence).drawRecover,
	tracefmt.Timeout:   (*sequence).drawTimeout,
	tracefmt.Suspect:   (*sequence).drawSuspect,
	tracefmt.Trust:     (*sequence).drawTrust,
	tracefmt.State:     (*sequence).drawState,
	tracefmt.Invoke:    (*sequence).drawInvoke,
	tracefmt.Return:    (*sequence).drawReturn,
	tracefmt.Partition: (*sequence).drawPartition,
	tracefmt.Heal:      (*sequence).drawHeal,
	tracefmt.Note:      (*sequence).drawNote,
}

func (s *sequence) drawMarks() {
	for i := range s.steps {
		st := &s.steps[i]
		draw := markers[st.kind]
		if draw == nil || s.slots[i].row < 0 {
			continue
		}
		at := Point{0, s.y[i]}
		if st.process != 0 {
			at = s.at(i)
		}
		s.faint = !s.lit(i)
		draw(s, i, at)
	}
	s.faint = false
}

// mark puts a shape on the lifeline and a text beside it.
func (s *sequence) mark(i int, class Class, at Point, size float64, inside, text string) {
	s.node(layerMarks, Node{
		ID: "e" + strconv.FormatInt(int64(s.steps[i].seq), 10), Class: class, X: at.X, Y: at.Y, W: size, H: size, Text: inside,
		Tip: s.markTip(i, text),
	})
	s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(size / 2))
	s.beside(at, s.clear(i, size/2), MarkLabel, clean(text, maxLabel))
}

func (s *sequence) markTip(i int, text string) string {
	st := &s.steps[i]
	tip := s.timeText(st.time) + ", " + eventText(st.seq) + ": "
	if st.process != 0 {
		tip += "process " + s.name(st.process) + ", "
	}
	tip += st.kind.String()
	if text != "" && text != st.kind.String() {
		tip += ", " + text
	}
	return tip
}

// beside asks for a text at the right or left of a mark.
func (s *sequence) beside(at Point, clear float64, class Class, text string) {
	if text == "" {
		return
	}
	w := textWidth(text, class) + 4
	right, left := at.X+clear+3+w/2, at.X-clear-3-w/2
	spots := []spot{
		{Point{right, at.Y}, 0},
		{Point{left, at.Y}, 1},
		{Point{right, at.Y - 8}, 2},
		{Point{right, at.Y + 8}, 2},
		{Point{left, at.Y - 8}, 3},
		{Point{left, at.Y + 8}, 3},
	}
	s.texts = append(s.texts, pendingText{class: class, text: text, spots: spots, limit: tooDear, faint: s.faint})
}

// value asks for a small text with the values of variables. Such texts yield
// to everything else, and long diagrams do without; those of one band stand together or not at all, lest
// one process seem to differ from the others.
func (s *sequence) value(i int, at Point, clear float64) {
	if s.steps[i].text == "" || s.spacing == dense {
		return
	}
	s.beside(at, clear, ValueLabel, s.steps[i].text)
	t := &s.texts[len(s.texts)-1]
	t.limit, t.band = costLine, s.slots[i].band+1
}

func (s *sequence) drawStart(i int, at Point) {
	s.legend.use(legendStart)
	s.mark(i, StartMark, at, 9, "", "starts")
}

func (s *sequence) drawHalt(i int, at Point) {
	s.legend.use(legendHalt)
	s.path(layerMarks, Path{Class: HaltMark, Strokes: [][]Point{Line(Point{at.X - 9, at.Y}, Point{at.X + 9, at.Y})}, Tip: s.markTip(i, "")})
	s.beside(at, s.clear(i, 9), MarkLabel, "halts")
}

func (s *sequence) drawCrash(i int, at Point) {
	s.legend.use(legendCrash)
	s.path(layerMarks, Path{Class: CrashMark, Strokes: saltire(at, 7), Tip: s.markTip(i, "")})
	s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(9))
	s.beside(at, s.clear(i, 8), MarkLabel, "crashes")
}

func (s *sequence) drawRecover(i int, at Point) {
	s.legend.use(legendRecover)
	s.mark(i, RecoverMark, at, 16, "", "recovers")
}

// drawTimeout draws a clock.
func (s *sequence) drawTimeout(i int, at Point) {
	s.legend.use(legendTimeout)
	s.mark(i, TimeoutMark, at, 15, "", timeoutText(&s.steps[i]))
	s.path(layerMarks, Path{Class: Hands, Strokes: clockHands(at)})
}

func clockHands(at Point) [][]Point {
	return [][]Point{Line(Point{at.X, at.Y - 5}, at, Point{at.X + 3.6, at.Y + 1.6})}
}

func timeoutText(st *step) string {
	if st.typ == "" {
		return "timeout"
	}
	return st.typ + " timeout"
}

func (s *sequence) drawSuspect(i int, at Point) {
	s.legend.use(legendSuspect)
	s.mark(i, SuspectMark, at, 17, "!", "suspects "+s.whom(i))
}

func (s *sequence) drawTrust(i int, at Point) {
	s.legend.use(legendTrust)
	s.mark(i, TrustMark, at, 11, "", "trusts "+s.whom(i))
}

func (s *sequence) whom(i int) string {
	if p := s.steps[i].peer; p != 0 {
		return s.name(p)
	}
	return "somebody"
}

// drawState draws a tag for a change of the coordinator, and any other
// variables as a small text.
func (s *sequence) drawState(i int, at Point) {
	st := &s.steps[i]
	if st.elected == "" {
		s.value(i, at, 3)
		return
	}
	class := StateTag
	if st.self {
		class = LeaderTag
		s.legend.use(legendLeader)
	} else {
		s.legend.use(legendElected)
	}
	n := Node{
		ID: "e" + strconv.FormatInt(int64(st.seq), 10), Class: class, X: at.X, Y: at.Y, W: min(tagWidth(st), s.width-8), H: 16,
		Text: tagText(st), Tip: s.markTip(i, tagText(st)),
	}
	if st.self {
		n.W, n.H = n.W+6, n.H+6
	}
	if textWidth(n.Text, class)+4 > n.W {
		n.Text = fit(n.Text, class, n.W-4)
	}
	s.node(layerMarks, n)
	s.plan.cover(n.bounds().grow(2))
	s.value(i, at, n.W/2)
}

func tagText(st *step) string { return electedVariable + " = " + st.elected }

func tagWidth(st *step) float64 { return textWidth(tagText(st), StateTag) + 12 }

func (s *sequence) drawInvoke(i int, at Point) {
	s.legend.use(legendInvoke)
	s.mark(i, InvokeMark, at, 13, "", s.steps[i].typ+s.steps[i].text)
}

func (s *sequence) drawReturn(i int, at Point) {
	s.legend.use(legendReturn)
	s.mark(i, ReturnMark, at, 13, "", s.steps[i].typ+s.steps[i].text)
}

func (s *sequence) drawPartition(i int, at Point) {
	text := "partition"
	if groups := s.steps[i].text; groups != "" {
		text += ":  " + groups
	}
	s.wideLine(i, at.Y, text)
}

func (s *sequence) drawHeal(i int, at Point) { s.wideLine(i, at.Y, "the partition heals") }

// wideLine draws a line across all processes with a text upon it.
func (s *sequence) wideLine(i int, y float64, text string) {
	left, right := s.left-s.reach-4, s.right-4
	s.path(layerMarks, Path{Class: WideLine, Strokes: [][]Point{Line(Point{left, y}, Point{right, y})}, Tip: s.markTip(i, text)})
	text = clean(text, 2*maxLabel)
	if w := textWidth(text, LineLabel) + 12; w > right-left {
		text = fit(text, LineLabel, right-left-12)
	}
	t := pendingText{class: LineLabel, text: text, limit: math.Inf(1), faint: s.faint, covers: box{left, y - 5, right, y + 5}}
	room := right - left - textWidth(text, LineLabel) - 40
	for n, at := range [...]float64{0.5, 0.62, 0.38, 0.75, 0.25, 1, 0} {
		t.spots = append(t.spots, spot{Point{(left+right)/2 + (at-0.5)*max(room, 0), y}, float64(n)})
	}
	s.texts = append(s.texts, t)
}

func (s *sequence) drawNote(i int, at Point) {
	st := &s.steps[i]
	text := st.typ + st.text
	switch {
	case st.loop > 0 || st.typ == tracefmt.LoopNote:
		s.drawLoop(i, at.Y)
	case st.process == 0:
		s.wideLine(i, at.Y, text)
	default:
		s.legend.use(legendNote)
		s.mark(i, NoteMark, at, 8, "", text)
	}
}

// drawLoop draws a bracket from the end of the run back to the event after
// which everything repeats.
func (s *sequence) drawLoop(i int, y float64) {
	st := &s.steps[i]
	from := s.headers[0] + headerHeight
	if j, ok := s.find(st.loop); ok || j > 0 && j < len(s.steps) {
		if !ok {
			j-- // not drawn itself: the one before
		}
		for j > 0 && s.slots[j].row < 0 {
			j--
		}
		if s.slots[j].row >= 0 {
			from = s.y[j] + s.pitch/2
		}
		for k := j; k <= i && s.faint; k++ { // as strong as what repeats
			s.faint = !s.lit(k)
		}
	}
	x := s.right + 26
	s.path(layerMarks, Path{
		Class: Bracket, Tip: s.markTip(i, "the run repeats from here on, for ever"),
		Strokes: [][]Point{Line(Point{s.right - 8, y}, Point{x, y}, Point{x, from}, Point{s.right - 8, from})},
	})
	s.wideLine(i, from, "the run repeats from here")
	s.wideLine(i, y, "the same global state again")
	for k, line := range []string{"repeats", "for ever"} {
		w := textWidth(line, LineLabel)
		s.node(layerTexts, Node{Class: LineLabel, X: x + 8 + w/2, Y: (y+from)/2 + float64(k)*15 - 7, W: w, H: 14, Text: line})
	}
}

// drawCauses draws the happened-before edges that no message explains.
func (s *sequence) drawCauses() {
	for i := range s.steps {
		st := &s.steps[i]
		if st.cause == 0 || st.kind == tracefmt.Receive || st.kind == tracefmt.Lose || s.slots[i].row < 0 || st.process == 0 {
			continue
		}
		j, ok := s.find(st.cause)
		if !ok || s.slots[j].row < 0 || s.steps[j].process == st.process || s.steps[j].process == 0 {
			continue
		}
		s.legend.use(legendCause)
		s.path(layerGround, Path{Class: CauseLine, Faint: !s.lit(i), Strokes: [][]Point{Line(s.at(j), s.at(i))}})
		s.plan.draw(s.at(j), s.at(i))
	}
}

// placeTexts finds room for the texts that were asked for: first those of
// lines across the picture and of marks, then those of messages, at last the values.
func (s *sequence) placeTexts() {
	for _, faint := range [...]bool{false, true} {
		for _, class := range [...]Class{LineLabel, MarkLabel, MessageLabel} {
			for i := range s.texts {
				if t := &s.texts[i]; t.class == class && t.faint == faint && !s.placeText(t) {
					s.omitted++
				}
			}
		}
	}
	s.placeValues()
}

// placeValues places the values of the bands in which all of them find room:
// it tries, takes all back, and places those of the good bands for good.
func (s *sequence) placeValues() {
	nodes := &s.d.Layers[layerTexts].Nodes
	mark, boxes := len(*nodes), len(s.plan.boxes)
	failed := make(map[int32]bool)
	s.eachValue(func(t *pendingText) { failed[t.band] = failed[t.band] || !s.placeText(t) })
	*nodes = (*nodes)[:mark]
	for i := range s.plan.boxes[boxes:] {
		s.plan.boxes[boxes+i] = box{} // covers nothing
	}
	s.eachValue(func(t *pendingText) {
		if !failed[t.band] {
			s.placeText(t)
		}
	})
}

func (s *sequence) eachValue(f func(*pendingText)) {
	for i := range s.texts {
		if t := &s.texts[i]; t.class == ValueLabel {
			f(t)
		}
	}
}

func (s *sequence) placeText(t *pendingText) bool {
	w := textWidth(t.text, t.class) + 4
	h := Styles[t.class].Size + 2.5
	// A text may not stand among the times, nor leave the picture.
	t.spots = slices.DeleteFunc(t.spots, func(sp spot) bool { return sp.X-w/2 < s.left-s.reach-8 || sp.X+w/2 > s.right+margin-4 })
	at, ok := s.plan.choose(t.spots, w, h, t.limit, t.own)
	if !ok {
		return false
	}
	n := Node{Class: t.class, X: at.X, Y: at.Y, W: w, H: h, Text: t.text, Faint: t.faint}
	s.node(layerTexts, n)
	s.plan.cover(n.bounds().grow(1))
	if t.covers != (box{}) {
		s.plan.cover(t.covers)
	}
	return true
}
