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
		kind: analyze.Safety, needs: c.stateNeeds() + "; receive events that name their sends", kinds: setOf(tracefmt.Kinds()),
		relies: c.scope.program.since(0), excuses: c.scope.program.since(0),
		monitor: func(b base) analyze.Monitor { return m.of(b) },
	}
	orders := factsOf(tracefmt.Send, tracefmt.Receive)
	if m.definitely { // what orders events leaves fewer ways
		plan.relies = distinct(plan.relies, orders)
	} else {
		plan.excuses = distinct(plan.excuses, orders)
	}
	return plan, nil
}

// cutMonitor follows where the local conditions hold, and with which values, and
// looks for cuts at the end.
type cutMonitor struct {
	base
	*cutCondition
	definitely bool
	ofLibrary  bool
	misread    func() string // why a violation may be none; nil if there is no such
	tracker    *causal.Tracker
	changes    kindSet // the events that may change a local condition or value
	locals     []*localState
	tuples     map[int][]value // what intervals know by a number
	// Of a run that is not recorded whole: what brings an order, which processes were down,
	// and the first event of each.
	edges   analyze.Edges
	wasDown []bool
	first   []tracefmt.Seq
	outlook *outlook // for its gaps
	// sends and receives are where those of each process lie.
	sends, receives []hull
}

// localState follows one part of the condition at all processes.
type localState struct {
	*localPart
	fluent    *causal.Fluent
	held      []int // by process: the number of the tuple, 0 where the part does not hold
	looked    []bool
	intervals [][]causal.Interval
	// doubts is what it rested on that an interval began.
	doubts map[beginning][]analyze.Need
	// mays are by process the ways in which the part may hold beside what is recorded, nil
	// in a run of which everything is.
	mays []mayHold
}

// beginning is that of an interval.
type beginning struct {
	process tracefmt.ProcessID
	seq     tracefmt.Seq
}

// of returns a monitor for a run.
func (m cutMonitor) of(b base) *cutMonitor {
	b.frame.leavesOut = !b.frame.run.RecordsAll() // any event that is not recorded may bring an order
	m.base, m.tracker, m.tuples = b, causal.NewTracker(b.frame.run), map[int][]value{}
	m.changes = setOf(stateKinds)
	for _, def := range b.program.fluents {
		m.changes |= def.kinds
	}
	size := len(b.frame.run.Members) + 1
	m.wasDown, m.first, m.outlook = make([]bool, size), make([]tracefmt.Seq, size), newOutlook(b.frame.run)
	m.sends, m.receives = make([]hull, size), make([]hull, size)
	for _, p := range m.parts {
		part := &localState{localPart: p, fluent: m.tracker.Fluent(), held: make([]int, size), looked: make([]bool, size)}
		part.mays = make([]mayHold, size)
		m.locals = append(m.locals, part)
	}
	return &m
}

func (m *cutMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.tracker.Step(e)
	if m.frame.partial() {
		m.lookBefore()
	}
	m.frame.begin(s, e)
	if m.frame.partial() {
		m.follows(e)
		defer m.lookAhead(e)
	}
	if e.Process == 0 || m.lost {
		return
	}
	for _, part := range m.locals {
		if e.Kind == tracefmt.Lose { // no step of a process: it counts with the next one
			part.looked[e.Process] = false
			continue
		}
		if part.looked[e.Process] && !m.changes.has(e.Kind) && !s.Restarted() {
			continue
		}
		part.looked[e.Process] = true
		m.frame.variables[0] = e.Process
		was, now := part.held[e.Process], m.tuple(part.localPart)
		if was == now {
			continue
		}
		part.held[e.Process] = now
		part.fluent.SetValue(e.Process, now)
		if m.frame.partial() && now != 0 {
			m.begins(part, e)
		}
		if was == 0 {
			r.Examined++
		}
	}
	if len(m.frame.folded) > mostPast {
		m.lose(r, fmt.Sprintf("more than %d values of processes would have to be kept at seq %d", mostPast, e.Seq))
	}
}

// tuple numbers the values that relations need of the process at hand, from 1; it
// is 0 where the local condition does not hold.
func (m *cutMonitor) tuple(part *localPart) int {
	if part.holds != nil && part.holds(m.frame) != yes {
		return 0
	}
	var chain value
	var values [mostLeaves]value
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

// End tries every choice of different processes.
func (m *cutMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	defer m.close(r, s)
	if why := m.tracker.Undecided(); why != "" {
		r.Undecided(func() string { return why })
		return
	}
	for _, part := range m.locals {
		part.intervals = make([][]causal.Interval, len(m.frame.run.Members)+1)
		for p := range part.intervals[1:] {
			part.intervals[p+1] = part.fluent.Intervals(tracefmt.ProcessID(p+1), end.Quiescent)
		}
	}
	search := newCutSearch(m, r)
	if m.frame.partial() { // those that are sure first
		m.frame.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
		m.lookAround()
		search.keepSure()
		search.assign(0)
		search.left = mostSteps
	}
	search.keepAll()
	search.assign(0)
	switch {
	case r.Violations == 0 && m.misread != nil:
		r.Undecided(m.misread)
	case search.left < 0:
		r.Undecided(func() string {
			return fmt.Sprintf("the choices of %d processes take more than %d steps", len(m.parts), mostSteps)
		})
	case end.Looping() && m.mayMeet(end.LoopFrom):
		r.Undecided(func() string {
			return "the run ends in a loop; whether a further round holds such a cut was not examined"
		})
	}
}

// mayMeet reports whether further rounds of a loop may show what the first one
// does not: there are processes enough, and one of them is concerned in the
// loop.
func (m *cutMonitor) mayMeet(from tracefmt.Seq) bool {
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
