package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var singleLeader = analyze.Property{
	Name: "single-leader",
	Kind: analyze.Safety,
	Doc: `Two live processes never both hold elected = themselves.

The reading is the recorded order of events: two processes that lead at the
same time in the order in which the run was recorded. Each pair counts once for
each time that it begins to lead together.`,
	Needs:   "state events that assign elected",
	Source:  slides + ", Assumptions: all elections combined must yield a single leader",
	Problem: "election",
	New:     func(*tracefmt.Run) analyze.Monitor { return &singleLeaderMonitor{} },
}

type singleLeaderMonitor struct {
	leaders []leader // live, and have elected themselves
}

// leader leads since an event.
type leader struct {
	process tracefmt.ProcessID
	since   tracefmt.Seq
}

func (m *singleLeaderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p := e.Process
	if p == 0 || !replay.ChangesProcess(e.Kind) {
		return
	}
	i := slices.IndexFunc(m.leaders, func(l leader) bool { return l.process == p })
	leads := electedItself(s, p)
	switch {
	case !leads && i >= 0:
		m.leaders = slices.Delete(m.leaders, i, i+1)
	case leads && i < 0:
		r.Examined++
		for _, q := range m.leaders {
			r.Violate(func() string {
				return fmt.Sprintf("process %s leads since seq %d, and process %s, too, since seq %d",
					s.Run.ProcessName(q.process), q.since, s.Run.ProcessName(p), e.Seq)
			}, q.since, e.Seq)
		}
		m.leaders = append(m.leaders, leader{p, e.Seq})
	}
}

func (m *singleLeaderMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
	}
}

var singleLeaderPossibly = analyze.Property{
	Name: "single-leader-possibly",
	Kind: analyze.Safety,
	Doc: `In no consistent cut do two live processes both hold elected = themselves.

The recorded order is one of many in which the same run may have taken place.
This reading asks for all of them: two processes violate it if nothing makes
sure that one had ceased to lead before the other began, even if they do not
lead at one time in the recorded order. A process that crashes or halts no
longer leads; but whoever takes over from it because of a timeout has not heard
of that, and so violates this: only in a system with bounds on delays is a
timeout proof. Each pair of processes counts once, and the cut of the result is
the first in which both lead.`,
	Needs:     "state events that assign elected; receive events that name their sends",
	Source:    cooperMarzullo + ": possibly",
	Problem:   "election",
	OnRequest: true,
	New:       func(run *tracefmt.Run) analyze.Monitor { return leadersTogether(run, false) },
}

// leadersTogether is the monitor for two leaders, in some cut or on every way.
func leadersTogether(run *tracefmt.Run, definite bool) analyze.Monitor {
	return newTogether(run, together{
		does: "leads", do: "lead", definite: definite,
		holds: func(s *replay.State, e *tracefmt.Event) bool { return electedItself(s, e.Process) },
		lacks: func(s *replay.State) string {
			if s.HasElected() {
				return ""
			}
			return noElection
		},
	})
}

var singleLeaderDefinitely = analyze.Property{
	Name: "single-leader-definitely",
	Kind: analyze.Safety,
	Doc: `For any two processes, causality allows an order of the events in which never both are live and hold elected = themselves.

Two processes violate this weakest reading only if they led at one time in
whatever order concurrent events took place: each began to lead before the
other ceased to, in the sense of happened-before. While the run can go on, a
leader may cease to be one in its next step. Each pair of processes counts
once.`,
	Needs:     "state events that assign elected; receive events that name their sends",
	Source:    cooperMarzullo + ": definitely",
	Problem:   "election",
	OnRequest: true,
	New:       func(run *tracefmt.Run) analyze.Monitor { return leadersTogether(run, true) },
}
