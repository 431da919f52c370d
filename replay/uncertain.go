package replay

import (
	"slices"
	"strings"

	"etrace/tracefmt"
)

// A displayed value is uncertain if the run declares that events which may have changed it are incomplete. A kind
// that the run does not record at all, above all crashes, does not by itself make every value
// uncertain: a reader of a log without crashes knows that it shows processes that stayed up. A verdict must
// not assume that, see [State.Sure].

// Doubtful reports whether the variable of p may have another value than the recorded one: an assignment to
// it, or a restart of p, may be missing since.
func (s *State) Doubtful(p tracefmt.ProcessID, variable string) bool {
	return s.doubtfulBefore(p, variable, s.Now())
}

// doubtfulBefore reports whether the variable of p may have had another value than the recorded one just
// before the event now; 0 is the end of the run.
func (s *State) doubtfulBefore(p tracefmt.ProcessID, variable string, now tracefmt.Seq) bool {
	if s.certain() {
		return false
	}
	if !s.processes[p].Live() {
		return s.startMayBeMissing(p, s.processes[p].Since, now)
	}
	assignedAt := s.AssignedAt(p, variable)
	down := s.processes[p].Down
	// The initial value, after the start or after a restart, may be unrecorded.
	noInitialValue := assignedAt == 0 && s.partlyRecorded(p, tracefmt.Start, 0, now)
	if noInitialValue || down > 0 && assignedAt <= down && s.startMayBeMissing(p, down, now) {
		return true
	}
	return s.coverage.DeclaredMissing(p, tracefmt.StateOf(variable), assignedAt, now) ||
		s.startMayBeMissing(p, assignedAt, now) && s.downMayBeMissing(p, assignedAt, now)
}

// recordedEmpty reports whether the run records that the variable of p has no value.
func (s *State) recordedEmpty(p tracefmt.ProcessID, variable string) bool {
	st := &s.processes[p]
	return st.Live() && st.assignedAt(tracefmt.ListName(variable)) != 0
}

// DoubtfulLeading reports whether p may have elected another process, or may lead or not lead contrary to the
// record. The declarations of the run at its end decide.
func (s *State) DoubtfulLeading(p tracefmt.ProcessID) bool {
	return slices.ContainsFunc([]string{"elected", "role"}, func(name string) bool {
		return s.coverage.Exists(tracefmt.StateOf(name)) && s.Doubtful(p, name)
	})
}

// DoubtfulStatus reports whether p may be down though it is recorded as up, or the other way round.
func (s *State) DoubtfulStatus(p tracefmt.ProcessID) bool {
	if s.certain() {
		return false
	}
	st, now := &s.processes[p], s.Now()
	switch {
	case st.Shown() == Unknown:
		// The status text itself has the word inferred.
		return false
	case st.Live():
		at := max(st.stepAt, st.Since)
		return s.downMayBeMissing(p, at, now)
	}
	return s.startMayBeMissing(p, st.Since, now)
}

// DoubtfulTimer reports whether an armed timer of p may have expired, or been stopped.
func (s *State) DoubtfulTimer(p tracefmt.ProcessID, t Timer) bool {
	return s.missingSince(p, tracefmt.Timeout, t.Set) || s.partlyRecorded(p, tracefmt.CancelTimer, t.Set, s.Now())
}

// MoreTimers reports whether p, which is up, may have armed timers that are not recorded.
func (s *State) MoreTimers(p tracefmt.ProcessID) bool {
	return s.Live(p) && s.missingSince(p, tracefmt.SetTimer, s.processes[p].resetAt)
}

// DoubtfulFlight reports whether a message in flight may have arrived, or been lost.
func (s *State) DoubtfulFlight(f Flight) bool {
	return s.MayHaveArrived(f) || s.partlyRecorded(f.To, tracefmt.Lose, f.Sent, s.Now())
}

// MayHaveArrived reports whether the arrival of a message in flight may be missing.
func (s *State) MayHaveArrived(f Flight) bool { return s.missingSince(f.To, tracefmt.Receive, f.Sent) }

// MayBeLost reports whether the loss of a message in flight may be missing, also if the run records no losses.
func (s *State) MayBeLost(f Flight) bool { return s.missingSince(f.To, tracefmt.Lose, f.Sent) }

// MoreFlights reports whether messages may be in flight whose sends are not recorded.
func (s *State) MoreFlights() bool {
	for p := range s.Run.Members {
		if s.missingSince(tracefmt.ProcessID(p+1), tracefmt.Send, 0) {
			return true
		}
	}
	return false
}

// missingSince reports whether the run declares that events of the kind may be missing at p since an event.
func (s *State) missingSince(p tracefmt.ProcessID, k tracefmt.Kind, after tracefmt.Seq) bool {
	return !s.certain() && s.coverage.DeclaredMissing(p, tracefmt.Fact{Kind: k}, after, s.Now())
}

// certain reports whether every value is certain: the recording is complete, or the state is that before the
// first event.
func (s *State) certain() bool { return s.coverage.Complete() || s.Seq == 0 && !s.finished }

// partlyRecorded reports whether the recording may lack an event of the kind at p between the events after
// and now; now 0 is the end of the run. That holds if the kind is recorded in part, or in a gap. A kind
// without any recorded events counts as complete here.
func (s *State) partlyRecorded(p tracefmt.ProcessID, k tracefmt.Kind, after, now tracefmt.Seq) bool {
	if s.certain() || now != 0 && now <= after {
		return false
	}
	return s.coverage.Declared(p, tracefmt.Fact{Kind: k}) == tracefmt.Some || s.coverage.InGap(p, after, now)
}

// startMayBeMissing is partlyRecorded for a start or recovery of p.
func (s *State) startMayBeMissing(p tracefmt.ProcessID, at, now tracefmt.Seq) bool {
	return s.partlyRecorded(p, tracefmt.Recover, at, now) || s.partlyRecorded(p, tracefmt.Start, at, now)
}

// downMayBeMissing is partlyRecorded for a crash or halt of p.
func (s *State) downMayBeMissing(p tracefmt.ProcessID, at, now tracefmt.Seq) bool {
	return slices.ContainsFunc(downKinds, func(k tracefmt.Kind) bool { return s.partlyRecorded(p, k, at, now) })
}

// unrecorded returns the variables, sorted, that may have a value though none is recorded: their assignments
// are declared incomplete, or a recorded null is uncertain.
func (s *State) unrecorded() []string {
	t := s.Run.Completeness
	if t == nil || s.coverage.Complete() {
		return nil
	}
	names := incomplete(nil, t.Kinds)
	for _, levels := range t.Processes {
		names = incomplete(names, levels.Kinds)
	}
	for i := range s.processes[1:] {
		p := &s.processes[i+1]
		for name := range p.allAssigned() {
			if p.variables.lists[name] == nil && s.Doubtful(tracefmt.ProcessID(i+1), name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// incomplete appends the names of the variables whose assignments are not declared complete.
func incomplete(names []string, kinds map[string]tracefmt.Level) []string {
	for key, level := range kinds {
		if name, ok := strings.CutPrefix(key, tracefmt.StateOf("").String()+"."); ok && level > tracefmt.All {
			names = append(names, name)
		}
	}
	return names
}
