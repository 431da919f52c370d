package replay

import (
	"cmp"
	"iter"
	"slices"

	"etrace/tracefmt"
)

// Coverage returns what of the run is recorded. For facts that the run does not declare, it counts the events
// that the state has applied, and no later ones.
func (s *State) Coverage() *tracefmt.Coverage { return s.coverage }

// Finish marks the end of the run: from now on something may have happened between the last event and the end.
func (s *State) Finish() { s.finished = true }

// Now returns the event before which unrecorded events may count for the state: the present one, or 0 at the
// end of the run.
func (s *State) Now() tracefmt.Seq {
	if s.finished {
		return 0
	}
	return s.Seq
}

// assignment is the last one of a variable.
type assignment struct {
	at tracefmt.Seq
	// since is the number of resets of the process before it.
	since int64
	// shown: the coverage knows of it.
	shown bool
}

// note records an assignment of a variable.
func (p *Process) note(name []byte, at tracefmt.Seq) *assignment {
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

// reset notes that the event gave the process new variables.
func (p *Process) reset(at tracefmt.Seq) {
	p.resetAt = at
	p.resets++
}

// assignedAt returns the last assignment of a variable, or of an item of the list, since the last reset; 0 for
// none.
func (p *Process) assignedAt(name string) tracefmt.Seq {
	if last := p.assigned[name]; last != nil && last.since == p.resets {
		return last.at
	}
	return 0
}

// allAssigned yields the variables assigned since the last reset.
func (p *Process) allAssigned() iter.Seq2[string, assignment] {
	return func(yield func(string, assignment) bool) {
		for name, last := range p.assigned {
			if last.since == p.resets && !yield(name, *last) {
				return
			}
		}
	}
}

// AssignedAt returns the event that gave the variable of p its recorded value: the last assignment, else the
// start or recovery that left it empty; 0 for neither. Only incomplete recordings keep it.
func (s *State) AssignedAt(p tracefmt.ProcessID, variable string) tracefmt.Seq {
	st := &s.processes[p]
	return cmp.Or(st.assignedAt(variable), st.resetAt)
}

// CameUpAt returns the event that began the present life of p: its last start or recovery; 0 for none.
func (s *State) CameUpAt(p tracefmt.ProcessID) tracefmt.Seq { return s.processes[p].resetAt }

// StepAt returns the last step of p; 0 for none.
func (s *State) StepAt(p tracefmt.ProcessID) tracefmt.Seq { return s.processes[p].stepAt }

// Unfinished reports whether something can still happen, see [State.Pending].
func (s *State) Unfinished() bool {
	messages, timers := s.Pending()
	return messages+timers > 0
}

// Pending counts the messages in flight to a live process and the armed timers. It leaves out the actions that may be
// done: the run declares that receipts, losses, expiries, stops or crashes may be missing.
func (s *State) Pending() (messages, timers int) {
	if s.coverage.Complete() {
		return s.inFlight, s.armed
	}
	// A process that may be down receives nothing, and its timers do not expire.
	down := func(p tracefmt.ProcessID, after tracefmt.Seq) bool { return s.canBeMissing(p, after, downKinds) }
	for _, f := range s.flights {
		if s.Live(f.To) && !s.canBeMissing(f.To, f.Sent, arrivalKinds) && !down(f.To, s.processes[f.To].stepAt) {
			messages++
		}
	}
	for i := range s.processes {
		p := tracefmt.ProcessID(i)
		for _, t := range s.processes[i].timers {
			if !s.canBeMissing(p, t.set, expiryKinds) && !down(p, max(t.set, s.processes[i].stepAt)) {
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

// canBeMissing reports whether an event of one of the kinds may be missing at p between an event and now, by
// the declarations of the run.
func (s *State) canBeMissing(p tracefmt.ProcessID, after tracefmt.Seq, kinds []tracefmt.Kind) bool {
	return slices.ContainsFunc(kinds, func(k tracefmt.Kind) bool {
		return s.coverage.DeclaredMissing(p, tracefmt.Fact{Kind: k}, after, s.Now())
	})
}
