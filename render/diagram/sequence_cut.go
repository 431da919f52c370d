package diagram

import (
	"math"

	"etrace/render/drawing"
	"etrace/render/story"
)

// drawCut draws a line across the lifelines: the events above it are in the cut. The line has a gap at a process that
// the cut does not contain.
func (s *sequence) drawCut() {
	if len(s.story.Options.Cut) == 0 || len(s.x) == 0 {
		return
	}
	s.page.Explain(&LegendRow{s.story.CutText() + ": what is above is in it", legendCut.Draw})
	levels := s.cutLevels()
	levels[0].a.X = min(levels[0].a.X, s.left-s.reach-4)
	last := &levels[len(levels)-1]
	last.b.X = max(last.b.X, s.right-4)
	path := drawing.Path{Style: cutLine, Tip: "the " + s.story.CutText()}
	var points []drawing.Point
	for i, p := range s.story.Order {
		if s.story.Options.Cut.Last(p) != story.Nowhere {
			points = append(points, levels[i].a, levels[i].b)
		}
		if len(points) > 0 && (i == len(levels)-1 || s.story.Options.Cut.Last(s.story.Order[i+1]) == story.Nowhere) {
			path.Strokes = append(path.Strokes, drawing.Line(points...))
			for j := range len(points) - 1 {
				s.plan.draw(points[j], points[j+1])
			}
			points = nil
		}
	}
	if path.Strokes != nil {
		s.addPath(Marks, path)
	}
}

// cutLevels returns, by column, the level part of the cut's line at the lifeline: below the last drawn event in the
// cut, or just below the header.
func (s *sequence) cutLevels() []segment {
	levels := make([]segment, len(s.x))
	level := func(column int, y, half float64) {
		x := s.x[column]
		levels[column] = segment{drawing.At(x-half, y), drawing.At(x+half, y)}
	}
	for i := range levels {
		level(i, s.headers[0]+headerHeight/2+headerGap-4, markHalf)
	}
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		if p := st.Process; p != 0 && st.Seq <= s.story.Options.Cut.Last(p) && s.schedule.slots[i].row >= 0 {
			b := s.extent(i).grow(halo)
			level(s.story.Column[p], b.y1+2, min((b.x1-b.x0)/2, 0.45*s.width))
		}
	}
	return levels
}

// crossing marks a message that crosses the cut by a band along its line. A message that crosses backward, received
// in the cut but sent after it, has a band with edges.
func (s *sequence) crossing(i int, from, to drawing.Point) {
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	crossing := s.story.Crossing(i)
	if crossing == story.NoCrossing || length < 2*bandShort {
		return
	}
	along := drawing.At((to.X-from.X)/length, (to.Y-from.Y)/length)
	from = drawing.At(from.X+along.X*bandShort, from.Y+along.Y*bandShort)
	to = drawing.At(to.X-along.X*bandShort, to.Y-along.Y*bandShort)
	s.page.Explain(legendCrossing[crossing])
	for _, p := range crossingBand(crossing, from, to) {
		s.addPath(Ground, p)
	}
}

// The bands of messages that cross the cut begin and end so far from the lifelines, and are so wide.
const (
	bandShort = 7.0
	bandHalf  = 4.5
)

// crossingBand is the band along a line.
func crossingBand(crossing story.Crossing, from, to drawing.Point) []drawing.Path {
	if crossing == story.InChannel {
		return []drawing.Path{{Style: channelBand, Strokes: [][]drawing.Point{drawing.Line(from, to)}}}
	}
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	dx, dy := -(to.Y-from.Y)/length*bandHalf, (to.X-from.X)/length*bandHalf
	outline := drawing.Line(drawing.At(from.X+dx, from.Y+dy), drawing.At(to.X+dx, to.Y+dy), drawing.At(to.X-dx, to.Y-dy),
		drawing.At(from.X-dx, from.Y-dy), drawing.At(from.X+dx, from.Y+dy))
	return []drawing.Path{
		{Style: backwardBand, Strokes: [][]drawing.Point{drawing.Line(from, to)}},
		{Style: backwardEdge, Strokes: [][]drawing.Point{outline}},
	}
}

// legendCrossing explains the bands.
var legendCrossing = map[story.Crossing]*LegendRow{
	story.InChannel: {"in a channel: sent above the cut, not received above it", crossingSample(story.InChannel)},
	story.Backward:  {"received above the cut, and sent below it", crossingSample(story.Backward)},
}

// crossingSample returns the sample of a band.
func crossingSample(crossing story.Crossing) Sample {
	return func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		from, to := drawing.At(at.X-16, at.Y), drawing.At(at.X+16, at.Y)
		return nil, append(crossingBand(crossing, from, to), lineSample(messageLine, from, to))
	}
}
