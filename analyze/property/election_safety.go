package property

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionSafety = analyze.Property{
	Name: "election-safety",
	Kind: analyze.Safety,
	Doc: `At the end, every live elector has elected no process or the best live elector.

Who is best is for the run to say: the trait greatest-wins, or the key best of its
header, a list of attributes of the members and of variables. Where it says neither,
the agreement properties apply. A live elector of which a value is missing leaves open
who is best. Where terms are told, a process of a term lower than the greatest at the
end has not heard of the last election, and is left out. The reading is that of the
slides: the property is about the end of the run, so a value that was wrong
for a while does no harm, and one that was right when it was assigned may be
wrong at the end. If the run ends in a loop, its end is every state of the
loop. While the run can go on, a wrong value is an open obligation: the
process may still correct it. In zab a majority elects, and a better process that comes
back follows: there elected-has-seen-most takes its place.`,
	Needs:      bestNeeds,
	Source:     slides + ", Problem Specification, Safety",
	Problem:    "election",
	NeedsBest:  true,
	Assumption: "the problem of the run is not zab, in which a majority elects",
	Assumes: func(run *tracefmt.Run) string {
		if run.Solves(tracefmt.Zab) {
			return "in zab a majority elects, see " + electedHasSeenMost.Name
		}
		return ""
	},
	Convicts: choiceFacts, Acquits: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return &atEnd{check: checkElectionSafety, rests: restsOnBest}
	},
}

func checkElectionSafety(r *analyze.Result, s *replay.State, end analyze.Ending) {
	best, lacks := s.Best()
	last := lastTerm(s)
	later := sync.OnceValue(func() []analyze.Need { return analyze.Untold(s, mayBeLater(s)) })
	ofBest := sync.OnceValue(func() []analyze.Need { return unranked(s) })
	excused := false // some process was, by all of later: of each other one of them says it, too
	for _, p := range s.Electors() {
		r.Examined++
		st := s.Process(p)
		switch {
		case s.Choice(p) == 0 || s.Term(p).Before(last) || slices.Contains(best, st.Elected):
			continue
		case lacks != "" && st.Elected != replay.Nobody && s.Live(st.Elected):
			// Nor does it matter if p is down, or ends with another choice.
			r.Undecided(func() string { return lacks }, slices.Concat(ofBest(), mayFall(s, p), mayChoose(s, p))...)
			continue
		}
		why, since := wrongChoice(s, st, best, lacks)
		excuses := later()
		if excused {
			excuses = excuses[:min(1, len(excuses))]
		}
		excused = true
		oweUnless(r, end, slices.Concat(mayBeRight(s, p), excuses), func() string {
			return fmt.Sprintf("process %s ends with elected = %s, %s", s.Run.ProcessName(p), elected(s, p), why)
		}, st.ElectedAt, since)
	}
}

// mayBeRight is that p, which ends with a choice that is not the best, may end with another
// one, be down, or be right.
func mayBeRight(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	return slices.Concat(mayFall(s, p), mayChoose(s, p), mayBeBetter(s, s.Process(p).Elected))
}

// mayBeLater is that some process may be in a later term than is recorded.
func mayBeLater(s *replay.State) (needs []analyze.Need) {
	for _, q := range mayElect(s) {
		needs = append(needs, mayDifferInTerm(s, q)...)
	}
	return needs
}

// merits are what of the live electors it is known by who is best.
func merits(s *replay.State) (needs []analyze.Need) {
	for _, p := range s.Electors() {
		needs = append(needs, mayDiffer(s, p, variableKeys(s)...)...)
	}
	return needs
}

// unranked are the merits, and that who lacks one may not have been up, for want of which it is
// not known who is best.
func unranked(s *replay.State) []analyze.Need {
	needs := merits(s)
	for _, p := range s.Electors() {
		if slices.ContainsFunc(variableKeys(s), func(f tracefmt.Fact) bool {
			_, has := s.Variable(p, f.Variable)
			return !has
		}) {
			// It may also have begun with one.
			needs = append(append(needs, mayFall(s, p)...), analyze.Needs(p, 0, s.Now(), startFact)...)
		}
	}
	return needs
}

// restsOnBest are the facts on which it rests that nobody has elected another one than the
// best: that none has who seems not to have, that the chosen are up and none better is, and,
// where choices of earlier terms were left out, the terms.
func restsOnBest(s *replay.State) iter.Seq[analyze.Need] {
	last, behind := lastTerm(s), false
	var chosen []tracefmt.ProcessID
	followed := make(map[tracefmt.ProcessID]bool) // by another process
	electors := mayElect(s)
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
	needs := needsOfEach(electors, func(p tracefmt.ProcessID) []analyze.Need {
		if followed[p] {
			return slices.Concat(mayChooseOther(s, p), mayFall(s, p))
		}
		return mayChooseOther(s, p)
	})
	if chosen == nil {
		return needs
	}
	needs = inTurn(needs, slices.Values(merits(s)), slices.Values(mayExceed(s, chosen[0])))
	if !behind {
		return needs
	}
	// the term that is the last may be none
	fall := needsOfEach(electors, func(q tracefmt.ProcessID) []analyze.Need { return mayFall(s, q) })
	return inTurn(needs, fall, slices.Values(mayBeLater(s)))
}

// mayExceed is that some process which is better than c, and not among the live electors, may
// be one of them.
func mayExceed(s *replay.State, c tracefmt.ProcessID) (needs []analyze.Need) {
	keys := s.Run.BestKeys()
	for _, q := range mayElect(s) {
		if s.Live(q) && s.Elector(q) || q == c {
			continue
		}
		if c > 0 {
			if order, lacks := s.Compare(q, c, keys); order <= 0 && lacks == "" {
				continue
			}
		}
		needs = append(needs, mayCount(s, q)...)
	}
	return needs
}
