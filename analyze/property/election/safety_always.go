package election

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionSafetyAlways = analyze.Property{
	Name: "election-safety-always",
	Kind: analyze.Safety,
	Doc: `An elector that is live at the end never had any leader other than the best elector that is live at the end.

This is stricter than election-safety: a temporary wrong value is a violation, too. Values are compared with the end of the
run. So a value that was right when it was assigned violates this property if the named process crashes later; so does an
initially known coordinator that has crashed. Values that a process held before a crash count if it is live again at the end.
Values of a process that is not live at the end do not count. If terms are recorded, only values of the last term count. Each
assignment of a wrong value counts once, also as an initial value of a start or recovery. No process crashes or recovers in
the loop in which a run ends, so all its states are one end. While the run can go on, a wrong value is an open obligation: the
processes live at the end are not known.`,
	Needs:      bestNeeds,
	Source:     paper.Slides + ", Problem Specification, Safety, in a stricter reading",
	Problem:    "election",
	NeedsBest:  true,
	OnRequest:  true,
	ViolatedBy: choiceFacts, ExcusedBy: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return &alwaysMonitor{held: map[holding]*held{}}
	},
}

// alwaysMonitor stores all values ever held, once for each process and value.
type alwaysMonitor struct {
	held map[holding]*held
	// ignoredSelf is set if a process elected itself without leading, which is a stale belief and was ignored.
	ignoredSelf bool
}

// holding is a value that a process held for elected, with its term.
type holding struct {
	process, elected tracefmt.ProcessID
	term             replay.Term
}

// held is the number of assignments of a value, and the first one. name is set for a value that is no process of the
// run.
type held struct {
	times int
	first tracefmt.Seq
	name  string
}

// Step stores the assigned value.
func (m *alwaysMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !assigns(s, e) {
		if p := e.Process; p != 0 && !s.Coverage().Complete() {
			m.ignoredSelf = m.ignoredSelf || s.Process(p).ElectedAt == e.Seq && s.Process(p).Elected == p
		}
		return
	}
	key := holding{e.Process, s.Process(e.Process).Elected, s.Term(e.Process)}
	h := m.held[key]
	if h == nil {
		h = &held{first: e.Seq, name: elected(s, e.Process)}
		m.held[key] = h
	}
	h.times++
}

// End compares all values ever held with the best process that is live at the end.
func (m *alwaysMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
		return
	}
	best, lacks := s.Best()
	last := lastTerm(s)
	var wrong []holding
	for k := range m.held {
		if s.Live(k.process) && !k.term.Before(last) {
			r.Examined++
			if !slices.Contains(best, k.elected) {
				wrong = append(wrong, k)
			}
		}
	}
	// Without the best process no value is known to be wrong.
	if lacks != "" && len(wrong) > 0 {
		r.Undecided(func() string { return lacks }, rankingNeeds(s)...)
		return
	}
	two := m.withTwoValues(s, last)
	slices.SortFunc(wrong, func(a, b holding) int { return cmp.Compare(m.held[a].first, m.held[b].first) })
	for _, k := range wrong {
		h := m.held[k]
		excuses := m.excuses(s, k, two)
		explain := func() string {
			return fmt.Sprintf("process %s held elected = %s since seq %d, but the best process live at the end is %s",
				s.Run.ProcessName(k.process), h.name, h.first, members.Names(s.Run, best))
		}
		// Each assignment is a violation of its own. A stopped run only lists one open obligation per value.
		for range h.times {
			if unrecorded.OweUnless(r, end, excuses, explain, h.first); !end.Final() {
				break
			}
		}
	}
}

// excuses returns the needs by which a value may be right or not count: the process is not up at the end, or the
// value was not held. If a process held two values, one of them is wrong whichever process is the best.
func (m *alwaysMonitor) excuses(s *replay.State, k holding, two map[tracefmt.ProcessID]tracefmt.Seq) []analyze.Need {
	last := m.held[k].first
	needs := unrecorded.Crash(s, k.process)
	// With two values the best process does not matter, but both values must have been held.
	if secondAt, heldTwo := two[k.process]; heldTwo {
		needs, last = append(needs, analyze.Needs(k.process, 0, secondAt, unrecorded.RoleFact)...), max(last, secondAt)
	} else {
		needs = append(needs, unrecorded.BetterThan(s, k.elected)...)
	}
	if k.elected == k.process {
		needs = append(needs, analyze.Needs(k.process, 0, last, unrecorded.RoleFact)...)
	}
	needs = append(needs, unrecorded.Continuation(s)...)
	return append(needs, analyze.Needs(k.process, 0, last, s.TermFact())...)
}

