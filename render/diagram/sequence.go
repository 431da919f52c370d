package diagram

import (
	"context"
	"math"
	"unicode/utf8"

	"etrace/tracefmt"
)

var sequenceDiagram = Diagram{
	Name:  "sequence",
	Doc:   "a lifeline for each process, time running downward, an arrow for each message",
	Build: buildSequence,
}

// Distances in the sequence diagram.
const (
	bandPad      = 11.0 // of a band above its first and below its last row
	headerHeight = 27.0
	headerGap    = 18.0   // below the headers
	margin       = 16.0   // around the picture
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

// denseFrom is the number of steps that make a diagram long.
const denseFrom = 400

// sequence is the work in progress of one sequence diagram.
type sequence struct {
	*story
	*schedule
	d    *Drawing
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
	lives                    [][]change

	// faint: what is being drawn is not among the highlighted events.
	faint   bool
	legend  legend
	omitted int // labels for which there was no room
	texts   []pendingText
}

// pendingText is a text to be placed once everything else has its place.
type pendingText struct {
	class  Class
	text   string
	spots  []spot
	limit  float64
	own    segment
	band   int32 // of a value: its band, from 1
	faint  bool
	covers box // what is taken from then on: the line that the text names
}

func buildSequence(ctx context.Context, rec tracefmt.Recording, o Options) (*Drawing, error) {
	story, err := read(ctx, rec, o)
	if err != nil {
		return nil, err
	}
	s := &sequence{
		story: story, schedule: story.schedule(), spacing: roomy,
		d: &Drawing{Diagram: "sequence", Layers: make([]Layer, layers), Hidden: story.hidden},
	}
	if len(s.steps) > denseFrom {
		s.spacing = dense
	}
	s.placeColumns()
	s.heading()
	s.placeRows()
	s.lives = s.lifeChanges()
	s.plan = newPlan(s.x)
	s.drawBands()
	s.drawHeaders()
	s.drawLifelines()
	s.drawMessages()
	s.drawMarks()
	s.drawCauses()
	s.drawCut()
	s.drawWitness()
	s.placeTexts()
	s.footing()
	return s.d, ctx.Err()
}

// The layers of the drawing, back to front.
const (
	layerGround   = iota // bands, lifelines
	layerMessages        // headers and the messages between them
	layerMarks           // marks on lifelines, and what is drawn inside them
	layerTexts
	layers
)

func (s *sequence) node(layer int, n Node) {
	n.Faint = n.Faint || s.faint
	s.d.Layers[layer].Nodes = append(s.d.Layers[layer].Nodes, n)
}

func (s *sequence) path(layer int, p Path) {
	p.Faint = p.Faint || s.faint
	s.d.Layers[layer].Paths = append(s.d.Layers[layer].Paths, p)
}

// placeColumns spaces the lifelines so that the texts of most messages fit
// between two of them.
func (s *sequence) placeColumns() {
	n := len(s.order)
	widest, tag := 40.0, 0.0
	for i, p := range s.order {
		widest = max(widest, s.headerWidth(s.order[i])+14, textWidth(s.name(p), MessageLabel))
	}
	for i := range s.steps {
		st := &s.steps[i]
		switch {
		case st.kind == tracefmt.Send && st.peer != st.process:
			widest = max(widest, textWidth(st.shortLabel(maxLabel), MessageLabel)+40)
		case st.elected != "":
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
	s.reach = max(s.headerHalf(0), min(tag, s.width)/2)
	s.left = margin + s.axisWidth() + 14 + s.reach
	for i := range n {
		s.x = append(s.x, s.left+float64(i)*s.width)
	}
	s.right = s.left + float64(max(n-1, 0))*s.width + max(s.headerHalf(n-1)+10, 66)
	if n == 1 {
		s.right = s.left + s.width // for messages to itself
	}
	s.d.Width = s.right + margin + s.loopWidth()
	if missing := 560 - s.d.Width; missing > 0 {
		for i := range s.x {
			s.x[i] += missing / 2
		}
		s.left, s.right, s.d.Width = s.left+missing/2, s.right+missing/2, 560
	}
}

// axisWidth is the room that the times at the left need.
func (s *sequence) axisWidth() float64 {
	widest := 30.0
	for i := range s.bands {
		widest = max(widest, textWidth(s.bandLabel(&s.bands[i]), AxisText))
	}
	return widest
}

func (s *sequence) loopWidth() float64 {
	if s.totals.loop {
		return 110
	}
	return 0
}

// placeRows gives every band, and with it every step, its height. Pictures
// that are scrolled through get their headers again and again.
func (s *sequence) placeRows() {
	s.y = make([]float64, len(s.steps))
	s.stack(math.Inf(1))
	if s.bottom > 1.7*headerEvery {
		s.stack(headerEvery)
	}
	if s.anyOpen() {
		s.bottom += 30
	}
	if s.bottom-s.headers[len(s.headers)-1] > footerFrom {
		s.headers = append(s.headers, s.bottom+headerHeight/2)
	}
}

// stack puts the bands below one another, with headers after so many points.
// A band lies as high as it can while each message still has room to fall.
func (s *sequence) stack(every float64) {
	s.headers = append(s.headers[:0], s.top+headerHeight/2)
	y := s.top + headerHeight + headerGap
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
		st := &s.steps[j]
		if st.kind == tracefmt.Send || st.send < 0 || s.slots[st.send].band == s.slots[j].band {
			continue
		}
		columns := s.column[st.process] - s.column[st.peer]
		drop := s.drop + s.perColumn*float64(min(max(columns, -columns)-1, 14))
		y = max(y, s.y[st.send]+drop-float64(s.slots[j].row)*s.pitch)
	}
	return y
}

func (s *sequence) anyOpen() bool {
	for i := range s.steps {
		if st := &s.steps[i]; st.kind == tracefmt.Send && (st.fate == inFlight || st.fate == elsewhere) {
			return true
		}
	}
	return false
}

// label is what stands beside a message: "election(5)".
func (st *step) label() string {
	name := st.typ
	if name == "" && st.text == "" {
		name = "message"
	}
	if st.fate == dropped && st.kind == tracefmt.Lose {
		return name
	}
	return name + st.text
}

// shortLabel is the label without what makes it longer than most characters.
func (st *step) shortLabel(most int) string {
	label := st.label()
	if st.text != "" && utf8.RuneCountInString(label) > most && len(st.text) < len(label) {
		return clean(st.typ, most-3) + "(…)"
	}
	return clean(label, most)
}

// at returns where the step stands.
func (s *sequence) at(i int) Point { return Point{s.x[s.column[s.steps[i].process]], s.y[i]} }
