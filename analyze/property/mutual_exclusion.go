package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var mutualExclusion = analyze.Property{
	Name: "mutual-exclusion",
	Kind: analyze.Safety,
	Doc: `Two processes are never in the critical section together.

A process is inside from its note enter to its note exit; a crash, a halt and a
recovery take it out as well. The reading is the recorded order of events. Each
pair counts once for each time that it begins to be inside together.`,
	Needs:   mutexNeeds,
	Source:  dijkstra1965,
	Problem: "mutex",
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &exclusionMonitor{inside: newInside(run)}
	},
}

type exclusionMonitor struct {
	inside inside
	within []tracefmt.ProcessID // who is inside, in the order of entry
}

func (m *exclusionMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	was, is := m.inside.step(s, e)
	p := e.Process
	switch {
	case was && !is:
		m.within = others(m.within, p)
	case is && !was:
		r.Examined++
		for _, q := range m.within {
			since := m.inside.since[q]
			r.Violate(func() string {
				return fmt.Sprintf("process %s enters at seq %d while process %s is inside since seq %d",
					s.Run.ProcessName(p), e.Seq, s.Run.ProcessName(q), since)
			}, since, e.Seq)
		}
		m.within = append(m.within, p)
	}
}

func (m *exclusionMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	if !m.inside.told {
		r.NotApplicable(noMutex)
	}
}
