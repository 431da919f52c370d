package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var recoveredRelearns = analyze.Property{
	Name: "recovered-relearns",
	Kind: analyze.Liveness,
	Doc: `Each elector that recovers learns of a leader, unless it goes down again.

It has learnt of one when it holds a value of elected, whichever, at or after
its recovery; that the value is a good one is the business of safety. One that tells
which role it has, and not whom it has elected, has learnt of one where its role is not
that of one that still looks (candidate, LOOKING), and some process leads. A process
that has it on stable storage need not ask. On a run that was stopped the
recovered process may still learn; at rest, or in a proven loop, it never will.
A run that states the trait no-recovery, since its algorithm has no rule for a
process that recovers, is not examined unless the property is asked for by name.`,
	Needs:    "recover events; state events that assign elected, or role in a run whose problem is an election; how the run ended",
	Source:   "Lecture notes, Distributed Systems - Theory 12, Bully Algorithm: a process that comes back holds an election",
	Problem:  "election",
	Excluded: []string{tracefmt.NoRecovery},
	Convicts: []tracefmt.Fact{recoverFact, crashFact}, Acquits: choiceFacts, Triggers: []tracefmt.Fact{recoverFact},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &relearnMonitor{make([]tracefmt.Seq, len(run.Members)+1), make([]int, len(run.Members)+1), make([]tracefmt.Seq, len(run.Members)+1)}
	},
}

type relearnMonitor struct {
	// recovered is where a process recovered that has not learnt since, by
	// process; 0 for all others.
	recovered []tracefmt.Seq
	times     []int          // that a process recovered
	knew      []tracefmt.Seq // where a process last knew of a leader; only of a run that does not tell everything
}

func (m *relearnMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p := e.Process
	if p == 0 || !replay.ChangesProcess(e.Kind) {
		return
	}
	if e.Kind == tracefmt.Recover {
		m.times[p]++
		m.recovered[p] = e.Seq
	}
	if m.recovered[p] != 0 && (!s.Live(p) || s.Knows(p)) {
		m.recovered[p] = 0
	}
	if !s.Coverage().Complete() && s.Knows(p) {
		m.knew[p] = e.Seq
	}
}

// Relies implements [analyze.Relying]: no process has recovered since it last knew of a
// leader.
func (m *relearnMonitor) Relies(s *replay.State, _ analyze.Ending) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	for _, p := range mayElect(s) {
		switch {
		case !s.Live(p):
			needs = append(needs, mayRise(s, p)...)
		default:
			needs = append(needs, mayRestart(s, p, m.knew[p])...)
			if m.times[p] == 0 && certain(s, mayRestart(s, p, 0)) {
				continue // it owes nothing
			}
			if m.times[p] > 0 && s.Process(p).Elected == 0 && s.Knows(p) { // some process leads, and it does not say whom it elected
				needs = append(needs, mayNotKnow(s, p)...)
			}
			if !s.Elector(p) {
				needs = append(needs, analyze.Needs(p, 0, 0, electedFact, roleFact)...)
			}
		}
	}
	return needs
}

func (m *relearnMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !tellsElection(s) {
		r.NotApplicable(noElection)
		return
	}
	for i, at := range m.recovered {
		p := tracefmt.ProcessID(i)
		if p == 0 || !s.Elector(p) {
			continue
		}
		r.Examined += m.times[p]
		if at != 0 && !s.Knows(p) {
			excuses := append(mayKnow(s, p), analyze.Needs(p, at, s.Now(), electedFact, roleFact)...)
			oweUnless(r, end, excuses, func() string {
				return fmt.Sprintf("process %s, which recovers at seq %d, has elected no process since", s.Run.ProcessName(p), at)
			}, at)
		}
	}
}
