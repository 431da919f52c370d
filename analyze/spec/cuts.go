package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
)

// mostSteps bounds the search for cuts. Each choice of processes takes a step,
// and one for each interval that is compared.
var mostSteps = 1 << 27

// neverCut compiles "never possibly C for D" and "never definitely C for D".
// C is a conjunction of which each part refers to one process; the processes
// are the names that C has free.
func (c *compiler) neverCut(form *neverForm) (*plan, error) {
	n, err := lower(form.Expr)
	if err != nil {
		return nil, err
	}
	variables, parts, err := c.locals(n)
	if err != nil {
		return nil, err
	}
	m := cutMonitor{detect: causal.Possibly, modality: form.Modality, variables: variables}
	if form.Modality == "definitely" {
		m.detect = causal.Definitely
	}
	for _, v := range variables {
		inner := *c.scope
		inner.variables = []string{v}
		holds, err := inner.all(parts[v])
		if err != nil {
			return nil, err
		}
		m.parts = append(m.parts, &localPart{holds: holds})
	}
	if m.choose, err = c.choice(form.For, variables); err != nil {
		return nil, err
	}
	return &plan{
		kind: analyze.Safety, needs: c.stateNeeds() + "; receive events that name their sends", kinds: setOf(tracefmt.Kinds()),
		monitor: func(b base) analyze.Monitor { return m.of(b) },
	}, nil
}

// choice compiles the condition on the processes, nil for none.
func (c *compiler) choice(e *orExpr, variables []string) (test, error) {
	if e == nil {
		return nil, nil
	}
	n, err := lower(e)
	if err != nil {
		return nil, err
	}
	inner := *c.scope
	inner.variables = variables
	return inner.test(n)
}

// locals takes a conjunction apart by the processes that its parts refer to.
func (c *compiler) locals(n *node) (variables []string, parts map[string][]*node, err error) {
	parts = map[string][]*node{}
	for _, part := range n.conjuncts() {
		v, err := c.localOf(part)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(variables, v) {
			variables = append(variables, v)
		}
		parts[v] = append(parts[v], part)
	}
	if len(variables) > mostVariables {
		return nil, nil, errorf(n.pos(), "the condition refers to %d processes, expected at most %d", len(variables), mostVariables)
	}
	return variables, parts, nil
}

// localOf returns the one process that a condition refers to.
func (c *compiler) localOf(part *node) (variable string, err error) {
	part.walk(func(n *node) {
		i, fluent, _ := c.fluent(n.name) // an error shows where it is compiled
		switch {
		case err != nil:
		case n.op == "forall" || n.op == "exists" || n.op == "call" && (len(n.kids) == 0 || n.name == "count" || n.name == "best"),
			n.op == "call" && fluent && c.fluents[i].while != nil && !c.fluents[i].local:
			err = errorf(n.pos(), "%s looks at more than one process, expected conditions on one each, joined by and", n)
		case n.op != "field" || n.name == "n":
		case variable == "":
			variable = n.name
		case variable != n.name:
			err = errorf(part.pos(), "%s refers to %s and %s, expected one process; conditions on both belong after for", part, variable, n.name)
		}
	})
	if err == nil && variable == "" {
		err = errorf(part.pos(), "%s refers to no process, expected one such as leads(p)", part)
	}
	return variable, err
}

// cutMonitor follows where the local conditions hold, and looks for cuts at
// the end.
type cutMonitor struct {
	base
	modality  string
	detect    func(...[]causal.Interval) (causal.Witness, bool)
	variables []string
	parts     []*localPart
	choose    test // nil: every choice of different processes
	tracker   *causal.Tracker
}

// localPart is the condition on one of the processes.
type localPart struct {
	holds     test
	fluent    *causal.Fluent
	held      []bool // by process
	intervals [][]causal.Interval
}

// of returns a monitor for a run.
func (m cutMonitor) of(b base) *cutMonitor {
	m.base, m.tracker = b, causal.NewTracker(b.run)
	parts := m.parts
	m.parts = nil
	for _, p := range parts {
		m.parts = append(m.parts, &localPart{holds: p.holds, fluent: m.tracker.Fluent(), held: make([]bool, len(b.run.Members)+1)})
	}
	return &m
}

