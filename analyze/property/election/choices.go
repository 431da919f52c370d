package election

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// choices compares the choices of processes: those of one term with the first of that term, and those without a
// known term with the first of every term.
type choices struct{ firsts []tracefmt.ProcessID }

// conflicting adds the choice of p, and returns a process whose choice differs and must be equal; 0 if there is no such
// process.
func (c *choices) conflicting(s *replay.State, p tracefmt.ProcessID) (q tracefmt.ProcessID) {
	first := true // p is the first of its term
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

// sameTerm reports whether p and q chose in the same term, or both in an unknown one, and whether their terms may
// be equal.
func sameTerm(s *replay.State, p, q tracefmt.ProcessID) (same, may bool) {
	x, y := s.ChoiceTerm(p), s.ChoiceTerm(q)
	return x == y, x.MaySame(y)
}

// The introductions with which sayTerms lists choices that differ between terms.
const (
	eachTerm = "of each term by itself: "
	anyTerm  = "though of different terms: "
)

// maxTermsNamed bounds the terms that an explanation lists.
const maxTermsNamed = 4

// nameTerms explains a satisfied property by the choices in each term, if they differ between terms.
func nameTerms(r *analyze.Result, s *replay.State, ps []tracefmt.ProcessID, manner string) {
	ps = slices.DeleteFunc(slices.Clone(ps), func(p tracefmt.ProcessID) bool {
		return s.Choice(p) == 0 ||
			!s.ChoiceTerm(p).Known()
	})
	if !slices.ContainsFunc(ps, func(p tracefmt.ProcessID) bool {
		return s.ChoiceTerm(p) != s.ChoiceTerm(ps[0]) && !s.SameElected(ps[0], p)
	}) {
		return
	}
	slices.SortStableFunc(ps, func(p, q tracefmt.ProcessID) int { return s.ChoiceTerm(q).Compare(s.ChoiceTerm(p)) })
	var list []string
	for len(ps) > 0 {
		first := ps[0]
		alike := func(p tracefmt.ProcessID) bool {
			same, _ := sameTerm(s, first, p)
			return same && s.SameElected(first, p)
		}
		unlike := slices.DeleteFunc(slices.Clone(ps), alike)
		state := slices.DeleteFunc(ps, func(p tracefmt.ProcessID) bool { return !alike(p) })
		subjects := fmt.Sprintf("processes %s have", members.Names(s.Run, state))
		if len(state) == 1 {
			subjects = fmt.Sprintf("process %s has", members.Names(s.Run, state))
		}
		list = append(list, fmt.Sprintf("in %v %s elected %s", s.ChoiceTerm(first), subjects, elected(s, first)))
		ps = unlike
	}
	r.Explanation = manner + text.Some(list, maxTermsNamed)
}
