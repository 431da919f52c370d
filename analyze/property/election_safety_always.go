package property

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionSafetyAlways = analyze.Property{
	Name: "election-safety-always",
	Kind: analyze.Safety,
	Doc: `An elector that is live at the end never held elected = any other than the best elector live at the end.

A stricter reading of election-safety: a value that was wrong for a while is a
violation, too. The measure is the end: a value that was right when it was
assigned, since the best process had not yet crashed, was wrong by this reading,
and so was a coordinator that was known at the start and has died. What a
process held before it crashed counts if it is live again at the end; what a
process held that is not live at the end does not, nor, where terms are told, what one
held in an earlier term than the last. Each assignment of a wrong
value counts once, the initial value of a start or recovery included. In a loop
in which the run ends no process crashes or recovers, so all its states are one end.
While the run can go on, a wrong value is an open obligation: who is live at the
end is not known.`,
	Needs:     bestNeeds,
	Source:    slides + ", Problem Specification, Safety, in a stricter reading",
	Problem:   "election",
	NeedsBest: true,
	OnRequest: true,
	Convicts:  choiceFacts, Acquits: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return &alwaysMonitor{held: map[holding]*held{}}
	},
}

// alwaysMonitor keeps all that was ever held, once for each process and value.
type alwaysMonitor struct {
	held map[holding]*held
	left bool // some process believed in itself, which does not count
}

type holding struct {
	process, elected tracefmt.ProcessID
	term             replay.Term
}

// held says how often a value was assigned, and where first. The name is that
// of a value which is no process of the run.
type held struct {
	times int
	first tracefmt.Seq
	name  string
}

func (m *alwaysMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !assigns(s, e) {
		if p := e.Process; p != 0 && !s.Coverage().Complete() {
			m.left = m.left || s.Process(p).ElectedAt == e.Seq && s.Process(p).Elected == p
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
	if lacks != "" && len(wrong) > 0 {
		r.Undecided(func() string { return lacks }, unranked(s)...)
		return
	}
	two := m.ofTwo(s, last)
	slices.SortFunc(wrong, func(a, b holding) int { return cmp.Compare(m.held[a].first, m.held[b].first) })
	for _, k := range wrong {
		h := m.held[k]
		excuses := m.excuses(s, k, two)
		explain := func() string {
			return fmt.Sprintf("process %s held elected = %s since seq %d, but the best process live at the end is %s",
				s.Run.ProcessName(k.process), h.name, h.first, names(s.Run, best))
		}
		for range h.times {
			if oweUnless(r, end, excuses, explain, h.first); !end.Final() {
				break
			}
		}
	}
}

// excuses are what would make it right that a process held something: that it is not up at
// the end, or that this did not count. One of two values that it held is wrong whoever is
// the best.
func (m *alwaysMonitor) excuses(s *replay.State, k holding, two map[tracefmt.ProcessID]tracefmt.Seq) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	last := m.held[k].first
	needs := mayFall(s, k.process)
	if both, wrong := two[k.process]; wrong {
		needs, last = append(needs, analyze.Needs(k.process, 0, both, roleFact)...), max(last, both)
	} else {
		needs = append(needs, mayBeBetter(s, k.elected)...)
	}
	if k.elected == k.process {
		needs = append(needs, analyze.Needs(k.process, 0, last, roleFact)...)
	}
	needs = append(needs, mayGoOn(s)...)
	return append(needs, analyze.Needs(k.process, 0, last, s.TermFact())...)
}

// ofTwo are the processes that held two values which count, and where the later of them was
// assigned, if only one process can be the best.
func (m *alwaysMonitor) ofTwo(s *replay.State, last replay.Term) map[tracefmt.ProcessID]tracefmt.Seq {
	two := make(map[tracefmt.ProcessID]tracefmt.Seq)
	if s.Coverage().Complete() || !slices.Contains(s.Run.BestKeys(), tracefmt.BestID) || byzantineAmong(s.Run) {
		return two
	}
	first := make(map[tracefmt.ProcessID]holding)
	for _, k := range m.sorted() {
		switch other, known := first[k.process]; {
		case k.term.Before(last):
		case !known:
			first[k.process] = k
		case other.elected != k.elected && two[k.process] == 0:
			two[k.process] = m.held[k].first
		}
	}
	return two
}

// byzantineAmong reports whether some process of the run may do anything, so that it is for
// others to say whether it is the best.
func byzantineAmong(run *tracefmt.Run) bool {
	return slices.ContainsFunc(allProcesses(run), func(p tracefmt.ProcessID) bool { return !run.Binds(p) })
}

// sorted are all that was held, in the order in which it was first.
func (m *alwaysMonitor) sorted() []holding {
	return slices.SortedFunc(maps.Keys(m.held), func(a, b holding) int { return cmp.Compare(m.held[a].first, m.held[b].first) })
}

// Relies implements [analyze.Relying]: no process held another value than is recorded, those
// of which what they held does not count are down, and no process but whom the others held is
// the best.
func (m *alwaysMonitor) Relies(s *replay.State, _ analyze.Ending) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	if last := lastTerm(s); m.left || len(variableKeys(s)) > 0 ||
		slices.ContainsFunc(m.sorted(), func(k holding) bool { return k.term.Before(last) }) {
		return m.restsOnAll(s)
	}
	for _, p := range mayElect(s) {
		if s.Live(p) {
			needs = append(needs, analyze.Needs(p, 0, 0, electedFact)...)
		} else {
			needs = append(needs, mayRiseWith(s, p, electedFact)...)
			if !certain(s, analyze.Needs(p, 0, 0, electedFact)) { // what it held before counts, too
				needs = append(needs, mayRise(s, p)...)
			}
		}
	}
	chosen := make(map[tracefmt.ProcessID]bool)
	for _, k := range m.sorted() {
		switch up := s.Live(k.process); {
		case !up && (k.elected != k.process || !greatest(s, k.process)):
			needs = append(needs, mayRise(s, k.process)...)
		case up && k.elected > 0 && k.elected != k.process:
			needs = append(needs, mayFall(s, k.elected)...)
		}
		if s.Live(k.process) && !chosen[k.elected] {
			chosen[k.elected] = true
			needs = append(needs, mayExceed(s, k.elected)...)
		}
	}
	return needs
}

// greatest reports whether p is better than all others that may elect.
func greatest(s *replay.State, p tracefmt.ProcessID) bool {
	keys := s.Run.BestKeys()
	return !slices.ContainsFunc(mayElect(s), func(q tracefmt.ProcessID) bool {
		order, lacks := s.Compare(p, q, keys)
		return q != p && (order <= 0 || lacks != "")
	})
}

// restsOnAll are the facts where some of what was held did not count.
func (m *alwaysMonitor) restsOnAll(s *replay.State) []analyze.Need {
	needs := merits(s)
	for _, p := range mayElect(s) {
		if !s.Live(p) {
			needs = append(needs, mayRise(s, p)...)
			continue
		}
		needs = append(needs, analyze.Needs(p, 0, 0, electedFact, roleFact, s.TermFact())...)
		needs = append(needs, mayRestart(s, p, 0)...)
	}
	for _, k := range m.sorted() {
		if k.elected > 0 && s.Live(k.elected) {
			needs = append(needs, mayFall(s, k.elected)...)
		}
	}
	return needs
}
