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

// legend collects which signs occur in a drawing.
type legend struct {
	rows  []*LegendRow
	types []bool // by type number
	// strands are by their number, see [story.Story.Strands].
	strands [drawing.Lines + 1]bool
}

func (l *legend) explain(row *LegendRow) {
	if !slices.Contains(l.rows, row) {
		l.rows = append(l.rows, row)
	}
}

func (l *legend) explainType(number int) {
	for len(l.types) <= number {
		l.types = append(l.types, false)
	}
	l.types[number] = true
}

// strandRows map lines to the processes whose messages have them.
func (l *legend) strandRows(s *story.Story) []*LegendRow {
	var list []*LegendRow
	for number, used := range l.strands {
		if !used || number > len(s.Strands()) {
			continue
		}
		list = append(list, &LegendRow{"initiated by " + s.Name(s.Strands()[number-1]), func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
			p := lineSample(lostLine, drawing.At(at.X-16, at.Y), drawing.At(at.X+16, at.Y))
			p.Line = number
			return nil, []drawing.Path{p}
		}})
	}
	return list
}

// list returns the message types and what they belong to, then the rows: those of
// legendRows in that order, before others.
func (l *legend) list(s *story.Story) []*LegendRow {
	var list []*LegendRow
	for number, used := range l.types {
		if !used {
			continue
		}
		hue := drawing.HueOf(number)
		list = append(list, &LegendRow{s.Types[number-1], func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
			p := lineSample(messageLine, drawing.At(at.X-16, at.Y), drawing.At(at.X+16, at.Y))
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

// drawLegend writes the legend below y, in as many lines as it needs, and
// returns the y below it.
func (p *Page) drawLegend(y float64) float64 {
	list := p.legend.list(p.story)
	if len(list) == 0 {
		return y
	}
	out := &p.Drawing.Layers[Marks]
	left, right := Margin+10, p.Drawing.Width-Margin-10
	pitch := legendPitch
	if p.Layout.Spacing == Tight {
		pitch = legendTight
	}
	x, top := left, y
	y += 8 + pitch/2
	for _, row := range list {
		w := legendText.TextWidth(row.Text)
		if x > left && x+sampleWidth+8+w > right {
			x = left
			y += pitch
		}
		nodes, paths := row.Draw(drawing.At(x+sampleWidth/2, y))
		out.Nodes = append(out.Nodes, nodes...)
		out.Paths = append(out.Paths, paths...)
		p.Node(Marks, drawing.Node{Style: legendText, X: x + sampleWidth + 6 + w/2, Y: y, W: w, H: 14, Text: row.Text, Align: drawing.Left})
		x += sampleWidth + 6 + w + legendGap
	}
	y += pitch/2 + 8
	p.Node(Ground, drawing.Node{Style: frameBox, X: p.Drawing.Width / 2, Y: (top + y) / 2, W: p.Drawing.Width - 2*Margin, H: y - top})
	return y
}
