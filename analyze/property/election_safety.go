package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionSafety = analyze.Property{
	Name: "election-safety",
	Kind: analyze.Safety,
	Doc: `At the end, every live process has elected no process or the best live process.

The best process is the one with the greatest id, in a run that states so (the
trait greatest-wins); to others the agreement properties apply. The reading is that of the
slides: the property is about the end of the run, so a value that was wrong
for a while does no harm, and one that was right when it was assigned may be
wrong at the end. If the run ends in a loop, its end is every state of the
loop. While the run can go on, a wrong value is an open obligation: the
process may still correct it.`,
	Needs:    "state events that assign elected; that the run states the trait greatest-wins",
	Source:   slides + ", Problem Specification, Safety",
	Problem:  "election",
	Required: []string{tracefmt.GreatestWins},
	New: func(*tracefmt.Run) analyze.Monitor {
		return &atEnd{check: checkElectionSafety}
	},
}

func checkElectionSafety(r *analyze.Result, s *replay.State, end analyze.Ending) {
	q := s.Best()
	for _, p := range s.LiveProcesses() {
		r.Examined++
		st := s.Process(p)
		if st.Elected == 0 || st.Elected == q {
			continue
		}
		why, since := wrongChoice(s, st, q)
		owe(r, end, func() string {
			return fmt.Sprintf("process %s ends with elected = %s, %s", s.Run.ProcessName(p), elected(s, p), why)
		}, st.ElectedAt, since)
	}
}
