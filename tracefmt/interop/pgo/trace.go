package pgo

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"etrace/tracefmt/interop"
)

// trace is the execution that is being read.
type trace struct {
	*interop.Builder
	reading    *interop.Reading
	archetypes map[id]*archetype
	sorted     []*archetype        // the archetypes, sorted by id
	raft       bool                // the program is one of Raft
	clocked    bool                // each process is one archetype, so the clocks are those of processes
	readers    map[string]*process // by the index with which they read the network
	order      []*section          // causes first, otherwise by time
	messages   map[*element]*message
}

// process is a process of the run: an archetype, or several of one server.
type process struct {
	name, index string
	joined      bool     // it consists of several archetypes
	events      int64    // the number of its events so far
	log         []string // the entries of its Raft log so far
}

// add adds a step to its archetype.
func (t *trace) add(s *section, self id) {
	a := t.archetypes[self]
	if a == nil {
		a = &archetype{id: self}
		t.archetypes[self] = a
	}
	s.archetype = a
	a.sections = append(a.sections, s)
}

// writes reports whether a step writes a variable with the name.
func (t *trace) writes(name string) bool {
	for _, a := range t.sorted {
		for _, s := range a.sections {
			if slices.ContainsFunc(s.elements, func(e element) bool { return e.Tag == "write" && e.Name.Name == name }) {
				return true
			}
		}
	}
	return false
}

// archetypesWithoutSteps returns the archetypes that occur in clocks and have no steps.
func (t *trace) archetypesWithoutSteps() []id {
	ids := make(map[id]bool)
	for _, s := range t.order {
		for _, k := range s.clock {
			if t.archetypes[k.archetype] == nil {
				ids[k.archetype] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(ids), compareIDs)
}

// groupArchetypes decides which archetypes form one process; apart makes each its own process.
func (t *trace) groupArchetypes(apart bool) {
	t.clocked, t.readers = true, make(map[string]*process)
	count := make(map[string]int)
	for _, id := range slices.SortedFunc(maps.Keys(t.archetypes), compareIDs) {
		a := t.archetypes[id]
		a.index = a.server()
		count[a.index]++
		t.sorted = append(t.sorted, a)
	}
	servers := make(map[string]*process)
	for _, a := range t.sorted {
		a.process = &process{name: a.String(), index: a.index}
		if several := a.index != "" && count[a.index] > 1; several && apart {
			a.process.index = "" // a part of a server owns no variable with an index
		} else if several {
			if servers[a.index] == nil {
				servers[a.index] = &process{name: a.index, index: a.index, joined: true}
			}
			a.process, t.clocked = servers[a.index], false
		}
		if a.receives() || a.process.joined {
			t.readers[a.index] = a.process
		}
	}
	for _, a := range t.sorted { // archetypes that ended before they read the network
		if t.readers[a.self] == nil && cmp.Or(a.index, a.self) == a.self {
			t.readers[a.self] = a.process
		}
	}
}

func compareIDs(a, b id) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.self, b.self)) }

// receives reports whether the archetype reads the network.
func (a *archetype) receives() bool { return len(a.indices((*element).isMessage)) > 0 }

// server returns the index with which the archetype reads the network. Without such a read it returns the most
// frequent index of its other variables, "" if several are equally frequent.
func (a *archetype) server() string {
	messages := a.indices((*element).isMessage)
	if len(messages) == 0 {
		messages = a.indices(func(e *element) bool { return len(e.Indices) > 0 && !e.isMessage() })
	}
	best, mostSections := "", 0
	for _, index := range slices.Sorted(maps.Keys(messages)) {
		switch n := messages[index]; {
		case n > mostSections:
			best, mostSections = index, n
		case n == mostSections:
			best = ""
		}
	}
	return best
}

// indices counts the indices of the elements that of selects. It leaves out sends.
func (a *archetype) indices(selects func(*element) bool) map[string]int {
	count := make(map[string]int)
	for _, s := range a.sections {
		for i := range s.elements {
			if e := &s.elements[i]; selects(e) && !(e.isMessage() && e.Tag == "write") {
				count[e.index()]++
			}
		}
	}
	return count
}

// sort sorts the steps of each archetype by its clock. It sorts all steps such that causes come first and
// otherwise by time.
func (t *trace) sort() {
	var plain []*section
	for _, a := range t.sorted {
		slices.SortStableFunc(a.sections, func(s, next *section) int { return cmp.Compare(s.step, next.step) })
		a.sections = slices.CompactFunc(a.sections, func(s, next *section) bool {
			if s.step == next.step {
				t.Find(
					"unique-steps", max(s.line, next.line), "step %d of %s occurs before, at %s, the first counts",
					s.step, a.id, t.reading.Place(min(s.line, next.line)),
				)
			}
			return s.step == next.step
		})
		for k, s := range a.sections {
			s.number = k
			plain = append(plain, s)
		}
	}
	slices.SortStableFunc(plain, func(s, next *section) int {
		return cmp.Or(s.time.Compare(next.time), compareIDs(s.archetype.id, next.archetype.id))
	})
	for _, s := range plain {
		t.visit(s)
	}
}

// visit places a step after its causes, which may form a long chain. In a cycle of causes, which contradictory
// clocks form, it leaves out one of them.
func (t *trace) visit(s *section) {
	stack := []*section{s}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		if top.placed || top.next > len(top.clock) {
			stack = stack[:len(stack)-1]
			if !top.placed {
				top.placed = true
				t.order = append(t.order, top)
			}
			continue
		}
		cause := t.cause(top)
		top.next++
		switch {
		case cause == nil || cause.placed:
		case cause.next > 0:
			t.Find("causal-order", top.line, "step %s knows of step %s, which knows of it; the clock of one is wrong", top.key(), cause.key())
		default:
			stack = append(stack, cause)
		}
	}
}

// cause returns the next step that must be placed before s, nil after the last.
func (t *trace) cause(s *section) *section {
	if s.next == len(s.clock) {
		return s.before()
	}
	return t.latest(s.clock[s.next])
}

// before returns the previous step of the archetype, nil for the first.
func (s *section) before() *section {
	if s.number == 0 {
		return nil
	}
	return s.archetype.sections[s.number-1]
}

// latest returns the last step of an archetype that a clock entry includes, nil for an entry before the first
// step.
func (t *trace) latest(known tick) *section {
	a := t.archetypes[known.archetype]
	if a == nil {
		return nil
	}
	a.known = max(a.known, known.count)
	n := sort.Search(len(a.sections), func(i int) bool { return a.sections[i].step > known.count })
	if n == 0 {
		return nil
	}
	return a.sections[n-1]
}

// clockEntry returns the entry of an archetype in the clock of the step.
func (s *section) clockEntry(a id) int64 {
	for _, t := range s.clock {
		if t.archetype == a {
			return t.count
		}
	}
	return 0
}

// newlyKnownSteps returns the steps of other archetypes that the step knows and its previous step did not know. It
// omits steps that another of these steps knows.
func (t *trace) newlyKnownSteps(s *section) (sources []*section) {
	var risen []*section
	b := s.before()
	for _, k := range s.clock {
		if b != nil && b.clockEntry(k.archetype) >= k.count {
			continue
		}
		if cause := t.latest(k); cause != nil {
			risen = append(risen, cause)
		}
	}
	for _, cause := range risen {
		knowsCause := func(next *section) bool { return next.clockEntry(cause.archetype.id) >= cause.step }
		if !slices.ContainsFunc(risen, knowsCause) {
			sources = append(sources, cause)
		}
	}
	return sources
}
