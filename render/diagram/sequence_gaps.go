package diagram

import (
	"math"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// Distances of what is not recorded.
const (
	gapRoom    = 58.0 // between the steps before and after a gap, at least
	gapClear   = 11.0 // between them and its sign
	gapHalf    = 6.0  // half the width of the band
	gapWidest  = 5.0  // how far the line swings to a side
	gapSwing   = 9.0  // how far down it goes from side to side
	leastGap   = 12.0 // of the sign
	unsentFall = 0.75 // of the drop of other messages
	unsentR    = 3.6  // of the circle in which an arrow without a send begins
	unsureR    = 6.5  // of the band in which a message ends whose arrival is not recorded
)

// placedGap is a gap with its place on a lifeline.
type placedGap struct {
	story.Gap
	y0, y1 float64
}

// ownRow reports whether a step is drawn on the line of its process.
func (s *sequence) ownRow(i int) bool {
	return s.schedule.slots[i].row >= 0 && s.story.Steps[i].Kind != tracefmt.Lose
}

// leastRow returns the least y of a step. After a gap there is room for its sign, and before the arrival of an
// unrecorded send there is room for the arrow.
func (s *sequence) leastRow(step int) float64 {
	y, header := 0.0, s.headers[len(s.headers)-1]+headerHeight/2
	if s.story.Steps[step].Unsent {
		y = header + unsentFall*s.drop
	}
	for _, g := range s.gaps {
		switch {
		case g.Before != step:
		case g.After < 0:
			y = max(y, header+gapRoom)
		case s.schedule.slots[g.After].band != s.schedule.slots[step].band:
			y = max(y, s.y[g.After]+gapRoom)
		}
	}
	return y
}

// gapBottom returns the lowest y of the gaps without an end.
func (s *sequence) gapBottom() float64 {
	y := 0.0
	for _, g := range s.gaps {
		switch {
		case g.Before < len(s.story.Steps): // the gap ends at a step
		case g.After < 0:
			y = max(y, s.headers[0]+gapRoom)
		default:
			y = max(y, s.y[g.After]+gapRoom)
		}
	}
	return y
}

// placeGaps places the gaps, after the steps were placed.
func (s *sequence) placeGaps() {
	for i := range s.gaps {
		g := &s.gaps[i]
		g.y0, g.y1 = s.headers[0]+headerHeight/2+gapClear, s.bottom
		if g.After >= 0 {
			g.y0 = s.y[g.After] + gapClear
		}
		if g.Before < len(s.story.Steps) {
			g.y1 = s.y[g.Before] - gapClear
		}
		if g.Last >= 0 {
			g.y1 = max(g.y1, s.y[g.Last]+gapClear)
		}
		if g.y1 < g.y0+leastGap { // the events before and after are at one instant: the sign covers the room between them
			middle := (g.y0 + g.y1) / 2
			g.y0, g.y1 = middle-leastGap/2, middle+leastGap/2
		}
	}
}

// drawGaps draws a zigzag in a band in place of the lifeline, with the number of missing events.
func (s *sequence) drawGaps() {
	for i := range s.gaps {
		g := &s.gaps[i]
		x := s.x[s.story.Column[g.Process]]
		s.page.Explain(legendMissing)
		s.addNode(Ground, drawing.Node{Style: gapBand, X: x, Y: (g.y0 + g.y1) / 2, W: 2 * gapHalf, H: g.y1 - g.y0})
		s.addPath(Ground, drawing.Path{
			Style: gapLine, Strokes: [][]drawing.Point{zigzag(x, g.y0, g.y1)},
			Tip: "process " + s.story.Name(g.Process) + ": " + g.Text(),
		})
		s.plan.cover(box{x - gapHalf, g.y0, x + gapHalf, g.y1})
		s.gapText(g, x)
	}
}

// gapText requests the text of a gap, near its middle.
func (s *sequence) gapText(g *placedGap, x float64) {
	text := g.Text()
	w := gapLabel.TextWidth(text) + 4
	var spots []spot
	for n, part := range [...]float64{0.5, 0.35, 0.65, 0.2, 0.8} {
		y := g.y0 + part*(g.y1-g.y0)
		spots = append(spots, spot{drawing.At(x+gapHalf+3+w/2, y), float64(n)}, spot{drawing.At(x-gapHalf-3-w/2, y), float64(n) + 6})
	}
	s.texts = append(s.texts, pendingText{style: gapLabel, text: text, spots: spots, limit: tooDear})
}

// lastGap returns how far to the right the texts of the gaps of the last process extend.
func (s *sequence) lastGap() float64 {
	widest := 0.0
	for i := range s.gaps {
		if g := &s.gaps[i]; s.story.Column[g.Process] == len(s.story.Order)-1 {
			widest = max(widest, gapHalf+3+gapLabel.TextWidth(g.Text())+4)
		}
	}
	return widest
}

// zigzag goes down from y0 to y1 around x.
func zigzag(x, y0, y1 float64) []drawing.Point {
	n := max(2*int(math.Round((y1-y0)/gapSwing/2)), 2)
	step := (y1 - y0) / float64(n)
	points := []drawing.Point{drawing.At(x, y0)}
	for i := range n {
		side := gapWidest
		if i%2 == 1 {
			side = -side
		}
		points = append(points, drawing.At(x+side, y0+(float64(i)+0.5)*step))
	}
	return drawing.Line(append(points, drawing.At(x, y1))...)
}

// beyondGaps returns the parts of a piece of a lifeline outside the gaps.
func (s *sequence) beyondGaps(p tracefmt.ProcessID, y0, y1 float64) (pieces [][2]float64) {
	for i := range s.gaps {
		g := &s.gaps[i]
		if g.Process != p || g.y1 <= y0 || g.y0 >= y1 {
			continue
		}
		if g.y0 > y0 {
			pieces = append(pieces, [2]float64{y0, g.y0})
		}
		y0 = g.y1
	}
	if y0 < y1 {
		pieces = append(pieces, [2]float64{y0, y1})
	}
	return pieces
}

// drawUnsent draws the arrival of a message without a recorded send. Its arrow begins with an empty circle on the
// sender's lifeline.
func (s *sequence) drawUnsent(i int) {
	st := &s.story.Steps[i]
	to := s.at(i)
	from := drawing.At(s.x[s.story.Column[st.Peer]], max(to.Y-unsentFall*s.drop, s.headers[0]+headerHeight/2+unsentR+4))
	s.page.Explain(legendUnsent)
	style := messageLine
	switch {
	case st.Kind == tracefmt.Lose:
		style = lostLine
		s.cross(i, to)
	case st.Again:
		s.page.Explain(legendAgain)
		style = duplicateLine
	}
	s.arrow(i, style, from, to)
	s.addNode(Marks, drawing.Node{Style: unsentDot, X: from.X, Y: from.Y, W: 2 * unsentR, H: 2 * unsentR, Tip: s.story.MessageTip(i)})
	s.plan.cover(box{from.X, from.Y, from.X, from.Y}.grow(unsentR + 1))
}

// drawUnsure draws a message whose fate is not recorded: an arrow that ends on its way with a question mark.
func (s *sequence) drawUnsure(i int) {
	st := s.story.Steps[i]
	st.Process = st.Peer
	from := s.at(i)
	to := s.placeLoss(&st, from)
	s.page.Explain(legendUnsure)
	back := drawing.At(to.X-from.X, to.Y-from.Y)
	length := math.Hypot(back.X, back.Y)
	end := drawing.At(to.X-back.X/length*unsureR, to.Y-back.Y/length*unsureR)
	s.openArrow(i, unsureLine, from, end)
	s.addNode(Marks, drawing.Node{Style: unsureMark, X: to.X, Y: to.Y, W: 2 * unsureR, H: 2 * unsureR, Text: "?", Tip: s.story.MessageTip(i)})
	s.plan.cover(box{to.X, to.Y, to.X, to.Y}.grow(unsureR))
}
