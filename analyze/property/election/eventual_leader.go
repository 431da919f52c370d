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

var eventualLeader = analyze.Property{
	Name: "eventual-leader",
	Kind: analyze.Liveness,
	Doc: `From some point on, all live electors of the same term (or all, if no terms are recorded) hold the same live
process for elected, forever.

This is the promise of a leader detector, which knows no terms. If terms are recorded, a process that was cut off may keep the
leader of an earlier term forever; the verdict mentions such a process. An elector is ignored if it records its role but no
choice, or a choice of itself though it does not lead. The leader need not be the best process, and the run need not end: a
message that circles forever does no harm as long as no process changes its choice. If the run ends in a loop, all must have
elected the same process in every state of the loop. A stopped simulated run leaves the obligation open, whatever its last
state, since choices may still change; the record of a real system does so only if the choices differ. The property is vacuous
if no elector calls an election (no suspicion, recovery, message between electors, candidate, leader, vote or choice) or if no
process is left.`,
	Needs:      "state events that assign elected; crash, halt and recover events; how the run ended",
	Source:     paper.ReliableProgramming + ", 2.6.5: eventual leader detector",
	Problem:    "election",
	ViolatedBy: choiceFacts, ExcusedBy: choiceFacts, Triggers: electedFacts,
	Shiftable: true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		m := &eventualMonitor{atEnd{restsOn: restsOnCommon}, newCallers(run)}
		m.atEnd.check = m.check
		return m
	},
}

// eventualMonitor checks at the end that all live electors have elected the same live process.
type eventualMonitor struct {
	atEnd
	callers callers
}

// Step records whether the event's process wants an election.
func (m *eventualMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.callers.step(s, e)
}

// End checks the end of the run, unless no process wanted an election.
func (m *eventualMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if m.callers.anyCalled(s) || !s.HasElected() {
		m.atEnd.End(r, s, end)
	}
}

// check examines a state in which the run ends.
func (m *eventualMonitor) check(r *analyze.Result, s *replay.State, end analyze.Ending) {
	checkCommonLeader(r, s, end, m.callers.possiblyNoCall(s))
}

// checkCommonLeader reports the fault of an end state, unless there was no election.
func checkCommonLeader(r *analyze.Result, s *replay.State, end analyze.Ending, noElection []analyze.Need) {
	live := decidingElectors(s)
	if len(live) == 0 {
		noElectorLeft(r, s)
		return
	}
	r.Examined++
	nameTerms(r, s, live, eachTerm)
	trouble, excuses, witness := noCommonLeader(s, live)
	switch {
	case trouble != "":
		unrecorded.OweUnless(r, end, append(excuses, noElection...), func() string { return trouble }, witness...)
	case !end.Final() && s.Run.Source == tracefmt.Simulated:
		p := certainFirst(s, live, possibleExemption)[0]
		r.OweUnless(possibleExemption(s, p), "the run was stopped, and the live processes may elect another than "+elected(s, p))
	}
}

// decidingElectors returns the live electors. It leaves out an elector that records its role but no choice.
func decidingElectors(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(s.Electors(), func(p tracefmt.ProcessID) bool { return !s.HasChoice(p) })
}

// noCommonLeader returns why these processes have not all elected the same live process, the needs that excuse
// it, and the events that show it; "" if they have.
func noCommonLeader(
	s *replay.State, live []tracefmt.ProcessID,
) (trouble string, excuses []analyze.Need, witness []tracefmt.Seq) {
	var choices choices
	live = certainFirst(s, live, possibleDisagreement)
	for _, p := range live {
		st := s.Process(p)
		if s.Choice(p) == 0 {
			return nobodyElected(s.Run, []tracefmt.ProcessID{p}), possibleExemption(s, p), []tracefmt.Seq{
				s.Seq,
				st.ElectedAt,
			}
		}
		if q := choices.conflicting(s, p); q != 0 {
			return fmt.Sprintf("process %s has elected %s, process %s has elected %s",
					s.Run.ProcessName(q), elected(s, q), s.Run.ProcessName(p), elected(s, p)),
				slices.Concat(possibleDisagreement(s, p), possibleDisagreement(s, q)),
				[]tracefmt.Seq{s.Process(q).ElectedAt, st.ElectedAt}
		}
		// A difference between choices is reported rather than a leader that is down, unless the latter is certain.
		if trouble == "" && (st.Elected == replay.Nobody || !s.Live(st.Elected)) {
			best, lacks := s.Best()
			reason, since := wrongChoice(s, st, best, lacks)
			trouble = fmt.Sprintf("%s elected %s, %s", electorsOf(s, live, p), elected(s, p), reason)
			excuses, witness = possibleDisagreement(s, p), []tracefmt.Seq{st.ElectedAt, since}
			if st.Elected != replay.Nobody {
				excuses = append(excuses, unrecorded.Recovery(s, st.Elected)...)
			}
			if !s.Coverage().Complete() && unrecorded.None(s, excuses) {
				return trouble, excuses, witness
			}
		}
	}
	return trouble, excuses, witness
}

// Relies implements [analyze.Relying].
func (m *eventualMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	if s.HasElected() && !m.callers.anyCalled(s) {
		if trouble, _, _ := noCommonLeader(s, decidingElectors(s)); trouble != "" {
			return slices.Values(append(analyze.Needs(analyze.AnyProcess, 0, 0, callFacts...),
				unrecorded.Loop(s, end)...))
		}
	}
	return members.InTurn(m.atEnd.Relies(s, end), slices.Values(unrecorded.Loop(s, end)))
}

// restsOnCommon returns the facts on which the verdict depends that all have elected the same live process. No other
// process may count as an elector. No elector may have chosen another process since. The chosen process must be up.
func restsOnCommon(s *replay.State) iter.Seq[analyze.Need] {
	chooses := func(p tracefmt.ProcessID) bool { return s.Live(p) && s.Elector(p) && s.HasChoice(p) }
	electors := unrecorded.ElectorsNow(s)
	chosen := slices.DeleteFunc(slices.Clone(electors), func(p tracefmt.ProcessID) bool { return !chooses(p) })
	followed := make(map[tracefmt.ProcessID]bool) // by another process
	needs := members.NeedsOfEach(electors, func(p tracefmt.ProcessID) []analyze.Need {
		switch q := s.Choice(p); {
		case !s.Live(p) || !s.Elector(p):
			return possibleCounting(s, p)
		case !s.HasChoice(p):
			return slices.Concat(possibleValue(s, p, unrecorded.ElectedFact),
				unrecorded.Difference(s, p, unrecorded.RoleFact))
		// The crash of a chosen process is a need once, at the first process that chose it.
		case q > 0 && q != p && !followed[q] && s.Live(q):
			followed[q] = true
			return slices.Concat(unrecorded.Choice(s, p), unrecorded.Crash(s, q))
		}
		return unrecorded.Choice(s, p)
	})
	if !slices.ContainsFunc(chosen, func(p tracefmt.ProcessID) bool { return !s.SameElected(chosen[0], p) }) {
		return needs
	}
	return members.InTurn(needs, members.NeedsOfEach(chosen,
		func(p tracefmt.ProcessID) []analyze.Need { return possibleChoiceInTerm(s, p) }))
}

// electorsOf names the processes with the same choice as p.
func electorsOf(s *replay.State, live []tracefmt.ProcessID, p tracefmt.ProcessID) string {
	if slices.ContainsFunc(live, func(q tracefmt.ProcessID) bool { return !s.SameElected(p, q) }) {
		return fmt.Sprintf("process %s has", s.Run.ProcessName(p))
	}
	return "all live processes have"
}
