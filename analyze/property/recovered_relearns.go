package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var recoveredRelearns = analyze.Property{
	Name: "recovered-relearns",
	Kind: analyze.Liveness,
	Doc: `Each process that recovers learns of a leader, unless it goes down again.

It has learnt of one when it holds a value of elected, whichever, at or after
its recovery; that the value is a good one is the business of safety. A process
that has it on stable storage need not ask. On a run that was stopped the
recovered process may still learn; at rest, or in a proven loop, it never will.
A run that states the trait no-recovery, since its algorithm has no rule for a
process that recovers, is not examined unless the property is asked for by name.`,
	Needs:    "recover events; state events that assign elected; how the run ended",
	Source:   "Lecture notes, Distributed Systems - Theory 12, Bully Algorithm: a process that comes back holds an election",
	Problem:  "election",
	Excluded: []string{tracefmt.NoRecovery},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &relearnMonitor{make([]tracefmt.Seq, len(run.Members)+1)}
	},
}

type relearnMonitor struct {
	// recovered is where a process recovered that has not learnt since, by
	// process; 0 for all others.
	recovered []tracefmt.Seq
}

func (m *relearnMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || !replay.ChangesProcess(e.Kind) {
		return
	}
	if e.Kind == tracefmt.Recover {
		r.Examined++
		m.recovered[e.Process] = e.Seq
	}
	if !s.Live(e.Process) || s.Process(e.Process).Elected != 0 {
		m.recovered[e.Process] = 0
	}
}

func (m *relearnMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
		return
	}
	for p, at := range m.recovered {
		if at != 0 {
			owe(r, end, func() string {
				return fmt.Sprintf("process %s, which recovers at seq %d, has elected no process since", s.Run.ProcessName(tracefmt.ProcessID(p)), at)
			}, at)
		}
	}
}
