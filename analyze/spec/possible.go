package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// truths is the set of truths that a condition may have in an incomplete recording. It always contains the
// recorded truth.
type truths uint8

const (
	mayBeNo truths = 1 << iota
	mayBeUnknown
	mayBeYes

	undecided = mayBeNo | mayBeYes
	anyTruth  = undecided | mayBeUnknown
)

// setOfTruth returns the set of one truth.
func setOfTruth(t truth) truths { return 1 << (t + 1) }

// decided reports whether the set has one truth.
func (t truths) decided() bool { return t&(t-1) == 0 }

// not returns the set of the opposites.
func (t truths) not() truths { return t&mayBeUnknown | t>>2 | t<<2&mayBeYes }

// join returns the possible truths of the conjunction of two conditions or, if decided is yes, of their
// disjunction: the minimum or maximum in Kleene's order.
func (t truths) join(u truths, decided truth) (results truths) {
	for a := no; a <= yes; a++ {
		for b := no; b <= yes; b++ {
			if t&setOfTruth(a) == 0 || u&setOfTruth(b) == 0 {
				continue
			}
			if decided == no {
				results |= setOfTruth(min(a, b))
			} else {
				results |= setOfTruth(max(a, b))
			}
		}
	}
	return results
}

// choices has the values that an expression may have: a few, the numbers of a range, or any value.
type choices struct {
	few       [4]value
	n         int
	any       bool
	ranged    bool // from low to high
	low, high int64
}

// oneChoice returns the choice of one value.
func oneChoice(v value) choices { return choices{few: [4]value{v}, n: 1} }

// add adds a value.
func (c *choices) add(v value) {
	switch {
	case c.any || slices.Contains(c.few[:c.n], v):
	case c.n == len(c.few):
		*c = choices{any: true}
	default:
		c.few[c.n] = v
		c.n++
	}
}

// each calls visit for each value, or for both bounds of a range. It must not be called if any value is possible.
func (c *choices) each(visit func(value)) {
	if c.ranged {
		visit(number(c.low))
		visit(number(c.high))
		return
	}
	for _, v := range c.few[:c.n] {
		visit(v)
	}
}

// single returns the value if it is the only one.
func (c *choices) single() (value, bool) { return c.few[0], c.n == 1 && !c.any && !c.ranged }

// listed returns the values in turn, or any value if they are too many.
func (c choices) listed() choices {
	if !c.ranged {
		return c
	}
	if c.high-c.low >= int64(len(c.few)) {
		return choices{any: true}
	}
	var list choices
	for n := c.low; n <= c.high; n++ {
		list.add(number(n))
	}
	return list
}

// lacks reports whether a need may be unrecorded, as far as the run has been read. If the events show what is
// recorded, a fact that has not occurred yet counts as missing.
func (f *frame) lacks(n analyze.Need) bool {
	if n.Process == analyze.AnyProcess || n.Process == analyze.EveryProcess {
		for p := range f.run.Members {
			single := n
			single.Process = tracefmt.ProcessID(p + 1)
			if f.lacks(single) {
				return true
			}
		}
		return false
	}
	missing := func(fact tracefmt.Fact) bool { return f.unrecorded(n.Process, fact, n.From, n.To) }
	happens := missing(n.Fact) || n.Fact == recoverFact && f.state.Coverage().MayRise(n.Process, n.From, n.To)
	return happens && (!n.Anew || missing(crashFact))
}

// unrecorded reports whether the fact may have happened at p between two events without a record. A variable that the
// whole run never assigns can be missing only in a gap, if the run does not declare its completeness.
func (f *frame) unrecorded(p tracefmt.ProcessID, fact tracefmt.Fact, from, end tracefmt.Seq) bool {
	c := f.state.Coverage()
	if c.Silent() && fact.Variable != "" && !c.Exists(fact) {
		return (end == 0 || end > from) && c.InGap(p, from, end)
	}
	return c.Missing(p, fact, from, end)
}

// readIfMissing reports whether a need may be unrecorded, and records it.
func (f *frame) readIfMissing(n analyze.Need) bool {
	if !f.lacks(n) {
		return false
	}
	if f.reading != nil {
		f.reading.needs = append(f.reading.needs, n)
	}
	return true
}

// possibleEvent reports whether one of the facts may have happened unrecorded at p between two events, and
// records that.
func (f *frame) possibleEvent(p tracefmt.ProcessID, from, end tracefmt.Seq, facts ...tracefmt.Fact) (possible bool) {
	for _, fact := range facts {
		if f.readIfMissing(analyze.Need{Process: p, Fact: fact, From: from, To: end}) {
			possible = true
		}
	}
	return possible
}

// settled drops the needs read since a mark if the result is decided: they make no difference.
func (f *frame) settled(from int, t truths) truths {
	if t.decided() {
		f.unread(from)
	}
	return t
}

