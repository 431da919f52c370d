package diagram

import (
	"math"
	"strconv"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// footing writes the legend below the lifelines and completes the picture.
func (s *sequence) footing() *drawing.Drawing {
	y := s.bottom + 18
	if last := s.headers[len(s.headers)-1]; last > s.bottom {
		y = last + headerHeight/2 + 18
	}
	y = s.page.writeOmission(s.omitted, "", s.omissionHint(), y)
	if s.unrecorded > 0 {
		y = s.page.writeText(y-8, story.Plural(int64(s.unrecorded),
			"change")+" of variables not drawn: a part of the run has room for them", summaryText) + 5
	}
	s.d.Omitted = s.omitted + s.shortened
	return s.page.Close(y)
}

// drawGroups writes the name of each group above the columns of its processes.
func (s *sequence) drawGroups() {
	order := s.story.Order
	for first := 0; first < len(order) && s.story.Options.Groups != nil; {
		name, end := s.story.GroupOf(order[first]), first+1
		for end < len(order) && s.story.GroupOf(order[end]) == name {
			end++
		}
		x, w := (s.x[first]+s.x[end-1])/2, s.x[end-1]-s.x[first]+s.width-6
		n := drawing.Node{Style: groupBox, X: x, Y: s.groupsY, W: w, H: groupHeight, Text: groupBox.Fit(name, w-6), Tip: name}
		s.addNode(Lines, n)
		first = end
	}
}

// drawHeaders draws the rows of headers. A header shows whether the process is down there.
func (s *sequence) drawHeaders() {
	s.drawGroups()
	named := s.named()
	for row, y := range s.headers {
		for i, p := range s.story.Order {
			if !named[row][i] {
				continue
			}
			n := drawing.Node{
				Style: processBox, X: s.x[i], Y: y, W: min(s.headerWidth(p), s.width-6), H: headerHeight,
				Text: s.story.RoleName(p), Tip: "process " + s.story.FullName(p),
			}
			if row == 0 {
				n.ID = nodeID(p)
				n.Text = s.headerText(p)
			}
			if row == 0 && n.Text != s.story.RoleName(p) || s.downAt(p, y) {
				n.Style = processDownBox
			}
			if s.story.Unrecorded(p) {
				n.Style = processUnrecordedBox
			}
			if n.Style.TextWidth(n.Text)+8 > n.W {
				n.Text = s.names[p]
			}
			s.page.Shortened(p, s.names[p])
			s.addNode(Lines, n)
			s.plan.cover(bounds(&n))
			if row == 0 {
				s.knownAtStart(p, drawing.At(n.X, y+headerHeight/2+7))
			}
		}
	}
}

// headerWidth returns the width of a process's header.
func (s *sequence) headerWidth(p tracefmt.ProcessID) float64 {
	return max(46, processBox.TextWidth(s.headerText(p))+18)
}

// headerText returns the name of a process with its role, and whether it is down from the start to the end.
func (s *sequence) headerText(p tracefmt.ProcessID) string {
	if p != 0 && s.story.After[p].DownFromStart && s.story.After[p].Down {
		return s.story.RoleName(p) + " (down)"
	}
	return s.story.RoleName(p)
}

// headerHalf returns half the width of the header in a column.
func (s *sequence) headerHalf(column int) float64 {
	if column < 0 || column >= len(s.story.Order) {
		return 23
	}
	return s.headerWidth(s.story.Order[column]) / 2
}

// knownAtStart writes below a header which leader the process has, or that it leads, at the beginning of the picture.
func (s *sequence) knownAtStart(p tracefmt.ProcessID, at drawing.Point) {
	text := s.story.StanceBefore(p)
	if text == "" {
		return
	}
	w := valueLabel.TextWidth(text) + 4
	if w > s.width-8 {
		text, w = s.tagText(valueLabel, text, s.width-12), s.width-8
	}
	n := drawing.Node{Style: valueLabel, X: at.X, Y: at.Y, W: w, H: 10, Text: text}
	s.addNode(Texts, n)
	s.plan.cover(bounds(&n))
}

// nodeID returns the ID of a process's header.
func nodeID(p tracefmt.ProcessID) string { return "p" + strconv.Itoa(int(p)) }

// change is a change in the look of a lifeline.
type change struct {
	y    float64
	life story.Life
}

// drawLifelines draws the lifeline of each process: a line while the process is up, dashes while it is down or has not begun, dots
// while it may be down. A halted process has no line.
func (s *sequence) drawLifelines() {
	for i, p := range s.story.Order {
		if s.story.Unrecorded(p) {
			s.drawUnrecorded(i, p)
			continue
		}
		// All pieces of one look are one path, so that a long picture has few elements.
		var solid, dashed, dotted [][]drawing.Point
		changes := s.lives[p]
		for k, c := range changes {
			end := s.bottom
			if k+1 < len(changes) {
				end = changes[k+1].y
			}
			if end <= c.y || c.life == story.Gone {
				continue
			}
			for _, piece := range s.beyondGaps(p, c.y, end) {
				stroke := drawing.Line(drawing.At(s.x[i], piece[0]), drawing.At(s.x[i], piece[1]))
				switch c.life {
				case story.Up:
					solid = append(solid, stroke)
				case story.Silent:
					dotted = append(dotted, stroke)
				default:
					dashed = append(dashed, stroke)
				}
			}
		}
		if solid != nil {
			s.addPath(Ground, drawing.Path{Style: lifeline, Strokes: solid, Tip: "process " + s.story.Name(p)})
		}
		if dashed != nil {
			s.page.Explain(legendDown)
			s.addPath(Ground, drawing.Path{Style: lifelineDown, Strokes: dashed, Tip: "process " + s.story.Name(p) + " while it is down"})
		}
		if dotted != nil {
			s.page.Explain(legendSilent)
			s.addPath(Ground, drawing.Path{Style: lifelineSilent, Strokes: dotted, Tip: "process " + s.story.Name(p) +
				" goes down in here, it is not recorded when"})
		}
	}
}

// drawUnrecorded draws the line of a process without any record.
func (s *sequence) drawUnrecorded(column int, p tracefmt.ProcessID) {
	s.page.Explain(legendUnrecorded)
	s.addPath(Ground, drawing.Path{
		Style: lifelineUnrecorded, Strokes: [][]drawing.Point{drawing.Line(drawing.At(s.x[column], s.headers[0]),
			drawing.At(s.x[column], s.bottom))},
		Tip: "process " + s.story.Name(p) + ": nothing is recorded",
	})
}

// lifeChanges lists the changes of all lifelines, by process, from top to bottom.
func (s *sequence) lifeChanges() [][]change {
	changes := make([][]change, len(s.story.Column))
	for p, spans := range s.story.LifeSpans() {
		y := s.headers[0]
		for _, span := range spans {
			if span.Step >= 0 {
				y = max(y, s.changeAt(tracefmt.ProcessID(p), span.Step))
			}
			changes[p] = append(changes[p], change{y, span.Life})
		}
	}
	return changes
}

// changeAt returns the height at which a life of a process begins: that of a step of the process. After a step of another process it
// is between the steps of the process before and after.
func (s *sequence) changeAt(p tracefmt.ProcessID, step int) float64 {
	steps := s.story.Steps
	if like := s.page.Layout.Like; like != nil { // the later steps of a frame, too, so that nothing moves between frames
		steps = like.Steps
	}
	onLine := func(i int) bool {
		return s.schedule.slots[i].row >= 0 && steps[i].Process == p && steps[i].Kind != tracefmt.Lose
	}
	// y is the height of the step, low and high the heights of the previous and next step of the process.
	y, low, high := 0.0, 0.0, math.Inf(1)
	for i := step; i >= 0 && low == 0; i-- {
		if y == 0 { // a step without a row has no height
			y = s.y[i]
		}
		if onLine(i) {
			low = s.y[i]
		}
	}
	for i := step + 1; i < len(s.y) && math.IsInf(high, 1); i++ {
		if onLine(i) {
			high = s.y[i]
		}
	}
	return min(max(y, low), high)
}

// downAt reports whether the process is down at that height.
func (s *sequence) downAt(p tracefmt.ProcessID, y float64) bool {
	life := story.Up
	for _, c := range s.lives[p] {
		if c.y <= y {
			life = c.life
		}
	}
	return life == story.Down
}
