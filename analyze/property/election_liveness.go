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
	Doc: `The election ends, and every live elector ends with somebody elected.

A process that tells which role it has, and not whom it has elected, has somebody
elected where its role is not that of one that still looks (candidate, LOOKING), and
some process leads; a run whose problem is an election is examined by roles alone, too.

Ended means that no message is in flight to a live process and no timer is
armed. That a run never ends is proved by a loop: the same global state twice
in a deterministic run. A simulated run that was stopped has not ended, whatever its
last state is: that it will is an open obligation. The record of a system that goes on
is always stopped, and owes nothing where every live elector has somebody elected. The
property is vacuous where
no elector calls an election (no suspicion, no recovery, no message between electors, no
candidate, no leader, no vote, no choice) and where no process is left to elect.`,
	Needs:   "state events that assign elected, or role in a run whose problem is an election; how the run ended",
	Source:  slides + ", Problem Specification, Liveness",
	Problem: "election",
	New:     func(run *tracefmt.Run) analyze.Monitor { return &livenessMonitor{newCallers(run)} },
}

type livenessMonitor struct{ callers callers }

func (m *livenessMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.callers.step(s, e)
}

func (m *livenessMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case !tellsElection(s):
		r.NotApplicable(noElection)
		return
	case !m.callers.called(s):
		return
	}
	live := s.Electors()
	if len(live) == 0 && !end.Looping() {
		return
	}
	r.Examined++
	var without []tracefmt.ProcessID
	witness := []tracefmt.Seq{s.Seq}
	for _, p := range live {
		if !s.Knows(p) {
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
	case !s.Run.TellsAll():
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
