package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// truths is what a condition may be in a run of which not everything is recorded: a set of
// truths, of which the one that the record shows is always one.
type truths uint8

const (
	mayBeNo truths = 1 << iota
	mayBeUnknown
	mayBeYes

	undecided = mayBeNo | mayBeYes
	anyTruth  = undecided | mayBeUnknown
)

// only is the set of one truth.
func only(t truth) truths { return 1 << (t + 1) }

// decided reports whether the set has but one truth.
func (t truths) decided() bool { return t&(t-1) == 0 }

// not are the opposites.
func (t truths) not() truths { return t&mayBeUnknown | t>>2 | t<<2&mayBeYes }

// join is what the conjunction of two conditions may be or, if decided is yes, their
// disjunction. Kleene's are the least and the greatest of the two.
func (t truths) join(u truths, decided truth) (all truths) {
	for a := no; a <= yes; a++ {
		for b := no; b <= yes; b++ {
			if t&only(a) == 0 || u&only(b) == 0 {
				continue
			}
			if decided == no {
				all |= only(min(a, b))
			} else {
				all |= only(max(a, b))
			}
		}
	}
	return all
}

// choices is what a value may be: one of a few, or a number of a range, or anything.
type choices struct {
	few       [4]value
	n         int
	any       bool
	ranged    bool // from low to high
	low, high int64
}

func one(v value) choices { return choices{few: [4]value{v}, n: 1} }

// add takes in a further value.
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

// each calls visit for the values, among them the bounds of a range; it is not for any.
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

// single returns the value if there is but one.
func (c *choices) single() (value, bool) { return c.few[0], c.n == 1 && !c.any && !c.ranged }

// listed returns the values one by one, or any where they are too many.
func (c choices) listed() choices {
	if !c.ranged {
		return c
	}
	if c.high-c.low >= int64(len(c.few)) {
		return choices{any: true}
	}
	var all choices
	for n := c.low; n <= c.high; n++ {
		all.add(number(n))
	}
	return all
}

// lacks reports whether what is needed may not be recorded, as far as the run goes: where
// the events decide what is recorded, one that is yet to come counts as missing.
func (f *frame) lacks(n analyze.Need) bool {
	if n.Process == analyze.AnyProcess || n.Process == analyze.EveryProcess {
		for p := range f.run.Members {
			own := n
			own.Process = tracefmt.ProcessID(p + 1)
			if f.lacks(own) {
				return true
			}
		}
		return false
	}
	missing := func(fact tracefmt.Fact) bool { return f.missing1(n.Process, fact, n.From, n.To) }
	happens := missing(n.Fact) || n.Fact == recoverFact && f.state.Coverage().MayRise(n.Process, n.From, n.To)
	return happens && (!n.Anew || missing(crashFact))
}

func (f *frame) missing1(p tracefmt.ProcessID, fact tracefmt.Fact, from, to tracefmt.Seq) bool {
	c := f.state.Coverage()
	if c.Silent() && fact.Variable != "" && !c.Exists(fact) {
		return (to == 0 || to > from) && c.InGap(p, from, to)
	}
	return c.Missing(p, fact, from, to)
}

// may reports whether what is needed may not be recorded, and takes it in.
func (f *frame) may(n analyze.Need) bool {
	if !f.lacks(n) {
		return false
	}
	if f.reading != nil {
		f.reading.needs = append(f.reading.needs, n)
	}
	return true
}

// mayHappen is may of any of the facts at p between two events.
func (f *frame) mayHappen(p tracefmt.ProcessID, from, to tracefmt.Seq, facts ...tracefmt.Fact) (may bool) {
	for _, fact := range facts {
		if f.may(analyze.Need{Process: p, Fact: fact, From: from, To: to}) {
			may = true
		}
	}
	return may
}

// settled takes back what was read since a mark if it has decided nothing: the result is
// the same whatever of it happened.
func (f *frame) settled(from int, t truths) truths {
	if t.decided() {
		f.unread(from)
	}
	return t
}

