package diagram

import (
	"context"
	"math"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

var sequenceDiagram = Diagram{
	Name:  "sequence",
	Doc:   "a lifeline for each process, time running downward, an arrow for each message",
	Marks: true,
	Axis:  true,
	Spans: true,
	Build: buildSequence,
}

// maxText is the longest text at a mark or an arrow, in characters.
const maxText = 28

// Distances in the sequence diagram.
const (
	bandPad      = 11.0 // of a band above its first and below its last row
	headerHeight = 27.0
	headerGap    = 18.0   // below the headers
	headerEvery  = 1100.0 // headers are repeated after so many points
	footerFrom   = 560.0  // and at the bottom of pictures longer than that
)

// spacing is how much room time takes.
type spacing struct {
	pitch float64 // between rows of one band
	gap   float64 // between bands, at least
	// A message goes down by drop at least, and by perColumn more for each
	// lifeline that it passes: the arrows of a fan-out part sooner.
	drop, perColumn float64
}

// Long diagrams, which are scrolled through, are closer than those that fit
// on a slide.
var (
	roomy = spacing{pitch: 22, gap: 13, drop: 40, perColumn: 8}
	dense = spacing{pitch: 18, gap: 6, drop: 32, perColumn: 5}
)

// linearDrop is how far messages go down at least where the axis is linear.
const linearDrop = 14

// denseFrom is the number of steps that make a diagram long.
const denseFrom = 400

// sequence is the work in progress of one sequence diagram.
type sequence struct {
	*story.Story
	*schedule
	page *Page
	d    *drawing.Drawing // of the page
	plan *plan

	spacing
	width float64   // between lifelines
	x     []float64 // of the lifelines, by column
	y     []float64 // of the steps; NaN-free: steps without a place have 0
	// reach is how far to the left the first process's texts go.
	reach float64
	// left and right bound the lifelines and their texts, top and bottom them
	// in time.
	left, right, top, bottom float64
	headers                  []float64 // y of each row of headers
	labels                   []string  // of the bands
	names                    []string  // of the processes, as headers and tags have them
	linear                   bool      // the axis
	folds                    []fold
	losses                   map[int]drawing.Point // where messages are lost on the way, by step
	lives                    [][]change
	gaps                     []untold // by process, from top to bottom

	// faint: what is being drawn is not among the highlighted events.
	faint   bool
	omitted int // labels for which there was no room
	// whose labels they were
	omittedMarks, omittedArrows bool
	unsaid                      int // changes of variables that have no mark
	texts                       []pendingText
}

// pendingText is a text to be placed once everything else has its place.
type pendingText struct {
	style  *drawing.Style
	text   string
	spots  []spot
	limit  float64
	own    segment
	band   int32 // of a value
	faint  bool
	covers box // what is taken from then on: the line that the text names
}

func buildSequence(ctx context.Context, st *story.Story) (*drawing.Drawing, error) {
	s := newSequence(st)
	s.lives = s.lifeChanges()
	s.plan = newPlan(s.x)
	s.drawAxis()
	s.drawSpans()
	s.drawHeaders()
	s.drawLifelines()
	s.drawGaps()
	s.drawMarks() // which lost messages keep clear of
	s.drawMessages()
	s.drawCauses()
	s.drawCut()
	s.drawWitness()
	s.placeTexts()
	return s.footing(), ctx.Err()
}

// newSequence gives everything its place, and draws the heading.
func newSequence(st *story.Story) *sequence {
	page := NewPage("sequence", st)
	s := &sequence{Story: st, schedule: newSchedule(st), page: page, d: page.Drawing, spacing: roomy}
	if len(s.Steps) > denseFrom {
		s.spacing = dense
	}
	s.linear = st.Axis() == story.Linear
	if s.linear {
		s.drop, s.perColumn = linearDrop, 0
	}
	s.labels = s.bandLabels()
	for _, g := range s.Gaps(s.ownRow) {
		s.gaps = append(s.gaps, untold{Gap: g})
	}
	s.placeColumns()
	s.names = s.shortNames()
	s.top = s.heading() + 14
	s.placeRows()
	return s
}

// heading writes the heading, and what is to be known of the axis.
func (s *sequence) heading() float64 {
	y := s.page.Heading()
	if n := s.Contradicted(); n > 0 && s.unit == instant {
		y = s.page.write(y, story.Plural(int64(n), "event")+" below the cause, later than the clock says", warningText)
	}
	if s.linear && s.Run.TimeUnit == tracefmt.Logical {
		y = s.page.write(y, "logical times: distances mean nothing", warningText)
	}
	if s.unit == instant {
		y = s.page.write(y, s.Begins(), summaryText)
	}
	if s.unit == level {
		s.page.Explain(legendLevel)
	}
	return y
}

func (s *sequence) node(layer int, n drawing.Node) {
	n.Faint = n.Faint || s.faint
	s.page.Node(layer, n)
}

func (s *sequence) path(layer int, p drawing.Path) {
	p.Faint = p.Faint || s.faint
	s.page.Path(layer, p)
}

// placeColumns spaces the lifelines so that the texts of most messages fit
// between two of them.
func (s *sequence) placeColumns() {
	n := len(s.Order)
	widest, payload, tag := 40.0, 0.0, 0.0
	for i, p := range s.Order {
		widest = max(widest, s.headerWidth(s.Order[i])+14, messageLabel.TextWidth(s.Name(p)))
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		switch {
		case st.Kind == tracefmt.Send && st.Peer != st.Process:
			need := messageLabel.TextWidth(st.ShortLabel(maxText)) + 40
			widest = max(widest, need)
			if st.Text != "" {
				payload = max(payload, need)
			}
		case st.Tag() != "":
			tag = max(tag, tagWidth(st)+6)
		}
	}
	widest = max(widest, tag+10)
	narrow, wide := 104.0, 150.0
	switch {
	case n <= 4:
		narrow, wide = 130, 190
	case n > 24:
		narrow, wide = 58, 84
	case n > 12:
		narrow, wide = 70, 110
	}
	s.width = min(max(widest, narrow), wide)
	if n <= 6 {
		s.width = max(s.width, min(payload, 200))
	}
	s.reach = max(s.headerHalf(0), min(tag, s.width)/2)
	s.left = Margin + s.axisWidth() + 14 + s.reach
	for i := range n {
		s.x = append(s.x, s.left+float64(i)*s.width)
	}
	s.right = s.left + float64(max(n-1, 0))*s.width + max(s.headerHalf(n-1)+10, 66, s.lastValue(), s.lastGap())
	if n == 1 {
		s.right = s.left + s.width // for messages to itself
	}
	s.d.Width = s.right + Margin + s.loopWidth()
	if missing := 560 - s.d.Width; missing > 0 {
		for i := range s.x {
			s.x[i] += missing / 2
		}
		s.left, s.right, s.d.Width = s.left+missing/2, s.right+missing/2, 560
	}
}

// lastValue is how far to the right the values of the last process go.
func (s *sequence) lastValue() float64 {
	widest := 0.0
	for i := range s.Steps {
		if st := &s.Steps[i]; st.Kind == tracefmt.State && s.Column[st.Process] == len(s.Order)-1 && st.Text != "" && s.pitch == roomy.pitch {
			from := valueSize / 2
			if st.Tag() != "" {
				from = min(tagWidth(st)+6, s.width-8) / 2
			}
			widest = max(widest, s.clear(i, from)+valueLabel.TextWidth(st.Text)+8)
		}
	}
	return widest
}

// axisWidth is the room that the times at the left need.
func (s *sequence) axisWidth() float64 {
	widest := 30.0
	for _, label := range s.labels {
		widest = max(widest, axisText.TextWidth(label))
	}
	if s.linear && len(s.bands) > 0 { // no part is longer than the whole
		whole := tracefmt.Time(s.bands[len(s.bands)-1].key - s.bands[0].key)
		widest = max(widest, foldText.TextWidth(s.foldText(fold{time: whole}))+8)
	}
	return widest
}

func (s *sequence) loopWidth() float64 {
	if s.Loops() {
		return 110
	}
	return 0
}

// placeRows gives every band, and with it every step, its height. Pictures
// that are scrolled through get their headers again and again.
func (s *sequence) placeRows() {
	s.y = make([]float64, len(s.Steps))
	s.stack(math.Inf(1))
	if s.bottom > 1.7*headerEvery {
		s.stack(headerEvery)
	}
	if s.anyOpen() {
		s.bottom += 30
	}
	s.bottom = max(s.bottom, s.gapBottom())
	s.bottom = max(s.bottom, s.lossBottom())
	s.placeGaps()
	if s.bottom-s.headers[len(s.headers)-1] > footerFrom {
		s.headers = append(s.headers, s.bottom+headerHeight/2)
	}
}

// stack puts the bands below one another, with headers after so many points.
// A band lies as high as it can while each message still has room to fall.
func (s *sequence) stack(every float64) {
	s.headers = s.headers[:0]
	if s.linear {
		s.stackLinear(every)
		return
	}
	y := s.header(s.top) - bandPad
	for i := range s.bands {
		b := &s.bands[i]
		if y-s.headers[len(s.headers)-1] > every {
			s.headers = append(s.headers, y+headerHeight/2)
			y += headerHeight + headerGap/2
		}
		first := s.firstRow(b, y+bandPad)
		for _, j := range b.steps {
			s.y[j] = first + float64(s.slots[j].row)*s.pitch
		}
		y = first + float64(b.rows-1)*s.pitch + bandPad + s.gap
	}
	s.bottom = y
}

// firstRow returns the y of the band's first row, at least y.
func (s *sequence) firstRow(b *band, y float64) float64 {
	for _, j := range b.steps {
		st := &s.Steps[j]
		y = max(y, s.leastRow(int(j))-float64(s.slots[j].row)*s.pitch)
		if st.Kind == tracefmt.Send || st.Match < 0 || s.slots[st.Match].band == s.slots[j].band {
			continue
		}
		columns := s.Column[st.Process] - s.Column[st.Peer]
		drop := s.drop + s.perColumn*float64(min(max(columns, -columns)-1, 14))
		y = max(y, s.y[st.Match]+drop-float64(s.slots[j].row)*s.pitch)
	}
	return y
}

func (s *sequence) anyOpen() bool {
	for i := range s.Steps {
		if st := &s.Steps[i]; st.Kind == tracefmt.Send && st.Fate == tracefmt.InFlight && !st.Unsure {
			return true
		}
	}
	return false
}

// at returns where the step is.
func (s *sequence) at(i int) drawing.Point {
	return drawing.At(s.x[s.Column[s.Steps[i].Process]], s.y[i])
}
