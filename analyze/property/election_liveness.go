package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionLiveness = analyze.Property{
	Name: "election-liveness",
	Kind: analyze.Liveness,
	Doc: `The election ends, and every live process ends with somebody elected.

Ended means that no message is in flight to a live process and no timer is
armed. That a run never ends is proved by a loop: the same global state twice
in a deterministic run. The property is vacuous where nobody calls an
election: no suspicion, no recovery, no message.`,
	Source:  slides + ", Liveness",
	Problem: "election",
	New:     func(*tracefmt.Run) analyze.Monitor { return &livenessMonitor{} },
}

type livenessMonitor struct{ called bool }

func (m *livenessMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Suspect, tracefmt.Recover, tracefmt.Send:
		m.called = true
	}
}

func (m *livenessMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case !s.HasElected():
		r.NotApplicable(noElection)
		return
	case !m.called:
		return
	}
	r.Examined++
	var without []tracefmt.ProcessID
	for _, p := range live(s) {
		if s.Process(p).Elected == 0 {
			without = append(without, p)
		}
	}
	switch {
	case end.Looping():
		r.Violate(fmt.Sprintf("the run never ends: the global state after seq %d is that after seq %d, and %s",
			end.LoopTo, end.LoopFrom, nobodyElected(s.Run, without)), end.LoopFrom, end.LoopTo)
	case len(without) > 0:
		owe(r, end, nobodyElected(s.Run, without), s.Seq)
	case !end.Quiescent && !s.Quiescent():
		r.Owe(fmt.Sprintf("the election has not ended: %d messages are in flight, %d timers are armed", s.InFlight(), s.Armed()))
	}
}

func nobodyElected(run *tracefmt.Run, ps []tracefmt.ProcessID) string {
	switch len(ps) {
	case 0:
		return "every live process has elected somebody"
	case 1:
		return fmt.Sprintf("process %s has elected nobody", names(run, ps))
	}
	return fmt.Sprintf("processes %s have elected nobody", names(run, ps))
}
