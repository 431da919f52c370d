package diagram

import (
	"slices"

	"etrace/render/drawing"
	"etrace/render/story"
)

// spanLook is the look of the bars of a span. The bars of different spans differ in width and pattern, so that
// overlapping bars can be distinguished.
type spanLook struct {
	half          float64 // half of the width
	fill, outline *drawing.Style
}

// spanLooks are by the number of the span.
var spanLooks = [story.MostSpans]spanLook{
	{6, spanFills[0], spanLines[0]},
	{3.5, spanFills[1], spanLines[1]},
	{8.5, spanFills[2], spanLines[2]},
	{1.8, spanFills[3], spanLines[3]},
}

// torn is the height of the teeth at an open end of a bar.
const torn = 3.0

// drawSpans draws a bar along its lifeline for each stretch, the wide ones first.
func (s *sequence) drawSpans() {
	if len(s.story.Stretches) == 0 {
		return
	}
	order := sorted(len(s.story.Options.Spans), func(a, b int) int { return int(2 * (spanLooks[b].half - spanLooks[a].half)) })
	rows := make([]*LegendRow, len(s.story.Options.Spans))
	for _, span := range order {
		look := &spanLooks[span]
		rows[span] = &LegendRow{s.story.SpanText(span), func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
			return look.bar(at.X, at.Y-9, at.Y+9, false, false)
		}}
		for i := range s.story.Stretches {
			if st := &s.story.Stretches[i]; st.Span == span && s.story.Shown(st.Process) {
				s.drawStretch(&s.story.Stretches[i], rows[span])
			}
		}
	}
	s.faint = false
	if slices.ContainsFunc(s.story.Stretches, func(st story.Stretch) bool { return st.From < 0 || s.story.Open(&st) }) {
		s.page.Explain(legendSpanOpen)
	}
}

// drawStretch draws one bar; row explains it in the legend.
func (s *sequence) drawStretch(st *story.Stretch, row *LegendRow) {
	from, to := s.spanEnd(st.From), s.spanEnd(st.To)
	if to <= from {
		return
	}
	look, open := &spanLooks[st.Span], s.story.Open(st)
	s.page.Explain(row)
	s.faint = !s.litEnd(st.From) && !s.litEnd(st.To)
	x := s.x[s.story.Column[st.Process]]
	nodes, paths := look.bar(x, from, to, st.From < 0, open)
	nodes[0].Tip = s.story.StretchTip(st)
	s.addNode(Ground, nodes[0])
	s.addPath(Ground, paths[0])
	s.plan.cover(box{x - look.half, from, x + look.half, to})
}

// spanEnd returns the y at which a stretch begins or ends with a step.
func (s *sequence) spanEnd(step int) float64 {
	switch top := s.headers[0] + headerHeight/2; {
	case step < 0:
		return top + torn
	case step == len(s.story.Steps) && s.page.Layout.Like != nil: // what is later than the frame is not drawn yet
		return slices.Max(append(s.y[:step:step], top)) + 3*torn
	case step == len(s.story.Steps):
		return s.bottom - torn
	default:
		return max(s.y[step], top)
	}
}

// litEnd reports whether the end of a stretch is highlighted, or nothing is.
func (s *sequence) litEnd(step int) bool {
	if step < 0 || step == len(s.story.Steps) {
		return len(s.story.Options.Highlight) == 0
	}
	return s.story.Lit(step)
}

// bar returns a bar from top to bottom. An end is torn if the span continues beyond the picture.
func (l *spanLook) bar(x, top, bottom float64, before, after bool) ([]drawing.Node, []drawing.Path) {
	left, right := x-l.half, x+l.half
	outline := slices.Concat(l.end(left, right, top, before, -torn), l.end(right, left, bottom, after, torn))
	outline = append(outline, outline[0])
	return []drawing.Node{{Style: l.fill, X: x, Y: (top + bottom) / 2, W: 2 * l.half, H: bottom - top}},
		[]drawing.Path{{Style: l.outline, Strokes: [][]drawing.Point{drawing.Line(outline...)}}}
}

// end returns the edge of a bar at y. A torn edge has two teeth, or one if there is little room.
func (l *spanLook) end(from, to, y float64, isTorn bool, tooth float64) []drawing.Point {
	points := []drawing.Point{drawing.At(from, y)}
	switch middle, quarter := (from+to)/2, (to-from)/4; {
	case isTorn && l.half < 5:
		points = append(points, drawing.At(middle, y+tooth))
	case isTorn:
		points = append(points, drawing.At(from+quarter, y+tooth), drawing.At(middle, y-tooth), drawing.At(to-quarter, y+tooth))
	}
	return append(points, drawing.At(to, y))
}
