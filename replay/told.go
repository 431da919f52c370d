package replay

import (
	"cmp"
	"iter"
	"slices"

	"etrace/tracefmt"
)

// Coverage says what of the run is recorded. Where the run does not say it, the coverage
// knows the events that the state has taken in, and no later ones.
func (s *State) Coverage() *tracefmt.Coverage { return s.coverage }

// Finish states that the run has no more events: the state is from now on that at the
// end, before which something may have happened after the last event.
func (s *State) Finish() { s.finished = true }

// Now is the event before which something must have happened that is to count for the
// state, 0 at the end of the run: the To of what may have happened until now.
func (s *State) Now() tracefmt.Seq {
	if s.finished {
		return 0
	}
	return s.Seq
}

// assignment is the last one of a variable.
type assignment struct {
	at    tracefmt.Seq
	since int64 // how often the process had been given its variables anew
	shown bool  // to the coverage
}

// tell takes in that a variable was assigned.
func (p *Process) tell(name []byte, at tracefmt.Seq) *assignment {
	name = tracefmt.ListName(name)
	last := p.assigned[string(name)]
	if last == nil {
		if p.assigned == nil {
			p.assigned = make(map[string]*assignment)
		}
		last = new(assignment)
		p.assigned[string(name)] = last
	}
	last.at, last.since = at, p.resets
	return last
}

// reset takes in that the event gave the process its variables anew.
func (p *Process) reset(at tracefmt.Seq) {
	p.resetAt = at
	p.resets++
}

// assignedAt returns the event that assigned a variable, or an item of the list, since the process
// was given its variables; 0 for none.
func (p *Process) assignedAt(name string) tracefmt.Seq {
	if last := p.assigned[name]; last != nil && last.since == p.resets {
		return last.at
	}
	return 0
}

// allAssigned yields the variables that have been assigned since.
func (p *Process) allAssigned() iter.Seq2[string, assignment] {
	return func(yield func(string, assignment) bool) {
		for name, last := range p.assigned {
			if last.since == p.resets && !yield(name, *last) {
				return
			}
		}
	}
}

// AssignedAt returns the event that gave the variable of p its value, as far as it is
// recorded: the last that assigned it or, if none did since, the start or recovery that
// left it empty; 0 for neither. Of a run that tells everything it need not be asked.
func (s *State) AssignedAt(p tracefmt.ProcessID, variable string) tracefmt.Seq {
	st := &s.processes[p]
	return cmp.Or(st.assignedAt(variable), st.resetAt)
}

// StepAt returns the last event in which p took a step, 0 for none.
func (s *State) StepAt(p tracefmt.ProcessID) tracefmt.Seq { return s.processes[p].stepAt }

// Unfinished reports whether something is left that can happen, see [State.Pending].
func (s *State) Unfinished() bool {
	messages, timers := s.Pending()
	return messages+timers > 0
}

// Pending counts the messages on their way to a live process and the armed timers, but
// not those that may have arrived, expired or been stopped, or whose process may have gone
// down, since the run says that it does not tell that.
func (s *State) Pending() (messages, timers int) {
	if s.coverage.Complete() {
		return s.inFlight, s.armed
	}
	down := func(p tracefmt.ProcessID, after tracefmt.Seq) bool { return s.mayHave(p, after, downKinds) }
	for _, f := range s.flights {
		if s.Live(f.To) && !s.mayHave(f.To, f.Sent, arrivalKinds) && !down(f.To, s.processes[f.To].stepAt) {
			messages++
		}
	}
	for i := range s.processes {
		p := tracefmt.ProcessID(i)
		for _, t := range s.processes[i].timers {
			if !s.mayHave(p, t.set, expiryKinds) && !down(p, max(t.set, s.processes[i].stepAt)) {
				timers++
			}
		}
	}
	return messages, timers
}

var (
	arrivalKinds = []tracefmt.Kind{tracefmt.Receive, tracefmt.Lose}
	expiryKinds  = []tracefmt.Kind{tracefmt.Timeout, tracefmt.CancelTimer}
	downKinds    = tracefmt.DownKinds()
)

// mayHave reports whether an event of one of the kinds may have happened at p after
// another, until now, as the run says itself.
func (s *State) mayHave(p tracefmt.ProcessID, after tracefmt.Seq, kinds []tracefmt.Kind) bool {
	return slices.ContainsFunc(kinds, func(k tracefmt.Kind) bool {
		return s.coverage.SaidMissing(p, tracefmt.Fact{Kind: k}, after, s.Now())
	})
}
