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
	Doc: `At the end, every live process has elected nobody or the best live process.

The best process is the one with the greatest id. The reading is that of the
slides: the property speaks of the end of the run, so a value that was wrong
for a while does no harm, and one that was right when it was assigned may be
wrong at the end. If the run ends in a loop, its end is the state that recurs.`,
	Source:  slides + ", Safety",
	Problem: "election",
	New: func(*tracefmt.Run) analyze.Monitor {
		return atEnd(checkElectionSafety)
	},
}

func checkElectionSafety(r *analyze.Result, s *replay.State, end analyze.Ending) {
	q := best(s)
	for _, p := range live(s) {
		r.Examined++
		st := s.Process(p)
		if st.Elected == 0 || st.Elected == q {
			continue
		}
		elected := s.Process(st.Elected)
		why, since := fmt.Sprintf("the best live process is %s", s.Run.ProcessName(q)), tracefmt.Seq(0)
		switch {
		case !s.Live(st.Elected):
			why, since = fmt.Sprintf("which is down since seq %d; %s", elected.Since, why), elected.Since
		case s.Process(q).Since > st.ElectedAt:
			why, since = fmt.Sprintf("but %s, up since seq %d", why, s.Process(q).Since), s.Process(q).Since
		default:
			why = "but " + why
		}
		owe(r, end, fmt.Sprintf("process %s ends with elected = %s, %s", s.Run.ProcessName(p), s.Run.ProcessName(st.Elected), why),
			st.ElectedAt, since)
	}
}
