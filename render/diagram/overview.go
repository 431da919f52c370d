package diagram

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

var overviewDiagram = Diagram{
	Name:   "overview",
	Doc:    "a run of any length on one page: messages over time, leaders, faults and violations",
	Groups: true,
	Kinds:  []tracefmt.Kind{},
	Build:  buildOverview,
}

// Distances in the overview.
const (
	overviewHeight = 120.0 // of the bars
	stripPitch     = 22.0
	mostStrips     = 12 // processes of a kind
	overviewTicks  = 8
)

// The styles of the overview.
var (
	densityBar  = &drawing.Style{Name: "density", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: "#9fb6cd"}
	lostBar     = &drawing.Style{Name: "density-lost", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: drawing.Vermilion}
	leadBar     = &drawing.Style{Name: "lead", Shape: drawing.Rectangle, Stroke: drawing.Ink, Width: 0.8, Fill: "#fdf1cf"}
	wentDownBar = &drawing.Style{
		Name: "went-down", Shape: drawing.Rectangle, Stroke: drawing.Grey, Width: 1, Dash: drawing.Dotted, Text: drawing.Ink, Size: SmallestText,
	}
	violationMark = &drawing.Style{Name: "violation", Shape: drawing.TriangleUp, Stroke: drawing.Vermilion, Width: 1, Fill: drawing.Vermilion}
	violationLine = &drawing.Style{Name: "violation-line", Stroke: drawing.Vermilion, Width: 1, Dash: drawing.Dashed}
)

var (
	legendDensity   = &LegendRow{"messages sent in a stretch of time", nodeSample(densityBar, 8, 15, "")}
	legendInvoked   = &LegendRow{"operations invoked in a stretch of time", nodeSample(densityBar, 8, 15, "")}
	legendLost      = &LegendRow{"messages lost", nodeSample(lostBar, 8, 15, "")}
	legendLead      = &LegendRow{"leads", nodeSample(leadBar, 30, 13, "")}
	legendIsDown    = &LegendRow{"is down, or the network is divided", nodeSample(faultBar, 30, 13, "")}
	legendWentDown  = &LegendRow{"goes down in here, not recorded when", nodeSample(wentDownBar, 30, 13, "")}
	legendViolation = &LegendRow{"shows a violation", nodeSample(violationMark, 11, 11, "")}
)

// overviewPage is an overview while it is drawn.
type overviewPage struct {
	*Page
	run         *story.Overview
	left, right float64
	y           float64
}

// buildOverview draws the counts of messages over time, with leaders, faults and violations below.
func buildOverview(ctx context.Context, s *story.Story, l Layout) (*drawing.Drawing, error) {
	o := &overviewPage{Page: NewPage("overview", s, l), run: s.Overview()}
	o.Drawing.Width = historyWidth
	if l.Width > 0 {
		o.Drawing.Width = l.Width
	}
	names := laneText.TextWidth("violations")
	for _, v := range o.run.Violations {
		names = min(max(names, laneText.TextWidth("key "+v.Object)), o.Drawing.Width/4)
	}
	for _, list := range [][]story.Interval{o.run.Leading, o.run.Down} {
		for _, i := range list {
			names = max(names, laneText.TextWidth(o.nameOf(i.Process)))
		}
	}
	o.left, o.right = Margin+names+18, o.Drawing.Width-Margin-20
	o.y = o.Heading() + 8
	top := o.y
	o.drawDensity()
	o.drawStrips("leads", o.run.Leading, leadBar, legendLead)
	o.drawStrips("down", o.run.Down, faultBar, legendIsDown)
	o.drawStrips("divided", o.run.Divided, faultBar, legendIsDown)
	o.drawViolations(top)
	o.drawTimes(top)
	return o.Close(o.y), ctx.Err()
}

// nameOf returns the name of a process with its group.
func (o *overviewPage) nameOf(p tracefmt.ProcessID) string {
	if group := o.story.GroupOf(p); group != "" {
		return group + ": " + o.story.Name(p)
	}
	return o.story.Name(p)
}