// unread drops the needs read since a mark.
func (f *frame) unread(from int) {
	if f.reading != nil {
		f.reading.needs = f.reading.needs[:from]
	}
}

// open reports whether an evaluation, which ignores what is missing, rests on something that is missing.
func (f *frame) open(evaluate func()) (possible bool) {
	outer, read := f.reading, reading{needs: f.unsure[:0]}
	f.reading = &read
	evaluate()
	f.reading, f.unsure = outer, read.needs[:0]
	for _, n := range read.needs {
		possible = f.readIfMissing(n) || possible
	}
	return possible
}

// possible returns the possible truths of a condition.
func (c *code) possible(f *frame) truths {
	switch {
	case c.possibleTruths != nil:
		return c.possibleTruths(f)
	case c.test == nil:
		return c.truths(f)
	}
	var t truth
	if f.open(func() { t = c.test(f) }) {
		return anyTruth
	}
	return setOfTruth(t)
}

// truths returns the possible truths of a value used as a condition.
func (c *code) truths(f *frame) (results truths) {
	from, values := f.reading.mark(), c.choices(f)
	if values.any || values.ranged {
		return anyTruth
	}
	values.each(func(v value) { results |= setOfTruth(truthOfValue(v)) })
	return f.settled(from, results)
}

// values returns the values of the truths.
func (t truths) values() (results choices) {
	for outcome := no; outcome <= yes; outcome++ {
		if t&setOfTruth(outcome) != 0 {
			results.add(outcome.value())
		}
	}
	return results
}

// choices returns the possible values.
func (c *code) choices(f *frame) choices {
	switch {
	case c.values != nil:
		return c.values(f)
	case c.constant:
		return oneChoice(c.eval(f))
	case c.eval == nil:
		return c.possible(f).values()
	}
	var v value
	if f.open(func() { v = c.eval(f) }) {
		return choices{any: true}
	}
	return oneChoice(v)
}

// possibly returns the possible truths of membership in a set.
func (c *code) possibly(f *frame, p tracefmt.ProcessID) truths {
	if c.among != nil {
		return c.among(f, p)
	}
	var member bool
	if f.open(func() { member = c.member(f, p) }) {
		return undecided
	}
	return setOfTruth(truthOf(member))
}

// compared returns the possible truths of a comparison of values.
func (f *frame) compared(a, b choices, compare func(a, b value) truth) (results truths) {
	if a.any || b.any {
		return anyTruth
	}
	a.each(func(v value) {
		b.each(func(w value) { results |= setOfTruth(compare(v, w)) })
	})
	return results
}

// equalities returns the possible truths of an equality. A range has too many values to list, so it is compared by
// its bounds.
func (f *frame) equalities(a, b choices) (results truths) {
	switch {
	case a.any || b.any:
		if a.any {
			a, b = b, a
		}
		if v, ok := a.single(); ok && v.sort == absent {
			return mayBeUnknown
		}
		return anyTruth
	case !a.ranged && !b.ranged:
		return f.compared(a, b, f.equal)
	case a.ranged && b.ranged:
		return undecided
	case a.ranged:
		a, b = b, a
	}
	// b is a range: a value inside may be equal, and every value may be unequal.
	results = mayBeNo
	a.each(func(v value) {
		switch v := f.canonical(v); {
		case v.sort == absent:
			results |= mayBeUnknown
		case v.sort == integer && b.low <= v.n && v.n <= b.high:
			results |= mayBeYes
		}
	})
	return results
}

// quantified returns the possible truths of a condition over all processes in a set or, if decided is yes, over
// some process.
func (f *frame) quantified(domain, body *code, i int, decided truth) truths {
	result, begin := setOfTruth(-decided), f.reading.mark()
	for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
		from := f.reading.mark()
		membership := domain.possibly(f, p)
		if membership&mayBeYes == 0 {
			f.unread(from)
			continue
		}
		f.variables[i] = p
		outcome := body.possible(f)
		if outcome == setOfTruth(-decided) { // membership makes no difference then
			f.unread(from)
			continue
		}
		if membership&mayBeNo != 0 {
			outcome |= setOfTruth(-decided)
		}
		result = result.join(outcome, decided)
		if result == setOfTruth(decided) {
			break
		}
	}
	return f.settled(begin, result)
}

// counted returns the possible numbers of processes in a set.
func (f *frame) counted(set *code) choices {
	var minimum, maximum int64
	for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
		switch membership := set.possibly(f, p); {
		case membership == mayBeYes:
			minimum++
			maximum++
		case membership&mayBeYes != 0:
			maximum++
		}
	}
	if minimum == maximum {
		return oneChoice(number(minimum))
	}
	return choices{ranged: true, low: minimum, high: maximum}
}
