package diagram

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

var historyDiagram = Diagram{
	Name:    "history",
	Doc:     "operations of clients as bars from invocation to return, by object, and where each takes effect",
	Marks:   true,
	Axis:    true,
	Columns: true,
	Kinds: []tracefmt.Kind{
		tracefmt.Invoke, tracefmt.Return, tracefmt.Crash, tracefmt.Recover, tracefmt.Halt, tracefmt.Partition, tracefmt.Heal,
	},
	Build: buildHistory,
}

// Distances in the history diagram.
const (
	historyWidth = 1180.0 // of a row of time at most, if no width is given
	historyLeast = 720.0
	barHeight    = 19.0
	laneLoose    = 25.0
	laneClose    = 22.0
	stepLoose    = 16.0 // between events
	stepClose    = 8.0
	groupLoose   = 10.0 // between keys
	groupClose   = 5.0
	tickHeight   = 17.0
	rowGap       = 12.0 // between rows of time
	barPad       = 6.0  // beside the text of a bar
)

// The styles of the history diagram.
var (
	doneBar = &drawing.Style{
		Name: "bar", Shape: drawing.Rectangle, Stroke: drawing.Blue, Width: 1.2, Fill: "#e3f0f9", Text: drawing.Ink, Size: SmallestText,
	}
	failedBar = &drawing.Style{
		Name: "bar-failed", Shape: drawing.Rectangle, Stroke: drawing.Grey, Width: 1.2, Dash: drawing.Dashed, Fill: drawing.Paper,
		Text: drawing.Grey, Size: SmallestText,
	}
	openBar = &drawing.Style{
		Name: "bar-open", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: "#fdf1cf", Text: drawing.Ink, Size: SmallestText,
	}
	// A bar with an open side has no outline of its own.
	doneCut = &drawing.Style{
		Name: "bar-cut", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: "#e3f0f9", Text: drawing.Ink, Size: SmallestText,
	}
	laterBar = &drawing.Style{
		Name: "bar-later", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: drawing.Paper, Text: drawing.Ink, Size: SmallestText,
	}
	failedCut = &drawing.Style{
		Name: "bar-failed-cut", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: drawing.Paper, Text: drawing.Grey, Size: SmallestText,
	}
	doneEdge   = &drawing.Style{Name: "bar-edge", Stroke: drawing.Blue, Width: 1.2}
	failedEdge = &drawing.Style{Name: "bar-failed-edge", Stroke: drawing.Grey, Width: 1.2, Dash: drawing.Dashed}
	openEdge   = &drawing.Style{Name: "bar-open-edge", Stroke: drawing.Orange, Width: 1.2}
	faultBar   = &drawing.Style{
		Name: "fault", Shape: drawing.Rectangle, Stroke: drawing.Pale, Width: 0.8, Fill: "#e4e4e4", Text: drawing.Ink, Size: SmallestText,
	}
	faultBand  = &drawing.Style{Name: "fault-band", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: "#f4f4f4"}
	effectMark = &drawing.Style{Name: "effect", Shape: drawing.Diamond, Stroke: drawing.Paper, Width: 0.8, Fill: drawing.Ink}
	groupText  = &drawing.Style{Name: "group-text", Text: drawing.Ink, Size: 11.5, Bold: true, Fill: drawing.Veil}
	wrongText  = &drawing.Style{Name: "wrong-text", Text: drawing.Vermilion, Size: 11.5, Bold: true, Fill: drawing.Veil}
	laneText   = &drawing.Style{Name: "lane-text", Text: drawing.Ink, Size: SmallestText}
)

// The rows of the legend of a history.
var (
	effectSample  = nodeSample(effectMark, 10, 13, "")
	legendDone    = &LegendRow{"operation that succeeded", nodeSample(doneBar, 30, 14, "")}
	legendFailed  = &LegendRow{"failed: has no effect", nodeSample(failedBar, 30, 14, "")}
	legendEndless = &LegendRow{"no known end: takes effect at any later time, or never", openSample}
	legendEffect  = &LegendRow{"takes effect here, in a possible order", effectSample}
	// A picture has one of these rows.
	legendEffectPart = &LegendRow{"takes effect here, in a possible order; none is known after a wrong result", effectSample}
	legendEffectSome = &LegendRow{"takes effect here, in a possible order; for some operations none was found", effectSample}
	legendWrong      = &LegendRow{"operation whose result no order explains", nodeSample(witnessHalo, 30, 15, "")}
	legendGoesOn     = &LegendRow{"goes on in another row, or beyond the picture", cutSample}
	legendFault      = &LegendRow{"a process is down, or the network is divided", nodeSample(faultBar, 30, 14, "")}
)

