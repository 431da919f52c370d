package chart

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

// Chart is a plot of measured points and lines of theory.
type Chart struct {
	Title, Subtitle string
	// X and Y are the labels of the axes.
	X, Y   string
	Series []Series
	Lines  []Line
	// Linear keeps both axes from being logarithmic.
	Linear bool
}

// Series is a sequence of measured points.
type Series struct {
	Name   string
	Points []Point
	// Joined: a line goes from point to point.
	Joined bool
}

// Point is one measurement.
type Point struct {
	X, Y float64
	// Low and High are the least and the greatest of the values, for example those with the mean Y. For a single
	// value both are Y, or 0.
	Low, High float64
	// Error is half of the interval of confidence of Y, 0 for none.
	Error float64
	// Label is written beside the point; Tip is shown when pointing at it.
	Label, Tip string
}

// Line is a line of theory. It is drawn above the lines that join points of series. A line about all
// series is above the lines about a single series, and the lines of later series are above those of
// earlier series.
type Line struct {
	Name   string
	Points []drawing.Point // the corners of the line, in the units of the axes
	Bound  Bound
	// Of is the number, from 1, of the series that the line is about, and the line has its colour. It is 0 for a
	// line about all series.
	Of int
}

// Bound is the side of a line on which no point is allowed.
type Bound uint8

// The kinds of lines.
const (
	NoBound Bound = iota
	AtMost
	AtLeast
)

// MostSeries is the number of series, and of lines, that a chart can distinguish.
const MostSeries = 12

// The measures of a chart, in points.
const (
	width      = 760
	plotHeight = 380
	margin     = 24
	axisWidth  = 64
	headLine   = 24
)

// Draw returns the chart as a drawing.
func (c *Chart) Draw() (*drawing.Drawing, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	p := &plot{chart: c, drawing: &drawing.Drawing{
		Diagram: "chart", Title: text.Printable(c.Title), Desc: c.desc(), Width: width, Layers: make([]drawing.Layer, layers), Styles: styles(),
	}}
	top := p.drawHeading()
	p.box = box{margin + axisWidth, top, width - margin, top + plotHeight}
	p.computeScales()
	p.drawGrid()
	p.shadeBounds()
	for i := range c.Series {
		p.shadeRange(i)
	}
	for i := range c.Series {
		p.drawSeries(i)
	}
	for i := range c.Lines {
		p.drawLine(i)
	}
	p.drawing.Height = p.drawLegend(p.box.bottom+axisRoom) + margin
	return p.drawing, nil
}

// check returns an error for a chart that cannot be plotted.
func (c *Chart) check() error {
	points := 0
	for i := range c.Series {
		for _, p := range c.Series[i].Points {
			for _, v := range []float64{p.X, p.Y, p.Low, p.High, p.Error} {
				if math.IsNaN(v) || math.Abs(v) > maxPlotted {
					return fmt.Errorf("the value %v cannot be plotted", v)
				}
			}
			points++
		}
	}
	switch {
	case points == 0:
		return errors.New("there is no point to plot")
	case slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Of < 0 || l.Of > len(c.Series) }):
		return errors.New("a line about a series that there is not")
	case len(c.Series) > MostSeries || len(c.Lines) > MostSeries:
		return fmt.Errorf("%d series and %d lines, expected at most %d of each", len(c.Series), len(c.Lines), MostSeries)
	}
	return nil
}

// maxPlotted bounds the plotted values, so that differences stay finite. On a logarithmic axis it bounds the
// factors, too.
const maxPlotted = 1e290

// desc describes the plot in words.
func (c *Chart) desc() string {
	s := fmt.Sprintf("A chart of %s over %s.", text.Printable(c.Y), text.Printable(c.X))
	for i := range c.Series {
		points := c.Series[i].Points
		if len(points) == 0 {
			continue
		}
		first, last := points[0], points[len(points)-1]
		s += fmt.Sprintf(" %s: %s, from %s at %s to %s at %s.", text.Printable(c.Series[i].Name),
			text.Counted(len(points), "point", "points"), label(first.Y), label(first.X), label(last.Y), label(last.X))
	}
	for i := range c.Lines {
		s += " Line: " + text.Printable(c.Lines[i].Name) + "."
	}
	return s
}
