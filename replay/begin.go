package replay

import (
	"slices"

	"etrace/tracefmt"
)

// NewState returns the state before the first event.
func NewState(run *tracefmt.Run) *State {
	s := new(State)
	s.Begin(run)
	return s
}

// Begin resets s to the state before the first event of another run, as NewState does, and reuses its memory.
// Everything got from s before is invalid.
func (s *State) Begin(run *tracefmt.Run) {
	old := *s
	*s = State{
		Run: run, processes: old.processes, coverage: tracefmt.NewCoverage(run),
		term:    tracefmt.TermVariable(run.Problem),
		flights: old.flights, roles: old.roles, arrived: old.arrived,
		read:  parsedPayload{payload: old.read.payload[:0], fields: old.read.fields[:0]},
		ranks: old.ranks, parts: old.parts, byzantine: old.byzantine, values: old.values,
	}
	if !s.coverage.Complete() {
		s.vocabulary = newVocabulary(len(run.Members))
	}
	if old.Run == nil || !sameMembers(old.Run, run) {
		s.setMembers(run)
	}
	for p := range run.Members {
		s.processes[p+1].begin()
	}
	clear(s.flights)
}

// sameMembers reports whether the members of two runs are equal in what the state uses.
func sameMembers(a, b *tracefmt.Run) bool {
	return a.Problem == b.Problem && a.Source == b.Source &&
		slices.EqualFunc(a.Members, b.Members, func(m, n tracefmt.Member) bool {
			return m.Name == n.Name && m.Attributes == nil && n.Attributes == nil
		})
}

// setMembers sets the fields that depend on the members of the run only.
func (s *State) setMembers(run *tracefmt.Run) {
	n := len(run.Members) + 1
	s.processes, s.ranks, s.parts, s.byzantine = make([]Process, n), Ranks(run), make([]tracefmt.Part, n), nil
	s.flights, s.roles, s.values = make(map[tracefmt.MessageID]*Flight), make(map[string]classifiedRole),
		make(map[string]tracefmt.ProcessID, 2*n)
	s.values["null"], s.values[`""`] = 0, 0
	for i, m := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		s.parts[p] = run.Part(p)
		if !run.Binds(p) {
			s.byzantine = append(s.byzantine, p)
		}
		// The number 4 names process "4".
		s.values[string(run.AppendProcess(nil, p))] = p
		text := tracefmt.AppendString(nil, m.Name)
		// A name may be a number of more than 64 bits, in several notations.
		s.values[string(text)], s.values[string(tracefmt.Canonical(text))] = p, p
	}
}

// begin resets a process to its state before a run, and reuses its memory.
func (p *Process) begin() {
	p.variables.forget()
	p.forgetTimers()
	*p = Process{Incarnation: 1, variables: p.variables, timers: p.timers}
}