// openSample draws a bar with an open end for the legend.
func openSample(at drawing.Point) ([]drawing.Node, []drawing.Path) {
	n := drawing.Node{Style: openBar, X: at.X - 3, Y: at.Y, W: 26, H: 14}
	return []drawing.Node{n}, []drawing.Path{{Style: openEdge, Strokes: barOutline(n, sideClosed, sideEndless).strokes()}}
}

// cutSample draws a bar that continues in another row for the legend.
func cutSample(at drawing.Point) ([]drawing.Node, []drawing.Path) {
	n := drawing.Node{Style: laterBar, X: at.X, Y: at.Y, W: 30, H: 14}
	return []drawing.Node{n}, []drawing.Path{{Style: doneEdge, Strokes: barOutline(n, sideClosed, sideCut).strokes()}}
}

// side is the form of the left or right side of a bar.
type side uint8

const (
	sideClosed  side = iota
	sideCut          // the bar goes on in another row, or beyond the picture
	sideEndless      // no end is known
)

// outline is the outline of a bar.
type outline struct {
	left, right, top, bottom float64
	begin, end               side
}

// barOutline returns the outline of the bar of a node.
func barOutline(n drawing.Node, begin, end side) outline {
	b := bounds(&n)
	return outline{b.x0, b.x1, b.y0, b.y1, begin, end}
}

// strokes returns the lines of the outline.
func (o outline) strokes() [][]drawing.Point {
	left, right, top, bottom := o.left, o.right, o.top, o.bottom
	strokes := [][]drawing.Point{
		drawing.Line(drawing.At(left, top), drawing.At(right, top)), drawing.Line(drawing.At(left, bottom), drawing.At(right, bottom)),
	}
	if o.begin == sideClosed {
		strokes = append(strokes, drawing.Line(drawing.At(left, top), drawing.At(left, bottom)))
	}
	switch o.end {
	case sideClosed:
		strokes = append(strokes, drawing.Line(drawing.At(right, top), drawing.At(right, bottom)))
	case sideEndless:
		strokes = append(strokes, zigzag(right, top, bottom))
	}
	return strokes
}

// bar is an operation or a fault, which lasts from one step to another.
type bar struct {
	text        string
	from, until int // steps; -1 is before the first, the number of steps after the last
	op          *story.Operation
	inferred    bool // a process goes down at some unrecorded moment in the bar
}

// history is a history diagram while it is drawn.
type history struct {
	story       *story.Story // of the whole, if a frame of it is drawn
	page        *Page
	bars        []bar // operations
	faults      []bar
	objects     []string
	mixed       bool    // the operations of several processes share lanes, and have the name of the process
	lane, step  float64 // distances of lanes, and of events
	gap         float64 // between keys
	keys        float64 // the width of the column of keys, 0 if each key has a line of its own
	left, right float64
	x           []float64 // by step
	row         []int     // the row of time, by step
	ends        []int     // by row: its last step, and one
	effects     []float64 // by bar, in steps; 0 for none
	now         int       // the last step that is drawn
	placed      bool      // the effect of an operation is drawn
	y           float64
}

// buildHistory draws the operations of clients as bars. A frame has all places of the whole drawing.
func buildHistory(ctx context.Context, st *story.Story, l Layout) (*drawing.Drawing, error) {
	run := cmp.Or(l.Like, st)
	h := &history{story: run, page: NewPage("history", st, l), lane: laneLoose, step: stepLoose, gap: groupLoose, now: len(run.Steps) - 1}
	if l.Spacing >= Close {
		h.lane, h.step, h.gap = laneClose, stepClose, groupClose
	}
	h.mixed = l.Spacing == Tight
	ops := run.Operations()
	if len(run.Steps) == 0 || len(ops) == 0 {
		return h.emptyDrawing(ops, l), ctx.Err()
	}
	for i := range ops {
		b := bar{text: h.barText(&ops[i]), from: ops[i].Invoke, until: ops[i].Return, op: &ops[i]}
		if b.until < 0 {
			b.until = len(run.Steps)
		}
		h.bars = append(h.bars, b)
	}
	h.findFaults()
	h.orderObjects()
	h.placeEffects()
	h.placeSteps(l)
	if l.Like != nil {
		h.stopAt(st)
	}
	h.y = h.page.Heading() + 8
	if l.Like != nil { // the headings of the whole and of its frames may differ in their lines
		page := NewPage("history", run, l)
		page.Drawing.Width = h.page.Drawing.Width
		h.y = max(h.y, page.Heading()+8)
	}
	for row := range h.ends {
		h.drawRow(row)
	}
	h.explainEffects()
	return h.page.Close(h.y), ctx.Err()
}

