package property

import (
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var leaderIsLive = analyze.Property{
	Name: "leader-is-live",
	Kind: analyze.Safety,
	Doc: `Each assignment of elected names a process that is live at that instant, or no process.

The reading is that of the instant of the assignment, in the recorded order of
events; that the leader be live at the end is a part of election-safety. A
weaker demand than election-safety-at-assignment: the leader need not be the
best. A process does not assign what it begins with: the values of start and
recover events do not count. A good run may violate it: a winner that crashes
right after its announcement is elected although dead, and no process could know.`,
	Needs:     "state events that assign elected; crash, halt and recover events",
	Source:    slides + ", Problem Specification, Safety: a non-faulty process",
	Problem:   "election",
	OnRequest: true,
	Convicts:  []tracefmt.Fact{electedFact, roleFact, crashFact, haltFact}, Acquits: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return leaderLive{atAssignment{func(s *replay.State, p tracefmt.ProcessID) (bool, string) {
			q := s.Process(p).Elected
			return q != replay.Nobody && s.Live(q), ""
		}, mayBeLiveNow}, make(map[tracefmt.ProcessID]namings)}
	},
}

// leaderLive knows of which process others have said that they elected it.
type leaderLive struct {
	atAssignment
	named map[tracefmt.ProcessID]namings // of a run that does not tell everything
}

// namings are where a process was elected last by another one, and the last step that it had
// taken when it was so first.
type namings struct{ after, last tracefmt.Seq }

func (m leaderLive) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.atAssignment.Step(r, s, e)
	if s.Coverage().Complete() || e.Kind != tracefmt.State || !assigns(s, e) {
		return
	}
	q := s.Process(e.Process).Elected
	if q <= 0 || q == e.Process { // who elects itself is up
		return
	}
	n, known := m.named[q]
	if !known {
		n.after = s.StepAt(q)
	}
	m.named[q] = namings{n.after, e.Seq}
}

// Relies implements [analyze.Relying]: no process has elected another one than is recorded,
// and whom one has elected was up.
func (m leaderLive) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	if s.Coverage().Complete() {
		return nil
	}
	needs := analyze.Needs(analyze.AnyProcess, 0, 0, electedFact)
	for _, q := range slices.Sorted(maps.Keys(m.named)) {
		needs = append(needs, analyze.Needs(q, m.named[q].after, m.named[q].last, crashFact, haltFact)...)
	}
	return slices.Values(needs)
}

// mayBeLiveNow is that whom p has elected may be up at this instant.
func mayBeLiveNow(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	needs := mayNotCount(s, p)
	if q := s.Process(p).Elected; q > 0 {
		needs = append(needs, mayRise(s, q)...)
	}
	return needs
}
