package property

import (
	"cmp"
	"fmt"
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
		r.Undecided(func() string { return lacks }, merits(s)...)
		return
	}
	slices.SortFunc(wrong, func(a, b holding) int { return cmp.Compare(m.held[a].first, m.held[b].first) })
	for _, k := range wrong {
		h := m.held[k]
		excuses := m.excuses(s, k)
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
// the end, or that this did not count.
func (m *alwaysMonitor) excuses(s *replay.State, k holding) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	needs := append(mayFall(s, k.process), mayBeBetter(s, k.elected)...)
	if k.elected == k.process {
		needs = append(needs, analyze.Needs(k.process, 0, m.held[k].first, roleFact)...)
	}
	for _, q := range mayElect(s) {
		needs = append(needs, mayDifferInTerm(s, q)...)
	}
	return append(needs, analyze.Needs(k.process, 0, m.held[k].first, termFact(s))...)
}

// Relies implements [analyze.Relying].
func (m *alwaysMonitor) Relies(s *replay.State, _ analyze.Ending) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	needs := merits(s)
	for _, p := range mayElect(s) {
		if !s.Live(p) {
			needs = append(needs, mayRise(s, p)...)
			continue
		}
		needs = append(needs, analyze.Needs(p, 0, 0, electedFact, roleFact, termFact(s))...)
		needs = append(needs, mayRestart(s, p, 0)...)
	}
	for k := range m.held {
		if k.elected > 0 && s.Live(k.elected) {
			needs = append(needs, mayFall(s, k.elected)...)
		}
	}
	return needs
}
