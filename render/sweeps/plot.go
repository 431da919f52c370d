package sweeps

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"etrace/analyze/closedform"
	"etrace/analyze/experiment/sweep"
	"etrace/render/chart"
	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

// Plot draws the means of a measure over the number of processes, each with the least and the greatest value
// of its cell. Beside them are closed forms, given formulas, and the published bounds that count the same messages.
func Plot(t *sweep.Table, measure string) (*drawing.Drawing, error) {
	title, _, _ := t.Text()
	c := &chart.Chart{Title: measure, X: "processes n", Y: sweep.Heading(measure)}
	if title != "" {
		c.Title = measure + ": " + title
	}
	sequences := t.Sequences(measure, sweep.Mean)
	shown, missing := distinguishable(sequences)
	c.Title = cmp.Or(t.Layout.Title, c.Title)
	for _, s := range shown {
		c.Series = append(c.Series, seriesOf(t, &s))
	}
	c.Subtitle = explanation(t, c.Series, missing)
	nameCoveredSeries(c.Series)
	first, last := sizeRange(shown)
	bounds, reasons := published(t, measure, shown)
	c.Lines, missing = mergeLines(slices.Concat(formulaLines(t, measure, shown, first, last), bounds))
	nameCoveredLines(c.Lines)
	c.Subtitle += notDrawn(reasons, missing)
	return c.Draw()
}

// distinguishable returns the sequences that a chart can distinguish, and the number of the others.
func distinguishable(series []sweep.Sequence) (shown []sweep.Sequence, missing int) {
	n := min(len(series), chart.MostSeries)
	return series[:n], len(series) - n
}

// explanation describes the signs, and the number of missing series.
func explanation(t *sweep.Table, shown []chart.Series, missing int) string {
	words := "Marks are means, bands reach from the least to the greatest value"
	ranges := func(s chart.Series) bool {
		return slices.ContainsFunc(s.Points, func(p chart.Point) bool { return p.Low != p.High })
	}
	switch {
	case slices.ContainsFunc(t.Cells, func(c sweep.Cell) bool { return !c.Exact() }):
		words += fmt.Sprintf(" (of samples: seen), whiskers are %g %% confidence intervals of the mean", 100*sweep.Confidence)
	case !slices.ContainsFunc(shown, ranges):
		words = "Marks are the values of all runs, which are equal at each mark"
	}
	if missing > 0 {
		words += fmt.Sprintf(". %s not drawn", text.Counted(missing, "series is", "series are"))
	}
	if unfinished := t.Unfinished(); unfinished != "" {
		words += ". " + unfinished
	}
	return words + "."
}

// seriesOf returns the means of a sequence, with their ranges.
func seriesOf(t *sweep.Table, s *sweep.Sequence) chart.Series {
	out := chart.Series{Name: seriesName(s), Joined: true}
	for i := range t.Cells {
		c := &t.Cells[i]
		m := c.Measure(s.Measure)
		if m == nil || m.Count == 0 || !c.Whole() || !belongs(t, c, s) {
			continue
		}
		p := chart.Point{X: float64(c.N), Y: toFloat(m.Mean()), Low: toFloat(m.Least()), High: toFloat(m.Greatest())}
		if half, ok := m.Interval(); ok && c.Sample() {
			p.Error = half
		}
		p.Tip = fmt.Sprintf("n = %d: mean %s, %s to %s, %s", c.N, m.Mean().FloatString(digits), m.Least().RatString(),
			m.Greatest().RatString(), text.Counted(c.Runs, "run", "runs"))
		out.Points = append(out.Points, p)
	}
	slices.SortStableFunc(out.Points, func(a, b chart.Point) int { return compare(a.X, b.X) })
	return out
}

// nameCoveredSeries notes in the legend of a series that a later series with the same values covers it.
func nameCoveredSeries(series []chart.Series) {
	names := make([]*string, len(series))
	for i := range series {
		names[i] = &series[i].Name
	}
	same := func(a, b chart.Point) bool {
		return a.X == b.X && a.Y == b.Y && a.Low == b.Low && a.High == b.High && a.Error == b.Error
	}
	nameCovered(names, func(i, j int) bool {
		return len(series[i].Points) > 0 && slices.EqualFunc(series[i].Points, series[j].Points, same)
	})
}

// nameCoveredLines does the same for lines that coincide. They are about different series, so they differ in
// colour.
func nameCoveredLines(lines []chart.Line) {
	names := make([]*string, len(lines))
	for i := range lines {
		names[i] = &lines[i].Name
	}
	nameCovered(names, func(i, j int) bool { return covers(lines[i].Points, lines[j].Points) })
}

// nameCovered appends to each covered name the name of the last element that covers it.
func nameCovered(names []*string, covered func(i, j int) bool) {
	for i := range names {
		for j := len(names) - 1; j > i; j-- {
			if covered(i, j) {
				*names[i] += ", covered by " + *names[j]
				break
			}
		}
	}
}

const digits = 3

// compare orders numbers. In contrast to cmp.Compare, NaN equals every number.
func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// seriesName returns the name of a series: the values of the other axes, or "measured" without other axes.
func seriesName(s *sweep.Sequence) string {
	if at := s.Place(); at != "" {
		return at
	}
	return "measured"
}

// belongs reports whether a cell belongs to a sequence.
func belongs(t *sweep.Table, c *sweep.Cell, s *sweep.Sequence) bool {
	return !slices.ContainsFunc(s.At, func(a sweep.Setting) bool {
		return c.At[slices.Index(t.Axes, a.Name)] != a.Value
	})
}

