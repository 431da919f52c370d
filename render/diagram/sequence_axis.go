package diagram

import (
	"slices"

	"etrace/render/drawing"
	"etrace/tracefmt"
)

// Distances on the linear axis.
const (
	tick      = 1.6  // for a time that is longer than most between rows, in rows
	leastTick = 5.0  // between rows that share no lifeline, of long pictures
	mostTick  = 4.5  // what is longer is folded, in rows
	foldGap   = 38.0 // and takes this much
	foldHalf  = 5.0  // half the height of the sign for it
	labelGap  = 13.0 // between the times that are written
)

// fold is a part of the linear axis that is shortened, since nothing happens for long.
type fold struct {
	y    float64
	time tracefmt.Time
}

// stackLinear places the bands by their times. Bands are never closer than they can be drawn, and long pauses are
// folded.
func (s *sequence) stackLinear(every float64) {
	s.folds = s.folds[:0]
	scale, minGap := s.timeScale(), labelGap
	if s.terse {
		minGap = leastTick
	}
	y := s.addHeaders(s.top)
	lowest := make([]float64, len(s.story.Column)) // of the last row, by process
	for i := range s.schedule.bands {
		b := &s.schedule.bands[i]
		if i > 0 {
			passed := b.key - s.schedule.bands[i-1].key
			folded := float64(passed)*scale > mostTick*s.pitch
			if y-s.headers[len(s.headers)-1] > every {
				y = s.addHeaders(y + headerGap)
			}
			if folded {
				s.folds = append(s.folds, fold{y + foldGap/2, tracefmt.Time(passed)})
				y += foldGap
			} else {
				y += max(float64(passed)*scale, minGap)
			}
		}
		first := s.clearRow(b, s.firstRow(b, y), lowest)
		for _, j := range b.steps {
			s.y[j] = first + float64(s.schedule.slots[j].row)*s.pitch
			if p := s.story.Steps[j].Process; p != 0 {
				lowest[p] = s.y[j]
				continue
			}
			for p := range lowest {
				lowest[p] = s.y[j]
			}
		}
		y = first + float64(b.rows-1)*s.pitch
	}
	s.bottom = y + s.bandPad + s.gap
}

// addHeaders puts a row of headers at y and returns the first y below.
func (s *sequence) addHeaders(y float64) float64 {
	s.headers = append(s.headers, y+headerHeight/2)
	return y + headerHeight + headerGap + s.bandPad
}

// clearRow returns the y of the band's first row, at least y, at which its steps do not touch what is above them on
// their lifelines.
func (s *sequence) clearRow(b *band, y float64, low []float64) float64 {
	for _, j := range b.steps {
		above := low[s.story.Steps[j].Process]
		if s.story.Steps[j].Process == 0 {
			above = slices.Max(low)
		}
		if above > 0 {
			y = max(y, above+s.pitch-float64(s.schedule.slots[j].row)*s.pitch)
		}
	}
	return y
}

// timeScale returns the number of points for a nanosecond: four of five pauses between rows are shorter than a tick.
func (s *sequence) timeScale() float64 {
	var passed []int64
	for i := 1; i < len(s.schedule.bands); i++ {
		passed = append(passed, s.schedule.bands[i].key-s.schedule.bands[i-1].key)
	}
	if len(passed) == 0 {
		return 1
	}
	slices.Sort(passed)
	return tick * s.pitch / float64(passed[(len(passed)-1)*4/5])
}

// drawAxis draws a strip behind the steps of each instant, or the ticks of a linear axis, with the times beside them.
func (s *sequence) drawAxis() {
	left, right := s.left-s.reach-8, s.right
	last := s.headers[0]
	for i := range s.schedule.bands {
		b := &s.schedule.bands[i]
		y0 := s.y[b.steps[0]] - float64(s.schedule.slots[b.steps[0]].row)*s.pitch
		y1 := y0 + float64(b.rows-1)*s.pitch
		if !s.linear {
			s.addNode(Ground, drawing.Node{Style: bandBox, X: (left + right) / 2, Y: (y0 + y1) / 2, W: right - left, H: y1 - y0 + 2*s.bandPad - 2})
		}
		if s.labels[i] == "" || s.linear && y0-last < labelGap {
			continue
		}
		if s.linear {
			s.addPath(Ground, drawing.Path{Style: tickLine, Strokes: [][]drawing.Point{drawing.Line(drawing.At(left-4, y0), drawing.At(right, y0))}})
		}
		last = y0
		w := axisText.TextWidth(s.labels[i])
		s.addNode(Texts, drawing.Node{Style: axisText, X: left - 8 - w/2, Y: y0, W: w, H: 14, Text: s.labels[i]})
	}
	s.drawFolds(left, right)
}

// drawFolds draws two waves across the picture for each fold, with its duration beside them.
func (s *sequence) drawFolds(left, right float64) {
	row, without := legendFold, " without an event"
	switch {
	case s.story.Hidden > 0:
		row, without = legendFoldHidden, " without a shown event"
	case !s.story.Complete():
		row = legendFoldLog
	}
	for _, f := range s.folds {
		s.page.Explain(row)
		s.addNode(Lines, drawing.Node{Style: foldBox, X: (left + right) / 2, Y: f.y, W: right - left, H: 2 * foldHalf})
		s.addPath(Lines, drawing.Path{Style: foldLine, Strokes: [][]drawing.Point{
			waves(left, right, f.y-foldHalf), waves(left, right, f.y+foldHalf),
		}, Tip: s.story.Duration(f.time) + without})
		s.plan.cover(box{left, f.y - foldHalf, right, f.y + foldHalf})
		text := s.foldText(f)
		w := foldText.TextWidth(text)
		s.addNode(Texts, drawing.Node{Style: foldText, X: left - 8 - w/2, Y: f.y, W: w, H: 12, Text: text})
	}
}

// foldText returns the duration of a fold.
func (s *sequence) foldText(f fold) string { return s.story.Duration(f.time) + " pass" }

// waves returns a flat wavy line.
func waves(left, right, y float64) []drawing.Point {
	const length, height = 24.0, 2.0
	n := max(int((right-left)/length), 1)
	step := (right - left) / float64(n)
	stroke := []drawing.Point{drawing.At(left, y)}
	for i := range n {
		x := left + float64(i)*step
		stroke = append(stroke, drawing.At(x+step/3, y-2*height), drawing.At(x+2*step/3, y+2*height), drawing.At(x+step, y))
	}
	return stroke
}
