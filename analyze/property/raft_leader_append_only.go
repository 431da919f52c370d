package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var raftLeaderAppendOnly = analyze.Property{
	Name:  "raft-leader-append-only",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft},
	Doc: `A leader never overwrites or deletes entries of its log; it only appends.

Examined is each event that changes the log of a process which leads before and
after it, in the same term. The one thing that may vanish is what a snapshot
holds: a committed entry before which the log has none. Each other entry that is
overwritten or deleted counts.`,
	Needs:    raftLeaderNeeds + "; " + raftLogNeeds,
	Source:   raftPaper + ", figure 3: Leader Append-Only",
	Convicts: appendFacts, Acquits: appendFacts, Triggers: []tracefmt.Fact{logFact},
	New: func(*tracefmt.Run) analyze.Monitor { return new(appendOnlyMonitor) },
}

type appendOnlyMonitor struct{ raftMonitor }

func (m *appendOnlyMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r)
	server := &m.servers[e.Process]
	if c == nil || !c.led || !server.leads() || c.begins {
		return
	}
	for _, at := range c.at {
		if at.had == at.has && at.old.mayBe(at.new) {
			continue
		}
		r.Examined++
		if at.had && !server.discards(at) {
			r.ViolateUnless(mayHold(s, append(appendFacts, termFact(s)), e.Process), func() string {
				return fmt.Sprintf("process %s, leader of %v, %s the entry log[%d] at seq %d",
					s.Run.ProcessName(e.Process), server.term, change(at), at.index, e.Seq)
			}, e.Seq)
		}
	}
}

func change(at raftPlace) string {
	if at.has {
		return "overwrites"
	}
	return "deletes"
}

// discards reports whether a change takes away what a snapshot may hold.
func (server *raftServer) discards(at raftPlace) bool {
	_, follows := server.log.get(at.index - 1)
	return !at.has && at.index <= server.commit && !follows
}

func (m *appendOnlyMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	switch {
	case !m.toldLog:
		r.NotApplicable(noRaftLog)
	case !m.toldLeader:
		r.NotApplicable(noRaftLeader)
	}
}
