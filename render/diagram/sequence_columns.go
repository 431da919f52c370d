package diagram

import (
	"math"
	"unicode/utf8"

	"etrace/render/story"
	"etrace/tracefmt"
)

// isMark reports whether a step has a mark with its words beside it.
func isMark(st *story.Step) bool {
	return st.Process != 0 && st.Kind != tracefmt.State && markers[st.Kind] != nil
}

// placeColumns spaces the lifelines so that most texts fit between two of them.
func (s *sequence) placeColumns() {
	n := len(s.story.Order)
	widest, payload, tag := 40.0, 0.0, 0.0
	for i, p := range s.story.Order {
		widest = max(widest, s.headerWidth(s.story.Order[i])+14, messageLabel.TextWidth(s.story.Name(p)))
	}
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		switch {
		case st.Kind == tracefmt.Send && st.Peer != st.Process:
			need := messageLabel.TextWidth(st.ShortLabel(maxText)) + 40
			widest = max(widest, need)
			if st.Text != "" {
				payload = max(payload, need)
			}
		case isMark(st):
			words := s.story.WordsIn(i, func(words string) bool { return utf8.RuneCountInString(words) <= maxText })
			payload = max(payload, markLabel.TextWidth(story.Clean(words, maxText))+3*markHalf+2)
		case st.Quiet() && st.Text != "" && (!s.terse || s.isAbout(i)):
			payload = max(payload, s.valueWidth(i)+3*valueSize+markHalf)
		case st.Tag() != "":
			tag = max(tag, tagWidth(st)+6)
		}
	}
	widest = max(widest, tag+10)
	narrowest, wide := 104.0, 150.0
	switch {
	case n <= 4:
		narrowest, wide = 130, 190
	case n > 24:
		narrowest, wide = 58, 84
	case n > 12:
		narrowest, wide = 70, 110
	}
	s.width = min(max(widest, narrowest), wide)
	if n <= 6 {
		s.width = max(s.width, min(payload, 200))
	}
	if room := s.page.Layout.Width; room > 0 && n > 1 {
		// Beside the columns are the times at the left, and half a column at the right.
		share := (room - 2*Margin - s.axisWidth() - 14 - besideHeader - 1 - s.loopWidth()) / float64(n)
		s.width = max(min(s.width, share), leastColumn)
	}
	s.reach = max(min(s.headerHalf(0), (s.width-6)/2), min(tag, s.width)/2)
	s.left = Margin + s.axisWidth() + 14 + s.reach
	for i := range n {
		s.x = append(s.x, s.left+float64(i)*s.width)
	}
	beside := max(s.headerHalf(n-1)+10, 66, s.lastValue(), s.lastMark(), s.lastGap(), s.lastStub())
	if room := s.page.Layout.Width; room > 0 { // texts that have no room at the right are written at the left
		last := s.left + float64(max(n-1, 0))*s.width
		beside = max(min(beside, room-Margin-s.loopWidth()-last), min(s.headerHalf(n-1), s.width/2)+besideHeader)
	}
	s.right = s.left + float64(max(n-1, 0))*s.width + beside
	if n == 1 {
		s.right = s.left + max(s.width, beside) // room for messages of the process to itself
	}
	s.d.Width = s.right + Margin + s.loopWidth()
	full := leastWidth
	if s.page.Layout.Width > 0 {
		full = math.Floor(s.page.Layout.Width)
	}
	if missing := full - s.d.Width; missing > 0 {
		for i := range s.x {
			s.x[i] += missing / 2
		}
		s.left, s.right, s.d.Width = s.left+missing/2, s.right+missing/2, full
	}
}

// leastColumn is the least distance of lifelines: a name of two digits fits between them.
const leastColumn = 26.0

// besideHeader is the least room at the right of the last header.
const besideHeader = 4.0

// leastWidth is the least width of a sequence, unless a width is given.
const leastWidth = 560.0

// lastValue returns how far to the right the values of the last process extend.
func (s *sequence) lastValue() float64 {
	widest := 0.0
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		last := st.Kind == tracefmt.State && s.story.Column[st.Process] == len(s.story.Order)-1
		if last && st.Text != "" && (!s.terse || s.isAbout(i)) {
			from := valueSize / 2
			if st.Tag() != "" {
				from = min(tagWidth(st)+6, s.width-8) / 2
			}
			widest = max(widest, s.clear(i, from)+s.valueWidth(i)+8)
		}
	}
	return widest
}

// valueWidth returns the width of the values of the variables that a step changes.
func (s *sequence) valueWidth(i int) float64 {
	if s.isAbout(i) {
		return markLabel.TextWidth(story.Clean(s.story.Steps[i].Text, maxText))
	}
	return valueLabel.TextWidth(s.story.Steps[i].Text)
}

// lastMark returns how far to the right the texts at the marks of the last process extend.
func (s *sequence) lastMark() float64 {
	widest := 0.0
	for i := range s.story.Steps {
		if st := &s.story.Steps[i]; isMark(st) && s.story.Column[st.Process] == len(s.story.Order)-1 {
			widest = max(widest, s.clear(i, markHalf)+3+markLabel.TextWidth(story.Clean(s.markText(i), maxText))+8)
		}
	}
	return widest
}

// lastStub returns how far to the right the stubs of the last process extend: messages whose other end is hidden.
func (s *sequence) lastStub() float64 {
	widest := 0.0
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		message := st.Kind == tracefmt.Send || st.Kind == tracefmt.Receive || st.Kind == tracefmt.Lose
		if message && !s.story.Shown(st.Peer) && s.story.Column[st.Process] == len(s.story.Order)-1 {
			widest = max(widest, s.stubRoom(st))
		}
	}
	return widest
}

// axisWidth returns the width of the times at the left.
func (s *sequence) axisWidth() float64 {
	widest := 30.0
	for _, label := range s.labels {
		widest = max(widest, axisText.TextWidth(label))
	}
	if s.linear && len(s.schedule.bands) > 0 { // no fold lasts longer than the run, so its label is not wider
		duration := tracefmt.Time(s.schedule.bands[len(s.schedule.bands)-1].key - s.schedule.bands[0].key)
		widest = max(widest, foldText.TextWidth(s.foldText(fold{time: duration}))+8)
	}
	return widest
}

// loopWidth returns the width of the bracket of a loop, 0 without a loop.
func (s *sequence) loopWidth() float64 {
	if s.story.Loops() {
		return 110
	}
	return 0
}