func (m *cutMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.tracker.Step(e)
	m.begin(s, e)
	if e.Process == 0 || e.Kind == tracefmt.Lose {
		return // no step of a process
	}
	for _, part := range m.parts {
		m.frame.variables[0] = e.Process
		if holds := part.holds(m.frame) == yes; holds != part.held[e.Process] {
			part.held[e.Process] = holds
			part.fluent.Set(e.Process, holds)
			if holds {
				r.Examined++
			}
		}
	}
}

// End tries every choice of different processes.
func (m *cutMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	defer m.close(r, s)
	if why := m.tracker.Undecided(); why != "" {
		r.Undecided(func() string { return why })
		return
	}
	for _, part := range m.parts {
		part.intervals = make([][]causal.Interval, len(m.plain))
		for p := range part.intervals[1:] {
			part.intervals[p+1] = part.fluent.Intervals(tracefmt.ProcessID(p+1), end.Quiescent)
		}
	}
	search := cutSearch{cutMonitor: m, result: r, seen: map[string]bool{}, left: mostSteps}
	search.assign(0)
	switch {
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
	for p := range m.plain {
		ever := false
		for _, part := range m.parts {
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

// cutSearch chooses processes for the variables, one after the other.
type cutSearch struct {
	*cutMonitor
	result *analyze.Result
	chosen []tracefmt.ProcessID
	seen   map[string]bool // the intervals of witnesses
	left   int             // steps
}

func (s *cutSearch) assign(i int) {
	if i == len(s.parts) {
		s.try()
		return
	}
	for p := tracefmt.ProcessID(1); int(p) < len(s.plain) && s.left >= 0; p++ {
		if len(s.parts[i].intervals[p]) == 0 || slices.Contains(s.chosen, p) {
			continue
		}
		s.frame.variables[i] = p
		s.chosen = append(s.chosen, p)
		s.assign(i + 1)
		s.chosen = s.chosen[:i]
	}
}

// try asks for a cut of the processes that are chosen.
func (s *cutSearch) try() {
	s.left--
	if s.choose != nil && s.choose(s.frame) != yes {
		return
	}
	var conjuncts [][]causal.Interval
	for i, part := range s.parts {
		intervals := part.intervals[s.chosen[i]]
		conjuncts = append(conjuncts, intervals)
		s.left -= len(intervals)
	}
	if s.left < 0 {
		return
	}
	if w, found := s.detect(conjuncts...); found && !s.known(w) {
		s.violate(w)
	}
}

func (s *cutSearch) violate(w causal.Witness) {
	if s.result.Violations == 0 {
		s.result.Cut = w.Cut().Seqs()
	}
	var witness []tracefmt.Seq
	for _, i := range w.Intervals {
		witness = append(witness, i.From, i.To)
	}
	s.result.Violate(func() string { return s.told(w) }, witness...)
}

// known reports whether the same intervals were found for another choice: two
// leaders are one violation, whichever is called p.
func (s *cutSearch) known(w causal.Witness) bool {
	var parts []string
	for _, i := range w.Intervals {
		parts = append(parts, fmt.Sprint(i.Process, i.From))
	}
	slices.Sort(parts)
	id := strings.Join(parts, " ")
	known := s.seen[id]
	s.seen[id] = true
	return known
}

// told says when each condition held, and what that means.
func (s *cutSearch) told(w causal.Witness) string {
	var parts []string
	for i, interval := range w.Intervals {
		parts = append(parts, fmt.Sprintf("%s = %s %v", s.cutMonitor.variables[i], shorten(s.run.ProcessName(interval.Process)), interval))
	}
	because := "no message orders the end of one before the beginning of another"
	if s.modality == "definitely" {
		because = "each began before any other ended, whatever the order of concurrent events"
	}
	return fmt.Sprintf("%s, and %s; the rule is: %s", strings.Join(parts, ", "), because, s.rule)
}
