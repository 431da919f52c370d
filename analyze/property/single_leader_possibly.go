package property

import (
	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var singleLeaderPossibly = analyze.Property{
	Name: "single-leader-possibly",
	Kind: analyze.Safety,
	Doc: `In no consistent cut do two live processes both hold elected = themselves.

The recorded order is one of many in which the same run may have taken place.
This reading asks for all of them: two processes violate it if nothing makes
sure that one had ceased to lead before the other began, even if they do not
lead at one time in the recorded order. A process that crashes or halts no
longer leads; but whoever takes over from it because of a timeout has not heard
of that, and so violates this: only in a system with bounds on delays is a
timeout proof. Each pair of processes counts once, and the cut of the result is
the first in which both lead.`,
	Needs:     "state events that assign elected; receive events that name their sends",
	Source:    cooperMarzullo + ": possibly",
	Problem:   "election",
	OnRequest: true,
	New:       func(run *tracefmt.Run) analyze.Monitor { return leadersTogether(run, false) },
}

// leadersTogether is the monitor for two leaders, in some cut or on every way.
func leadersTogether(run *tracefmt.Run, definite bool) analyze.Monitor {
	return newTogether(run, together{
		does: "leads", do: "lead", definite: definite,
		holds: func(s *replay.State, e *tracefmt.Event) bool { return electedItself(s, e.Process) },
		lacks: func(s *replay.State) string {
			if s.HasElected() {
				return ""
			}
			return noElection
		},
	})
}
