package complexity

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// Compared is a bound beside what a run measured, counted as the bound counts. Of several
// runs it is that of the one that comes nearest to breaking the bound, or breaks it most.
type Compared struct {
	Bound    *tracefmt.Bound `json:"bound"`
	Value    float64         `json:"value"`
	Measured int64           `json:"measured"`
	Kept     Answer          `json:"kept"`
	// Runs that were compared, how many of them broke the bound, and what they measured together.
	Runs   int64 `json:"runs"`
	Broken int64 `json:"broken,omitempty"`
	Sum    int64 `json:"sum"`

	limit Limit
}

// Restored is what a run compared like that was kept elsewhere: the values of the names in
// the formula are not known any more.
func Restored(b *tracefmt.Bound, value float64, measured int64, kept Answer) Compared {
	c := Compared{Bound: b, Value: value, Measured: measured, Kept: kept, Runs: 1, Sum: measured, limit: Limit{Bound: b, Value: value}}
	if kept == Broken {
		c.Broken = 1
	}
	return c
}

// String is the value with its formula, and the values of the names in it.
func (c *Compared) String() string { return c.limit.String() }

// Compare compares a run that has passed by with the bounds of a theory, at little cost for
// each of many runs: whether the bounds are about these runs at all, [Unbounded] says once.
// The error is that of [Theory.Limits].
func (c *Counter) Compare(t *Theory) ([]Compared, error) {
	totals := c.Totals()
	return t.compare(settingAt(c.state, c.stats.opening), &measured{
		sent: totals.Sent, toItself: totals.ToItself, ofType: totals.OfType, odd: c.odd.counts(),
		whole: c.run.End == tracefmt.Quiescent && c.state.Coverage().Complete(),
	})
}

// Theory compares the run with the bounds that it states. Where there is nothing to
// compare, reason says why.
func (s *Stats) Theory() (list []Compared, reason string) {
	if reason := Unbounded(s.of); reason != "" {
		return nil, reason
	}
	if s.Messages.Sent == 0 {
		return nil, "nothing is sent"
	}
	list, err := NewTheory(s.of.Bounds).compare(settingAt(replay.NewState(s.of), s.opening), &measured{
		sent: s.Messages.Sent, toItself: s.Messages.ToItself, ofType: func(name string) int64 { return s.Messages.ByType[name] }, odd: s.odd,
		whole: s.End == tracefmt.Quiescent && s.whole,
	})
	if err != nil {
		reason = err.Error()
	}
	return list, reason
}

// measured is what bounds count of a run.
type measured struct {
	sent, toItself int64
	ofType         func(string) int64
	odd            map[string]int64
	whole          bool // the run has ended, and all of it is recorded
}

// by returns how many messages of the run a bound counts.
func (m *measured) by(b *tracefmt.Bound) int64 {
	if isOdd(b) {
		return m.odd[b.Convention()]
	}
	if b.Counts == tracefmt.CountsOthers {
		return m.sent - m.toItself
	}
	sent := m.sent
	for _, t := range b.Without {
		sent -= m.ofType(t)
	}
	return sent
}

func (t *Theory) compare(v Setting, m *measured) ([]Compared, error) {
	limits, err := t.Limits(v)
	list := make([]Compared, len(limits))
	for i, l := range limits {
		count := m.by(l.Bound)
		list[i] = Compared{Bound: l.Bound, Value: l.Value, Measured: count, Kept: l.keptBy(count, m.whole), Runs: 1, Sum: count, limit: l}
		if list[i].Kept == Broken {
			list[i].Broken = 1
		}
	}
	return list, err
}

// keptBy says whether a run that measures so many messages keeps the limit.
func (l *Limit) keptBy(count int64, whole bool) Answer {
	more, fewer := float64(count) > l.Value, float64(count) < l.Value
	switch kind := l.Bound.KindOf(); {
	case kind == tracefmt.MeanCase || kind == tracefmt.OrderOf:
		return Beside
	case more && kind != tracefmt.LeastCase:
		return Broken
	case kind == tracefmt.LeastCase && !fewer:
		return Kept
	case !whole:
		return Open
	case fewer && kind != tracefmt.WorstCase:
		return Broken
	}
	return Kept
}

// Fold takes the comparisons of another run into those of former ones.
func Fold(all, next []Compared) []Compared {
	for _, c := range next {
		i := 0
		for i < len(all) && all[i].Bound != c.Bound && !all[i].Bound.Equal(c.Bound) {
			i++
		}
		if i == len(all) {
			all = append(all, c)
			continue
		}
		worst := &all[i]
		c.Runs, c.Broken, c.Sum = c.Runs+worst.Runs, c.Broken+worst.Broken, c.Sum+worst.Sum
		if c.Worse(worst) {
			*worst = c
		} else {
			worst.Runs, worst.Broken, worst.Sum = c.Runs, c.Broken, c.Sum
		}
	}
	return all
}

// Worse reports whether c comes nearer to breaking the bound.
func (c *Compared) Worse(than *Compared) bool {
	severity := [...]int{Beside: 0, Kept: 1, Open: 2, Broken: 3}
	if severity[c.Kept] != severity[than.Kept] {
		return severity[c.Kept] > severity[than.Kept]
	}
	near, before := float64(c.Measured)-c.Value, float64(than.Measured)-than.Value
	if c.Bound.KindOf() == tracefmt.LeastCase {
		return near < before
	}
	return near > before
}

// conventions counts for bounds what the totals of a run do not have: each receive, also
// of a copy, and what is sent to others without some types.
type conventions []convention

type convention struct {
	bound *tracefmt.Bound
	name  string
	count int64
}

// isOdd reports whether totals do not answer a bound.
func isOdd(b *tracefmt.Bound) bool {
	return b.Counts == tracefmt.CountsDelivered || b.Counts == tracefmt.CountsOthers && len(b.Without) > 0
}

// newConventions returns those of the bounds of a run that are odd.
func newConventions(run *tracefmt.Run) conventions {
	var odd conventions
	for i := range run.Bounds {
		b := &run.Bounds[i]
		if isOdd(b) {
			odd = append(odd, convention{bound: b, name: b.Convention()})
		}
	}
	return odd
}

func (odd conventions) write(e *tracefmt.Event) {
	for i := range odd {
		if Counts(odd[i].bound, e) {
			odd[i].count++
		}
	}
}

func (odd conventions) counts() map[string]int64 {
	if odd == nil {
		return nil
	}
	counts := make(map[string]int64, len(odd))
	for _, c := range odd {
		counts[c.name] = c.count
	}
	return counts
}