// xOf returns the horizontal place of a time.
func (o *overviewPage) xOf(at int64) float64 {
	if o.run.Last == o.run.First {
		return o.left
	}
	return o.left + (o.right-o.left)*float64(at-o.run.First)/float64(o.run.Last-o.run.First)
}

// drawDensity draws the numbers of messages sent, and before them the numbers of lost messages. Without messages it draws the
// numbers of operations.
func (o *overviewPage) drawDensity() {
	type counts struct {
		list   []int64
		style  *drawing.Style
		legend *LegendRow
		words  string
	}
	subject, rows := "message", []counts{{o.run.Messages, densityBar, legendDensity, "sent"}, {o.run.Lost, lostBar, legendLost, "lost"}}
	if len(o.run.Messages)+len(o.run.Lost) == 0 {
		subject, rows = "operation", []counts{{o.run.Invoked, densityBar, legendInvoked, "invoked"}}
	}
	if len(o.run.Messages)+len(o.run.Lost)+len(o.run.Invoked) == 0 {
		return // a strip without bars would look like an error
	}
	peak := int64(1)
	for _, row := range rows {
		for _, n := range row.list {
			peak = max(peak, n)
		}
	}
	bottom := o.y + overviewHeight
	for _, row := range rows {
		for i, n := range row.list {
			if n == 0 {
				continue
			}
			o.Explain(row.legend)
			from := o.run.First + int64(i)*o.run.Stretch
			x0, x1 := o.xOf(from), max(min(o.xOf(from+o.run.Stretch), o.right), o.xOf(from)+2)
			h := max(overviewHeight*float64(n)/float64(peak), 1)
			tip := fmt.Sprintf("%s %s from %s", story.Plural(n, subject), row.words, o.placeText(from))
			o.Node(Lines, drawing.Node{Style: row.style, X: (x0 + x1) / 2, Y: bottom - h/2, W: x1 - x0, H: h, Tip: tip})
		}
	}
	o.writeLabel(subject+"s", o.y+overviewHeight/2)
	o.writeLabel(story.Group(peak), o.y+7)
	o.Path(Ground, drawing.Path{Style: tickLine, Strokes: [][]drawing.Point{drawing.Line(drawing.At(o.left, o.y), drawing.At(o.right, o.y))}})
	o.y = bottom + 10
}

// writeLabel writes the name of a strip.
func (o *overviewPage) writeLabel(text string, y float64) {
	w := laneText.TextWidth(text)
	o.Node(Texts, drawing.Node{Style: laneText, X: o.left - 8 - w/2, Y: y, W: w, H: 14, Text: text})
}

// drawStrips draws when a condition holds, in a strip for each process.
func (o *overviewPage) drawStrips(words string, list []story.Interval, style *drawing.Style, row *LegendRow) {
	var processes []tracefmt.ProcessID
	for _, i := range list {
		if !slices.Contains(processes, i.Process) {
			processes = append(processes, i.Process)
		}
	}
	if len(processes) == 0 {
		return
	}
	w := groupText.TextWidth(words)
	o.Node(Texts, drawing.Node{Style: groupText, X: Margin + w/2, Y: o.y + 8, W: w, H: 15, Text: words})
	o.y += 18
	slices.SortFunc(processes, func(a, b tracefmt.ProcessID) int {
		return cmp.Compare(slices.Index(o.story.Order, a), slices.Index(o.story.Order, b))
	})
	for n, p := range processes {
		if n == mostStrips {
			o.writeLabel(fmt.Sprintf("and %d more", len(processes)-n), o.y+stripPitch/2)
			o.y += stripPitch
			break
		}
		if p != 0 {
			o.writeLabel(o.nameOf(p), o.y+stripPitch/2)
		}
		for _, i := range list {
			if i.Process != p {
				continue
			}
			// An inferred crash is somewhere in its interval.
			look, explained, verb := style, row, words
			if i.Inferred {
				look, explained, verb = wentDownBar, legendWentDown, "goes down"
			}
			o.Explain(explained)
			x0, x1 := o.xOf(i.From), max(o.xOf(i.To), o.xOf(i.From)+1)
			tip := fmt.Sprintf("%s %s from %s to %s", o.story.Name(p), verb, o.placeText(i.From), o.placeText(i.To))
			o.Node(Lines, drawing.Node{Style: look, X: (x0 + x1) / 2, Y: o.y + stripPitch/2, W: x1 - x0, H: 13, Tip: tip})
		}
		o.y += stripPitch
	}
	o.y += 4
}

