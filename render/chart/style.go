package chart

import "etrace/render/drawing"

// The styles of texts and axes.
var (
	titleText    = &drawing.Style{Name: "title-text", Text: drawing.Ink, Size: 17, Bold: true}
	subtitleText = &drawing.Style{Name: "subtitle-text", Text: drawing.Grey, Size: 11.5}
	axisText     = &drawing.Style{Name: "axis-text", Text: drawing.Grey, Size: 11}
	axisName     = &drawing.Style{Name: "axis-name", Text: drawing.Ink, Size: 12, Bold: true}
	legendText   = &drawing.Style{Name: "legend-text", Text: drawing.Ink, Size: 10.5}
	pointText    = &drawing.Style{Name: "point-text", Text: drawing.Ink, Size: 9.5, Fill: drawing.Veil}
	gridLine     = &drawing.Style{Name: "grid-line", Stroke: "#e3e6eb", Width: 0.8}
	axisLine     = &drawing.Style{Name: "axis-line", Stroke: "#7d8490", Width: 1.1}
)

// boundFill is the colour of regions in which no point is allowed.
const boundFill = "#d55e0012"

// Colours and marks distinguish series, and marks alone suffice without colours. The first series have filled marks.
// In the second round the colours repeat, and the marks are hollow, on a thinner line. At their size all shapes look
// different.
var (
	colors = [...]string{drawing.Blue, drawing.Vermilion, drawing.Green, drawing.Purple, drawing.Orange, drawing.Brown}
	shapes = [...]drawing.Shape{
		drawing.Ellipse, drawing.Rectangle, drawing.Diamond, drawing.TriangleUp,
		drawing.TriangleRight, drawing.TriangleLeft,
	}
	dashes = [...]drawing.Dash{drawing.Solid, drawing.Dashed, drawing.Dotted}
)

// bandAlpha is the opacity of the range of a series, in hexadecimal.
const bandAlpha = "22"

// The widths of the lines of a series, and of the lines of theory about it, in the first and the second round.
var (
	pathWidths = [...]float64{1.2, 0.6}
	ownWidths  = [...]float64{1.5, 2.4}
)

// look is the appearance of a series or a line.
type look struct {
	mark, path, whisker *drawing.Style
	fill                string
}

// seriesLooks and lineLooks are the looks of the series and the lines, in their order.
var seriesLooks, lineLooks = makeLooks()

// makeLooks builds the appearances of all series and lines.
func makeLooks() (series, lines [MostSeries]look) {
	for i := range MostSeries {
		color, round := colors[i%len(colors)], i/len(colors)
		fill := color
		if round > 0 {
			fill = drawing.Paper
		}
		series[i] = look{
			mark:    &drawing.Style{Name: "mark", Shape: shapes[i%len(shapes)], Stroke: color, Width: 1.2, Fill: fill},
			path:    &drawing.Style{Name: "series", Stroke: color, Width: pathWidths[round]},
			whisker: &drawing.Style{Name: "whisker", Stroke: color, Width: 1.2},
			fill:    color + bandAlpha,
		}
		// Lines of theory have other colours, and only every third line is solid.
		lines[i].path = &drawing.Style{Name: "line", Stroke: lineColors[i%len(lineColors)], Width: 1.5, Dash: dashes[(i+1)%len(dashes)]}
	}
	return series, lines
}

// ownDashes are the patterns of the lines about one series, in their order. Only the line of the series
// itself has no gaps.
var ownDashes = [...]drawing.Dash{drawing.Dashed, drawing.Dotted}

// ownLooks are the styles of the lines about a series.
var ownLooks = func() (looks [MostSeries][len(ownDashes)]*drawing.Style) {
	for i := range looks {
		for j, dash := range ownDashes {
			looks[i][j] = &drawing.Style{Name: "line", Stroke: colors[i%len(colors)], Width: ownWidths[i/len(colors)], Dash: dash}
		}
	}
	return looks
}()

// lineStyle returns the style of a line. A line about one series has the colour of the series.
func (c *Chart) lineStyle(i int) *drawing.Style {
	series, before := c.Lines[i].Of, 0
	for _, l := range c.Lines[:i] {
		if l.Of == series {
			before++
		}
	}
	if series == 0 {
		return lineLooks[before].path
	}
	return ownLooks[series-1][before%len(ownDashes)]
}

var lineColors = [...]string{drawing.Ink, drawing.Grey, drawing.Purple, drawing.Brown}

// styles lists all styles, in the order in which the groups of a layer are written.
func styles() []*drawing.Style {
	list := []*drawing.Style{titleText, subtitleText, gridLine, axisLine, axisText, axisName, legendText}
	for i := range MostSeries {
		list = append(list, seriesLooks[i].path)
	}
	for i := range MostSeries {
		list = append(list, ownLooks[i][:]...)
	}
	for i := range MostSeries {
		list = append(list, lineLooks[i].path)
	}
	for i := range MostSeries {
		list = append(list, seriesLooks[i].whisker, seriesLooks[i].mark)
	}
	return append(list, pointText)
}
