package election

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var agreement = analyze.Property{
	Name: "agreement",
	Kind: analyze.Safety,
	Doc: `At the end, any two live electors that have elected a process, in the same term where terms are recorded, have elected the same one.

Only equality matters: all may agree on a process that is not the best, or that has crashed. Each process is compared
with the first elector of its term. So a process that was cut off may end with the leader of an earlier term; the
verdict mentions such a process. A process without a known term is compared with the first elector of every term. A
process that has elected itself, but does not lead by its recorded role, counts as having elected no process. While
the run can go on, a disagreement is an open obligation, since the processes may still agree.`,
	Needs:      electedNeeds,
	Source:     paper.Slides + ", Problem Specification, goal 2",
	Problem:    "election",
	ViolatedBy: choiceFacts, ExcusedBy: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return &atEnd{check: checkAgreement, restsOn: restsOnAgreement}
	},
}

// checkAgreement compares the choice of each live elector with the first choice in its term, and reports each pair
// that differs. Electors that certainly count come first, so that the first choice is a certain one if possible.
func checkAgreement(r *analyze.Result, s *replay.State, end analyze.Ending) {
	noElectorLeft(r, s)
	nameTerms(r, s, s.Electors(), eachTerm)
	var choices choices
	for _, p := range certainFirst(s, s.Electors(), possibleDisagreement) {
		if s.Choice(p) == 0 {
			continue
		}
		r.Examined++
		if q := choices.conflicting(s, p); q != 0 {
			unrecorded.OweUnless(r, end, slices.Concat(possibleDisagreement(s, p), possibleDisagreement(s, q)),
				func() string {
					return fmt.Sprintf("process %s ends with elected = %s, process %s with %s",
						s.Run.ProcessName(q), elected(s, q), s.Run.ProcessName(p), elected(s, p))
				}, s.Process(q).ElectedAt, s.Process(p).ElectedAt)
		}
	}
}

// possibleDisagreement returns the needs by which p may have elected another process than recorded, or may not
// count.
func possibleDisagreement(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	return slices.Concat(unrecorded.Crash(s, p), unrecorded.Choice(s, p), possibleChoiceInTerm(s, p))
}

// certainFirst returns the processes, with those first that certainly count.
func certainFirst(
	s *replay.State, ps []tracefmt.ProcessID, may func(*replay.State, tracefmt.ProcessID) []analyze.Need,
) []tracefmt.ProcessID {
	if s.Coverage().Complete() {
		return ps
	}
	var remaining []tracefmt.ProcessID
	ps = slices.DeleteFunc(ps, func(p tracefmt.ProcessID) bool {
		if unrecorded.None(s, may(s, p)) {
			return false
		}
		remaining = append(remaining, p)
		return true
	})
	return append(ps, remaining...)
}

// restsOnAgreement returns the facts on which agreement rests. An elector may be down or not count, but must not
// have chosen another process; terms matter where some have chosen. It rests on nothing if all but one certainly
// chose none.
func restsOnAgreement(s *replay.State) iter.Seq[analyze.Need] {
	var chosen []tracefmt.ProcessID
	choosers := 0
	electors := unrecorded.ElectorsNow(s)
	for _, p := range electors {
		if s.Live(p) && s.Choice(p) != 0 {
			chosen = append(chosen, p)
			choosers++
		} else if choosers < 2 && !unrecorded.None(s, possibleOtherChoice(s, p)) {
			choosers++
		}
	}
	// A single choice cannot differ from another one.
	if choosers < 2 {
		return nil
	}
	needs := members.NeedsOfEach(electors, func(p tracefmt.ProcessID) []analyze.Need { return possibleOtherChoice(s, p) })
	// Recorded choices that differ were legal only because their terms differ, so then the terms matter, too.
	if !slices.ContainsFunc(chosen, func(p tracefmt.ProcessID) bool { return !s.SameElected(chosen[0], p) }) {
		return needs
	}
	return members.InTurn(needs, members.NeedsOfEach(chosen,
		func(p tracefmt.ProcessID) []analyze.Need { return possibleChoiceInTerm(s, p) }))
}
