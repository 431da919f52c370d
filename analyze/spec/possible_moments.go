package spec

import (
	"cmp"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// possibleMoments collects the needs for unrecorded events by which a condition may have held at some moment. The
// condition is evaluated after each event that may change it, and for the time until the next event. At other
// events only the beginning of a gap makes more unrecorded events possible.
type possibleMoments struct {
	needs []analyze.Need
	gaps  []tracefmt.Seq // the events after which a gap begins
	// evaluated is set once the condition was evaluated before the first event.
	evaluated bool
	// initially is set if the condition holds before the first event. first is the first event after which it is evaluated, 0
	// for none: an unrecorded event before would show a state in which it holds.
	initially bool
	first     tracefmt.Seq
	count     int // the number of moments found
	latest    map[doubtful]stretches
}

// maxFound is the number of possible moments after which the search stops, once one of them is certain to
// matter.
const maxFound = 32

// newPossibleMoments returns the empty collection of a run before its first event. If the condition holds then, the rule
// reads every step, since an unrecorded one may show that state. The condition is nil if that does not matter.
func newPossibleMoments(b base, condition *code) *possibleMoments {
	var o possibleMoments
	run := b.frame.run
	if condition != nil && !run.RecordsAll() {
		f := newFrame(run, b.program)
		f.begin(replay.NewState(run), &tracefmt.Event{})
		o.initially = condition.test(f) == yes
		b.frame.incomplete = b.frame.incomplete || o.initially
	}
	if run.Completeness != nil {
		for _, g := range run.Completeness.Gaps {
			o.gaps = append(o.gaps, g.From-1)
		}
	}
	slices.Sort(o.gaps)
	return &o
}

// evaluateBefore evaluates the condition before the first event.
func (o *possibleMoments) evaluateBefore(b *base, condition *code) {
	if o.evaluated {
		return
	}
	o.evaluated = true
	f := newFrame(b.frame.run, b.program)
	f.begin(replay.NewState(b.frame.run), &tracefmt.Event{})
	o.evaluate(f, condition)
}

// noteEvaluation notes that the condition is evaluated after an event.
func (o *possibleMoments) noteEvaluation(e *tracefmt.Event) { o.first = cmp.Or(o.first, e.Seq) }

// addBetween adds the needs for any event of the rule between two others; nothing if from is 0.
func (o *possibleMoments) addBetween(b *base, from, until tracefmt.Seq) {
	if from == 0 {
		return
	}
	for _, n := range analyze.Needs(analyze.EveryProcess, from, until, b.kinds.facts()...) {
		o.add(n)
	}
}

// addInitial adds the needs for an earlier first event, if the condition holds initially.
func (o *possibleMoments) addInitial() {
	if !o.initially {
		return
	}
	for _, n := range analyze.Needs(analyze.EveryProcess, 0, o.first, allSteps...) {
		o.add(n)
	}
}

// needsWithInferred returns the needs, with those of inferred events and of an earlier first event added.
func (o *possibleMoments) needsWithInferred(b *base, s *replay.State) []analyze.Need {
	o.addInitial()
	for _, g := range s.Run.InferredGaps {
		p, _ := s.Run.Process(g.Process)
		until := g.To
		if until != 0 {
			until++
		}
		for _, n := range analyze.Needs(p, g.From-1, until, b.relies...) {
			o.add(n)
		}
	}
	return o.needs
}

// beginsGap reports whether a gap begins after the event.
func (o *possibleMoments) beginsGap(e *tracefmt.Event) bool {
	i, found := slices.BinarySearch(o.gaps, e.Seq)
	o.gaps = o.gaps[i:]
	return found
}

// evaluate evaluates the condition now, and for the time before the next event.
func (o *possibleMoments) evaluate(f *frame, condition *code) {
	if o.count >= maxFound {
		return
	}
	f.untilNext = true
	if condition.conditionTruths(f)&(mayBeYes|mayBeUnknown) != 0 {
		o.addMoment(f, f.needsToDiffer(condition))
	}
	f.untilNext = false
}

// addMoment adds the needs of one moment.
func (o *possibleMoments) addMoment(f *frame, needs []analyze.Need) {
	for _, n := range needs {
		o.add(n)
	}
	if !f.state.Coverage().Silent() && len(analyze.Missing(f.state, needs)) > 0 {
		o.count++
	}
}

// add adds a need, and merges it with the stretch that it continues. If one fact has more than maxStretches stretches,
// the last ones are merged with the time between them, which is an over-approximation.
func (o *possibleMoments) add(n analyze.Need) {
	if o.latest == nil {
		o.latest = make(map[doubtful]stretches)
	}
	key := doubtful{source: n.Process, fact: n.Fact, anew: n.Anew}
	s, known := o.latest[key]
	// A need that begins before the last stretch, or after its end, does not continue it.
	if !known || s.count < maxStretches && (n.From < o.needs[s.last].From ||
		o.needs[s.last].To != 0 && n.From > o.needs[s.last].To) {
		o.latest[key] = stretches{len(o.needs), s.count + 1}
		o.needs = append(o.needs, n)
		return
	}
	m := &o.needs[s.last]
	m.From = min(m.From, n.From)
	if m.To != 0 && (n.To == 0 || n.To > m.To) {
		m.To = n.To
	}
}

// stretches is the place of the last stretch of a fact at a process, and their number.
type stretches struct{ last, count int }

// maxStretches bounds the stretches that are kept separately.
const maxStretches = 64
