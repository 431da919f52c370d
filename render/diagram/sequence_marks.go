package diagram

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// markers draws a step of a kind on its lifeline. Kinds without one are drawn
// elsewhere (messages) or not at all.
var markers = map[tracefmt.Kind]func(s *sequence, i int, at drawing.Point){
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

// drawMarks draws the steps that have a mark on a lifeline.
func (s *sequence) drawMarks() {
	s.marked = s.placesOfMarks()
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		if s.schedule.slots[i].row < 0 {
			continue
		}
		at := drawing.At(0, s.y[i])
		if st.Process != 0 {
			at = s.at(i)
		}
		s.faint = !s.story.Lit(i)
		if st.Restarted {
			s.beside(i, at, markHalf, story.UpAgain)
		}
		if draw := markers[st.Kind]; draw != nil {
			draw(s, i, at)
		}
	}
	s.faint = false
}

// placesOfMarks returns the places of all marks but the dots of values.
func (s *sequence) placesOfMarks() map[drawing.Point]bool {
	marked := make(map[drawing.Point]bool)
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		hasMark := st.Process != 0 && !st.Quiet() && markers[st.Kind] != nil
		if hasMark && s.schedule.slots[i].row >= 0 {
			marked[s.at(i)] = true
		}
	}
	return marked
}

// mark puts a shape on the lifeline and a text beside it.
func (s *sequence) mark(i int, style *drawing.Style, at drawing.Point, size float64, inside, text string) {
	s.addNode(Marks, drawing.Node{
		ID: "e" + strconv.FormatInt(int64(s.story.Steps[i].Seq), 10), Style: style, X: at.X, Y: at.Y, W: size, H: size, Text: inside,
		Tip: s.story.StepTip(i, text),
	})
	s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(size / 2))
	s.beside(i, at, size/2, text)
}

func (s *sequence) drawStart(i int, at drawing.Point) {
	s.page.Explain(legendStart)
	s.mark(i, startMark, at, 9, "", s.story.Words(i))
}

// drawHalt draws a bar at the end of a lifeline.
func (s *sequence) drawHalt(i int, at drawing.Point) {
	s.page.Explain(legendHalt)
	s.addPath(Marks, drawing.Path{Style: haltMark, Strokes: [][]drawing.Point{drawing.Line(drawing.At(at.X-9, at.Y),
		drawing.At(at.X+9, at.Y))}, Tip: s.story.StepTip(i, "")})
	s.beside(i, at, 9, s.story.Words(i))
}

// drawCrash draws a cross on the lifeline.
func (s *sequence) drawCrash(i int, at drawing.Point) {
	s.page.Explain(legendCrash)
	s.addPath(Marks, drawing.Path{Style: crashMark, Strokes: saltire(at, 7), Tip: s.story.StepTip(i, "")})
	s.plan.cover(box{at.X, at.Y, at.X, at.Y}.grow(9))
	s.beside(i, at, 8, s.story.Words(i))
}

func (s *sequence) drawRecover(i int, at drawing.Point) {
	s.page.Explain(legendRecover)
	s.mark(i, recoverMark, at, 16, "", s.story.Words(i))
}

// drawTimeout draws a clock.
func (s *sequence) drawTimeout(i int, at drawing.Point) {
	s.page.Explain(legendTimeout)
	s.mark(i, timeoutMark, at, 15, "", s.story.Words(i))
	s.addPath(Marks, drawing.Path{Style: handsMark, Strokes: clockHands(at)})
}

// clockHands returns the hands of a clock.
func clockHands(at drawing.Point) [][]drawing.Point {
	return [][]drawing.Point{drawing.Line(drawing.At(at.X, at.Y-5), at, drawing.At(at.X+3.6, at.Y+1.6))}
}

func (s *sequence) drawSuspect(i int, at drawing.Point) {
	s.page.Explain(legendSuspect)
	s.mark(i, suspectMark, at, 17, "!", s.story.Words(i))
}

func (s *sequence) drawTrust(i int, at drawing.Point) {
	s.page.Explain(legendTrust)
	s.mark(i, trustMark, at, 11, "", s.story.Words(i))
}

// drawState draws a tag for a change of leader or role, or for a decision. Other variables are written in small text.
func (s *sequence) drawState(i int, at drawing.Point) {
	st := &s.story.Steps[i]
	tag := st.Tag()
	if tag == "" {
		s.drawValue(i, at)
		return
	}
	style := stateTag
	switch {
	case st.Leads && st.Elected == "":
		style = leaderTag
		s.page.Explain(legendLeads)
	case st.Leads:
		style = leaderTag
		s.page.Explain(legendLeader)
	case st.Elected == "" && st.Role != "":
		s.page.Explain(legendRole)
	case st.Elected == "":
		s.page.Explain(legendDecides)
	case st.Nobody:
		s.page.Explain(legendNobody)
	default:
		s.page.Explain(legendElected)
	}
	n := drawing.Node{
		ID: "e" + strconv.FormatInt(int64(st.Seq), 10), Style: style, X: at.X, Y: at.Y, W: min(tagWidth(st), s.width-8), H: 16,
		Tip: s.story.StepTip(i, s.story.Words(i)),
	}
	if st.Leads {
		n.W, n.H = n.W+6, min(n.H+6, s.pitch+2)
	}
	n.Text = s.tagText(style, tag, s.tagRoom())
	s.addNode(Marks, n)
	s.plan.cover(bounds(&n).grow(2))
	s.value(i, at, n.W/2)
}