// withTwoValues returns the processes that held two values which count, each with the later assignment. One of the two
// is wrong, since only one process can be the best.
func (m *alwaysMonitor) withTwoValues(s *replay.State, last replay.Term) map[tracefmt.ProcessID]tracefmt.Seq {
	two := make(map[tracefmt.ProcessID]tracefmt.Seq)
	// Ids make the best process unique, except beside a Byzantine process, which may count as the best, too.
	if s.Coverage().Complete() || !slices.Contains(s.Run.BestKeys(), tracefmt.BestID) || byzantineAmong(s.Run) {
		return two
	}
	first := make(map[tracefmt.ProcessID]holding)
	for _, k := range m.sorted() {
		switch second, known := first[k.process]; {
		case k.term.Before(last):
		case !known:
			first[k.process] = k
		case second.elected != k.elected && two[k.process] == 0:
			two[k.process] = m.held[k].first
		}
	}
	return two
}

// byzantineAmong reports whether the run has a Byzantine process: only other processes can show that it is the best.
func byzantineAmong(run *tracefmt.Run) bool {
	return slices.ContainsFunc(members.All(run), func(p tracefmt.ProcessID) bool { return !run.Binds(p) })
}

// sorted returns all values held, by their first assignments.
func (m *alwaysMonitor) sorted() []holding {
	return slices.SortedFunc(maps.Keys(m.held),
		func(a, b holding) int {
			return cmp.Compare(m.held[a].first, m.held[b].first)
		})
}

// Relies implements [analyze.Relying]: no process held another value than recorded, processes whose values do not
// count are down, and only a process that others elected is the best.
func (m *alwaysMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	var needs []analyze.Need
	if s.Coverage().Complete() {
		return nil
	}
	if last := lastTerm(s); m.ignoredSelf || len(unrecorded.Variables(s)) > 0 ||
		slices.ContainsFunc(m.sorted(), func(k holding) bool { return k.term.Before(last) }) {
		return slices.Values(m.ignoredValueNeeds(s))
	}
	for _, p := range unrecorded.ElectorsNow(s) {
		if s.Live(p) {
			needs = append(needs, analyze.Needs(p, 0, 0, unrecorded.ElectedFact)...)
		} else {
			needs = append(needs, possibleRecoveryWith(s, p, unrecorded.ElectedFact)...)
			if !unrecorded.None(s, analyze.Needs(p, 0, 0, unrecorded.ElectedFact)) { // former values count, too
				needs = append(needs, unrecorded.Recovery(s, p)...)
			}
		}
	}
	chosen := make(map[tracefmt.ProcessID]bool)
	for _, k := range m.sorted() {
		switch up := s.Live(k.process); {
		case !up && (k.elected != k.process || !isBest(s, k.process)):
			needs = append(needs, unrecorded.Recovery(s, k.process)...)
		case up && k.elected > 0 && k.elected != k.process:
			needs = append(needs, unrecorded.Crash(s, k.elected)...)
		}
		if s.Live(k.process) && !chosen[k.elected] {
			chosen[k.elected] = true
			needs = append(needs, possiblyBetter(s, k.elected)...)
		}
	}
	return slices.Values(needs)
}

// isBest reports whether p is better than all other possible electors.
func isBest(s *replay.State, p tracefmt.ProcessID) bool {
	keys := s.Run.BestKeys()
	return !slices.ContainsFunc(unrecorded.ElectorsNow(s), func(q tracefmt.ProcessID) bool {
		order, lacks := s.Compare(p, q, keys)
		return q != p && (order <= 0 || lacks != "")
	})
}

// ignoredValueNeeds returns the facts on which it rests that some values did not count.
func (m *alwaysMonitor) ignoredValueNeeds(s *replay.State) []analyze.Need {
	needs := meritNeeds(s)
	for _, p := range unrecorded.ElectorsNow(s) {
		if !s.Live(p) {
			needs = append(needs, unrecorded.Recovery(s, p)...)
			continue
		}
		needs = append(needs, analyze.Needs(p, 0, 0, unrecorded.ElectedFact, unrecorded.RoleFact, s.TermFact())...)
		needs = append(needs, unrecorded.Restart(s, p, 0)...)
	}
	for _, k := range m.sorted() {
		if k.elected > 0 && s.Live(k.elected) {
			needs = append(needs, unrecorded.Crash(s, k.elected)...)
		}
	}
	return needs
}
