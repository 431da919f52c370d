package diagram

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// marked reports whether the options make the picture one about some events.
func (o Options) marked() bool { return len(o.Highlight)+len(o.Witness)+len(o.Cut) > 0 }

// resolve fills in the defaults: where events are highlighted, the window
// that they span.
func (o Options) resolve() Options {
	if o.MaxEvents == 0 {
		o.MaxEvents = DefaultMaxEvents
	}
	o.Cut = slices.Sorted(slices.Values(o.Cut))
	if len(o.Highlight) == 0 {
		return o
	}
	o.Highlight = slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.Highlight, o.Witness))))
	if o.From == 0 && o.To == 0 {
		o.From, o.To = o.Highlight[0], slices.Max(slices.Concat(o.Highlight, o.Cut))
	}
	return o
}

// lit reports whether an event is highlighted, or none is.
func (o Options) lit(seq tracefmt.Seq) bool {
	_, ok := slices.BinarySearch(o.Highlight, seq)
	return ok || len(o.Highlight) == 0
}

func (s *story) lit(i int) bool { return s.options.lit(s.steps[i].seq) }

// sparse reports whether only the highlighted events are drawn, since the
// window has more than may be.
func (o Options) sparse() bool {
	return len(o.Highlight) > 0 && int64(o.To-o.From) >= int64(o.MaxEvents)
}

// halo is how far a halo lies outside of what it surrounds.
const halo = 4

// drawWitness puts a halo with a number around each event of the witness.
func (s *sequence) drawWitness() {
	for i := range s.steps {
		if !s.lit(i) {
			s.legend.use(legendFaint)
			s.legend.faint = s.options.Faint
		}
	}
	for n, seq := range s.options.Witness {
		i, ok := s.find(seq)
		if !ok {
			continue // outside the window, or nothing that is drawn
		}
		s.legend.use(legendWitness)
		b := s.extent(i).grow(halo)
		ring := Node{ID: "w" + strconv.Itoa(n+1), Class: WitnessHalo, X: (b.x0 + b.x1) / 2, Y: (b.y0 + b.y1) / 2, W: b.x1 - b.x0, H: b.y1 - b.y0}
		ring.Tip = fmt.Sprintf("shows the violation (%d): %s", n+1, s.markTip(i, ""))
		s.node(layerMarks, ring)
		number := Node{Class: WitnessTag, X: b.x0, Y: b.y0, W: 14, H: 14, Text: strconv.Itoa(n + 1), Tip: ring.Tip}
		s.node(layerTexts, number)
		s.plan.cover(number.bounds())
	}
}

// clear is how far from the middle of a mark its text begins.
func (s *sequence) clear(i int, half float64) float64 {
	if slices.Contains(s.options.Witness, s.steps[i].seq) {
		return markHalf + halo
	}
	return half
}

// markHalf is half the size of most marks.
const markHalf = 8

// extent is the room that the sign of a step takes.
func (s *sequence) extent(i int) box {
	st := &s.steps[i]
	at, half := Point{(s.left + s.right) / 2, s.y[i]}, Point{markHalf, markHalf}
	if st.process != 0 {
		at = s.at(i)
	}
	switch {
	case st.opening:
		at.Y = s.headers[0]
		half = Point{s.headerWidth(st.process) / 2, headerHeight / 2}
	case s.slots[i].row < 0:
		at = s.lossPoint(st, s.at(st.send))
	case st.elected != "":
		half = Point{min(tagWidth(st)+6, s.width-2) / 2, 11}
	}
	return box{at.X - half.X, at.Y - half.Y, at.X + half.X, at.Y + half.Y}
}

// drawCut draws a line across the lifelines: above it happened what is in the
// cut, below it what is not.
func (s *sequence) drawCut() {
	if len(s.options.Cut) == 0 || len(s.x) == 0 {
		return
	}
	s.legend.use(legendCut)
	var points []Point
	for _, level := range s.cutLevels() {
		points = append(points, level.a, level.b)
	}
	last := len(points) - 1
	points[0].X, points[last].X = min(points[0].X, s.left-s.reach-4), max(points[last].X, s.right-4)
	for i := range last {
		s.plan.draw(points[i], points[i+1])
	}
	s.path(layerMarks, Path{Class: CutLine, Strokes: [][]Point{Line(points...)}, Tip: "a consistent cut"})
}

// cutLevels returns, by column, the part of the cut's line that lies level
// across the lifeline: below the last event in the cut that is drawn, or just
// below the header.
func (s *sequence) cutLevels() []segment {
	levels := make([]segment, len(s.x))
	level := func(column int, y, half float64) {
		x := s.x[column]
		levels[column] = segment{Point{x - half, y}, Point{x + half, y}}
	}
	for i := range levels {
		level(i, s.headers[0]+headerHeight/2+headerGap-4, markHalf)
	}
	for i := range s.steps {
		st := &s.steps[i]
		if p := st.process; p != 0 && st.seq <= s.cut[p] && s.slots[i].row >= 0 {
			b := s.extent(i).grow(halo)
			level(s.column[p], b.y1+2, min((b.x1-b.x0)/2, 0.45*s.width))
		}
	}
	return levels
}

// describeWitness tells what is marked to those who cannot see it.
func (s *story) describeWitness(b *strings.Builder) {
	if s.options.Caption != "" {
		fmt.Fprintf(b, "It is to show this: %s. ", strings.TrimSuffix(clean(s.options.Caption, maxSummary), "."))
	}
	for _, part := range []struct {
		what string
		seqs []tracefmt.Seq
	}{
		{"Highlighted", s.options.Highlight}, {"Marked", s.options.Witness}, {"Last in the consistent cut", s.options.Cut},
	} {
		if len(part.seqs) > 0 {
			fmt.Fprintf(b, "%s: %s. ", part.what, seqList(part.seqs))
		}
	}
}

// seqList is "event 3" or "events 3, 5 and 9", at most a dozen.
func seqList(seqs []tracefmt.Seq) string {
	const most = 12
	var list []string
	for i, seq := range seqs {
		if i == most {
			list = append(list, fmt.Sprintf("%d more", len(seqs)-most))
			break
		}
		list = append(list, strconv.FormatInt(int64(seq), 10))
	}
	if len(seqs) == 1 {
		return "event " + list[0]
	}
	return "events " + join(list)
}