// drawValue draws a dot at a change of variables without a tag. Long diagrams omit these dots, except at highlighted
// events, and have a remark.
func (s *sequence) drawValue(i int, at drawing.Point) {
	switch {
	case s.story.Steps[i].Text == "":
	case s.terse && !s.emphasized():
		s.unrecorded++
	case s.marked[at]: // the mark would hide a dot
		s.value(i, at, markHalf)
	default:
		s.page.Explain(legendValue)
		n := drawing.Node{
			ID: "e" + strconv.FormatInt(int64(s.story.Steps[i].Seq), 10), Style: valueDot, X: at.X, Y: at.Y, W: valueSize, H: valueSize,
			Tip: s.story.StepTip(i, s.story.Steps[i].Text),
		}
		s.addNode(Marks, n)
		s.plan.cover(bounds(&n))
		s.value(i, at, valueSize/2)
	}
}

// valueSize is the size of the dot for a change of variables.
const valueSize = 6.5

// tagWidth returns the width of the tag for a step.
func tagWidth(st *story.Step) float64 { return stateTag.TextWidth(st.Tag()) + 12 }

func (s *sequence) drawInvoke(i int, at drawing.Point) {
	s.page.Explain(legendInvoke)
	s.mark(i, invokeMark, at, 13, "", s.markText(i))
}

func (s *sequence) drawReturn(i int, at drawing.Point) {
	s.page.Explain(legendReturn)
	s.mark(i, returnMark, at, 13, "", s.markText(i))
}

func (s *sequence) drawPartition(i int, at drawing.Point) { s.wideLine(i, at.Y, s.story.Words(i)) }

func (s *sequence) drawHeal(i int, at drawing.Point) { s.wideLine(i, at.Y, s.story.Words(i)) }

// wideLine draws a line across all processes with a text upon it.
func (s *sequence) wideLine(i int, y float64, text string) {
	left, right := s.left-s.reach-4, s.right-4
	s.addPath(Marks, drawing.Path{Style: wideLine, Strokes: [][]drawing.Point{drawing.Line(drawing.At(left, y),
		drawing.At(right, y))}, Tip: s.story.StepTip(i, text)})
	fits := func(text string) bool { return lineLabel.TextWidth(text)+12 <= right-left }
	if !fits(text) && s.story.Steps[i].Folded { // the heading has the number of events, too
		text, _, _ = strings.Cut(text, ": ")
	}
	if !fits(text) {
		text = lineLabel.Fit(text, right-left-12)
	}
	t := pendingText{style: lineLabel, text: text, limit: math.Inf(1), faint: s.faint, covers: box{left, y - 5, right, y + 5}}
	room := right - left - lineLabel.TextWidth(text) - 40
	for n, at := range [...]float64{0.5, 0.62, 0.38, 0.75, 0.25, 1, 0} {
		t.spots = append(t.spots, spot{drawing.At((left+right)/2+(at-0.5)*max(room, 0), y), float64(n)})
	}
	s.texts = append(s.texts, t)
}

// drawNote draws a note of a process, a note across all processes, or the bracket of a loop.
func (s *sequence) drawNote(i int, at drawing.Point) {
	st := &s.story.Steps[i]
	switch {
	case st.Type == tracefmt.LoopNote:
		s.drawLoop(i, at.Y)
	case st.Process == 0:
		s.wideLine(i, at.Y, s.story.Words(i))
	default:
		s.page.Explain(legendNote)
		s.mark(i, noteMark, at, 8, "", s.markText(i))
	}
}

// drawLoop draws a bracket from the end of the run back to the event after which the run repeats.
func (s *sequence) drawLoop(i int, y float64) {
	st := &s.story.Steps[i]
	from := s.headers[0] + headerHeight
	if j, ok := s.story.Find(st.Loop); ok || j > 0 && j < len(s.story.Steps) {
		if !ok {
			j-- // the event is not drawn: take the step before it
		}
		for j > 0 && s.schedule.slots[j].row < 0 {
			j--
		}
		if s.schedule.slots[j].row >= 0 {
			from = s.y[j] + s.pitch/2
		}
		for k := j; k <= i && s.faint; k++ { // the loop is faint only if all repeated steps are
			s.faint = !s.story.Lit(k)
		}
	}
	x := s.right + 26
	s.addPath(Marks, drawing.Path{
		Style: bracketLine, Tip: s.story.StepTip(i, "the run repeats from here on, forever"),
		Strokes: [][]drawing.Point{drawing.Line(drawing.At(s.right-8, y), drawing.At(x, y), drawing.At(x, from), drawing.At(s.right-8, from))},
	})
	s.wideLine(i, from, "the run repeats from here")
	again := "the same global state again"
	if st.Shift != 0 {
		again = fmt.Sprintf("the same global state again, counters shifted by %d", st.Shift)
	}
	s.wideLine(i, y, again)
	for k, line := range []string{"repeats", "forever"} {
		w := lineLabel.TextWidth(line)
		s.addNode(Texts, drawing.Node{Style: lineLabel, X: x + 8 + w/2, Y: (y+from)/2 + float64(k)*15 - 7, W: w, H: 14, Text: line})
	}
}

// drawCauses draws the happened-before pairs that no message explains.
func (s *sequence) drawCauses() {
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		isEnd := st.Kind == tracefmt.Receive || st.Kind == tracefmt.Lose // its arrow shows the cause
		if st.Cause == 0 || isEnd || s.schedule.slots[i].row < 0 || st.Process == 0 {
			continue
		}
		j, ok := s.story.Find(st.Cause)
		if !ok || s.schedule.slots[j].row < 0 || s.story.Steps[j].Process == st.Process || s.story.Steps[j].Process == 0 {
			continue
		}
		s.page.Explain(legendCause)
		s.addPath(Ground, drawing.Path{Style: causeLine, Faint: !s.story.Lit(i), Strokes: [][]drawing.Point{drawing.Line(s.at(j), s.at(i))}})
		s.plan.draw(s.at(j), s.at(i))
	}
}
