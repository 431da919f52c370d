package property

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var processTimeMonotone = analyze.Property{
	Name: "process-time-monotone",
	Kind: analyze.Safety,
	Doc: `The times of the events of a process never fall.

Two steps at one instant are allowed. Times of different processes are not compared: their clocks may differ. The loss of a message
is no step of its receiver.`,
	Needs:      "events with times",
	Assumption: "the order of the events of a process is that of its clock, not that of the lines of a log",
	Assumes: func(run *tracefmt.Run) string {
		if run.Imported() {
			return "the run was imported: the order within a process is that of the lines of its log, whose " +
				"times may step back; etrace lint shows where"
		}
		return ""
	},
	ViolatedBy: allStepFacts,
	Times:      true,
	Source:     lamport1978 + ": physical clocks",
	OfRecord:   true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &timeMonitor{last: make([]instant, len(run.Members)+1)}
	},
}

// instant is the time of an event.
type instant struct {
	seq tracefmt.Seq
	at  tracefmt.Time
}

type timeMonitor struct{ last []instant } // by process: its last step

func (m *timeMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || e.Kind == tracefmt.Lose {
		return
	}
	last := m.last[e.Process]
	m.last[e.Process] = instant{e.Seq, e.Time}
	if last.seq == 0 {
		return // nothing to compare with
	}
	r.Examined++
	if e.Time < last.at {
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("process %s goes back in time: seq %d is at %s, and seq %d before it at %s",
				s.Run.ProcessName(e.Process), e.Seq, s.Run.When(e.Time), last.seq, s.Run.When(last.at))
		}, last.seq, e.Seq)
	}
}

func (m *timeMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// Relies implements [analyze.Relying].
func (m *timeMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, stepFacts(s)...))
}
