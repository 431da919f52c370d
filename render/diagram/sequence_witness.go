package diagram

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"etrace/render/drawing"
)

// halo is how far a halo lies outside of what it surrounds.
const halo = 4

// drawWitness puts a halo with a number around each event of the witness.
func (s *sequence) drawWitness() {
	for n, seq := range s.story.Options.Witness {
		i, ok := s.story.Find(seq)
		if !ok {
			continue // outside the window, or nothing that is drawn
		}
		s.page.Explain(legendWitness)
		b := s.extent(i).grow(halo)
		ring := drawing.Node{
			ID: "w" + strconv.Itoa(n+1), Style: witnessHalo, X: (b.x0 + b.x1) / 2, Y: (b.y0 + b.y1) / 2,
			W: b.x1 - b.x0, H: b.y1 - b.y0,
		}
		ring.Tip = fmt.Sprintf("shows the violation (%d): %s", n+1, s.story.StepTip(i, ""))
		s.addNode(Marks, ring)
		s.plan.cover(b) // no text may erase it
		number := drawing.Node{Style: witnessTag, X: b.x0, Y: b.y0, W: 14, H: 14, Text: strconv.Itoa(n + 1), Tip: ring.Tip}
		s.addNode(Texts, number)
		s.plan.cover(bounds(&number))
	}
}

// isAbout reports whether the picture is about particular events, and the step is one of them.
func (s *sequence) isAbout(i int) bool { return len(s.story.Options.Highlight) > 0 && s.story.Lit(i) }

// emphasized reports whether the part that is being drawn belongs to the events that the picture is about.
func (s *sequence) emphasized() bool { return len(s.story.Options.Highlight) > 0 && !s.faint }

// explainFaint explains what is faint, once.
func (s *sequence) explainFaint() {
	if words := s.story.Options.Faint; s.faintRow == nil && words != "" {
		s.faintRow = &LegendRow{words, legendFaint.Draw}
	}
	s.page.Explain(cmp.Or(s.faintRow, legendFaint))
}

// clear returns the distance from the middle of a mark to its text.
func (s *sequence) clear(i int, half float64) float64 {
	if slices.Contains(s.story.Options.Witness, s.story.Steps[i].Seq) {
		return max(half, markHalf) + halo
	}
	return half
}

// markHalf is half the size of most marks.
const markHalf = 8

// extent is the room that the sign of a step takes.
func (s *sequence) extent(i int) box {
	st := &s.story.Steps[i]
	at, half := drawing.At((s.left+s.right)/2, s.y[i]), drawing.At(markHalf, markHalf)
	if st.Process != 0 {
		at = s.at(i)
	}
	switch {
	case st.Opening:
		at.Y = s.headers[0]
		half = drawing.At(s.headerWidth(st.Process)/2, headerHeight/2)
	case s.schedule.slots[i].row < 0:
		at = s.losses[i]
	case st.Tag() != "":
		half = drawing.At(min(tagWidth(st)+6, s.width-2)/2, 11)
	}
	return box{at.X - half.X, at.Y - half.Y, at.X + half.X, at.Y + half.Y}
}
