package replay

import (
	"slices"
	"strings"

	"etrace/tracefmt"
)

// What a state shows to people is in doubt where the run itself says that what may have
// changed it is not all recorded. Of kinds that a run tells nothing of anywhere, crashes
// above all, that alone does not put everything in doubt: who reads the state of a log
// without crashes knows that it is that of processes which stayed up. A verdict does not
// assume that, see [State.Sure].

// Doubtful reports whether the variable of p may have another value than the recorded one:
// it, or a restart of p, may have been left out since.
func (s *State) Doubtful(p tracefmt.ProcessID, variable string) bool {
	return s.doubtfulBefore(p, variable, s.Now())
}

// doubtfulBefore is Doubtful of the value just before an event, 0 for the end.
func (s *State) doubtfulBefore(p tracefmt.ProcessID, variable string, now tracefmt.Seq) bool {
	if s.certain() {
		return false
	}
	if !s.processes[p].Live() {
		return s.riseLeftOut(p, s.processes[p].Since, now)
	}
	at := s.AssignedAt(p, variable)
	if down := s.processes[p].Down; at == 0 && s.leftOut(p, tracefmt.Start, 0, now) || down > 0 && at <= down && s.riseLeftOut(p, down, now) {
		return true // what it began with is not recorded
	}
	return s.coverage.SaidMissing(p, tracefmt.StateOf(variable), at, now) ||
		s.riseLeftOut(p, at, now) && s.downLeftOut(p, at, now)
}

// toldNone reports whether it is recorded of the variable of p that it has no value.
func (s *State) toldNone(p tracefmt.ProcessID, variable string) bool {
	st := &s.processes[p]
	return st.Live() && st.assignedAt(tracefmt.ListName(variable)) != 0
}

// DoubtfulLeading reports whether p may have elected another process, or lead, or not lead,
// otherwise than is recorded. In which of these words the run says it is known at the end.
func (s *State) DoubtfulLeading(p tracefmt.ProcessID) bool {
	return slices.ContainsFunc([]string{"elected", "role"}, func(name string) bool {
		return s.coverage.Exists(tracefmt.StateOf(name)) && s.Doubtful(p, name)
	})
}

// DoubtfulStatus reports whether p may be down though it is up as far as is recorded, or
// the other way round.
func (s *State) DoubtfulStatus(p tracefmt.ProcessID) bool {
	if s.certain() {
		return false
	}
	st, now := &s.processes[p], s.Now()
	switch {
	case st.Shown() == Unknown:
		return false // the word says so
	case st.Live():
		at := max(st.stepAt, st.Since)
		return s.downLeftOut(p, at, now)
	}
	return s.riseLeftOut(p, st.Since, now)
}

// DoubtfulTimer reports whether an armed timer of p may have expired, or been stopped.
func (s *State) DoubtfulTimer(p tracefmt.ProcessID, t Timer) bool {
	return s.said(p, tracefmt.Timeout, t.Set) || s.leftOut(p, tracefmt.CancelTimer, t.Set, s.Now())
}

// MoreTimers reports whether p, which is up, may have armed timers that are not recorded.
func (s *State) MoreTimers(p tracefmt.ProcessID) bool {
	return s.Live(p) && s.said(p, tracefmt.SetTimer, s.processes[p].resetAt)
}

// DoubtfulFlight reports whether a message on its way may have arrived, or been lost.
func (s *State) DoubtfulFlight(f Flight) bool {
	return s.said(f.To, tracefmt.Receive, f.Sent) || s.leftOut(f.To, tracefmt.Lose, f.Sent, s.Now())
}

// MoreFlights reports whether messages may be on their way of which no send is recorded.
func (s *State) MoreFlights() bool {
	for p := range s.Run.Members {
		if s.said(tracefmt.ProcessID(p+1), tracefmt.Send, 0) {
			return true
		}
	}
	return false
}

// said reports whether the run says that events of the kind may be missing at p since.
func (s *State) said(p tracefmt.ProcessID, k tracefmt.Kind, after tracefmt.Seq) bool {
	return !s.certain() && s.coverage.SaidMissing(p, tracefmt.Fact{Kind: k}, after, s.Now())
}

// certain reports whether nothing is in doubt: everything is recorded, or the state is that
// before the first event.
func (s *State) certain() bool { return s.coverage.Complete() || s.Seq == 0 && !s.finished }

// leftOut reports whether an event of the kind may have been left out at p between two
// events, 0 for now is the end: some are told, or there is a gap, while of a kind of which
// none are told nothing is left out.
func (s *State) leftOut(p tracefmt.ProcessID, k tracefmt.Kind, after, now tracefmt.Seq) bool {
	if s.certain() || now != 0 && now <= after {
		return false
	}
	return s.coverage.Said(p, tracefmt.Fact{Kind: k}) == tracefmt.Some || s.coverage.InGap(p, after, now)
}

// riseLeftOut is leftOut of what brings p up that was down: a recovery, or a start.
func (s *State) riseLeftOut(p tracefmt.ProcessID, at, now tracefmt.Seq) bool {
	return s.leftOut(p, tracefmt.Recover, at, now) || s.leftOut(p, tracefmt.Start, at, now)
}

// downLeftOut is leftOut of what takes p down.
func (s *State) downLeftOut(p tracefmt.ProcessID, at, now tracefmt.Seq) bool {
	return slices.ContainsFunc(downKinds, func(k tracefmt.Kind) bool { return s.leftOut(p, k, at, now) })
}

// untold are the variables, sorted, that may have a value though none is recorded: the run
// says that it does not tell all of them, or one that was told to be null is in doubt.
func (s *State) untold() []string {
	t := s.Run.Completeness
	if t == nil || s.coverage.Complete() {
		return nil
	}
	names := untold(nil, t.Kinds)
	for _, own := range t.Processes {
		names = untold(names, own.Kinds)
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

func untold(names []string, kinds map[string]tracefmt.Level) []string {
	for key, level := range kinds {
		if name, ok := strings.CutPrefix(key, tracefmt.StateOf("").String()+"."); ok && level > tracefmt.All {
			names = append(names, name)
		}
	}
	return names
}
