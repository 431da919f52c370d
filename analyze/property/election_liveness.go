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
in a deterministic run. A run that was stopped has not ended, whatever its last
state is: that it will is an open obligation. The property is vacuous where
no process calls an election (no suspicion, no recovery, no message) and where
no process is left to elect.`,
	Needs:   "state events that assign elected; how the run ended",
	Source:  slides + ", Problem Specification, Liveness",
	Problem: "election",
	New:     func(*tracefmt.Run) analyze.Monitor { return &livenessMonitor{} },
}

type livenessMonitor struct{ called bool }

func (m *livenessMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.called = m.called || callsElection(e.Kind)
}

func (m *livenessMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case !s.HasElected():
		r.NotApplicable(noElection)
		return
	case !m.called:
		return
	}
	live := s.LiveProcesses()
	if len(live) == 0 && !end.Looping() {
		return
	}
	r.Examined++
	var without []tracefmt.ProcessID
	witness := []tracefmt.Seq{s.Seq}
	for _, p := range live {
		if s.Process(p).Elected == 0 {
			without = append(without, p)
			witness = append(witness, s.Process(p).ElectedAt)
		}
	}
	switch {
	case end.Looping():
		r.Violate(func() string {
			return fmt.Sprintf("the run never ends: the global state after seq %d is that after seq %d, and %s",
				end.LoopTo, end.LoopFrom, nobodyElected(s.Run, without))
		}, end.LoopFrom, end.LoopTo)
	case end.Quiescent && len(without) > 0:
		r.Violate(func() string { return nobodyElected(s.Run, without) }, witness...)
	case end.Quiescent:
	case len(without) > 0:
		r.Owe(nobodyElected(s.Run, without))
	case !s.Quiescent():
		r.Owe("the election has not ended: " + analyze.Unfinished(s))
	default:
		r.Owe("the run was stopped before it is known to have ended")
	}
}

func nobodyElected(run *tracefmt.Run, ps []tracefmt.ProcessID) string {
	switch len(ps) {
	case 0:
		return "every live process has elected somebody"
	case 1:
		return fmt.Sprintf("process %s has elected no process", names(run, ps))
	}
	return fmt.Sprintf("processes %s have elected no process", names(run, ps))
}
