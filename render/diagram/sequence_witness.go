package diagram

import (
	"fmt"
	"slices"
	"strconv"

	"etrace/render/drawing"
)

// halo is how far a halo lies outside of what it surrounds.
const halo = 4

// drawWitness puts a halo with a number around each event of the witness.
func (s *sequence) drawWitness() {
	for i := range s.Steps {
		if !s.Lit(i) {
			s.page.Explain(s.faintRow())
			break
		}
	}
	for n, seq := range s.Options.Witness {
		i, ok := s.Find(seq)
		if !ok {
			continue // outside the window, or nothing that is drawn
		}
		s.page.Explain(legendWitness)
		b := s.extent(i).grow(halo)
		ring := drawing.Node{ID: "w" + strconv.Itoa(n+1), Style: witnessHalo, X: (b.x0 + b.x1) / 2, Y: (b.y0 + b.y1) / 2, W: b.x1 - b.x0, H: b.y1 - b.y0}
		ring.Tip = fmt.Sprintf("shows the violation (%d): %s", n+1, s.StepTip(i, ""))
		s.node(Marks, ring)
		s.plan.cover(b) // no text may erase it
		number := drawing.Node{Style: witnessTag, X: b.x0, Y: b.y0, W: 14, H: 14, Text: strconv.Itoa(n + 1), Tip: ring.Tip}
		s.node(Texts, number)
		s.plan.cover(bounds(&number))
	}
}

// faintRow explains what is faint.
func (s *sequence) faintRow() *LegendRow {
	if s.Options.Faint == "" {
		return legendFaint
	}
	return &LegendRow{s.Options.Faint, legendFaint.Draw}
}

// clear is how far from the middle of a mark its text begins.
func (s *sequence) clear(i int, half float64) float64 {
	if slices.Contains(s.Options.Witness, s.Steps[i].Seq) {
		return max(half, markHalf) + halo
	}
	return half
}

// markHalf is half the size of most marks.
const markHalf = 8

// extent is the room that the sign of a step takes.
func (s *sequence) extent(i int) box {
	st := &s.Steps[i]
	at, half := drawing.At((s.left+s.right)/2, s.y[i]), drawing.At(markHalf, markHalf)
	if st.Process != 0 {
		at = s.at(i)
	}
	switch {
	case st.Opening:
		at.Y = s.headers[0]
		half = drawing.At(s.headerWidth(st.Process)/2, headerHeight/2)
	case s.slots[i].row < 0:
		at = s.losses[i]
	case st.Tag() != "":
		half = drawing.At(min(tagWidth(st)+6, s.width-2)/2, 11)
	}
	return box{at.X - half.X, at.Y - half.Y, at.X + half.X, at.Y + half.Y}
}

// drawCut draws a line across the lifelines: above it happened what is in the
// cut, below it what is not.
func (s *sequence) drawCut() {
	if len(s.Options.Cut) == 0 || len(s.x) == 0 {
		return
	}
	s.page.Explain(legendCut)
	var points []drawing.Point
	for _, level := range s.cutLevels() {
		points = append(points, level.a, level.b)
	}
	last := len(points) - 1
	points[0].X, points[last].X = min(points[0].X, s.left-s.reach-4), max(points[last].X, s.right-4)
	for i := range last {
		s.plan.draw(points[i], points[i+1])
	}
	s.path(Marks, drawing.Path{Style: cutLine, Strokes: [][]drawing.Point{drawing.Line(points...)}, Tip: "a consistent cut"})
}

// cutLevels returns, by column, the part of the cut's line that lies level
// across the lifeline: below the last event in the cut that is drawn, or just
// below the header.
func (s *sequence) cutLevels() []segment {
	levels := make([]segment, len(s.x))
	level := func(column int, y, half float64) {
		x := s.x[column]
		levels[column] = segment{drawing.At(x-half, y), drawing.At(x+half, y)}
	}
	for i := range levels {
		level(i, s.headers[0]+headerHeight/2+headerGap-4, markHalf)
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		if p := st.Process; p != 0 && st.Seq <= s.Cut[p] && s.slots[i].row >= 0 {
			b := s.extent(i).grow(halo)
			level(s.Column[p], b.y1+2, min((b.x1-b.x0)/2, 0.45*s.width))
		}
	}
	return levels
}
