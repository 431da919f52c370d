package property

import (
	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var mutualExclusionPossibly = analyze.Property{
	Name: "mutual-exclusion-possibly",
	Kind: analyze.Safety,
	Doc: `In no consistent cut are two processes in the critical section.

A process is inside from its note enter to its note exit; a crash, a halt and a
recovery take it out as well. Two processes violate this if nothing makes sure
that one was outside again before the other entered, even if the recorded order
shows them one after the other. Each pair of processes counts once, and the cut
of the result is the first in which both are inside.`,
	Needs:     mutexNeeds + "; receive events that name their sends",
	Source:    cooperMarzullo + ": possibly",
	Problem:   "mutex",
	OnRequest: true,
	New:       func(run *tracefmt.Run) analyze.Monitor { return insideTogether(run, false) },
}

// insideTogether is the monitor for two processes inside, in some cut or on
// every way.
func insideTogether(run *tracefmt.Run, definite bool) analyze.Monitor {
	in := newInside(run)
	return newTogether(run, together{
		does: "is inside", do: "are inside", definite: definite,
		holds: func(s *replay.State, e *tracefmt.Event) bool {
			_, is := in.step(s, e)
			return is
		},
		lacks: func(*replay.State) string {
			if in.told {
				return ""
			}
			return noMutex
		},
	})
}