// drawViolations marks violations, with a line through the picture.
func (o *overviewPage) drawViolations(top float64) {
	if len(o.run.Violations) == 0 {
		return
	}
	o.Explain(legendViolation)
	byObject := make(map[string][]story.Violation)
	for _, v := range o.run.Violations {
		byObject[v.Object] = append(byObject[v.Object], v)
	}
	for n, object := range slices.SortedFunc(maps.Keys(byObject), compareObjects) {
		if n == mostStrips {
			o.writeLabel(fmt.Sprintf("and %s more", story.Plural(int64(len(byObject)-n), "key")), o.y+9)
			o.y += stripPitch
			break
		}
		label := "violations"
		if object != "" {
			label = "key " + object
		}
		o.writeLabel(laneText.Fit(label, o.left-Margin), o.y+9)
		o.drawViolationsOf(byObject[object], top)
	}
}

// drawViolationsOf marks the violations of one object in a strip; the object may be unnamed.
func (o *overviewPage) drawViolationsOf(list []story.Violation, top float64) {
	free := []float64{} // by line of texts: the place from which it is free
	for _, v := range list {
		x := o.xOf(v.At)
		o.Path(Ground, drawing.Path{Style: violationLine, Strokes: [][]drawing.Point{drawing.Line(drawing.At(x, top), drawing.At(x, o.y))}})
		o.Node(Marks, drawing.Node{Style: violationMark, X: x, Y: o.y + 8, W: 11, H: 11, Tip: v.Text + " at " + o.placeText(v.At)})
		w := legendText.TextWidth(v.Text)
		left := max(min(x-w/2, o.right-w), o.left)
		line := slices.IndexFunc(free, func(end float64) bool { return end+8 < left })
		if line < 0 {
			line = len(free)
			free = append(free, 0)
		}
		free[line] = left + w
		y := o.y + 24 + float64(line)*15
		o.Node(Texts, drawing.Node{Style: legendText, X: left + w/2, Y: y, W: w, H: 14, Text: v.Text})
	}
	o.y += 24 + float64(len(free))*15
}

// drawTimes draws the axis.
func (o *overviewPage) drawTimes(top float64) {
	caption := "event"
	if o.run.Clock {
		caption = "time"
	}
	o.writeLabel(caption, o.y+tickHeight/2)
	origin := int64(0)
	if o.story.Run.TimeUnit == tracefmt.Nanoseconds {
		origin = int64(o.story.First)
	}
	step := roundStep(o.run.Last - o.run.First)
	first := origin + (o.run.First-origin)/step*step // a whole number of steps after the origin
	if first < o.run.First {
		first += step
	}
	for at := first; at <= o.run.Last && at >= first; at += step { // at < first after an overflow
		x, text := o.xOf(at), o.placeText(at)
		w := axisText.TextWidth(text)
		middle := max(min(x, o.right+Margin-w/2), o.left+w/2-6)
		o.Path(Ground, drawing.Path{Style: tickLine, Strokes: [][]drawing.Point{drawing.Line(drawing.At(x, top), drawing.At(x, o.y))}})
		o.Node(Texts, drawing.Node{Style: axisText, X: middle, Y: o.y + tickHeight/2, W: w, H: 14, Text: text})
	}
	o.y += tickHeight + 10
}

// roundStep returns the distance of ticks: the least of 1, 2 or 5 times a power of ten with at most overviewTicks in
// the span.
func roundStep(span int64) int64 {
	for step := int64(1); step <= math.MaxInt64/100; step *= 10 {
		for _, digit := range [...]int64{1, 2, 5} {
			if span/(digit*step) <= overviewTicks {
				return digit * step
			}
		}
	}
	return max(span, 1)
}

// placeText writes a place on the axis.
func (o *overviewPage) placeText(at int64) string {
	if o.run.Clock {
		return o.story.ShortTime(tracefmt.Time(at))
	}
	return story.Group(at)
}
