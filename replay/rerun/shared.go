package rerun

import (
	"etrace/record/sim"
	"etrace/tracefmt"
)

// variables are the kinds of event whose payload holds variables.
var variables = map[tracefmt.Kind]bool{tracefmt.Start: true, tracefmt.Recover: true, tracefmt.State: true}

// shared are the variables that both a run and an algorithm have. The zero
// value has none.
type shared struct {
	told, both map[string]bool
	// all: neither has others, so that no event need be looked at.
	all bool
}

// tell takes in the variables that a start event tells.
func (s *shared) tell(e *tracefmt.Event) {
	for name := range tracefmt.Fields(e.Payload) {
		if s.told == nil {
			s.told = map[string]bool{}
		}
		s.told[string(name)] = true
	}
}

// declare takes in those of the algorithm, when the run's are known.
func (s *shared) declare(protocol *sim.Protocol) {
	_, declared, _ := protocol.Describe()
	s.both = map[string]bool{}
	for _, v := range declared {
		if name := v[0]; s.told[name] {
			s.both[name] = true
		}
	}
	s.all = len(s.both) == len(s.told) && len(s.both) == len(declared)
}

// untold reports whether an event is a change of variables of which none is
// shared.
func (s *shared) untold(e *tracefmt.Event) bool {
	if s.all || e.Kind != tracefmt.State {
		return false
	}
	for name := range tracefmt.Fields(e.Payload) {
		if s.both[string(name)] {
			return false
		}
	}
	return true
}
