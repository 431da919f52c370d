package election

import (
	"cmp"
	"fmt"
	"iter"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var recoveredRelearns = analyze.Property{
	Name: "recovered-relearns",
	Kind: analyze.Liveness,
	Doc: `Each elector that recovers learns of a leader, unless it goes down again.

It has learnt of a leader when it has any value of elected at or after its recovery; safety properties judge the
value. A process may record its role but no choice. It then has learnt of a leader if some process leads, and its role
is not candidate or LOOKING. A process with the value on stable storage need not ask. In a stopped run the recovered
process may still learn; in a quiescent run, or in a proven loop, it never will. A run with the trait no-recovery,
whose algorithm has no rule for recoveries, is examined only if the property is named. A process that starts again has
gone down before, with or without a recorded crash.`,
	Needs:      "recover events; state events that assign elected, or role in a run whose problem is an election; how the run ended",
	Source:     "Lecture notes, Distributed Systems - Theory 12, Bully Algorithm: a process that comes back holds an election",
	Problem:    "election",
	Excluded:   []string{tracefmt.NoRecovery},
	ViolatedBy: []tracefmt.Fact{unrecorded.RecoverFact, unrecorded.CrashFact}, ExcusedBy: choiceFacts,
	Triggers: []tracefmt.Fact{unrecorded.RecoverFact},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &relearnMonitor{states: make([]*relearning, len(run.Members)+1)}
	},
}

// relearnMonitor checks that each recovered process learns of a leader.
type relearnMonitor struct {
	states  []*relearning // by process, nil for nothing
	leading *leadershipFold
}

// relearning is the knowledge of a recovered process: whether it must learn a leader, and which one it knows.
type relearning struct {
	// recovered is its last recovery while it has not learnt of a leader, else 0; times counts its recoveries, and
	// life is the life that began with this one.
	recovered tracefmt.Seq
	times     int
	life      int64
	// The next fields are used in an incomplete recording. knewAt is the event with which the process last recorded a
	// choice, or that it leads: then it knew of a leader.
	knewAt tracefmt.Seq
	// asked is set if an event since its recovery would show that it knows of any leader. noChoiceBefore is set if no
	// process had recorded a choice before.
	asked, noChoiceBefore bool
	// knowledgeNeeds are the needs on which its knowledge rests, if others have led.
	knowledgeNeeds []analyze.Need
}

// Follow implements [analyze.Follower].
func (m *relearnMonitor) Follow(f *analyze.Folds) { m.leading = analyze.Shared(f, newLeadershipFold) }

// Step records recoveries, and when a recovered process knows of a leader again.
func (m *relearnMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p := e.Process
	if p == 0 || !s.Changed(e) {
		return
	}
	if m.states[p] == nil {
		m.states[p] = new(relearning)
	}
	process, partial := m.states[p], !s.Coverage().Complete()
	switch life := s.Process(p).Incarnation; {
	case e.Kind == tracefmt.Recover:
		*process = relearning{
			recovered: e.Seq, times: process.times + 1, life: life, knewAt: process.knewAt,
			noChoiceBefore: !s.HasElected(),
		}
	case life != process.life:
		process.recovered = 0 // it has gone down since
	}
	if partial && recordsLeader(s, e) {
		process.knewAt = e.Seq
	}
	if process.recovered == 0 {
		return
	}
	process.asked = process.asked || knowsByOthers(s, p)
	switch {
	case !s.Live(p):
		process.recovered = 0
	case s.Knows(p):
		if partial && process.knewAt != e.Seq { // its choice at its recovery may not be recorded
			process.knowledgeNeeds = append(possibleIgnorance(s, p),
				analyze.Needs(p, process.recovered-1, e.Seq, unrecorded.ElectedFact, unrecorded.RoleFact)...)
		}
		process.recovered = 0
	}
}

// recordsLeader reports whether an event itself records that its process knows of a leader.
func recordsLeader(s *replay.State, e *tracefmt.Event) bool {
	st := s.Process(e.Process)
	return st.Elected != 0 && st.ElectedAt == e.Seq || st.Role == replay.RoleLeads &&
		s.AssignedAt(e.Process, unrecorded.RoleFact.Variable) == e.Seq
}

// Relies implements [analyze.Relying]: no process has recovered since it last recorded that it knew of a leader,
// and the recorded leaders led.
func (m *relearnMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return members.NeedsOfEach(unrecorded.ElectorsNow(s), func(p tracefmt.ProcessID) []analyze.Need {
		process := cmp.Or(m.states[p], &relearning{})
		if !s.Live(p) {
			return unrecorded.Recovery(s, p)
		}
		needs := unrecorded.Restart(s, p, process.knewAt)
		if process.times == 0 && unrecorded.None(s, unrecorded.Restart(s, p, 0)) {
			return needs // it owes nothing
		}
		needs = append(needs, process.knowledgeNeeds...)
		if process.recovered != 0 && s.Knows(p) {
			needs = append(needs, possibleIgnorance(s, p)...)
		}
		if !s.Elector(p) {
			needs = append(needs, analyze.Needs(p, 0, 0, unrecorded.ElectedFact, unrecorded.RoleFact)...)
		}
		return needs
	})
}

// End reports the recovered processes that know of no leader.
func (m *relearnMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !recordsElection(s) {
		r.NotApplicable(noElection)
		return
	}
	for i, process := range m.states {
		p := tracefmt.ProcessID(i)
		if process == nil || !s.Elector(p) {
			continue
		}
		r.Examined += process.times
		if process.recovered != 0 && !s.Knows(p) {
			unrecorded.OweUnless(r, end, m.possibleLearning(s, p), func() string {
				return fmt.Sprintf("process %s, which recovers at seq %d, has elected no process since",
					s.Run.ProcessName(p), process.recovered)
			}, process.recovered)
		}
	}
}

// possibleLearning returns the needs by which p may have learnt of a leader since its recovery, or have been
// down.
func (m *relearnMonitor) possibleLearning(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	process, now := m.states[p], s.Now()
	needs := append(possibleKnowledge(s, p), analyze.Needs(p, process.recovered, now, unrecorded.ElectedFact,
		unrecorded.RoleFact)...)
	if process.asked || process.noChoiceBefore {
		needs = append(needs, m.leading.result(s).needs(s)...)
	}
	if process.noChoiceBefore { // after a loss of its role it counts as knowing any leader
		needs = append(needs, analyze.MayRestart(p, process.recovered, now))
	}
	if c := s.Coverage(); c.Declared(p, unrecorded.StartFact) > tracefmt.All || c.InGap(p, process.recovered, now) {
		needs = append(needs, analyze.Need{
			Process: p, Fact: unrecorded.StartFact, From: process.recovered,
			To: now, Anew: true,
		})
	}
	return needs
}
