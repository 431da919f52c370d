package spec

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
)

// neverCut compiles "never possibly C for D" and "never definitely C for D".
func (c *compiler) neverCut(form *neverForm) (*plan, error) {
	condition, err := c.cutCondition(form)
	if err != nil {
		return nil, err
	}
	m := cutMonitor{cutCondition: condition, definitely: form.Modality == "definitely", ofLibrary: c.ofLibrary}
	plan := &plan{
		kind: analyze.Safety, needs: c.stateNeeds() + "; receive events that name their sends",
		kinds:  setOf(tracefmt.Kinds()),
		relies: c.scope.program.factsSince(0), excuses: c.scope.program.factsSince(0),
		monitor: func(b base) analyze.Monitor { return m.forRun(b) },
	}
	orders := factsOf(tracefmt.Send, tracefmt.Receive)
	if m.definitely {
		// A message that is not recorded may order events, which leaves fewer orders to examine.
		plan.relies = distinct(plan.relies, orders)
	} else {
		plan.excuses = distinct(plan.excuses, orders)
	}
	return plan, nil
}

// cutMonitor records the intervals in which the local conditions hold, with their values, and searches
// for cuts at the end.
type cutMonitor struct {
	base
	*cutCondition
	definitely bool
	ofLibrary  bool
	// ambiguity is the reason for which a violation may not be one; nil if there is no such reason.
	ambiguity func() string
	tracker   *causal.Tracker
	changes   kindSet // the events that may change a local condition or value
	locals    []*localState
	tuples    map[int][]value // the values of an interval, by its number
	// The next fields matter if the recording turns out to be incomplete: the facts that order events, the processes
	// that were down, and the first event of each process.
	edges           analyze.Edges
	wasDown         []bool
	first           []tracefmt.Seq
	possibleMoments *possibleMoments // gives the gaps
	// sends and receives are the first and last such event of each process.
	sends, receives []extent
}

// localState follows one part of the condition at all processes.
type localState struct {
	*localPart
	fluent       *causal.Fluent
	tupleNumbers []int // by process: the number of its tuple, 0 while the part does not hold
	evaluated    []bool
	intervals    [][]causal.Interval
	// doubts are the needs on which the beginning of an interval rests.
	doubts map[beginning][]analyze.Need
	// possible has, by process, the unrecorded ways in which the part may hold; nil in a complete recording.
	possible []possibleHold
}

// beginning is the first event of an interval at a process.
type beginning struct {
	process tracefmt.ProcessID
	seq     tracefmt.Seq
}

// forRun returns a monitor for a run.
func (m cutMonitor) forRun(b base) *cutMonitor {
	// Any unrecorded event may order others, whatever the rule reads.
	b.frame.incomplete = !b.frame.run.RecordsAll()
	m.base, m.tracker, m.tuples = b, causal.NewTracker(b.frame.run), map[int][]value{}
	m.changes = setOf(stateKinds)
	for _, def := range b.program.fluents {
		m.changes |= def.kinds
	}
	size := len(b.frame.run.Members) + 1
	m.wasDown, m.first, m.possibleMoments = make([]bool, size), make([]tracefmt.Seq, size), newPossibleMoments(b, nil)
	m.sends, m.receives = make([]extent, size), make([]extent, size)
	for _, p := range m.parts {
		part := &localState{
			localPart: p, fluent: m.tracker.Fluent(), tupleNumbers: make([]int, size),
			evaluated: make([]bool, size),
		}
		part.possible = make([]possibleHold, size)
		m.locals = append(m.locals, part)
	}
	return &m
}

// Step evaluates each local condition at the event's process and records where its interval begins or ends. A new
// value that a relation reads begins a new interval.
func (m *cutMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.tracker.Step(e)
	if m.frame.partial() {
		m.evaluateBefore()
	}
	m.frame.begin(s, e)
	m.noteEvent(e) // an inferred event may show only later that the recording is incomplete
	if m.frame.partial() {
		defer m.evaluateUntilNext(e)
	}
	if e.Process == 0 || m.gaveUp {
		return
	}
	for _, part := range m.locals {
		if e.Kind == tracefmt.Lose {
			// A loss is no step of the process: the state is read again at its next step.
			part.evaluated[e.Process] = false
			continue
		}
		if part.evaluated[e.Process] && !m.changes.has(e.Kind) && !s.Restarted() {
			continue
		}
		part.evaluated[e.Process] = true
		m.frame.variables[0] = e.Process
		oldTuple, newTuple := part.tupleNumbers[e.Process], m.tupleOf(part.localPart)
		if oldTuple == newTuple {
			continue
		}
		part.tupleNumbers[e.Process] = newTuple
		part.fluent.SetValue(e.Process, newTuple)
		if m.frame.partial() && newTuple != 0 {
			m.noteBeginDoubts(part, e)
		}
		if oldTuple == 0 {
			r.Examined++
		}
	}
	if len(m.frame.folded) > maxPast {
		m.giveUp(r, fmt.Sprintf("more than %d values of processes would have to be kept at seq %d", maxPast, e.Seq))
	}
}

// tupleOf returns the number, from 1, of the values that relations read of the current process; 0 if the
// local condition does not hold.
func (m *cutMonitor) tupleOf(part *localPart) int {
	if part.holds != nil && part.holds(m.frame) != yes {
		return 0
	}
	// Folding gives each sequence of values one number, so that equal tuples have the same number.
	var chain value
	var values [maxLeaves]value
	for i, leaf := range part.leaves {
		values[i] = leaf(m.frame)
		chain = m.frame.fold(chain, values[i])
	}
	number := int(chain.n) + 1
	if _, known := m.tuples[number]; !known {
		m.tuples[number] = slices.Clone(values[:len(part.leaves)])
	}
	return number
}

// End searches all choices of different processes.
func (m *cutMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	defer m.finish(r, s)
	if reason := m.tracker.Undecided(); reason != "" {
		r.Undecided(func() string { return reason })
		return
	}
	for _, part := range m.locals {
		part.intervals = make([][]causal.Interval, len(m.frame.run.Members)+1)
		for p := range part.intervals[1:] {
			part.intervals[p+1] = part.fluent.Intervals(tracefmt.ProcessID(p+1), end.Quiescent)
		}
	}
	search := newCutSearch(m, r)
	if m.frame.partial() {
		// Search the certain intervals first: a violation that they show needs no excuse.
		m.frame.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
		m.evaluateEverywhere()
		search.selectCertain()
		search.assign(0)
		search.stepsLeft = maxSteps
	}
	search.selectAll()
	search.assign(0)
	switch {
	case r.Violations == 0 && m.ambiguity != nil:
		r.Undecided(m.ambiguity)
	case search.stepsLeft < 0:
		r.Undecided(func() string {
			return fmt.Sprintf("the choices of %d processes take more than %d steps", len(m.parts), maxSteps)
		})
	case end.Looping() && m.possibleInLoop(end.LoopFrom):
		r.Undecided(func() string {
			return "the run ends in a loop; whether a further round holds such a cut was not examined"
		})
	}
}

// possibleInLoop reports whether further rounds of the loop may show a cut that the first round does not:
// enough processes hold a part at some time, and one of them does so in the loop.
func (m *cutMonitor) possibleInLoop(from tracefmt.Seq) bool {
	concerned, inLoop := 0, false
	for p := range len(m.frame.run.Members) + 1 {
		ever := false
		for _, part := range m.locals {
			for _, i := range part.intervals[p] {
				ever, inLoop = true, inLoop || i.To == 0 || i.To > from
			}
		}
		if ever {
			concerned++
		}
	}
	return concerned >= len(m.parts) && inLoop
}
