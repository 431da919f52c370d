package property

import (
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
		return atAssignment{func(s *replay.State, p tracefmt.ProcessID) (bool, string) {
			q := s.Process(p).Elected
			return q != replay.Nobody && s.Live(q), ""
		}, mayBeLiveNow}
	},
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
