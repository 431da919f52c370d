package election

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionLiveness = analyze.Property{
	Name: "election-liveness",
	Kind: analyze.Liveness,
	Doc: `The election ends, and every live elector ends with an elected process, of whatever term.

A process may record its role but no choice. It then counts as having elected a leader if some process leads, and its role
is not candidate or LOOKING. A run whose problem is an election is also examined by roles alone.

The election has ended if no message is in flight to a live process and no timer is armed. A loop proves that a run never ends:
the same global state twice in a deterministic run. A stopped simulated run has not ended, whatever its last state: its end is
an open obligation. The record of a real system always stops; it leaves no obligation open if every live elector has elected a
process. The property is vacuous if no elector calls an election (no suspicion, recovery, message between electors, candidate,
leader, vote or choice) or if no process is left to elect. A run with the trait heartbeats promises no end: eventual-leader
judges its elections.

In a run of anonymous processes, no deterministic algorithm can leave a loop in which all processes are in the same state at
every instant (Angluin, Local and Global Properties in Networks of Processors, STOC 1980): the verdict remarks that.
Identical processes cannot elect, as the lecture notes state.`,
	Needs:    "state events that assign elected, or role in a run whose problem is an election; how the run ended",
	Source:   paper.Slides + ", Problem Specification, Liveness",
	Problem:  "election",
	Excluded: []string{tracefmt.Heartbeats}, Mentioned: []string{tracefmt.Anonymous},
	ViolatedBy: callFacts, ExcusedBy: choiceFacts, Shiftable: true,
	New: func(run *tracefmt.Run) analyze.Monitor { return &livenessMonitor{newCallers(run), newSymmetry(run)} },
}

// livenessMonitor checks at the end that every live elector knows a leader, if some process wanted an election.
type livenessMonitor struct {
	callers  callers
	symmetry symmetry
}

// Step records whether the event's process wants an election, and compares states for symmetry.
func (m *livenessMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.callers.step(s, e)
	m.symmetry.step(s, e)
}

// End reports the live electors without a leader: as a violation if the run is over or loops, else as an open
// obligation.
func (m *livenessMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case !recordsElection(s):
		r.NotApplicable(noElection)
		return
	case !m.callers.anyCalled(s):
		return
	}
	live := s.Electors()
	if len(live) == 0 && !end.Looping() {
		noElectorLeft(r, s)
		return
	}
	r.Examined++
	nameTerms(r, s, live, anyTerm)
	without, excuses := withoutLeader(s, live)
	excuses = append(excuses, m.callers.possiblyNoCall(s)...)
	witness := []tracefmt.Seq{s.Seq}
	for _, p := range without {
		witness = append(witness, s.Process(p).ElectedAt)
	}
	switch {
	case end.Looping():
		r.Violate(func() string {
			reason := fmt.Sprintf("the run never ends: the global state after seq %d is that after seq %d, and %s",
				end.LoopTo, end.LoopFrom, nobodyElected(s.Run, without))
			if m.symmetry.holds() {
				reason += "; all processes are in the same state at every instant: no deterministic algorithm can elect one (Angluin 1980)"
			}
			return reason
		}, end.LoopFrom, end.LoopTo)
	case end.Quiescent && len(without) > 0:
		r.ViolateUnless(excuses, func() string { return nobodyElected(s.Run, without) }, witness...)
	case end.Quiescent:
	case len(without) > 0:
		r.OweUnless(excuses, nobodyElected(s.Run, without), witness...)
	// The record of a real system always stops: it owes no further events.
	case s.Run.Source != tracefmt.Simulated:
	case !s.Quiescent():
		r.OweUnless(append(excuses, possibleTotalCrash(s, live)...),
			"the election has not ended: "+analyze.Unfinished(s))
	default:
		r.OweUnless(append(excuses, possibleTotalCrash(s, live)...),
			"the run was stopped before it is known to have ended")
	}
}

// possibleTotalCrash returns the needs by which none of the processes may be left.
func possibleTotalCrash(s *replay.State, live []tracefmt.ProcessID) (needs []analyze.Need) {
	for _, p := range live {
		falls := unrecorded.Crash(s, p)
		if unrecorded.None(s, falls) {
			return nil
		}
		needs = append(needs, falls...)
	}
	return needs
}

