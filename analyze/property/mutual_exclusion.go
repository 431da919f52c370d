package property

import (
	"cmp"
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
recovery take it out as well. Notes with a field lock, key or resource are about that
lock, each of which has its own critical section. To enter once more changes nothing, and
one exit is enough; an exit of a process that is not inside takes no other one out. The
reading is the recorded order of events. Each pair counts once for each time that it
begins to be inside together.`,
	Needs:   mutexNeeds,
	Source:  dijkstra1965,
	Problem: "mutex",
	New: func(run *tracefmt.Run) analyze.Monitor {
		return newPerLock(noMutex, func() lockMonitor { return &exclusionMonitor{inside: newInside(run)} })
	},
}

type exclusionMonitor struct {
	inside inside
	within []tracefmt.ProcessID // who is inside, in the order of entry
}

func (m *exclusionMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	was, is := m.inside.step(e)
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

func (m *exclusionMonitor) tells() bool { return m.inside.told }

func (m *exclusionMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

var mutualExclusionPossibly = analyze.Property{
	Name: "mutual-exclusion-possibly",
	Kind: analyze.Safety,
	Doc: `In no consistent cut are two processes in the critical section.

A process is inside from its note enter to its note exit; a crash, a halt and a
recovery take it out as well. Two processes violate this if nothing makes sure
that one was outside again before the other entered, even if the recorded order
shows them one after the other. Each pair of processes counts once, and the cut
of the result is the first in which both are inside. Of a run with several locks it is
unknown.`,
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
	first, several := "", tracefmt.Seq(0)
	return &oneLock{newTogether(run, together{
		does: "is inside", do: "are inside", definite: definite,
		holds: func(_ *replay.State, e *tracefmt.Event) bool {
			switch inOrOut := ofMutex(e) && e.Type != requestNote; {
			case inOrOut && !in.told:
				first = lockOf(e)
			case inOrOut && lockOf(e) != first:
				several = cmp.Or(several, e.Seq)
				return in.since[e.Process] != 0
			}
			_, is := in.step(e)
			return is
		},
		lacks: func(*replay.State) string {
			if in.told {
				return ""
			}
			return noMutex
		},
	}), &several}
}

// oneLock is a monitor that follows one lock only, and says where there are several.
type oneLock struct {
	analyze.Monitor
	another *tracefmt.Seq // a note of another lock, 0 for none
}

func (m *oneLock) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if *m.another != 0 {
		r.Undecided(func() string {
			return fmt.Sprintf("the note at seq %d is of another lock, and this reading knows one", *m.another)
		})
	}
	m.Monitor.End(r, s, end)
}

var mutualExclusionDefinitely = analyze.Property{
	Name: "mutual-exclusion-definitely",
	Kind: analyze.Safety,
	Doc: `For any two processes, causality allows an order of the events in which they are never in the critical section together.

A process is inside from its note enter to its note exit; a crash, a halt and a
recovery take it out as well. Two processes violate this weakest reading only
if they were inside at one time in whatever order concurrent events took place:
each entered before the other left, in the sense of happened-before. While the
run can go on, a process may leave in its next step. Each pair of processes
counts once. Of a run with several locks it is unknown.`,
	Needs:     mutexNeeds + "; receive events that name their sends",
	Source:    cooperMarzullo + ": definitely",
	Problem:   "mutex",
	OnRequest: true,
	New:       func(run *tracefmt.Run) analyze.Monitor { return insideTogether(run, true) },
}
