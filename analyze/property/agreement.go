package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var agreement = analyze.Property{
	Name: "agreement",
	Kind: analyze.Safety,
	Doc: `At the end, any two live processes that have elected somebody have elected the same.

Only equality is asked for: all may agree on a process that is not the best, or
that has crashed.`,
	Source:  slides + ", goal 2",
	Problem: "election",
	New: func(*tracefmt.Run) analyze.Monitor {
		return atEnd(checkAgreement)
	},
}

func checkAgreement(r *analyze.Result, s *replay.State, end analyze.Ending) {
	var first tracefmt.ProcessID
	for _, p := range live(s) {
		st := s.Process(p)
		switch {
		case st.Elected == 0:
			continue
		case first == 0:
			first = p
		case st.Elected != s.Process(first).Elected:
			other := s.Process(first)
			owe(r, end, fmt.Sprintf("process %s ends with elected = %s, process %s with %s",
				s.Run.ProcessName(first), s.Run.ProcessName(other.Elected), s.Run.ProcessName(p), s.Run.ProcessName(st.Elected)),
				other.ElectedAt, st.ElectedAt)
		}
		r.Examined++
	}
}
