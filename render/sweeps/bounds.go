package sweeps

import (
	"cmp"
	"math"
	"slices"

	"etrace/analyze/experiment/sweep"
	"etrace/render/chart"
	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

// maxApart is the greatest number of series for which a bound has a line for each. More lines would hide the
// measured points.
const maxApart = 3

// published returns, as lines over the series, the bounds that count the same messages as the measure. The
// reasons are those for which other bounds are not drawn.
func published(t *sweep.Table, measure string, shown []sweep.Sequence) (list []chart.Line, reasons []string) {
	places := make(map[string][]string) // by reason: the series for which a bound is not drawn
	leaveOut := func(p *sweep.Published, reason string) {
		if sweep.CountsMessages(measure) && places[reason] == nil {
			reasons = append(reasons, reason)
		}
		for i := range shown {
			if at := shown[i].Place(); len(boundPoints(t, p, &shown[i])) > 0 && !slices.Contains(places[reason], at) {
				places[reason] = append(places[reason], at)
			}
		}
	}
	for _, p := range t.Published() {
		if reason := p.Reason(measure); reason != "" {
			leaveOut(&p, reason)
			continue
		}
		lines := boundLines(t, &p, shown)
		if len(lines) > maxApart {
			leaveOut(&p, "differ from series to series")
			continue
		}
		list = append(list, lines...)
	}
	for i, reason := range reasons {
		if about := places[reason]; len(about) > 0 && len(about) < len(shown) {
			reasons[i] += " (" + text.And(about) + ")"
		}
	}
	return list, reasons
}

// boundLines returns one line if the bound is the same for all series, otherwise a line for each series. Only
// the single line fills the region beyond it.
func boundLines(t *sweep.Table, p *sweep.Published, shown []sweep.Sequence) (list []chart.Line) {
	name := "published: " + p.Claim()
	if !p.CountsAll() {
		name += ", of " + p.Convention()
	}
	same, allDrawn := true, true
	for i := range shown {
		l := chart.Line{Name: name, Points: boundPoints(t, p, &shown[i])}
		if at := shown[i].Place(); at != "" && len(shown) > 1 {
			l.Name, l.Of = l.Name+" ("+at+")", i+1
		}
		same = same && (i == 0 || slices.Equal(l.Points, list[0].Points))
		allDrawn = allDrawn && len(l.Points) == len(seriesOf(t, &shown[i]).Points)
		list = append(list, l)
	}
	if same && len(list) > 0 {
		list = list[:1]
		list[0].Name, list[0].Of = name, 0
		if allDrawn {
			list[0].Bound = boundSide(p)
		}
	}
	return slices.DeleteFunc(list, func(l chart.Line) bool { return len(l.Points) < 2 })
}

// boundSide returns the side of a bound on which no point is allowed.
func boundSide(p *sweep.Published) chart.Bound {
	switch {
	case p.IsMost():
		return chart.AtMost
	case p.IsLeast():
		return chart.AtLeast
	}
	return chart.NoBound
}

// boundPoints returns the values of a bound in the cells of a sequence.
func boundPoints(t *sweep.Table, p *sweep.Published, s *sweep.Sequence) (points []drawing.Point) {
	for _, b := range p.Cells {
		if belongs(t, b.Cell, s) {
			points = append(points, drawing.At(float64(b.Cell.N), b.Value))
		}
	}
	slices.SortStableFunc(points, func(a, b drawing.Point) int { return compare(a.X, b.X) })
	return slices.CompactFunc(points, func(a, b drawing.Point) bool { return a.X == b.X })
}

// mergeLines merges the coinciding lines of a series, or of all series, and sorts the lines in the order in which a
// chart draws them. missing is the number of lines without room.
func mergeLines(lines []chart.Line) (joined []chart.Line, missing int) {
	for _, l := range lines {
		i := slices.IndexFunc(joined, func(o chart.Line) bool {
			return o.Of == l.Of && (min(o.Bound, l.Bound) == chart.NoBound || o.Bound == l.Bound) && covers(o.Points, l.Points)
		})
		switch {
		case i >= 0:
			joined[i].Name, joined[i].Bound = joined[i].Name+"; "+l.Name, max(joined[i].Bound, l.Bound)
		case len(joined) < chart.MostSeries:
			joined = append(joined, l)
		default:
			missing++
		}
	}
	slices.SortStableFunc(joined, func(a, b chart.Line) int { return cmp.Compare(drawOrder(a), drawOrder(b)) })
	return joined, missing
}

// drawOrder returns the place of a line in the order in which a chart draws them: lines about all series are
// the last.
func drawOrder(l chart.Line) int {
	if l.Of == 0 {
		return chart.MostSeries + 1
	}
	return l.Of
}

// covers reports whether a line has the same ends as another, and a point at each corner of it.
func covers(line, corners []drawing.Point) bool {
	if len(line) == 0 || line[0].X != corners[0].X || line[len(line)-1].X != corners[len(corners)-1].X {
		return false
	}
	const near = 1e-9
	return !slices.ContainsFunc(corners, func(c drawing.Point) bool {
		return !slices.ContainsFunc(line, func(p drawing.Point) bool {
			return p.X == c.X && math.Abs(p.Y-c.Y) <= near*math.Abs(c.Y)
		})
	})
}

// notDrawn describes the published bounds that are missing in a plot.
func notDrawn(reasons []string, missing int) string {
	words := ""
	if len(reasons) > 0 {
		words = " Not drawn: published bounds that " + text.Or(reasons) + "."
	}
	if missing > 0 {
		words += " " + text.Counted(missing, "more published bound has", "more published bounds have") + " no room."
	}
	return words
}
