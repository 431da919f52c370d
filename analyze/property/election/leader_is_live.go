package election

import (
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var leaderIsLive = analyze.Property{
	Name: "leader-is-live",
	Kind: analyze.Safety,
	Doc: `Each assignment of elected names a process that is live at that instant, or no process.

The instant of the assignment counts, in the recorded order of events; that the leader is live at the end is a part of
election-safety. This is weaker than election-safety-at-assignment: the leader need not be the best process. Initial values in
start and recover events are no assignments. A correct algorithm may violate it: a winner that crashes right after its
announcement is elected although it is down, and no process could know.`,
	Needs:      "state events that assign elected; crash, halt and recover events",
	Source:     paper.Slides + ", Problem Specification, Safety: a non-faulty process",
	Problem:    "election",
	OnRequest:  true,
	ViolatedBy: []tracefmt.Fact{unrecorded.ElectedFact, unrecorded.RoleFact, unrecorded.CrashFact, unrecorded.HaltFact},
	ExcusedBy:  choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return leaderLive{atAssignment{func(s *replay.State, p tracefmt.ProcessID) (bool, string) {
			q := s.Process(p).Elected
			return q != replay.Nobody && s.Live(q), ""
		}, possiblyLiveNow}, make(map[tracefmt.ProcessID]namings)}
	},
}

// leaderLive checks each assignment of elected: the named process must be live. For an incomplete recording it stores
// which processes others have elected.
type leaderLive struct {
	atAssignment
	named map[tracefmt.ProcessID]namings // used in an incomplete recording
}

// namings has the last event at which another process elected a process, and the last step of that process before
// the first such event.
type namings struct{ after, last tracefmt.Seq }

// Step checks the assignment, and stores when the elected process was last known to be up.
func (m leaderLive) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.atAssignment.Step(r, s, e)
	if s.Coverage().Complete() || e.Kind != tracefmt.State || !assigns(s, e) {
		return
	}
	q := s.Process(e.Process).Elected
	if q <= 0 || q == e.Process { // a process that elects itself is up
		return
	}
	n, known := m.named[q]
	if !known {
		n.after = s.StepAt(q)
	}
	m.named[q] = namings{n.after, e.Seq}
}

// Relies implements [analyze.Relying]: no process elected another process than recorded, and each elected process
// was up.
func (m leaderLive) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	needs := analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.ElectedFact)
	for _, q := range slices.Sorted(maps.Keys(m.named)) {
		needs = append(needs, analyze.Needs(q, m.named[q].after, m.named[q].last, unrecorded.CrashFact,
			unrecorded.HaltFact)...)
	}
	return slices.Values(needs)
}

// possiblyLiveNow returns the needs by which the process that p has elected may be up at this instant.
func possiblyLiveNow(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	needs := possiblyIgnored(s, p)
	if q := s.Process(p).Elected; q > 0 {
		needs = append(needs, unrecorded.Recovery(s, q)...)
	}
	return needs
}
