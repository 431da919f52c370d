package diagram

import (
	"slices"

	"etrace/render/drawing"
	"etrace/render/story"
)

// pendingText is a text that is placed after everything else.
type pendingText struct {
	style *drawing.Style
	text  string
	spots []spot
	limit float64
	arrow segment
	band  int32 // the band of a value
	faint bool
	// covers is the box that becomes taken with the text: the line that the text names.
	covers box
}

// beside requests a text to the right or left of a mark of that half size. Texts of marks matter more than labels of
// messages, so they give way only to what would make them illegible. To the left they are between the lifelines of
// another process.
func (s *sequence) beside(i int, at drawing.Point, half float64, text string) {
	if text == "" {
		return
	}
	text = story.Clean(text, maxText)
	w := markLabel.TextWidth(text) + 4
	room := s.clear(i, half) + 3 + w/2
	right, left := at.X+room, at.X-room
	spots := []spot{
		{drawing.At(right, at.Y), 0},
		{drawing.At(right, at.Y-8), 2},
		{drawing.At(right, at.Y+8), 2},
		{drawing.At(left, at.Y), otherLane},
		{drawing.At(left, at.Y-8), otherLane + 2},
		{drawing.At(left, at.Y+8), otherLane + 2},
	}
	s.texts = append(s.texts, pendingText{style: markLabel, text: text, spots: spots, limit: costBox, faint: s.faint})
}

// otherLane is the extra cost of a text between the lifelines of another process: that of two lines.
const otherLane = 2 * costLine

// markText returns the words beside the mark of a step. Words with a payload, and words of a log, are shortened to
// the room.
func (s *sequence) markText(i int) string {
	st, room := &s.story.Steps[i], s.markRoom()
	if st.Text == "" {
		return s.story.Words(i)
	}
	words := s.story.WordsIn(i, func(words string) bool { return markLabel.TextWidth(words) <= room })
	return markLabel.Fit(story.Clean(words, maxText), room)
}

// markRoom returns the width of a text beside a mark: up to the next lifeline, or a few letters more if lifelines are
// close together.
func (s *sequence) markRoom() float64 { return max(s.width-markClear, 80) }

// markClear is the width that a text beside a mark leaves free between two lifelines: half of each mark.
const markClear = 2*markHalf + 4

// value requests a small text with the values of variables, to the right of the lifeline. Such texts give way to
// everything else, and long diagrams omit them. At highlighted events they are written like the texts of marks.
func (s *sequence) value(i int, at drawing.Point, half float64) {
	text := s.story.Steps[i].Text
	if text == "" {
		return
	}
	if s.emphasized() {
		taken := s.clear(i, half) + 7
		room := max(s.rightEdge()-at.X, at.X-s.leftEdge()) - taken
		s.beside(i, at, half, markLabel.Fit(text, room))
		return
	}
	if s.terse {
		return
	}
	room := s.clear(i, half)
	x := at.X + room + 3 + valueLabel.TextWidth(text)/2 + 2
	s.texts = append(s.texts, pendingText{
		style: valueLabel, text: text, limit: valueTooDear, faint: s.faint, band: s.schedule.slots[i].band,
		spots: []spot{
			{drawing.At(x, at.Y), 0}, {drawing.At(x, at.Y-4), 1}, {drawing.At(x, at.Y+4), 1}, {drawing.At(x, at.Y-8), 2}, {drawing.At(x, at.Y+8), 2},
		},
	})
}

// ask requests a text at one of the spots; own is the line that it belongs to.
func (s *sequence) ask(style *drawing.Style, text string, spots []spot, arrow segment) {
	if text == "" {
		return
	}
	limit := float64(crowded)
	if s.emphasized() {
		limit = costBox
	}
	s.texts = append(s.texts, pendingText{style: style, text: text, spots: spots, limit: limit, arrow: arrow, faint: s.faint})
}

// placeTexts places the requested texts: first those across the picture and of marks, then those of messages, and at
// last the values.
func (s *sequence) placeTexts() {
	for _, faint := range [...]bool{false, true} {
		for _, style := range [...]*drawing.Style{gapLabel, lineLabel, markLabel, messageLabel} {
			s.placeAll(style, faint)
		}
	}
	s.placeValues()
}

// placeAll places the requested texts of a style, faint or not.
func (s *sequence) placeAll(style *drawing.Style, faint bool) {
	for i := range s.texts {
		if t := &s.texts[i]; t.style == style && t.faint == faint && !s.placeText(t) {
			s.omit(t)
		}
	}
}

// omit counts a text for which there is no room.
func (s *sequence) omit(t *pendingText) {
	s.omitted++
	s.omittedMarks = s.omittedMarks || t.style != messageLabel
	s.omittedArrows = s.omittedArrows || t.style == messageLabel
}

// placeValues places the values. Equal values in one band are all placed or all omitted, so that no process seems to
// differ from the others. It first tries, then undoes everything and places only the groups for which there was room.
func (s *sequence) placeValues() {
	type values struct {
		band int32
		text string
	}
	nodes := &s.d.Layers[Texts].Nodes
	mark, boxes := len(*nodes), len(s.plan.boxes)
	failed := make(map[values]bool)
	s.eachValue(func(t *pendingText) {
		key := values{t.band, t.text}
		failed[key] = failed[key] || !s.placeText(t)
	})
	*nodes = (*nodes)[:mark]
	for i := range s.plan.boxes[boxes:] {
		s.plan.boxes[boxes+i] = box{} // covers nothing
	}
	s.eachValue(func(t *pendingText) {
		if failed[values{t.band, t.text}] || !s.placeText(t) {
			s.omit(t)
		}
	})
}

// eachValue calls f with the values, the faint ones last.
func (s *sequence) eachValue(f func(*pendingText)) {
	for _, faint := range [...]bool{false, true} {
		for i := range s.texts {
			if t := &s.texts[i]; t.style == valueLabel && t.faint == faint {
				f(t)
			}
		}
	}
}

// leftEdge returns the left bound of texts, to the right of the times.
func (s *sequence) leftEdge() float64 { return s.left - s.reach - 8 }

// rightEdge returns the right bound of texts.
func (s *sequence) rightEdge() float64 { return s.right + Margin - 4 }

// placeText places a text at its cheapest spot, and reports whether there was one.
func (s *sequence) placeText(t *pendingText) bool {
	w := t.style.TextWidth(t.text) + 4
	h := t.style.Size + 2.5
	t.spots = slices.DeleteFunc(t.spots, func(sp spot) bool { return sp.X-w/2 < s.leftEdge() || sp.X+w/2 > s.rightEdge() })
	at, ok := s.plan.cheapest(t.spots, w, h, t.limit, t.arrow)
	if !ok {
		return false
	}
	n := drawing.Node{Style: t.style, X: at.X, Y: at.Y, W: w, H: h, Text: t.text, Faint: t.faint}
	s.addNode(Texts, n)
	s.plan.cover(bounds(&n).grow(1))
	if t.covers != (box{}) {
		s.plan.cover(t.covers)
	}
	return true
}

// omissionHint describes where to find the labels that are left out.
func (s *sequence) omissionHint() string {
	switch {
	case !s.omittedMarks:
		return ": point at an arrow to read it"
	case !s.omittedArrows:
		return ": point at a mark to read it"
	}
	return ": point at an arrow or a mark to read it"
}
