package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var agreement = analyze.Property{
	Name: "agreement",
	Kind: analyze.Safety,
	Doc: `At the end, any two live electors that have elected somebody, in the same term where terms are told, have elected the same.

Only equality is asked for: all may agree on a process that is not the best, or
that has crashed. Each process is compared with the first that has elected somebody.
Where terms are told, that is the first of its term, so that one that was cut off may end with the leader
of an earlier term: the verdict says so. One of which no term is known is
compared with the first of every term. A process that tells its role, and has elected
itself though it does not lead, has elected no process. While the run can go on, a disagreement is an open obligation: the
processes may still come to agree.`,
	Needs:    electedNeeds,
	Source:   slides + ", Problem Specification, goal 2",
	Problem:  "election",
	Convicts: choiceFacts, Acquits: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return &atEnd{check: checkAgreement, rests: restsOnAgreement}
	},
}

func checkAgreement(r *analyze.Result, s *replay.State, end analyze.Ending) {
	noElectorLeft(r, s)
	sayTerms(r, s, s.Electors(), eachTerm)
	var choices choices
	for _, p := range certainFirst(s, s.Electors(), mayDisagree) {
		if s.Choice(p) == 0 {
			continue
		}
		r.Examined++
		if q := choices.unlike(s, p); q != 0 {
			oweUnless(r, end, slices.Concat(mayDisagree(s, p), mayDisagree(s, q)), func() string {
				return fmt.Sprintf("process %s ends with elected = %s, process %s with %s",
					s.Run.ProcessName(q), elected(s, q), s.Run.ProcessName(p), elected(s, p))
			}, s.Process(q).ElectedAt, s.Process(p).ElectedAt)
		}
	}
}

// mayDisagree is that what p has elected may be another than it seems, or not count.
func mayDisagree(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	return slices.Concat(mayFall(s, p), mayChoose(s, p), mayChooseInTerm(s, p))
}

// certainFirst returns processes, those first of which nothing of this may be.
func certainFirst(s *replay.State, ps []tracefmt.ProcessID,
	may func(*replay.State, tracefmt.ProcessID) []analyze.Need) []tracefmt.ProcessID {
	if s.Coverage().Complete() {
		return ps
	}
	var rest []tracefmt.ProcessID
	ps = slices.DeleteFunc(ps, func(p tracefmt.ProcessID) bool {
		if certain(s, may(s, p)) {
			return false
		}
		rest = append(rest, p)
		return true
	})
	return append(ps, rest...)
}

// restsOnAgreement are the facts on which it rests that no two disagree: who has chosen may
// be down, or not count, but not have chosen another one; in which term matters where some
// have. Where all but one certainly have chosen no process it rests on nothing.
func restsOnAgreement(s *replay.State) (needs []analyze.Need) {
	var chosen []tracefmt.ProcessID
	choosers := 0
	for _, p := range mayElect(s) {
		may := mayChooseOther(s, p)
		if s.Live(p) && s.Choice(p) != 0 {
			chosen = append(chosen, p)
			choosers++
		} else if !certain(s, may) {
			choosers++
		}
		needs = append(needs, may...)
	}
	if choosers < 2 {
		return nil
	}
	if !slices.ContainsFunc(chosen, func(p tracefmt.ProcessID) bool { return !s.SameElected(chosen[0], p) }) {
		return needs
	}
	for _, p := range chosen {
		needs = append(needs, mayChooseInTerm(s, p)...)
	}
	return needs
}
