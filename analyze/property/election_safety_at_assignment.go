package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionSafetyAtAssignment = analyze.Property{
	Name: "election-safety-at-assignment",
	Kind: analyze.Safety,
	Doc: `Each assignment of elected names the best process that is live at that instant, or no process.

Another reading than election-safety: the value is compared with the instant of
the assignment, in the recorded order of events. So a value may be right here
and wrong at the end, and the other way round. A process does not assign what it
begins with: the values of start and recover events do not count.`,
	Needs:     "state events that assign elected; that the run states the trait greatest-wins",
	Source:    slides + ", Problem Specification, Safety, read at the assignment",
	Problem:   "election",
	Required:  []string{tracefmt.GreatestWins},
	OnRequest: true,
	New: func(*tracefmt.Run) analyze.Monitor {
		return atAssignment{func(s *replay.State, q tracefmt.ProcessID) bool { return q == s.Best() }}
	},
}

// atAssignment compares each value that is assigned to elected with the state
// at that instant. right is never asked about no process.
type atAssignment struct {
	right func(s *replay.State, q tracefmt.ProcessID) bool
}

func (m atAssignment) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.State || !assigns(s, e) {
		return
	}
	r.Examined++
	st := s.Process(e.Process)
	if m.right(s, st.Elected) {
		return
	}
	why, since := wrongChoice(s, st, s.Best())
	r.Violate(func() string {
		return fmt.Sprintf("process %s assigns elected = %s, %s", s.Run.ProcessName(e.Process), elected(s, e.Process), why)
	}, e.Seq, since)
}

func (atAssignment) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
	}
}
