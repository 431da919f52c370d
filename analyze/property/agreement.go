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
that has crashed. Each process is compared with the first that has elected
somebody. While the run can go on, a disagreement is an open obligation: the
processes may still come to agree.`,
	Needs:   "state events that assign elected",
	Source:  slides + ", Problem Specification, goal 2",
	Problem: "election",
	New: func(*tracefmt.Run) analyze.Monitor {
		return &atEnd{check: checkAgreement}
	},
}

func checkAgreement(r *analyze.Result, s *replay.State, end analyze.Ending) {
	var first tracefmt.ProcessID
	for _, p := range s.LiveProcesses() {
		if s.Process(p).Elected == 0 {
			continue
		}
		r.Examined++
		if first == 0 {
			first = p
		}
		if !s.SameElected(first, p) {
			owe(r, end, func() string {
				return fmt.Sprintf("process %s ends with elected = %s, process %s with %s",
					s.Run.ProcessName(first), elected(s, first), s.Run.ProcessName(p), elected(s, p))
			}, s.Process(first).ElectedAt, s.Process(p).ElectedAt)
		}
	}
}