// toFloat converts a rational number; nil becomes 0.
func toFloat(r *big.Rat) float64 {
	if r == nil {
		return 0
	}
	f, _ := r.Float64()
	return f
}

// sizeRange returns the least and the greatest number of processes.
func sizeRange(list []sweep.Sequence) (first, last int64) {
	for _, s := range list {
		for _, p := range s.Points {
			if first == 0 || p.At[0] < first {
				first = p.At[0]
			}
			last = max(last, p.At[0])
		}
	}
	return first, last
}

// formulaLines returns the exact formulas of a measure, otherwise the best fits, and the given formulas. Formulas of series that
// are not shown are omitted. Each formula is one line, whatever it is compared with.
func formulaLines(t *sweep.Table, measure string, shown []sweep.Sequence, first, last int64) (list []chart.Line) {
	add := func(s *sweep.Sequence, given bool, text string, points []drawing.Point) {
		l := chart.Line{Name: text, Points: points}
		if at := s.Place(); at != "" && len(shown) > 1 && !given {
			l.Name += " (" + at + ")"
			l.Of = 1 + slices.IndexFunc(shown, func(o sweep.Sequence) bool { return o.Place() == at })
			if l.Of == 0 {
				return // its series is not drawn
			}
		}
		same := func(o chart.Line) bool { return o.Name == l.Name }
		if len(points) > 0 && len(list) < chart.MostSeries && !slices.ContainsFunc(list, same) {
			list = append(list, l)
		}
	}
	for _, f := range t.ClosedForms {
		if f.Sequence.Measure == measure && len(f.Result.Variables) == 1 {
			name, points := formulaLine(f.Sequence.Statistic, f.Result, first, last)
			add(&f.Sequence, false, name, points)
		}
	}
	for _, c := range t.Formulas {
		if c.Sequence.Measure == measure && len(c.Sequence.Variables) == 1 {
			add(&c.Sequence, true, c.Sequence.Statistic+" = "+c.Comparison.Formula+", given", formulaPoints(&c))
		}
	}
	return list
}

// formulaLine returns the name and the points of the line of a closed form: of its exact formula, otherwise of its best
// fit. It returns nil if it has neither.
func formulaLine(statistic string, l *closedform.Result, first, last int64) (string, []drawing.Point) {
	if statistic != "" {
		statistic += " = "
	}
	switch {
	case l.Exact != nil && len(l.Exact.Exceptions) == 0:
		kind := ", exact formula"
		if l.OfSample {
			kind = ", formula of a sample"
		}
		return statistic + l.Exact.Formula.String() + kind, curve(first, last, func(n int64) (float64, bool) {
			value := l.Exact.Formula.At([]int64{n})
			return toFloat(value), value != nil
		})
	case l.Fits != nil && !l.Fits.Refuted():
		best := &l.Fits.Best[0]
		return statistic + best.Text + ", fitted to " + l.Fits.From,
			curve(first, last, func(n int64) (float64, bool) { return best.At(float64(n)), true })
	}
	return "", nil
}

// maxCorners is the maximum number of corners of a line.
const maxCorners = 400

// curve returns the points of a function at whole numbers. It omits the numbers without a value.
func curve(first, last int64, f func(n int64) (value float64, ok bool)) (points []drawing.Point) {
	add := func(n int64) {
		if value, ok := f(n); ok {
			points = append(points, drawing.At(float64(n), value))
		}
	}
	step := max(1, (last-first)/maxCorners)
	for n := first; n < last; n += step {
		add(n)
	}
	add(last)
	return points
}

// formulaPoints returns the line through the values of a formula at each point.
func formulaPoints(c *sweep.Checked) (points []drawing.Point) {
	for _, p := range c.Comparison.Points {
		points = append(points, drawing.At(float64(p.At[0]), toFloat(p.Formula)))
	}
	return points
}

// Plane draws one measure against another, a point for each cell.
func Plane(t *sweep.Table, x, y string) (*drawing.Drawing, error) {
	title, _, _ := t.Text()
	c := &chart.Chart{
		Title: fmt.Sprintf("%s against %s", y, x), Subtitle: title, X: sweep.Heading(x) + ", mean",
		Y: sweep.Heading(y) + ", mean",
	}
	c.Title = cmp.Or(t.Layout.Title, c.Title)
	shown, missing := distinguishable(t.Sequences(y, sweep.Mean))
	if missing > 0 {
		c.Subtitle += fmt.Sprintf(" (%s not drawn)", text.Counted(missing, "series is", "series are"))
	}
	for _, s := range shown {
		single := chart.Series{Name: seriesName(&s), Joined: true}
		for i := range t.Cells {
			cell := &t.Cells[i]
			mx, my := cell.Measure(x), cell.Measure(y)
			if mx == nil || my == nil || mx.Count == 0 || my.Count == 0 || !cell.Whole() || !belongs(t, cell, &s) {
				continue
			}
			single.Points = append(single.Points, chart.Point{
				X: toFloat(mx.Mean()), Y: toFloat(my.Mean()), Label: fmt.Sprint(cell.N),
				Tip: fmt.Sprintf("n = %d: %s %s, %s %s", cell.N, x, mx.Mean().FloatString(digits), y, my.Mean().FloatString(digits)),
			})
		}
		thinLabels(single.Points)
		c.Series = append(c.Series, single)
	}
	nameCoveredSeries(c.Series)
	c.Subtitle += ". The numbers are those of the processes."
	return c.Draw()
}

// thinLabels removes labels of points if there are many.
func thinLabels(points []chart.Point) {
	const labels = 8
	every := (len(points) + labels - 1) / labels
	for i := range points {
		if i%every != 0 && i != len(points)-1 {
			points[i].Label = ""
		}
	}
}
