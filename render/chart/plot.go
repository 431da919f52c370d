package chart

import (
	"math"
	"slices"

	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

// The layers of a chart, from back to front.
const (
	ground = iota
	theory
	measured
	words
	layers
)

// box is the rectangle of the plot.
type box struct{ left, top, right, bottom float64 }

// plot is a chart that is being drawn.
type plot struct {
	chart   *Chart
	drawing *drawing.Drawing
	box     box
	x, y    scale
}

// node adds a node to a layer.
func (p *plot) node(layer int, n drawing.Node) {
	l := &p.drawing.Layers[layer]
	l.Nodes = append(l.Nodes, n)
}

// path adds a path to a layer.
func (p *plot) path(layer int, style *drawing.Style, strokes ...[]drawing.Point) {
	l := &p.drawing.Layers[layer]
	l.Paths = append(l.Paths, drawing.Path{Style: style, Strokes: strokes})
}

// text writes a line of text, cut down to the width w. Its middle is at y.
func (p *plot) text(style *drawing.Style, x, y, w float64, align drawing.Align, s string) {
	p.node(words, drawing.Node{Style: style, X: x, Y: y, W: w, H: style.Size * 1.4, Text: style.Fit(s, w), Align: align})
}

// drawHeading writes title and subtitle, and returns the y at which the plot begins.
func (p *plot) drawHeading() float64 {
	y := margin + headLine/2.0
	p.text(titleText, width/2, y, width-2*margin, drawing.Center, p.drawing.Title)
	y += 4
	for _, line := range subtitleText.Wrap(text.Printable(p.chart.Subtitle), width-2*margin) {
		y += headLine * 0.75
		p.text(subtitleText, width/2, y, width-2*margin, drawing.Center, line)
	}
	y += headLine
	p.text(axisName, margin+(width-2*margin)/2, y, width-2*margin, drawing.Left, text.Printable(p.chart.Y))
	return y + headLine*0.7
}

// computeScales computes the ranges of the axes. Lines that go far beyond the measured points are cut off.
func (p *plot) computeScales() {
	var xs, ys []float64
	for i := range p.chart.Series {
		for _, q := range p.chart.Series[i].Points {
			low, high := q.span()
			xs, ys = append(xs, q.X), append(ys, low, high, q.Y)
		}
	}
	p.x = newScale(xs, p.chart.Linear, p.box.left, p.box.right)
	p.x.log = p.x.log || !p.chart.Linear && arePowersOfTwo(xs)
	p.y = newScale(ys, p.chart.Linear || !growsByFactors(xs) && !spansDecades(ys), p.box.bottom, p.box.top)
	p.y.base2 = false
	// A line may widen the axis by this factor. A formula that grows faster would press the measured points to the
	// axis.
	beyond := 1.5
	if p.y.log {
		beyond = 12
	}
	lowest, highest := p.y.low/beyond, p.y.high*beyond
	for _, l := range p.chart.Lines {
		for _, q := range l.Points {
			if q.X >= p.x.low && q.X <= p.x.high && q.Y > 0 {
				p.y.low, p.y.high = min(p.y.low, max(q.Y, lowest)), max(p.y.high, min(q.Y, highest))
			}
		}
	}
	p.x.widen(false)
	p.y.widen(true)
}

// newScale returns the scale of an axis for values. It is logarithmic if the values grow by factors, unless linear is
// set.
func newScale(values []float64, linear bool, from, to float64) scale {
	s := scale{low: math.Inf(1), high: math.Inf(-1), from: from, to: to, base2: true, onlyWholes: true}
	for _, v := range values {
		s.low, s.high = min(s.low, v), max(s.high, v)
		s.onlyWholes = s.onlyWholes && v == math.Trunc(v)
		s.base2 = s.base2 && v > 0
	}
	s.log = !linear && growsByFactors(values)
	s.base2 = s.base2 && s.high/s.low < 1<<12 // more powers of two would crowd the axis
	return s
}

// span returns the range of a point.
func (q *Point) span() (low, high float64) {
	if q.Low == 0 && q.High == 0 {
		return q.Y, q.Y
	}
	return min(q.Low, q.Y), max(q.High, q.Y)
}

// axisRoom is the height of the labels below the plot.
const axisRoom = 58

// drawGrid draws the axes, their labels and the grid lines.
func (p *plot) drawGrid() {
	b := p.box
	var lines [][]drawing.Point
	for _, v := range p.x.ticks() {
		x := p.x.at(v)
		lines = append(lines, drawing.Line(drawing.At(x, b.top), drawing.At(x, b.bottom)))
		p.text(axisText, x, b.bottom+12, 70, drawing.Center, label(v))
	}
	for _, v := range p.y.ticks() {
		y := p.y.at(v)
		lines = append(lines, drawing.Line(drawing.At(b.left, y), drawing.At(b.right, y)))
		p.text(axisText, b.left-8-axisWidth/2, y, axisWidth, drawing.Right, label(v))
	}
	if len(lines) > 0 {
		p.path(ground, gridLine, lines...)
	}
	p.path(ground, axisLine, drawing.Line(drawing.At(b.left, b.top), drawing.At(b.left, b.bottom), drawing.At(b.right, b.bottom)))
	p.text(axisName, (b.left+b.right)/2, b.bottom+32, b.right-b.left, drawing.Center, text.Printable(p.chart.X)+p.scaleWords())
}

// scaleWords describes logarithmic axes.
func (p *plot) scaleWords() string {
	if p.x.log && p.y.log {
		return " (both axes logarithmic)"
	}
	if p.x.log {
		return " (logarithmic)"
	}
	return ""
}

// place returns the place of two values in the drawing.
func (p *plot) place(x, y float64) drawing.Point { return drawing.At(p.x.at(x), p.y.at(y)) }

// shadeBounds shades the forbidden side of each bound.
func (p *plot) shadeBounds() {
	for i := range p.chart.Lines {
		l := &p.chart.Lines[i]
		edge := p.box.top
		if l.Bound == AtLeast {
			edge = p.box.bottom
		}
		for _, line := range p.visible(l.Points) {
			if l.Bound == NoBound || len(line) < 2 {
				continue
			}
			corners := append(line[:len(line):len(line)], drawing.At(line[len(line)-1].X, edge), drawing.At(line[0].X, edge))
			p.drawing.Areas = append(p.drawing.Areas, drawing.Area{Fill: boundFill, Corners: corners})
		}
	}
}

// visible returns the parts of a line inside the plot.
func (p *plot) visible(points []drawing.Point) (parts [][]drawing.Point) {
	// A part ends where the line leaves the plot. It continues if the next piece begins where the last one ended.
	var part []drawing.Point
	flush := func() {
		if len(part) > 1 {
			parts = append(parts, part)
		}
		part = nil
	}
	for i := range points {
		at := p.place(points[i].X, points[i].Y)
		if i > 0 {
			a, b, ok := p.clip(p.place(points[i-1].X, points[i-1].Y), at)
			if !ok {
				flush()
				continue
			}
			if len(part) == 0 || part[len(part)-1] != a {
				flush()
				part = []drawing.Point{a}
			}
			part = append(part, b)
		}
	}
	flush()
	return parts
}

// clip returns the part of a piece of a line inside the plot, false if there is no such part. It cuts the piece at
// one side of the plot after another.
func (p *plot) clip(a, b drawing.Point) (drawing.Point, drawing.Point, bool) {
	for _, side := range [...]struct {
		room  func(drawing.Point) float64 // the distance of a point from the side, negative outside of the plot
		place func(crossing drawing.Point) drawing.Point
	}{
		{func(q drawing.Point) float64 { return q.X - p.box.left }, func(q drawing.Point) drawing.Point { return drawing.At(p.box.left, q.Y) }},
		{func(q drawing.Point) float64 { return p.box.right - q.X }, func(q drawing.Point) drawing.Point { return drawing.At(p.box.right, q.Y) }},
		{func(q drawing.Point) float64 { return q.Y - p.box.top }, func(q drawing.Point) drawing.Point { return drawing.At(q.X, p.box.top) }},
		{
			func(q drawing.Point) float64 { return p.box.bottom - q.Y },
			func(q drawing.Point) drawing.Point { return drawing.At(q.X, p.box.bottom) },
		},
	} {
		switch roomA, roomB := side.room(a), side.room(b); {
		case roomA < 0 && roomB < 0:
			return a, b, false
		case roomA < 0:
			a = side.place(between(b, a, roomB/(roomB-roomA)))
		case roomB < 0:
			b = side.place(between(a, b, roomA/(roomA-roomB)))
		}
	}
	return a, b, a != b
}

// between returns the point at a fraction of the way from near to far. It is computed from the near end, since digits
// would be lost from the far one.
func between(near, far drawing.Point, part float64) drawing.Point {
	return drawing.At(near.X+part*(far.X-near.X), near.Y+part*(far.Y-near.Y))
}

// drawLine draws a line of theory.
func (p *plot) drawLine(i int) {
	for _, part := range p.visible(p.chart.Lines[i].Points) {
		p.path(theory, p.chart.lineStyle(i), drawing.Line(part...))
	}
}

// shadeRange shades the ranges of a series: an area between its greatest and its least values.
func (p *plot) shadeRange(i int) {
	points := p.chart.Series[i].Points
	if !p.hasRange(&p.chart.Series[i]) {
		return
	}
	var high, low []drawing.Point
	for _, q := range points {
		l, h := q.span()
		high, low = append(high, p.place(q.X, h)), append(low, p.place(q.X, l))
	}
	slices.Reverse(low) // the outline goes back below the points
	corners := append(high, low...)
	p.drawing.Areas = append(p.drawing.Areas, drawing.Area{Fill: seriesLooks[i].fill, Corners: corners})
}

const markSize = 7

// drawSeries draws the points of a series, with their intervals and labels.
func (p *plot) drawSeries(i int) {
	s, looks := &p.chart.Series[i], &seriesLooks[i]
	var line []drawing.Point
	size := markSize - math.Min(3, float64(len(s.Points))/40)
	for _, q := range s.Points {
		at := p.place(q.X, q.Y)
		line = append(line, at)
		if q.Error > 0 {
			p.drawInterval(looks.whisker, at.X, p.y.at(q.Y-q.Error), p.y.at(q.Y+q.Error))
		}
		p.node(measured, drawing.Node{Style: looks.mark, X: at.X, Y: at.Y, W: size, H: size, Tip: text.Printable(q.Tip)})
		if q.Label != "" {
			p.labelPoint(at, text.Printable(q.Label))
		}
	}
	if s.Joined && len(line) > 1 {
		p.path(theory, looks.path, drawing.Line(line...))
	}
}

// labelPoint writes a text to the right of a point, or to its left if there is no room.
func (p *plot) labelPoint(at drawing.Point, label string) {
	const gap, above = 8, 9
	w := pointText.TextWidth(label)
	x, align := at.X+gap+w/2, drawing.Left
	if x+w/2 > width-margin/2 {
		x, align = at.X-gap-w/2, drawing.Right
	}
	p.text(pointText, x, at.Y-above, w, align, label)
}

// drawInterval draws an interval, unless it is hidden by its mark.
func (p *plot) drawInterval(style *drawing.Style, x, low, high float64) {
	low, high = min(low, p.box.bottom), max(high, p.box.top)
	const caps = 4
	if low-high < markSize+caps {
		return
	}
	const half = 3
	p.path(measured, style,
		drawing.Line(drawing.At(x, low), drawing.At(x, high)),
		drawing.Line(drawing.At(x-half, low), drawing.At(x+half, low)),
		drawing.Line(drawing.At(x-half, high), drawing.At(x+half, high)))
}
