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
