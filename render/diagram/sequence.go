package diagram

import (
	"context"
	"math"
	"slices"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

var sequenceDiagram = Diagram{
	Name:    "sequence",
	Doc:     "a lifeline for each process, time running downward, an arrow for each message",
	Marks:   true,
	Cuts:    true,
	Axis:    true,
	Spans:   true,
	Columns: true,
	Groups:  true,
	Build:   buildSequence,
}

// maxText is the longest text at a mark or an arrow, in characters.
const maxText = 28

// Distances in the sequence diagram.
const (
	headerHeight = 27.0
	headerGap    = 18.0   // below the headers
	groupHeight  = 17.0   // of the name of a group, above its headers
	headerEvery  = 1100.0 // headers are repeated after this many points
	footerFrom   = 560.0  // and at the bottom of pictures longer than that
)

// spacing is the room between the parts of a sequence.
type spacing struct {
	pitch float64 // between rows of one band
	gap   float64 // between bands, at least
	// A message goes down by drop at least, and by perColumn more for each
	// lifeline that it passes: the arrows of a fan-out part sooner.
	drop, perColumn float64
	bandPad         float64 // the room of a band above its first and below its last row
	terse           bool    // without values of variables, and with strokes in place of dots
}

// Long diagrams, which are scrolled through, are closer than diagrams that fit on a slide.
var (
	spacings = [...]spacing{
		Roomy: {pitch: 22, gap: 13, drop: 40, perColumn: 8, bandPad: 11},
		Snug:  {pitch: 20, gap: 9, drop: 34, perColumn: 6, bandPad: 10},
		Close: {pitch: 17, gap: 3, drop: 24, perColumn: 2, bandPad: 8},
		Tight: {pitch: 17, gap: 3, drop: 24, perColumn: 2, bandPad: 8, terse: true},
	}
	dense = spacing{pitch: 18, gap: 6, drop: 32, perColumn: 5, bandPad: 11, terse: true}
)

// linearDrop is the least height difference of a message's ends on a linear axis.
const linearDrop = 14

// denseFrom is the number of steps from which on a diagram is drawn dense.
const denseFrom = 400

// sequence is a sequence diagram while it is drawn.
type sequence struct {
	story    *story.Story
	schedule *schedule
	page     *Page
	d        *drawing.Drawing // the drawing of the page
	plan     *plan

	spacing
	width float64   // between lifelines
	x     []float64 // the places of the lifelines, by column
	y     []float64 // the heights of the steps; 0 for steps without a place
	// reach is how far the texts of the first process extend to its left.
	reach float64
	// left and right bound the lifelines and their texts, top and bottom them
	// in time.
	left, right, top, bottom float64
	headers                  []float64                // y of each row of headers
	groupsY                  float64                  // y of the names of groups
	labels                   []string                 // the labels of the bands
	names                    []string                 // the names of the processes in headers and tags
	linear                   bool                     // the axis
	labelOf                  func(*story.Step) string // returns the label of a message, as [story.Story.Labels] does
	folds                    []fold
	losses                   map[int]drawing.Point // where messages are lost on the way, by step
	lives                    [][]change
	marked                   map[drawing.Point]bool // places of marks
	gaps                     []placedGap            // by process, from top to bottom

	// faint is set while something is drawn that is not highlighted.
	faint   bool
	omitted int // labels for which there was no room
	// shortened counts the labels that have less than the text that they should have.
	shortened int
	// whose labels they were
	omittedMarks, omittedArrows bool
	faintRow                    *LegendRow // explains what is faint; nil if that is no part of a witness
	unrecorded                  int        // changes of variables that have no mark
	texts                       []pendingText
}

// buildSequence draws the parts of the diagram, the background first, and at last the texts, where there is room.
func buildSequence(ctx context.Context, st *story.Story, l Layout) (*drawing.Drawing, error) {
	s := newSequence(st, l)
	s.lives = s.lifeChanges()
	s.plan = newPlan(s.x)
	s.drawAxis()
	s.drawSpans()
	s.drawHeaders()
	s.drawLifelines()
	s.drawGaps()
	s.drawMarks() // before the messages, since lost messages keep clear of the marks
	s.drawMessages()
	s.drawCauses()
	s.drawCut()
	s.drawWitness()
	s.placeTexts()
	return s.footing(), ctx.Err()
}

// newSequence places everything and draws the heading.
func newSequence(st *story.Story, l Layout) *sequence {
	if l.Like != nil {
		full := l
		full.Like = nil
		return newSequence(l.Like, full).firstSteps(st, l)
	}
	page := NewPage("sequence", st, l)
	s := &sequence{story: st, schedule: newSchedule(st), page: page, d: page.Drawing, spacing: spacings[l.Spacing]}
	if l.Spacing == Roomy && len(s.story.Steps) > denseFrom {
		s.spacing = dense
	}
	drawn := func(step story.Step) bool { return !step.Quiet() && !step.Opening }
	if l.Height > 0 && !st.Options.Marked() && !slices.ContainsFunc(st.Steps, drawn) {
		s.terse = false // a page would be blank without values
	}
	s.linear = st.Axis() == story.Linear
	if s.linear {
		s.drop, s.perColumn = linearDrop, 0
	}
	s.labels = s.bandLabels()
	for _, g := range s.story.Gaps(s.ownRow) {
		s.gaps = append(s.gaps, placedGap{Gap: g})
	}
	s.placeColumns()
	s.names = s.shortNames()
	s.labelOf = s.story.Labels(func(label string) bool { return !s.tooWide(label) })
	s.top = s.writeHeading() + 14
	if st.Options.Groups != nil {
		s.groupsY = s.top + groupHeight/2
		s.top += groupHeight + 4
	}
	s.placeRows()
	return s
}

// firstSteps returns the drawing of the first steps of a story, each at its place in the whole.
func (s *sequence) firstSteps(st *story.Story, l Layout) *sequence {
	page := NewPage("sequence", st, l)
	page.Drawing.Width = s.d.Width
	s.story, s.page, s.d = st, page, page.Drawing
	s.writeHeading()
	s.gaps = nil
	for _, g := range st.Gaps(s.ownRow) {
		s.gaps = append(s.gaps, placedGap{Gap: g})
	}
	s.placeGaps()
	return s
}

// writeHeading writes the heading, and remarks about the axis.
func (s *sequence) writeHeading() float64 {
	y := s.page.Heading()
	if n := s.story.Contradicted(); n > 0 && s.schedule.unit == instant {
		y = s.page.writeText(y, story.Plural(int64(n), "event")+" below the cause, later than by the clock", warningText)
	}
	if s.linear && s.story.Run.TimeUnit == tracefmt.Logical {
		y = s.page.writeText(y, "logical times: distances mean nothing", warningText)
	}
	if s.schedule.unit == instant {
		y = s.page.writeText(y, s.story.Begins(), summaryText)
	}
	if s.schedule.unit == level {
		s.page.Explain(legendLevel)
	}
	return y
}

// addNode adds a node to a layer.
func (s *sequence) addNode(layer int, n drawing.Node) {
	n.Faint = n.Faint || s.faint
	if n.Faint {
		s.explainFaint()
	}
	s.page.Node(layer, n)
}

// addPath adds a path to a layer.
func (s *sequence) addPath(layer int, p drawing.Path) {
	p.Faint = p.Faint || s.faint
	if p.Faint {
		s.explainFaint()
	}
	s.page.Path(layer, p)
}

// placeRows gives every band, and with it every step, its height. Long pictures repeat the headers.
func (s *sequence) placeRows() {
	s.y = make([]float64, len(s.story.Steps))
	s.stackBands(math.Inf(1))
	if s.bottom > 1.7*headerEvery && s.page.Layout.Height == 0 {
		s.stackBands(headerEvery)
	}
	if s.anyOpen() {
		s.bottom += 30
	}
	s.bottom = max(s.bottom, s.gapBottom())
	s.bottom = max(s.bottom, s.lossBottom())
	s.placeGaps()
	if s.bottom-s.headers[len(s.headers)-1] > footerFrom && s.page.Layout.Height == 0 {
		s.headers = append(s.headers, s.bottom+headerHeight/2)
	}
}

// stackBands places the bands below one another, with headers at a distance of this many points. A band is as high as
// it can be while each message still has room to fall.
func (s *sequence) stackBands(every float64) {
	s.headers = s.headers[:0]
	if s.linear {
		s.stackLinear(every)
		return
	}
	y := s.addHeaders(s.top) - s.bandPad
	for i := range s.schedule.bands {
		b := &s.schedule.bands[i]
		if y-s.headers[len(s.headers)-1] > every {
			s.headers = append(s.headers, y+headerHeight/2)
			y += headerHeight + headerGap/2
		}
		first := s.firstRow(b, y+s.bandPad)
		for _, j := range b.steps {
			s.y[j] = first + float64(s.schedule.slots[j].row)*s.pitch
		}
		y = first + float64(b.rows-1)*s.pitch + s.bandPad + s.gap
	}
	s.bottom = y
}

// firstRow returns the y of the band's first row, at least y.
func (s *sequence) firstRow(b *band, y float64) float64 {
	if i := s.schedule.slots[b.steps[0]].band; i > 0 && s.schedule.hops[i] > 0 {
		_, last := s.rowsOf(&s.schedule.bands[i-1])
		y = max(y, last+hopDrop*float64(s.schedule.hops[i]+1))
	}
	for _, j := range b.steps {
		st := &s.story.Steps[j]
		y = max(y, s.leastRow(int(j))-float64(s.schedule.slots[j].row)*s.pitch)
		if st.Kind == tracefmt.Send || st.Match < 0 || s.schedule.slots[st.Match].band == s.schedule.slots[j].band {
			continue
		}
		columns := s.story.Column[st.Process] - s.story.Column[st.Peer]
		drop := hopDrop*float64(len(s.story.Steps[st.Match].Via)) + s.drop + s.perColumn*float64(min(max(columns, -columns)-1, 14))
		y = max(y, s.y[st.Match]+drop-float64(s.schedule.slots[j].row)*s.pitch)
	}
	return y
}

// anyOpen reports whether a message is in flight at the end of the picture.
func (s *sequence) anyOpen() bool {
	for i := range s.story.Steps {
		st := &s.story.Steps[i]
		inFlight := st.Kind == tracefmt.Send && st.Fate == tracefmt.InFlight
		if inFlight && !st.Unsure && !s.goesAway(i) {
			return true
		}
	}
	return false
}

// at returns the place of a step.
func (s *sequence) at(i int) drawing.Point {
	return drawing.At(s.x[s.story.Column[s.story.Steps[i].Process]], s.y[i])
}
