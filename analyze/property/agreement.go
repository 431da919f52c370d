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
	Doc: `At the end, any two live electors that have elected somebody have elected the same.

Only equality is asked for: all may agree on a process that is not the best, or
that has crashed. Each process is compared with the first that has elected somebody.
Where terms are told, that is the first of its term; one of which no term is known is
compared with the first of every term. A process that tells its role, and has elected
itself though it does not lead, has elected no process. While the run can go on, a disagreement is an open obligation: the
processes may still come to agree.`,
	Needs:   electedNeeds,
	Source:  slides + ", Problem Specification, goal 2",
	Problem: "election",
	New: func(*tracefmt.Run) analyze.Monitor {
		return &atEnd{check: checkAgreement}
	},
}

func checkAgreement(r *analyze.Result, s *replay.State, end analyze.Ending) {
	var choices choices
	for _, p := range s.Electors() {
		if s.Choice(p) == 0 {
			continue
		}
		r.Examined++
		if q := choices.unlike(s, p); q != 0 {
			owe(r, end, func() string {
				return fmt.Sprintf("process %s ends with elected = %s, process %s with %s",
					s.Run.ProcessName(q), elected(s, q), s.Run.ProcessName(p), elected(s, p))
			}, s.Process(q).ElectedAt, s.Process(p).ElectedAt)
		}
	}
}
