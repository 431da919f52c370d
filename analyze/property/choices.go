package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// choices compare whom processes have elected: those of one term with the first of it,
// and those of which no term is known with the first of every term.
type choices struct{ firsts []tracefmt.ProcessID }

// unlike takes in a process, and returns one that it is to agree with and does not, 0
// for none.
func (c *choices) unlike(s *replay.State, p tracefmt.ProcessID) (q tracefmt.ProcessID) {
	first := true // of its term
	for _, f := range c.firsts {
		same, may := sameTerm(s, f, p)
		if q == 0 && may && !s.SameElected(f, p) {
			q = f
		}
		first = first && !same
	}
	if first {
		c.firsts = append(c.firsts, p)
	}
	return q
}

// sameTerm reports whether p and q chose in the same term, or neither in a known one,
// and whether they may have chosen in the same term.
func sameTerm(s *replay.State, p, q tracefmt.ProcessID) (same, may bool) {
	x, y := s.ChoiceTerm(p), s.ChoiceTerm(q)
	return x == y, x.MaySame(y)
}

// How a property that holds reads choices that differ from term to term.
const (
	eachTerm = "of each term by itself: "
	anyTerm  = "though of different terms: "
)

// mostTermsSaid is how many terms are listed for people.
const mostTermsSaid = 4

// sayTerms explains a property that holds, if it does, by which of these processes have elected whom in which
// term, where they have elected different ones in different terms.
func sayTerms(r *analyze.Result, s *replay.State, ps []tracefmt.ProcessID, how string) {
	ps = slices.DeleteFunc(slices.Clone(ps), func(p tracefmt.ProcessID) bool { return s.Choice(p) == 0 || !s.ChoiceTerm(p).Known() })
	if !slices.ContainsFunc(ps, func(p tracefmt.ProcessID) bool {
		return s.ChoiceTerm(p) != s.ChoiceTerm(ps[0]) && !s.SameElected(ps[0], p)
	}) {
		return
	}
	slices.SortStableFunc(ps, func(p, q tracefmt.ProcessID) int { return s.ChoiceTerm(q).Compare(s.ChoiceTerm(p)) })
	var all []string
	for len(ps) > 0 {
		first := ps[0]
		alike := func(p tracefmt.ProcessID) bool {
			same, _ := sameTerm(s, first, p)
			return same && s.SameElected(first, p)
		}
		unlike := slices.DeleteFunc(slices.Clone(ps), alike)
		of := slices.DeleteFunc(ps, func(p tracefmt.ProcessID) bool { return !alike(p) })
		who := fmt.Sprintf("processes %s have", names(s.Run, of))
		if len(of) == 1 {
			who = fmt.Sprintf("process %s has", names(s.Run, of))
		}
		all = append(all, fmt.Sprintf("in %v %s elected %s", s.ChoiceTerm(first), who, elected(s, first)))
		ps = unlike
	}
	r.Explanation = how + text.Some(all, mostTermsSaid)
}
