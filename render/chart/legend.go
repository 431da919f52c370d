package chart

import (
	"slices"
	"strings"

	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

// The measures of the legend.
const (
	legendRow    = 18
	legendSample = 30
	legendGap    = 18
	// maxRows is the maximum number of rows of a name; a longer name is cut off.
	maxRows = 4
)

// drawLegend explains series and lines, and returns the y of its end.
func (p *plot) drawLegend(y float64) float64 {
	x := float64(margin)
	entry := func(name string, draw func(x, y float64)) {
		rows := legendRows(text.Printable(name), width-2*margin-legendSample-8)
		w := legendSample + 8 + legendText.TextWidth(rows[0])
		if x > margin && (x+w > width-margin || len(rows) > 1) {
			x, y = margin, y+legendRow
		}
		draw(x, y)
		for i, row := range rows {
			if i > 0 {
				x, y, w = margin, y+legendRow, width // nothing goes beside the last row
			}
			p.text(legendText, x+legendSample+8+legendText.TextWidth(row)/2, y, legendText.TextWidth(row), drawing.Left, row)
		}
		x += w + legendGap
	}
	for i := range p.chart.Series {
		entry(p.chart.Series[i].Name, func(x, y float64) { p.seriesSample(i, x, y) })
	}
	for i := range p.chart.Lines {
		entry(p.lineName(i), func(x, y float64) { p.lineSample(i, x, y) })
	}
	return y + legendRow/2
}

// legendRows splits a name into rows; the rest of a very long name is cut off.
func legendRows(name string, room float64) []string {
	rows := legendText.Wrap(name, room)
	switch {
	case len(rows) == 0:
		return []string{""}
	case len(rows) > maxRows:
		rows = append(rows[:maxRows-1], strings.Join(rows[maxRows-1:], " "))
	}
	for i := range rows {
		rows[i] = legendText.Fit(rows[i], room)
	}
	return rows
}

// seriesSample draws the sample of a series in the legend.
func (p *plot) seriesSample(i int, x, y float64) {
	s, looks := &p.chart.Series[i], &seriesLooks[i]
	if p.hasRange(s) {
		p.drawing.Areas = append(p.drawing.Areas, rectangle(looks.fill, x, y))
	}
	if s.Joined {
		p.path(theory, looks.path, drawing.Line(drawing.At(x, y), drawing.At(x+legendSample, y)))
	}
	p.node(measured, drawing.Node{Style: looks.mark, X: x + legendSample/2, Y: y, W: markSize, H: markSize})
}

// hasRange reports whether a band is drawn for the series: it joins several points, and some point has a range.
func (p *plot) hasRange(s *Series) bool {
	isRange := func(q Point) bool { low, high := q.span(); return low < high }
	return s.Joined && len(s.Points) > 1 && slices.ContainsFunc(s.Points, isRange)
}

// lineName returns the legend's text for a line. If the line is outside of the plot, the text notes that.
func (p *plot) lineName(i int) string {
	l := &p.chart.Lines[i]
	if len(l.Points) > 1 && len(p.visible(l.Points)) == 0 {
		return l.Name + ", beyond the plot"
	}
	return l.Name
}

// lineSample draws the sample of a line in the legend.
func (p *plot) lineSample(i int, x, y float64) {
	if p.chart.Lines[i].Bound != NoBound {
		p.drawing.Areas = append(p.drawing.Areas, rectangle(boundFill, x, y))
	}
	p.path(theory, p.chart.lineStyle(i), drawing.Line(drawing.At(x, y), drawing.At(x+legendSample, y)))
}

// rectangle returns a filled area behind a sample of the legend.
func rectangle(fill string, x, y float64) drawing.Area {
	const half = 6
	return drawing.Area{Fill: fill, Corners: []drawing.Point{
		drawing.At(x, y-half), drawing.At(x+legendSample, y-half),
		drawing.At(x+legendSample, y+half), drawing.At(x, y+half),
	}}
}