// emptyDrawing returns the drawing of a window in which no operation begins or ends.
func (h *history) emptyDrawing(open []story.Operation, l Layout) *drawing.Drawing {
	h.page.Drawing.Width = cmp.Or(l.Width, historyLeast)
	words := "no operation begins or ends here"
	var texts []string
	for i := range open {
		texts = append(texts, h.story.Name(open[i].Process)+": "+open[i].Text)
	}
	if texts != nil {
		words += "; open are " + strings.Join(texts, "; ")
	}
	return h.page.Close(h.page.writeText(h.page.Heading(), words, warningText))
}

// explainEffects explains the marks of effects, and why not all operations have one.
func (h *history) explainEffects() {
	if !h.placed {
		return
	}
	row := legendEffect
	for i := range h.bars {
		switch op := h.bars[i].op; {
		case op.Outcome != story.Succeeded || op.Point > 0: // it needs no effect, or has a place in the order
		case h.violated(op.Object):
			row = legendEffectPart
		case row == legendEffect:
			row = legendEffectSome
		}
	}
	h.page.Explain(row)
}

// violated reports whether the operations on an object violate a property.
func (h *history) violated(object string) bool {
	_, violated := h.page.story.ViolationOf(object)
	return violated
}

// stopAt sets the operations to their state at the end of a frame. All places stay those of the whole drawing.
func (h *history) stopAt(frame *story.Story) {
	h.now = len(frame.Steps) - 1
	ops := frame.Operations()
	for i := range h.bars {
		if b := &h.bars[i]; h.hasBegun(b) && len(ops) > 0 {
			b.op, b.text, ops = &ops[0], h.barText(&ops[0]), ops[1:]
		}
	}
}

// barText returns the text in the bar of an operation.
func (h *history) barText(op *story.Operation) string {
	if h.mixed {
		return h.story.Name(op.Process) + ": " + op.Text
	}
	return op.Text
}

// hasBegun reports whether the bar begins before the present moment.
func (h *history) hasBegun(b *bar) bool {
	return b.from <= h.now
}

// orderObjects lists the objects, in the same order on all pages: shorter names first, so that 9 comes before 10.
func (h *history) orderObjects() {
	for i := range h.bars {
		if object := h.bars[i].op.Object; !slices.Contains(h.objects, object) {
			h.objects = append(h.objects, object)
		}
	}
	slices.SortFunc(h.objects, compareObjects)
}

