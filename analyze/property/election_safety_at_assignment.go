package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionSafetyAtAssignment = analyze.Property{
	Name: "election-safety-at-assignment",
	Kind: analyze.Safety,
	Doc: `Each assignment of elected names the best elector that is live at that instant, or no process.

Another reading than election-safety: the value is compared with the instant of
the assignment, in the recorded order of events. So a value may be right here
and wrong at the end, and the other way round. A process does not assign what it
begins with: the values of start and recover events do not count, nor, where terms
are told, those that a process assigns in a lower term than the greatest of that
instant. An elector of which it is not known how good it is leaves the property
undecided.`,
	Needs:     bestNeeds,
	Source:    slides + ", Problem Specification, Safety, read at the assignment",
	Problem:   "election",
	NeedsBest: true,
	OnRequest: true,
	Convicts:  choiceFacts, Acquits: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return atAssignment{bestNow, mayBeBestNow}
	},
}

// bestNow reports whether what p has elected is the best at this instant.
func bestNow(s *replay.State, p tracefmt.ProcessID) (right bool, lacks string) {
	q := s.Process(p).Elected
	if s.Term(p).Before(lastTerm(s)) {
		return true, ""
	}
	best, lacks := s.Best()
	if q == replay.Nobody || !s.Live(q) {
		lacks = "" // it is wrong whoever is best
	}
	return slices.Contains(best, q), lacks
}

// mayBeBestNow is that what p has elected may be the best at this instant.
func mayBeBestNow(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	needs := append(mayNotCount(s, p), mayBeBetter(s, s.Process(p).Elected)...)
	for _, q := range mayElect(s) {
		needs = append(needs, mayDifferInTerm(s, q)...)
	}
	return needs
}

// mayNotCount is that p, which has just assigned elected, may not lead, so that it has
// elected itself only as a stale belief.
func mayNotCount(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Process(p).Elected != p {
		return nil
	}
	return mayDiffer(s, p, roleFact)
}

// atAssignment compares each value that is assigned to elected with the state
// at that instant. right is asked about p when it has elected some process; lacks says
// why it is not known.
type atAssignment struct {
	right func(s *replay.State, p tracefmt.ProcessID) (right bool, lacks string)
	// may is that p, which is not right, may be right all the same.
	may func(s *replay.State, p tracefmt.ProcessID) []analyze.Need
}

func (m atAssignment) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.State || !assigns(s, e) {
		return
	}
	r.Examined++
	right, lacks := m.right(s, e.Process)
	switch {
	case lacks != "":
		r.Undecided(func() string { return lacks }, merits(s)...)
		return
	case right:
		return
	}
	best, lacks := s.Best()
	why, since := wrongChoice(s, s.Process(e.Process), best, lacks)
	r.ViolateUnless(m.may(s, e.Process), func() string {
		return fmt.Sprintf("process %s assigns elected = %s, %s", s.Run.ProcessName(e.Process), elected(s, e.Process), why)
	}, e.Seq, since)
}

func (atAssignment) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
	}
}
