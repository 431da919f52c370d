package election

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionSafety = analyze.Property{
	Name: "election-safety",
	Kind: analyze.Safety,
	Doc: `At the end, every live elector has elected no process or the best live elector.

The run defines the best process: by the trait greatest-wins, or by the key best of its header, a list of attributes of the
members and of variables. Without either, the agreement properties apply. If a value of a live elector is missing, the best
process is unknown. If terms are recorded, a process in a lower term than the greatest at the end has not heard of the last
election, and is ignored. As in the slides, only the end of the run counts. So a temporary wrong value is no violation, and a
value that was right when it was assigned may be wrong at the end. If the run ends in a loop, its end is every state of the
loop. While the run can go on, a wrong value is an open obligation: the process may still correct it. In runs of zab,
elected-has-seen-most takes the place of this property: there a majority elects, and a better process that recovers follows
the leader.`,
	Needs:      bestNeeds,
	Source:     paper.Slides + ", Problem Specification, Safety",
	Problem:    "election",
	NeedsBest:  true,
	Assumption: "the problem of the run is not zab, in which a majority elects",
	Assumes: func(run *tracefmt.Run) string {
		if run.Solves(tracefmt.Zab) {
			return "in zab a majority elects, see " + electedHasSeenMost.Name
		}
		return ""
	},
	ViolatedBy: choiceFacts, ExcusedBy: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return &atEnd{check: checkElectionSafety, restsOn: restsOnBest}
	},
}

// checkElectionSafety compares the choice of each live elector with the best process. Choices of an earlier term than
// the last are ignored.
func checkElectionSafety(r *analyze.Result, s *replay.State, end analyze.Ending) {
	best, lacks := s.Best()
	last := lastTerm(s)
	later := sync.OnceValue(func() []analyze.Need { return analyze.Missing(s, possiblyLater(s)) })
	ofBest := sync.OnceValue(func() []analyze.Need { return rankingNeeds(s) })
	excused := false // some process is excused by possibly later terms, which then excuse all others
	for _, p := range s.Electors() {
		r.Examined++
		st := s.Process(p)
		switch {
		case s.Choice(p) == 0 || s.Term(p).Before(last) || slices.Contains(best, st.Elected):
			continue
		case lacks != "" && st.Elected != replay.Nobody && s.Live(st.Elected):
			// A crash of p, or another choice, would settle it, too.
			r.Undecided(func() string { return lacks },
				slices.Concat(ofBest(), unrecorded.Crash(s, p), unrecorded.Choice(s, p))...)
			continue
		}
		reason, since := wrongChoice(s, st, best, lacks)
		excuses := later()
		if excused {
			excuses = excuses[:min(1, len(excuses))]
		}
		excused = true
		unrecorded.OweUnless(r, end, slices.Concat(possiblyRight(s, p), excuses), func() string {
			return fmt.Sprintf("process %s ends with elected = %s, %s", s.Run.ProcessName(p), elected(s, p), reason)
		}, st.ElectedAt, since)
	}
}

// possiblyRight returns the needs by which p, whose choice is not the best by the record, may choose otherwise,
// be down, or be right.
func possiblyRight(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	return slices.Concat(unrecorded.Crash(s, p), unrecorded.Choice(s, p),
		unrecorded.BetterThan(s, s.Process(p).Elected))
}

// possiblyLater returns the needs by which some process may be in a later term than recorded.
func possiblyLater(s *replay.State) (needs []analyze.Need) {
	for _, q := range unrecorded.ElectorsNow(s) {
		needs = append(needs, unrecorded.DifferenceInTerm(s, q)...)
	}
	return needs
}

// meritNeeds returns the facts that decide which live elector is best.
func meritNeeds(s *replay.State) (needs []analyze.Need) {
	for _, p := range s.Electors() {
		needs = append(needs, unrecorded.Difference(s, p, unrecorded.Variables(s)...)...)
	}
	return needs
}

// rankingNeeds returns the needs by which the best process may be known: the missing merits, and a crash of a process
// without one.
func rankingNeeds(s *replay.State) []analyze.Need {
	needs := meritNeeds(s)
	for _, p := range s.Electors() {
		if slices.ContainsFunc(unrecorded.Variables(s), func(f tracefmt.Fact) bool {
			_, has := s.Variable(p, f.Variable)
			return !has
		}) {
			// The process may also have started with the value.
			needs = append(append(needs, unrecorded.Crash(s, p)...),
				analyze.Needs(p, 0, s.Now(), unrecorded.StartFact)...)
		}
	}
	return needs
}

// restsOnBest returns the facts on which it rests that all elected the best process: the others made no choice,
// the chosen processes are up, no better process is and, where choices of earlier terms were ignored, the terms.
func restsOnBest(s *replay.State) iter.Seq[analyze.Need] {
	last, behind := lastTerm(s), false
	var chosen []tracefmt.ProcessID
	followed := make(map[tracefmt.ProcessID]bool) // by another process
	electors := unrecorded.ElectorsNow(s)
	for _, p := range electors {
		q := s.Choice(p)
		if !s.Live(p) || q == 0 {
			continue
		}
		chosen = append(chosen, q)
		behind = behind || s.Term(p).Before(last)
		if q > 0 && q != p && s.Live(q) {
			followed[q] = true
		}
	}
	needs := members.NeedsOfEach(electors, func(p tracefmt.ProcessID) []analyze.Need {
		if followed[p] {
			return slices.Concat(possibleOtherChoice(s, p), unrecorded.Crash(s, p))
		}
		return possibleOtherChoice(s, p)
	})
	if chosen == nil {
		return needs
	}
	needs = members.InTurn(needs, slices.Values(meritNeeds(s)), slices.Values(possiblyBetter(s, chosen[0])))
	if !behind {
		return needs
	}
	// the term that is the last may be none
	fall := members.NeedsOfEach(electors, func(q tracefmt.ProcessID) []analyze.Need { return unrecorded.Crash(s, q) })
	return members.InTurn(needs, fall, slices.Values(possiblyLater(s)))
}

// possiblyBetter returns the needs by which a process better than c, which is no live elector by the record, may
// be one.
func possiblyBetter(s *replay.State, c tracefmt.ProcessID) (needs []analyze.Need) {
	keys := s.Run.BestKeys()
	for _, q := range unrecorded.ElectorsNow(s) {
		if s.Live(q) && s.Elector(q) || q == c {
			continue
		}
		// c = 0 means that no process was best, so that every process counts. So does a process whose rank is not
		// known.
		if c > 0 {
			if order, lacks := s.Compare(q, c, keys); order <= 0 && lacks == "" {
				continue
			}
		}
		needs = append(needs, possibleCounting(s, q)...)
	}
	return needs
}