// compareObjects orders names by length, then by text.
func compareObjects(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// keyText returns the heading of the operations on an object, "" for an object without a name.
func (h *history) keyText(object string) (words string, style *drawing.Style) {
	style = groupText
	if object == "" {
		return "", style
	}
	words = "key " + object
	if violation, violated := h.page.story.ViolationOf(object); violated {
		style = wrongText
		if violation != "" && h.keys == 0 {
			words += ": " + violation
		}
	}
	return words, style
}

// findFaults finds the crashes of processes and the partitions.
func (h *history) findFaults() {
	steps := h.story.Steps
	for p, spans := range h.story.LifeSpans() {
		for i, span := range spans {
			b := bar{text: h.story.Name(tracefmt.ProcessID(p)) + " is down", from: span.Step, until: len(steps)}
			if i+1 < len(spans) {
				b.until = spans[i+1].Step
			}
			if span.Life == story.Silent {
				b.text, b.inferred = h.story.Name(tracefmt.ProcessID(p))+" goes down", true
			}
			if (span.Life == story.Down || b.inferred) && b.from < b.until {
				h.faults = append(h.faults, b)
			}
		}
	}
	divided := bar{text: h.story.Divided, from: -1}
	for i := range steps {
		if k := steps[i].Kind; k != tracefmt.Partition && k != tracefmt.Heal {
			continue
		}
		h.addPartition(divided, i) // the next partition replaces this one
		divided = bar{}
		if steps[i].Kind == tracefmt.Partition {
			divided = bar{text: cmp.Or(steps[i].Text, "partition"), from: i}
		}
	}
	h.addPartition(divided, len(steps))
	slices.SortStableFunc(h.faults, func(a, b bar) int { return a.from - b.from })
}

// addPartition adds the band of a partition, if there is one.
func (h *history) addPartition(b bar, until int) {
	if b.text != "" {
		b.until = until
		h.faults = append(h.faults, b)
	}
}

// placeEffects places the effects of the operations on each object between steps, in their order. An effect is as early as the
// order allows.
func (h *history) placeEffects() {
	h.effects = make([]float64, len(h.bars))
	byObject := make(map[string][]int)
	for i := range h.bars {
		if op := h.bars[i].op; op.Point > 0 {
			byObject[op.Object] = append(byObject[op.Object], i)
		}
	}
	for _, list := range byObject {
		// Consecutive operations that may take effect after the same step share the time until the next step evenly.
		slices.SortFunc(list, func(a, b int) int { return h.bars[a].op.Point - h.bars[b].op.Point })
		latest := -1
		for i := 0; i < len(list); {
			latest = max(latest, h.bars[list[i]].from)
			n := 1
			for i+n < len(list) && h.bars[list[i+n]].from <= latest {
				n++
			}
			for k := range n {
				h.effects[list[i+k]] = float64(latest) + float64(k+1)/float64(n+1)
			}
			i += n
		}
	}
}

// placeBorders sets the left and the right border of the rows, and returns the width of the picture. At the left there is
// room for keys and for the names of processes.
func (h *history) placeBorders(l Layout) (full float64) {
	names := axisText.TextWidth("event")
	if len(h.faults) > 0 {
		names = max(names, laneText.TextWidth(faultsName))
	}
	for i := range h.bars {
		if h.mixed { // the bars themselves name the processes
			break
		}
		names = max(names, laneText.TextWidth(h.story.Name(h.bars[i].op.Process)))
	}
	full = cmp.Or(l.Width, historyWidth)
	if l.Spacing >= Close {
		for _, object := range h.objects {
			if object != "" {
				h.keys = max(h.keys, groupText.TextWidth("key "+object)+10)
			}
		}
		h.keys = min(h.keys, full/4)
	}
	h.left = Margin + 8 + h.keys + names + 10
	h.right = full - Margin - 14
	return full
}

// placeSteps gives each step its place. Bars are as wide as their texts; a full row continues in the next.
func (h *history) placeSteps(l Layout) {
	full := h.placeBorders(l)
	steps := h.story.Steps
	h.x, h.row = make([]float64, len(steps)), make([]int, len(steps))
	ending := make(map[int][]*bar) // by step
	for _, list := range [][]bar{h.bars, h.faults} {
		for i := range list {
			ending[list[i].until] = append(ending[list[i].until], &list[i])
		}
	}
	x, row, widest := h.left, 0, h.left
	for i := range steps {
		at := x + h.step
		if steps[i].Opening { // before the first moment
			at = x
		}
		if i > 0 && h.row[i-1] != row {
			at = h.left + h.step
		}
		for _, b := range ending[i] {
			at = max(at, h.leastEnd(b, row))
		}
		if at > h.right && x > h.left { // the row is full
			h.ends = append(h.ends, i)
			row++
			at = h.left + h.step
			for _, b := range ending[i] {
				at = max(at, h.leastEnd(b, row))
			}
			at = min(at, h.right)
		}
		h.x[i], h.row[i], x = at, row, at
		widest = max(widest, at)
	}
	h.ends = append(h.ends, len(steps))
	// Bars without an end need room for their texts, too.
	more := false
	for _, b := range ending[len(steps)] {
		end := h.leastEnd(b, row)
		widest, more = max(widest, end, x+2*h.step), more || end > h.right
	}
	if more {
		h.ends = append(h.ends, len(steps))
	}
	if l.Width == 0 {
		full = max(historyLeast, min(full, widest+Margin+14))
		h.right = min(h.right, max(widest, historyLeast-Margin-14))
	}
	h.page.Drawing.Width = full
	if h.story.Axis() == story.Linear && h.story.Options.Axis == story.Linear {
		h.placeLinear()
	}
}

// placeLinear places the steps by their times, in one row.
func (h *history) placeLinear() {
	steps := h.story.Steps
	first, last := steps[0].Time, steps[0].Time
	for i := range steps {
		first, last = min(first, steps[i].Time), max(last, steps[i].Time)
	}
	for i := range steps {
		h.row[i], h.x[i] = 0, h.left+h.step
		if last > first {
			h.x[i] += float64(steps[i].Time-first) / float64(last-first) * (h.right - h.left - 3*h.step)
		}
	}
	h.ends = []int{len(steps)}
}

// leastEnd returns the least place in a row for the end of a bar at which its text fits. It is 0 if the text fits into the row
// before.
func (h *history) leastEnd(b *bar, row int) float64 {
	from, width := h.left, doneBar.TextWidth(b.text)+2*barPad
	if b.from >= 0 && h.row[b.from] == row {
		from = h.x[b.from]
	} else if b.from >= 0 && h.right-h.x[b.from] >= width {
		return 0
	}
	return from + min(width, h.right-h.left)
}

const faultsName = "faults"

// returnsLater reports whether an operation returns after the picture.
func (b *bar) returnsLater() bool { return b.op != nil && b.op.Later }

// barPart is the part of a bar in one row.
type barPart struct {
	*bar
	index      int // the index of the bar
	x0, x1     float64
	lane       int
	begin, end side
	// joined lists the operations that share the part, nil for a part of one operation.
	joined []*story.Operation
}

// partsOf returns the parts of bars in a row.
func (h *history) partsOf(list []bar, row int) (parts []barPart) {
	first := 0
	if row > 0 {
		first = h.ends[row-1]
	}
	for i := range list {
		b := &list[i]
		if b.from >= h.ends[row] || b.until < first {
			continue
		}
		s := barPart{bar: b, index: i, x0: h.left, x1: h.right + 10, end: sideEndless}
		if b.from >= first {
			s.x0 = h.x[b.from]
		} else {
			s.begin = sideCut
		}
		switch {
		case b.until < h.ends[row]:
			s.x1, s.end = h.x[b.until], sideClosed
		case row+1 < len(h.ends) || b.returnsLater():
			s.end = sideCut
		}
		parts = append(parts, s)
	}
	return parts
}

// lanes assigns overlapping parts to different lanes, and returns the number of lanes.
func lanes(parts []barPart) int {
	var ends []float64
	for i := range parts {
		lane := slices.IndexFunc(ends, func(end float64) bool { return end <= parts[i].x0 })
		if lane < 0 {
			lane = len(ends)
			ends = append(ends, 0)
		}
		parts[i].lane, ends[lane] = lane, parts[i].x1
	}
	return len(ends)
}

// drawRow draws a row of time.
func (h *history) drawRow(row int) {
	parts, faults := h.partsOf(h.bars, row), h.partsOf(h.faults, row)
	top := h.y
	if len(faults) > 0 {
		h.drawLane(0, faults, lanes(faults), row)
	}
	below := h.y // the bands of faults are behind the operations
	for _, object := range h.objects {
		above := h.y
		processes := h.story.Order
		if h.mixed {
			processes = []tracefmt.ProcessID{0}
		}
		for _, p := range processes {
			var lane []barPart
			for _, s := range parts {
				if s.op.Object == object && (h.mixed || s.op.Process == p) {
					lane = append(lane, s)
				}
			}
			if len(lane) > 0 && h.y == above {
				h.drawKey(object)
			}
			lane = h.mergeLongBars(lane, row)
			if len(lane) > 0 {
				h.drawLane(p, lane, lanes(lane), row)
			}
		}
		if h.y > above {
			h.y += h.gap
		}
	}
	for _, f := range faults {
		if f, ok := h.cutAtNow(f, row); ok && !f.inferred {
			h.page.Node(Ground, drawing.Node{Style: faultBand, X: (f.x0 + f.x1) / 2, Y: (below + h.y) / 2, W: f.x1 - f.x0, H: h.y - below})
		}
	}
	h.drawTicks(row, top)
}

// fewOpen is the greatest number of operations that are open during a whole row, if each has its own bar.
const fewOpen = 2

// mergeLongBars merges the operations that are open during a whole row, if they are many. Operations without a known end are one
// part, operations that return after the picture another.
func (h *history) mergeLongBars(parts []barPart, row int) []barPart {
	if !h.mixed {
		return parts
	}
	isLong := func(s barPart) bool { // it lasts from the row before to the end of the picture
		return s.begin == sideCut && s.until == len(h.story.Steps) && !s.op.Wrong && !h.takesEffect(s.index, row)
	}
	var endless, later barPart
	var apart []barPart
	for _, s := range parts {
		if !isLong(s) {
			apart = append(apart, s)
			continue
		}
		shared := &endless
		if s.returnsLater() {
			shared = &later
		}
		if shared.joined == nil {
			bar := *s.bar
			*shared = s
			shared.bar = &bar
		} else {
			shared.text += "; " + s.text
		}
		shared.joined = append(shared.joined, s.op)
	}
	if len(endless.joined)+len(later.joined) <= fewOpen {
		return parts
	}
	var merged []barPart
	for _, s := range [...]barPart{endless, later} {
		if s.joined != nil {
			merged = append(merged, s)
		}
	}
	return append(merged, apart...)
}

// drawKey writes the name of an object, above its lanes or in the column of the keys.
func (h *history) drawKey(object string) {
	words, style := h.keyText(object)
	if words == "" {
		return
	}
	room := cmp.Or(h.keys, h.right-Margin)
	words = style.Fit(words, room)
	w := style.TextWidth(words)
	y := h.y + 9
	if h.keys > 0 {
		y = h.y + h.lane/2
	} else {
		h.y += 20
	}
	h.page.Node(Texts, drawing.Node{Style: style, X: Margin + 8 + w/2, Y: y, W: w, H: 15, Text: words})
}

// cutAtNow cuts a part at the moment that a frame shows. It returns false for a part that has not begun.
func (h *history) cutAtNow(s barPart, row int) (barPart, bool) {
	switch {
	case !h.hasBegun(s.bar):
		return s, false
	case h.now == len(h.story.Steps)-1 || s.until <= h.now || row < h.row[h.now]:
		return s, true
	case row > h.row[h.now]:
		return s, false
	}
	s.x1, s.end = min(s.x1, max(h.x[h.now]+h.step, s.x0+doneBar.TextWidth(s.text)+2*barPad)), sideEndless
	if s.returnsLater() {
		s.end = sideCut
	}
	return s, true
}

// drawLane draws a group of lanes: the bars of a process, of all processes, or the faults.
func (h *history) drawLane(p tracefmt.ProcessID, parts []barPart, count, row int) {
	name := ""
	switch {
	case p != 0:
		name = h.story.Name(p)
	case parts[0].op == nil:
		name = faultsName
	}
	w := laneText.TextWidth(name)
	h.page.Node(Texts, drawing.Node{Style: laneText, X: h.left - 10 - w/2, Y: h.y + h.lane/2, W: w, H: 14, Text: name})
	for _, s := range parts {
		s, ok := h.cutAtNow(s, row)
		if !ok {
			continue
		}
		y := h.y + (float64(s.lane)+0.5)*h.lane
		if s.op == nil {
			style, row := faultBar, legendFault
			if s.inferred {
				style, row = wentDownBar, legendWentDown
			}
			h.page.Explain(row)
			text := style.Fit(s.text, s.x1-s.x0-barPad)
			middle, width := (s.x0+s.x1)/2, s.x1-s.x0
			h.page.Node(Lines, drawing.Node{Style: style, X: middle, Y: y, W: width, H: barHeight - 3, Text: text, Tip: s.text})
			continue
		}
		h.drawBar(&s, y, row)
	}
	h.y += float64(count) * h.lane
}

// drawBar draws the part of an operation in a row.
func (h *history) drawBar(s *barPart, y float64, row int) {
	style, cut, edge, explained := doneBar, doneCut, doneEdge, legendDone
	switch s.op.Outcome {
	case story.Failed:
		style, cut, edge, explained = failedBar, failedCut, failedEdge, legendFailed
	case story.Unended:
		style, cut, edge, explained = openBar, openBar, openEdge, legendEndless
		if s.op.Later {
			style, cut, edge, explained = laterBar, laterBar, doneEdge, legendGoesOn
		}
	}
	h.page.Explain(explained)
	if s.begin == sideCut || s.end == sideCut {
		h.page.Explain(legendGoesOn)
	}
	if style != doneBar && style != failedBar || s.begin != sideClosed || s.end != sideClosed {
		style = cut
		h.page.Path(Lines, drawing.Path{Style: edge, Strokes: outline{s.x0, s.x1, y - barHeight/2, y + barHeight/2, s.begin, s.end}.strokes()})
	}
	text := style.Fit(s.text, s.x1-s.x0-barPad)
	if style.TextWidth(text) > s.x1-s.x0 { // not even a letter fits
		text = ""
	}
	tip := fmt.Sprintf("process %s: %s", h.story.Name(s.op.Process), s.text)
	if s.from >= 0 {
		tip = h.story.StepTip(s.from, s.text)
	}
	if len(s.joined) > 1 {
		tip = fmt.Sprintf("%d operations: %s", len(s.joined), s.text)
	}
	h.page.Node(Lines, drawing.Node{
		ID: fmt.Sprintf("o%d_%d", s.index+1, row), Style: style, X: (s.x0 + s.x1) / 2, Y: y, W: s.x1 - s.x0, H: barHeight, Text: text, Tip: tip,
	})
	if s.op.Wrong {
		h.page.Explain(legendWrong)
		id, middle, width := fmt.Sprintf("w%d_%d", s.index+1, row), (s.x0+s.x1)/2, s.x1-s.x0+6
		h.page.Node(Marks, drawing.Node{ID: id, Style: witnessHalo, X: middle, Y: y, W: width, H: barHeight + 5})
	}
	if at := h.effects[s.index]; h.takesEffect(s.index, row) && (int(at) < h.now || h.now == len(h.x)-1) {
		h.placed = true
		h.page.Node(Marks, drawing.Node{Style: effectMark, X: h.between(at), Y: y - barHeight/2, W: 8, H: 9})
	}
}

// takesEffect reports whether the operation of a bar takes effect in a row.
func (h *history) takesEffect(bar, row int) bool {
	at := h.effects[bar]
	return at > 0 && h.row[int(at)] == row
}

// between returns the place between two steps.
func (h *history) between(at float64) float64 {
	i := int(at)
	end := h.right
	if i+1 < len(h.x) && h.row[i+1] == h.row[i] {
		end = h.x[i+1]
	}
	return h.x[i] + (at-float64(i))*(end-h.x[i])
}

// timed reports whether the run has times that increase with the steps.
func (h *history) timed() bool {
	steps := h.story.Steps
	return h.story.Run.TimeUnit != tracefmt.Logical && steps[0].Time != steps[len(steps)-1].Time &&
		slices.IsSortedFunc(steps, func(a, b story.Step) int { return cmp.Compare(a.Time, b.Time) })
}

// drawTicks draws the axis below a row. It has the times of the steps, or their numbers if the run has no increasing
// times.
func (h *history) drawTicks(row int, top float64) {
	steps := h.story.Steps
	first := 0
	if row > 0 {
		first = h.ends[row-1]
	}
	timed := h.timed()
	bottom := h.y
	free := h.left - barPad
	caption := "event"
	if timed {
		caption = "time"
	}
	w := axisText.TextWidth(caption)
	h.page.Node(Texts, drawing.Node{Style: axisText, X: h.left - 10 - w/2, Y: bottom + tickHeight/2, W: w, H: 14, Text: caption})
	for i := first; i < h.ends[row]; i++ {
		if steps[i].Opening || i > h.now {
			continue
		}
		line := drawing.Line(drawing.At(h.x[i], top), drawing.At(h.x[i], bottom))
		h.page.Path(Ground, drawing.Path{Style: tickLine, Strokes: [][]drawing.Point{line}})
		text := story.Group(int64(steps[i].Seq))
		if timed {
			text = h.story.ShortTime(steps[i].Time)
		}
		w := axisText.TextWidth(text)
		if h.x[i]-w/2 < free || i > first && timed && steps[i].Time == steps[i-1].Time {
			continue
		}
		h.page.Node(Texts, drawing.Node{Style: axisText, X: h.x[i], Y: bottom + tickHeight/2, W: w, H: 14, Text: text})
		free = h.x[i] + w/2 + 8
	}
	h.y += tickHeight + rowGap
}
