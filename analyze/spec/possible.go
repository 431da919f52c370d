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

// choices are the values that an expression may have: up to four listed ones, the numbers of a range, or any value.
type choices struct {
	list      [4]value
	count     int
	anyValue  bool
	ranged    bool // true if the values are those from low to high
	low, high int64
}

// oneChoice returns the choice of one value.
func oneChoice(v value) choices { return choices{list: [4]value{v}, count: 1} }

// add adds a value.
func (c *choices) add(v value) {
	switch {
	case c.anyValue || slices.Contains(c.list[:c.count], v):
	case c.count == len(c.list):
		*c = choices{anyValue: true}
	default:
		c.list[c.count] = v
		c.count++
	}
}

// each calls visit for each value, or for both bounds of a range. It must not be called if any value is possible.
func (c *choices) each(visit func(value)) {
	if c.ranged {
		visit(number(c.low))
		visit(number(c.high))
		return
	}
	for _, v := range c.list[:c.count] {
		visit(v)
	}
}

// single returns the value if it is the only one.
func (c *choices) single() (value, bool) { return c.list[0], c.count == 1 && !c.anyValue && !c.ranged }

// enumerated returns the values in turn, or any value if they are too many.
func (c choices) enumerated() choices {
	if !c.ranged {
		return c
	}
	if c.high-c.low >= int64(len(c.list)) {
		return choices{anyValue: true}
	}
	var list choices
	for n := c.low; n <= c.high; n++ {
		list.add(number(n))
	}
	return list
}

// isMissing reports whether a need may be unrecorded, as far as the run has been read. If the events show what is
// recorded, a fact that has not occurred yet counts as missing.
func (f *frame) isMissing(n analyze.Need) bool {
	if n.Process == analyze.AnyProcess || n.Process == analyze.EveryProcess {
		for p := range f.run.Members {
			single := n
			single.Process = tracefmt.ProcessID(p + 1)
			if f.isMissing(single) {
				return true
			}
		}
		return false
	}
	missing := func(fact tracefmt.Fact) bool { return f.possiblyUnrecorded(n.Process, fact, n.From, n.To) }
	// A crashed process comes up by a recovery, or by a start if the run declares that starts may be missing.
	happens := missing(n.Fact) || n.Fact == recoverFact && f.state.Coverage().MayRise(n.Process, n.From, n.To)
	return happens && (!n.Anew || missing(crashFact))
}

// possiblyUnrecorded reports whether the fact may have happened at p between two events without a record. A variable
// that the whole run never assigns can be missing only in a gap, if the run does not declare its completeness.
func (f *frame) possiblyUnrecorded(p tracefmt.ProcessID, fact tracefmt.Fact, from, end tracefmt.Seq) bool {
	c := f.state.Coverage()
	if c.Silent() && fact.Variable != "" && !c.Exists(fact) {
		return (end == 0 || end > from) && c.InGap(p, from, end)
	}
	return c.Missing(p, fact, from, end)
}

// readIfMissing reports whether a need may be unrecorded, and records it.
func (f *frame) readIfMissing(n analyze.Need) bool {
	if !f.isMissing(n) {
		return false
	}
	if f.dependencies != nil {
		f.dependencies.needs = append(f.dependencies.needs, n)
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

// dropIfDecided drops the needs collected since a length if the result is decided, since then they make no difference.
func (f *frame) dropIfDecided(from int, t truths) truths {
	if t.decided() {
		f.drop(from)
	}
	return t
}

// drop drops the needs collected since a length.
func (f *frame) drop(from int) {
	if f.dependencies != nil {
		f.dependencies.needs = f.dependencies.needs[:from]
	}
}

// restsOnMissing reports whether the recorded value of an evaluation rests on a fact that may be missing.
func (f *frame) restsOnMissing(evaluate func()) (possible bool) {
	outer, read := f.dependencies, dependencies{needs: f.needsMemory[:0]}
	f.dependencies = &read
	evaluate()
	f.dependencies, f.needsMemory = outer, read.needs[:0]
	for _, n := range read.needs {
		possible = f.readIfMissing(n) || possible
	}
	return possible
}

// conditionTruths returns the possible truths of a condition.
func (c *code) conditionTruths(f *frame) truths {
	switch {
	case c.possibleTruths != nil:
		return c.possibleTruths(f)
	case c.test == nil:
		return c.truths(f)
	}
	var t truth
	if f.restsOnMissing(func() { t = c.test(f) }) {
		return anyTruth
	}
	return setOfTruth(t)
}

// truths returns the possible truths of a value used as a condition.
func (c *code) truths(f *frame) (results truths) {
	from, values := f.dependencies.length(), c.choices(f)
	if values.anyValue || values.ranged {
		return anyTruth
	}
	values.each(func(v value) { results |= setOfTruth(truthOfValue(v)) })
	return f.dropIfDecided(from, results)
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
	case c.possibleValues != nil:
		return c.possibleValues(f)
	case c.constant:
		return oneChoice(c.eval(f))
	case c.eval == nil:
		return c.conditionTruths(f).values()
	}
	var v value
	if f.restsOnMissing(func() { v = c.eval(f) }) {
		return choices{anyValue: true}
	}
	return oneChoice(v)
}

// membershipTruths returns the possible truths of membership in a set.
func (c *code) membershipTruths(f *frame, p tracefmt.ProcessID) truths {
	if c.memberTruths != nil {
		return c.memberTruths(f, p)
	}
	var member bool
	if f.restsOnMissing(func() { member = c.member(f, p) }) {
		return undecided
	}
	return setOfTruth(truthOf(member))
}

// comparedTruths returns the possible truths of a comparison of values.
func (f *frame) comparedTruths(a, b choices, compare func(a, b value) truth) (results truths) {
	if a.anyValue || b.anyValue {
		return anyTruth
	}
	a.each(func(v value) {
		b.each(func(w value) { results |= setOfTruth(compare(v, w)) })
	})
	return results
}

// equalityTruths returns the possible truths of an equality. A range has too many values to list, so it is compared by
// its bounds.
func (f *frame) equalityTruths(a, b choices) (results truths) {
	switch {
	case a.anyValue || b.anyValue:
		if a.anyValue {
			a, b = b, a
		}
		if v, ok := a.single(); ok && v.sort == absent {
			return mayBeUnknown
		}
		return anyTruth
	case !a.ranged && !b.ranged:
		return f.comparedTruths(a, b, f.equal)
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

// quantifiedTruths returns the possible truths of a condition over all processes in a set or, if decided is yes, over
// some process.
func (f *frame) quantifiedTruths(domain, body *code, i int, decided truth) truths {
	result, begin := setOfTruth(-decided), f.dependencies.length()
	for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
		from := f.dependencies.length()
		membership := domain.membershipTruths(f, p)
		if membership&mayBeYes == 0 {
			f.drop(from)
			continue
		}
		f.variables[i] = p
		outcome := body.conditionTruths(f)
		if outcome == setOfTruth(-decided) { // membership makes no difference then
			f.drop(from)
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
	return f.dropIfDecided(begin, result)
}

// possibleCounts returns the possible numbers of processes in a set.
func (f *frame) possibleCounts(set *code) choices {
	var minimum, maximum int64
	for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
		switch membership := set.membershipTruths(f, p); {
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
