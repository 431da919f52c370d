package property

import (
	"cmp"
	"fmt"
	"iter"

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
process that recovers, is not examined unless the property is asked for by name. One that starts
anew after that goes down before, whether a crash is recorded or not.`,
	Needs:    "recover events; state events that assign elected, or role in a run whose problem is an election; how the run ended",
	Source:   "Lecture notes, Distributed Systems - Theory 12, Bully Algorithm: a process that comes back holds an election",
	Problem:  "election",
	Excluded: []string{tracefmt.NoRecovery},
	Convicts: []tracefmt.Fact{recoverFact, crashFact}, Acquits: choiceFacts, Triggers: []tracefmt.Fact{recoverFact},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &relearnMonitor{of: make([]*relearning, len(run.Members)+1)}
	},
}

type relearnMonitor struct {
	of      []*relearning // by process, nil for nothing
	leading *leading
}

// relearning is what a process has to learn, and what it knows.
type relearning struct {
	// recovered is where it recovered, if it has not learnt since, and else 0; times is how often it did,
	// and life which of its lives began there.
	recovered tracefmt.Seq
	times     int
	life      int64
	// The others are of a run that does not tell everything. said is where it last said whom it has elected,
	// or that it leads: it knew of a leader, whatever was before.
	said tracefmt.Seq
	// asked: there was an event since its recovery after which it would have known of any that led.
	// silent: no process had said before that whom it elected.
	asked, silent bool
	// grounds are what its knowing since its recovery rests on, where others have led.
	grounds []analyze.Need
}

// Follow implements [analyze.Follower].
func (m *relearnMonitor) Follow(f *analyze.Folds) { m.leading = analyze.Shared(f, newLeading) }

func (m *relearnMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p := e.Process
	if p == 0 || !s.Changed(e) {
		return
	}
	if m.of[p] == nil {
		m.of[p] = new(relearning)
	}
	of, partial := m.of[p], !s.Coverage().Complete()
	switch life := s.Process(p).Incarnation; {
	case e.Kind == tracefmt.Recover:
		*of = relearning{recovered: e.Seq, times: of.times + 1, life: life, said: of.said, silent: !s.HasElected()}
	case life != of.life:
		of.recovered = 0 // it has been down since
	}
	if partial && saysThatItKnows(s, e) {
		of.said = e.Seq
	}
	if of.recovered == 0 {
		return
	}
	of.asked = of.asked || knowsByOthers(s, p)
	switch {
	case !s.Live(p):
		of.recovered = 0
	case s.Knows(p):
		if partial && of.said != e.Seq { // what it was at its recovery may not be recorded either
			of.grounds = append(mayNotKnow(s, p), analyze.Needs(p, of.recovered-1, e.Seq, electedFact, roleFact)...)
		}
		of.recovered = 0
	}
}

// saysThatItKnows reports whether an event of a process says by itself that it knows of a leader.
func saysThatItKnows(s *replay.State, e *tracefmt.Event) bool {
	st := s.Process(e.Process)
	return st.Elected != 0 && st.ElectedAt == e.Seq || st.Role == replay.RoleLeads && s.AssignedAt(e.Process, roleFact.Variable) == e.Seq
}

// Relies implements [analyze.Relying]: no process has recovered since it last said that it knew of a
// leader, and what others seemed to lead they led.
func (m *relearnMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	if s.Coverage().Complete() {
		return nil
	}
	return needsOfEach(mayElect(s), func(p tracefmt.ProcessID) []analyze.Need {
		of := cmp.Or(m.of[p], &relearning{})
		if !s.Live(p) {
			return mayRise(s, p)
		}
		needs := mayRestart(s, p, of.said)
		if of.times == 0 && certain(s, mayRestart(s, p, 0)) {
			return needs // it owes nothing
		}
		needs = append(needs, of.grounds...)
		if of.recovered != 0 && s.Knows(p) {
			needs = append(needs, mayNotKnow(s, p)...)
		}
		if !s.Elector(p) {
			needs = append(needs, analyze.Needs(p, 0, 0, electedFact, roleFact)...)
		}
		return needs
	})
}

func (m *relearnMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !tellsElection(s) {
		r.NotApplicable(noElection)
		return
	}
	for i, of := range m.of {
		p := tracefmt.ProcessID(i)
		if of == nil || !s.Elector(p) {
			continue
		}
		r.Examined += of.times
		if of.recovered != 0 && !s.Knows(p) {
			oweUnless(r, end, m.mayLearn(s, p), func() string {
				return fmt.Sprintf("process %s, which recovers at seq %d, has elected no process since", s.Run.ProcessName(p), of.recovered)
			}, of.recovered)
		}
	}
}

// mayLearn is that p may have learnt of a leader since its recovery, or have been down.
func (m *relearnMonitor) mayLearn(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	of, now := m.of[p], s.Now()
	needs := append(mayKnow(s, p), analyze.Needs(p, of.recovered, now, electedFact, roleFact)...)
	if of.asked || of.silent {
		needs = append(needs, m.leading.ask(s).needs(s)...)
	}
	if of.silent { // and one that has forgotten its role knows of any leader
		needs = append(needs, analyze.MayRestart(p, of.recovered, now))
	}
	if c := s.Coverage(); c.Said(p, startFact) > tracefmt.All || c.InGap(p, of.recovered, now) {
		needs = append(needs, analyze.Need{Process: p, Fact: startFact, From: of.recovered, To: now, Anew: true})
	}
	return needs
}
