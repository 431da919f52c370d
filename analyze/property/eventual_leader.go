package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var eventualLeader = analyze.Property{
	Name: "eventual-leader",
	Kind: analyze.Liveness,
	Doc: `From some point on, all live processes hold the same live process for elected, forever.

What a leader detector promises. The leader need not be the best process, and
the run need not end: a message that circles forever does no harm as long as
no process changes its mind. If the run ends in a loop, the same process must be
elected by all in every state of the loop. A run that was stopped leaves the
obligation open, whatever its last state is, since minds may still change. The
property is vacuous where no process calls an election (no suspicion, no recovery,
no message) and where no process is left.`,
	Needs:   "state events that assign elected; crash, halt and recover events; how the run ended",
	Source:  reliableProgramming + ", 2.6.5: eventual leader detector",
	Problem: "election",
	New: func(*tracefmt.Run) analyze.Monitor {
		return &eventualMonitor{atEnd: atEnd{check: checkCommonLeader}}
	},
}

type eventualMonitor struct {
	atEnd
	called bool
}

func (m *eventualMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.called = m.called || callsElection(e.Kind)
}

func (m *eventualMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if m.called || !s.HasElected() {
		m.atEnd.End(r, s, end)
	}
}

func checkCommonLeader(r *analyze.Result, s *replay.State, end analyze.Ending) {
	live := s.LiveProcesses()
	if len(live) == 0 {
		return
	}
	r.Examined++
	trouble, witness := noCommonLeader(s, live)
	switch {
	case trouble != "":
		owe(r, end, func() string { return trouble }, witness...)
	case !end.Final():
		r.Owe("the run was stopped, and the live processes may elect another than " + elected(s, live[0]))
	}
}

// noCommonLeader says why these processes do not all hold the same live one for
// elected, and which events show it; "" if they do.
func noCommonLeader(s *replay.State, live []tracefmt.ProcessID) (string, []tracefmt.Seq) {
	first := s.Process(live[0])
	for _, p := range live {
		st := s.Process(p)
		switch {
		case st.Elected == 0:
			return fmt.Sprintf("process %s has elected no process", s.Run.ProcessName(p)), []tracefmt.Seq{s.Seq, st.ElectedAt}
		case !s.SameElected(live[0], p):
			return fmt.Sprintf("process %s has elected %s, process %s has elected %s",
				s.Run.ProcessName(live[0]), elected(s, live[0]), s.Run.ProcessName(p), elected(s, p)), []tracefmt.Seq{first.ElectedAt, st.ElectedAt}
		}
	}
	if q := first.Elected; q == replay.Nobody || !s.Live(q) {
		why, since := wrongChoice(s, first, s.Best())
		return fmt.Sprintf("all live processes have elected %s, %s", elected(s, live[0]), why), []tracefmt.Seq{first.ElectedAt, since}
	}
	return "", nil
}
