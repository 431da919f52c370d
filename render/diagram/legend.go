package diagram

import (
	"cmp"
	"slices"

	"etrace/render/drawing"
	"etrace/render/story"
)

// LegendRow explains a sign of a diagram. A diagram has its rows as variables and explains the rows that occur, see
// [Page.Explain].
type LegendRow struct {
	Text string
	// Draw draws the sign around a point, in a place of 34 by 21 points.
	Draw Sample
}

// Sample draws a sign around a point.
type Sample func(at drawing.Point) ([]drawing.Node, []drawing.Path)

const (
	sampleWidth = 34.0
	legendPitch = 21.0
	legendTight = 17.0
	legendGap   = 22.0
)

// legend collects the signs that occur in a drawing.
type legend struct {
	rows  []*LegendRow
	types []bool // by type number
	// strands[n] is set if the drawing has a message of election n. Each election has its own line style, see
	// [story.Story.Strands].
	strands [drawing.Lines + 1]bool
}

// explain adds a row, once.
func (l *legend) explain(row *LegendRow) {
	if !slices.Contains(l.rows, row) {
		l.rows = append(l.rows, row)
	}
}

// explainType adds a message type, once.
func (l *legend) explainType(number int) {
	for len(l.types) <= number {
		l.types = append(l.types, false)
	}
	l.types[number] = true
}

// strandRows returns the rows that map line patterns to the processes whose messages have them.
func (l *legend) strandRows(s *story.Story) []*LegendRow {
	var list []*LegendRow
	for number, used := range l.strands {
		if !used || number > len(s.Strands()) {
			continue
		}
		list = append(list, &LegendRow{"initiated by " + s.Name(s.Strands()[number-1]), func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
			p := acrossSample(lostLine, at)
			p.Line = number
			return nil, []drawing.Path{p}
		}})
	}
	return list
}

// list returns the message types with their strands, then the rows: those of legendRows in that order, then others.
func (l *legend) list(s *story.Story) []*LegendRow {
	var list []*LegendRow
	for number, used := range l.types {
		if !used {
			continue
		}
		hue := drawing.HueOf(number)
		list = append(list, &LegendRow{s.Types[number-1], func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
			p := acrossSample(messageLine, at)
			p.Hue = hue
			return nil, []drawing.Path{p}
		}})
	}
	place := func(row *LegendRow) int {
		if i := slices.Index(legendRows, row); i >= 0 {
			return i
		}
		return len(legendRows)
	}
	list = append(list, l.strandRows(s)...)
	return append(list, slices.SortedStableFunc(slices.Values(l.rows),
		func(a, b *LegendRow) int { return cmp.Compare(place(a), place(b)) })...)
}

// legendPlace is the place of a row of the legend, from its upper left corner.
type legendPlace struct {
	row   *LegendRow
	lines []string
	x, y  float64
}

// placeLegend places the rows of the legend between two borders, on as many lines as necessary, and returns their
// height.
func (p *Page) placeLegend(left, right float64) (places []legendPlace, height float64) {
	pitch := legendPitch
	if p.Layout.Spacing == Tight {
		pitch = legendTight
	}
	const sample = sampleWidth + 6
	x, y := left, 8+pitch/2
	for _, row := range p.legend.list(p.story) {
		lines := []string{row.Text}
		if legendText.TextWidth(row.Text) > right-left-sample {
			lines = legendText.Wrap(row.Text, right-left-sample)
		}
		w := 0.0
		for _, line := range lines {
			w = max(w, legendText.TextWidth(line))
		}
		if x > left && (x+sample+2+w > right || len(lines) > 1) {
			x = left
			y += pitch
		}
		places = append(places, legendPlace{row, lines, x, y})
		y += float64(len(lines)-1) * labelHeight
		x += sample + w + legendGap
	}
	if places == nil {
		return nil, 0
	}
	return places, y + pitch/2 + 8
}

// drawLegend writes the legend below y, across the page or in the column reserved for it. It returns the y below the
// legend.
func (p *Page) drawLegend(y float64) float64 {
	left, right := Margin, p.Drawing.Width-Margin
	if p.column.left > 0 {
		left, y = p.column.left, p.column.top
	}
	places, height := p.placeLegend(left+10, right-10)
	if places == nil {
		return y
	}
	out := &p.Drawing.Layers[Marks]
	for _, at := range places {
		nodes, paths := at.row.Draw(drawing.At(at.x+sampleWidth/2, y+at.y))
		out.Nodes = append(out.Nodes, nodes...)
		out.Paths = append(out.Paths, paths...)
		style := legendText
		for i, line := range at.lines {
			w := legendText.TextWidth(line)
			lineY := y + at.y + float64(i)*labelHeight
			p.Node(Marks, drawing.Node{Style: style, X: at.x + sampleWidth + 6 + w/2, Y: lineY, W: w, H: 14, Text: line, Align: drawing.Left})
			style = legendMore
		}
	}
	p.Node(Ground, drawing.Node{Style: frameBox, X: (left + right) / 2, Y: y + height/2, W: right - left, H: height})
	return y + height
}
