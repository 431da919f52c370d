package property

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var noStepWhenCrashed = analyze.Property{
	Name: "no-step-when-crashed",
	Kind: analyze.Safety,
	Doc: `Between its crash and its recovery, or its new start, a process takes no step.

The loss of a message to it is no step of the process, and neither is a note about it; enter, exit, request, broadcast, deliver and
round are its own notes. Each step until then counts. Other properties take the first such step as a sign that the process is up again
although the log lacks its recovery; the report mentions that.`,
	ViolatedBy: analyze.Facts("crash"),
	ExcusedBy:  analyze.Facts("recover"),
	Triggers:   analyze.Facts("crash"),
	Needs:      "crash and recover events",
	Source:     reliableProgramming + ", 2.2: crash-recovery",
	OfRecord:   true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &crashedMonitor{crashed: make([]tracefmt.Seq, len(run.Members)+1)}
	},
}

type crashedMonitor struct {
	crashed []tracefmt.Seq // by process, 0 for no process: its last crash, 0 while it is up
	// past are the times at which processes were down, used in an incomplete recording.
	past []timeDown
}

// timeDown is a crash, with the event that ended it.
type timeDown struct {
	process   tracefmt.ProcessID
	from, end tracefmt.Seq
}

func (m *crashedMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	at := &m.crashed[e.Process]
	switch e.Kind {
	case tracefmt.Crash:
		*at = e.Seq
		r.Examined++
	case tracefmt.Recover, tracefmt.Start:
		if *at != 0 && !s.Coverage().Complete() {
			m.past = append(m.past, timeDown{e.Process, *at, e.Seq})
		}
		*at = 0
	default:
		if *at != 0 && (replay.IsAct(e) || e.Kind == tracefmt.Halt) {
			r.ViolateUnless(analyze.Needs(e.Process, *at, e.Seq, recoverFact), func() string {
				return fmt.Sprintf("process %s crashes at seq %d and takes a step (%s) at seq %d without having recovered",
					s.Run.ProcessName(e.Process), *at, e.Kind, e.Seq)
			}, *at, e.Seq)
		}
	}
}

func (m *crashedMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// Relies implements [analyze.Relying]: a process that is down may have taken an unrecorded step.
func (m *crashedMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	for p, at := range m.crashed {
		if at != 0 {
			m.past = append(m.past, timeDown{tracefmt.ProcessID(p), at, 0})
		}
	}
	facts := slices.DeleteFunc(stepFacts(s), func(f tracefmt.Fact) bool {
		return f.Kind == tracefmt.Crash || f.Kind == tracefmt.Recover || f.Kind == tracefmt.Start
	})
	needs := analyze.Needs(analyze.EveryProcess, 0, 0, crashFact)
	c := s.Coverage()
	for _, d := range m.past {
		for _, f := range facts {
			if c.Silent() || c.Missing(d.process, f, d.from, d.end) {
				needs = append(needs, analyze.Need{Process: d.process, Fact: f, From: d.from, To: d.end})
			}
		}
	}
	return slices.Values(needs)
}
