package property

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var eventualLeader = analyze.Property{
	Name: "eventual-leader",
	Kind: analyze.Liveness,
	Doc: `From some point on, all live electors, of each term those in it where terms are told, hold the same live process for elected, forever.

What a leader detector promises, which knows no terms. Where terms are told, one that was cut off may hold
the leader of an earlier term forever: the verdict says so. An elector that tells its role, and never whom it has elected, or itself though
it does not lead, is not asked. The
leader need not be the best process, and
the run need not end: a message that circles forever does no harm as long as
no process changes its mind. If the run ends in a loop, the same process must be
elected by all in every state of the loop. A simulated run that was stopped leaves the
obligation open, whatever its last state is, since minds may still change; the record
of a system that goes on does only where they do not hold the same. The
property is vacuous where no elector calls an election (no suspicion, no recovery,
no message between electors, no candidate, no leader, no vote, no choice) and where no process is left.`,
	Needs:    "state events that assign elected; crash, halt and recover events; how the run ended",
	Source:   reliableProgramming + ", 2.6.5: eventual leader detector",
	Problem:  "election",
	Convicts: choiceFacts, Acquits: choiceFacts, Triggers: electedFacts,
	Shiftable: true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		m := &eventualMonitor{atEnd{rests: restsOnCommon}, newCallers(run)}
		m.atEnd.check = m.check
		return m
	},
}

type eventualMonitor struct {
	atEnd
	callers callers
}

func (m *eventualMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.callers.step(s, e)
}

func (m *eventualMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if m.callers.called(s) || !s.HasElected() {
		m.atEnd.End(r, s, end)
	}
}

// check looks at a state in which the run ends.
func (m *eventualMonitor) check(r *analyze.Result, s *replay.State, end analyze.Ending) {
	checkCommonLeader(r, s, end, m.callers.mayNotCall(s))
}

// checkCommonLeader says what is wrong, unless there was no election.
func checkCommonLeader(r *analyze.Result, s *replay.State, end analyze.Ending, noElection []analyze.Need) {
	live := asked(s)
	if len(live) == 0 {
		noElectorLeft(r, s)
		return
	}
	r.Examined++
	sayTerms(r, s, live, eachTerm)
	trouble, excuses, witness := noCommonLeader(s, live)
	switch {
	case trouble != "":
		oweUnless(r, end, append(excuses, noElection...), func() string { return trouble }, witness...)
	case !end.Final() && s.Run.Source == tracefmt.Simulated:
		p := certainFirst(s, live, mayNotBeAsked)[0]
		r.OweUnless(mayNotBeAsked(s, p), "the run was stopped, and the live processes may elect another than "+elected(s, p))
	}
}

// asked are the live electors but those that tell their role, and never whom they have
// elected.
func asked(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(s.Electors(), func(p tracefmt.ProcessID) bool { return !s.TellsChoice(p) })
}

// noCommonLeader says why these processes do not all hold the same live one for
// elected, what would excuse that, and which events show it; "" if they do.
func noCommonLeader(s *replay.State, live []tracefmt.ProcessID) (trouble string, excuses []analyze.Need, witness []tracefmt.Seq) {
	var choices choices
	live = certainFirst(s, live, mayDisagree)
	for _, p := range live {
		st := s.Process(p)
		if s.Choice(p) == 0 {
			return nobodyElected(s.Run, []tracefmt.ProcessID{p}), mayNotBeAsked(s, p), []tracefmt.Seq{s.Seq, st.ElectedAt}
		}
		if q := choices.unlike(s, p); q != 0 {
			return fmt.Sprintf("process %s has elected %s, process %s has elected %s",
					s.Run.ProcessName(q), elected(s, q), s.Run.ProcessName(p), elected(s, p)),
				slices.Concat(mayDisagree(s, p), mayDisagree(s, q)), []tracefmt.Seq{s.Process(q).ElectedAt, st.ElectedAt}
		}
		if trouble == "" && (st.Elected == replay.Nobody || !s.Live(st.Elected)) {
			best, lacks := s.Best()
			why, since := wrongChoice(s, st, best, lacks)
			trouble = fmt.Sprintf("%s elected %s, %s", electorsOf(s, live, p), elected(s, p), why)
			excuses, witness = mayDisagree(s, p), []tracefmt.Seq{st.ElectedAt, since}
			if st.Elected != replay.Nobody {
				excuses = append(excuses, mayRise(s, st.Elected)...)
			}
			if !s.Coverage().Complete() && certain(s, excuses) {
				return trouble, excuses, witness
			}
		}
	}
	return trouble, excuses, witness
}

// Relies implements [analyze.Relying].
func (m *eventualMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	if s.Coverage().Complete() {
		return nil
	}
	if s.HasElected() && !m.callers.called(s) {
		if trouble, _, _ := noCommonLeader(s, asked(s)); trouble != "" {
			return slices.Values(append(analyze.Needs(analyze.AnyProcess, 0, 0, callFacts...), mayLoop(s, end)...))
		}
	}
	return inTurn(m.atEnd.Relies(s, end), slices.Values(mayLoop(s, end)))
}

// restsOnCommon are the facts on which it rests that all have elected the same live process:
// that no other process is to be asked, those that are have not chosen another one since, and
// the chosen one is up.
func restsOnCommon(s *replay.State) iter.Seq[analyze.Need] {
	chooses := func(p tracefmt.ProcessID) bool { return s.Live(p) && s.Elector(p) && s.TellsChoice(p) }
	electors := mayElect(s)
	chosen := slices.DeleteFunc(slices.Clone(electors), func(p tracefmt.ProcessID) bool { return !chooses(p) })
	followed := make(map[tracefmt.ProcessID]bool) // by another process
	needs := needsOfEach(electors, func(p tracefmt.ProcessID) []analyze.Need {
		switch q := s.Choice(p); {
		case !s.Live(p) || !s.Elector(p):
			return mayCount(s, p)
		case !s.TellsChoice(p):
			return slices.Concat(mayAssign(s, p, electedFact), mayDiffer(s, p, roleFact))
		case q > 0 && q != p && !followed[q] && s.Live(q):
			followed[q] = true
			return slices.Concat(mayChoose(s, p), mayFall(s, q))
		}
		return mayChoose(s, p)
	})
	if !slices.ContainsFunc(chosen, func(p tracefmt.ProcessID) bool { return !s.SameElected(chosen[0], p) }) {
		return needs
	}
	return inTurn(needs, needsOfEach(chosen, func(p tracefmt.ProcessID) []analyze.Need { return mayChooseInTerm(s, p) }))
}

// electorsOf names those who have elected the same as p.
func electorsOf(s *replay.State, live []tracefmt.ProcessID, p tracefmt.ProcessID) string {
	if slices.ContainsFunc(live, func(q tracefmt.ProcessID) bool { return !s.SameElected(p, q) }) {
		return fmt.Sprintf("process %s has", s.Run.ProcessName(p))
	}
	return "all live processes have"
}