// noElectorLeft reports why the end of an election cannot be examined, if all possible electors have gone down.
func noElectorLeft(r *analyze.Result, s *replay.State) {
	var last tracefmt.Seq
	halted, crashed := false, false
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		// A process that is no elector does not count, and a live elector ends the search.
		switch down := s.Process(p); {
		case !s.Elector(p):
		case s.Live(p):
			return
		default:
			last = max(last, down.Since)
			halted, crashed = halted || down.Status == replay.Halted, crashed || down.Status == replay.Crashed
		}
	}
	went := "halted"
	switch {
	case halted && crashed:
		went = "halted or crashed"
	case crashed:
		went = "crashed"
	}
	if last > 0 {
		r.Idle(fmt.Sprintf("all processes that elect have %s by seq %d", went, last))
	}
}

// withoutLeader returns the processes that know no leader. If some certainly know none, it returns only these;
// otherwise excuses are the needs by which the others may know one.
func withoutLeader(s *replay.State, live []tracefmt.ProcessID) (without []tracefmt.ProcessID, excuses []analyze.Need) {
	for _, p := range live {
		if !s.Knows(p) {
			without = append(without, p)
		}
	}
	if s.Coverage().Complete() {
		return without, nil
	}
	certain := slices.DeleteFunc(slices.Clone(without), func(p tracefmt.ProcessID) bool {
		return !unrecorded.None(s, possibleKnowledge(s, p))
	})
	if len(certain) > 0 {
		return certain, nil
	}
	for _, p := range without {
		excuses = append(excuses, possibleKnowledge(s, p)...)
	}
	return without, excuses
}

// possibleKnowledge returns the needs by which p, which knows no leader by the record, may know one, or be down.
func possibleKnowledge(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	needs := append(unrecorded.Crash(s, p), unrecorded.Difference(s, p, unrecorded.ElectedFact, unrecorded.RoleFact)...)
	if knowsByOthers(s, p) {
		for _, q := range unrecorded.ElectorsNow(s) {
			needs = append(needs, possibleLeader(s, q)...)
		}
	}
	return needs
}

// knowsByOthers reports whether p counts as knowing a leader if any process leads: it records no choice, and does
// not look for a leader.
func knowsByOthers(s *replay.State, p tracefmt.ProcessID) bool {
	st := s.Process(p)
	return st.ElectedAt == 0 && st.Role != replay.RoleSeeks && !(st.Role == replay.RoleOther && s.HasElected())
}

// possibleIgnorance returns the needs by which p, a live elector that knows a leader by the record, may know
// none.
func possibleIgnorance(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	switch st := s.Process(p); {
	case s.Leads(p) && st.Role == replay.RoleLeads:
		return append(unrecorded.Difference(s, p, unrecorded.RoleFact), unrecorded.DifferenceInTerm(s, p)...)
	case st.Elected != 0:
		return unrecorded.Difference(s, p, unrecorded.ElectedFact)
	}
	needs := unrecorded.Difference(s, p, unrecorded.RoleFact, unrecorded.ElectedFact)
	if s.Process(p).Role == replay.RoleOther { // its choice matters if any process records one
		needs = append(needs, analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.ElectedFact)...)
	}
	for _, q := range unrecorded.ElectorsNow(s) {
		if s.Leads(q) {
			return append(needs, possibleEndOfLeadership(s, q)...)
		}
	}
	return needs
}

// Relies implements [analyze.Relying]: each process that may be up knows a leader; if one does not, no process
// may want an election.
func (m *livenessMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	return members.InTurn(members.NeedsOfEach(unrecorded.ElectorsNow(s), func(p tracefmt.ProcessID) []analyze.Need {
		switch {
		case !s.Live(p) || !s.Elector(p):
			return possibleCounting(s, p)
		case !s.Knows(p):
			return analyze.Needs(analyze.AnyProcess, 0, 0, callFacts...)
		}
		return possibleIgnorance(s, p)
	}), slices.Values(unrecorded.Loop(s, end)))
}

// nobodyElected describes the processes that have elected no process.
func nobodyElected(run *tracefmt.Run, ps []tracefmt.ProcessID) string {
	switch len(ps) {
	case 0:
		return "every live process has elected a leader"
	case 1:
		return fmt.Sprintf("process %s has elected no process", members.Names(run, ps))
	}
	return fmt.Sprintf("processes %s have elected no process", members.Names(run, ps))
}
