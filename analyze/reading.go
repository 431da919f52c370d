package analyze

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Reading reports which events record some of a list of facts.
type Reading struct {
	any    bool // the list is not empty
	kinds  uint32
	names  []string // the variables
	states bool     // all state events record some
	term   bool     // the term column of an event records some
}

// NewReading returns a Reading of facts, for the run of a state before its first event. Several variables record
// whether a process leads, and its term.
func NewReading(s *replay.State, facts []tracefmt.Fact) Reading {
	r := Reading{any: len(facts) > 0}
	for _, f := range facts {
		switch {
		case f.Variable != "":
			r.names = append(r.names, tracefmt.ListName(f.Variable))
		case f.Kind == tracefmt.State:
			r.states = true
		default:
			r.kinds |= 1 << f.Kind
		}
	}
	variables := []string{"elected", "role", "term", s.TermFact().Variable}
	r.term = slices.ContainsFunc(variables, func(name string) bool { return slices.Contains(r.names, name) })
	if r.term {
		r.names = append(r.names, variables...)
	}
	return r
}

// Has reports whether the event records a fact of the list. An event that may change the status of a process
// does.
func (r *Reading) Has(e *tracefmt.Event) bool {
	if !r.any {
		return false
	}
	_, status := replay.StatusAfter(e.Kind)
	switch {
	case status || r.kinds>>e.Kind&1 != 0:
		return true
	case e.Kind != tracefmt.State:
		return false
	case r.states || r.term && e.Term != 0:
		return true
	}
	for name := range tracefmt.Fields(e.Payload) {
		if slices.Contains(r.names, string(tracefmt.ListName(name))) {
			return true
		}
	}
	return false
}
