package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var noStepWhenCrashed = analyze.Property{
	Name: "no-step-when-crashed",
	Kind: analyze.Safety,
	Doc: `Between its crash and its recovery, or its new start, a process takes no step.

The loss of a message that is addressed to it is no step of the process, nor is a
note about it; enter, exit, request, broadcast, deliver and round are its own. Each step
until then counts. Other properties take the first one for a sign that the
process is up again, of which the log has no more; the report says so.`,
	Needs:  "crash and recover events",
	Source: reliableProgramming + ", 2.2: crash-recovery",
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &crashedMonitor{crashed: make([]tracefmt.Seq, len(run.Members)+1)}
	},
}

type crashedMonitor struct {
	crashed []tracefmt.Seq // by process, 0 for no process: where it crashed, 0 if it is not
}

func (m *crashedMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	at := &m.crashed[e.Process]
	switch e.Kind {
	case tracefmt.Crash:
		*at = e.Seq
		r.Examined++
	case tracefmt.Recover, tracefmt.Start:
		*at = 0
	default:
		if *at != 0 && (replay.IsAct(e) || e.Kind == tracefmt.Halt) {
			r.Violate(func() string {
				return fmt.Sprintf("process %s crashes at seq %d and takes a step (%s) at seq %d without having recovered",
					s.Run.ProcessName(e.Process), *at, e.Kind, e.Seq)
			}, *at, e.Seq)
		}
	}
}

func (m *crashedMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}