func (f *frame) unread(from int) {
	if f.reading != nil {
		f.reading.needs = f.reading.needs[:from]
	}
}

// open reports whether an evaluation that knows nothing of what is missing rests on any of
// it.
func (f *frame) open(evaluate func()) (may bool) {
	outer, read := f.reading, reading{needs: f.unsure[:0]}
	f.reading = &read
	evaluate()
	f.reading, f.unsure = outer, read.needs[:0]
	for _, n := range read.needs {
		may = f.may(n) || may
	}
	return may
}

// possible is what a condition may be.
func (c *code) possible(f *frame) truths {
	switch {
	case c.may != nil:
		return c.may(f)
	case c.test == nil:
		return c.truths(f)
	}
	var t truth
	if f.open(func() { t = c.test(f) }) {
		return anyTruth
	}
	return only(t)
}

// truths is what a value may be as a condition.
func (c *code) truths(f *frame) (all truths) {
	from, values := f.reading.mark(), c.choices(f)
	if values.any || values.ranged {
		return anyTruth
	}
	values.each(func(v value) { all |= only(truthOfValue(v)) })
	return f.settled(from, all)
}

// values is what a condition may be as a value.
func (t truths) values() (all choices) {
	for of := no; of <= yes; of++ {
		if t&only(of) != 0 {
			all.add(of.value())
		}
	}
	return all
}

// choices is what a value may be.
func (c *code) choices(f *frame) choices {
	switch {
	case c.values != nil:
		return c.values(f)
	case c.constant:
		return one(c.eval(f))
	case c.eval == nil:
		return c.possible(f).values()
	}
	var v value
	if f.open(func() { v = c.eval(f) }) {
		return choices{any: true}
	}
	return one(v)
}

// possibly is whether a process may be in a set.
func (c *code) possibly(f *frame, p tracefmt.ProcessID) truths {
	if c.among != nil {
		return c.among(f, p)
	}
	var is bool
	if f.open(func() { is = c.member(f, p) }) {
		return undecided
	}
	return only(truthOf(is))
}

// compared is what a comparison of values may be.
func (f *frame) compared(a, b choices, compare func(a, b value) truth) (all truths) {
	if a.any || b.any {
		return anyTruth
	}
	a.each(func(v value) {
		b.each(func(w value) { all |= only(compare(v, w)) })
	})
	return all
}

// equalities is what the equality of values may be.
func (f *frame) equalities(a, b choices) (all truths) {
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
	all = mayBeNo
	a.each(func(v value) {
		switch v := f.canonical(v); {
		case v.sort == absent:
			all |= mayBeUnknown
		case v.sort == integer && b.low <= v.n && v.n <= b.high:
			all |= mayBeYes
		}
	})
	return all
}

// quantified is what it may be that a condition holds of all processes in a set or, if
// decided is yes, of one.
func (f *frame) quantified(domain, body *code, i int, decided truth) truths {
	result, begin := only(-decided), f.reading.mark()
	for p := tracefmt.ProcessID(1); int(p) < len(f.plain); p++ {
		from := f.reading.mark()
		in := domain.possibly(f, p)
		if in&mayBeYes == 0 {
			f.unread(from)
			continue
		}
		f.variables[i] = p
		of := body.possible(f)
		if of == only(-decided) { // whether it is in the set or not
			f.unread(from)
			continue
		}
		if in&mayBeNo != 0 {
			of |= only(-decided)
		}
		result = result.join(of, decided)
		if result == only(decided) {
			break
		}
	}
	return f.settled(begin, result)
}

// counted is how many processes may be in a set.
func (f *frame) counted(set *code) choices {
	var least, most int64
	for p := tracefmt.ProcessID(1); int(p) < len(f.plain); p++ {
		switch in := set.possibly(f, p); {
		case in == mayBeYes:
			least++
			most++
		case in&mayBeYes != 0:
			most++
		}
	}
	if least == most {
		return one(number(least))
	}
	return choices{ranged: true, low: least, high: most}
}
