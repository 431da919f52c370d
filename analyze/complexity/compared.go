package complexity

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// Compared compares a bound with the counted messages of a run. Folded over several runs, it describes the
// run that is closest to breaking the bound, or that breaks it most.
type Compared struct {
	// Value is the bound's formula evaluated for the run, Measured the number of messages that the bound counts.
	Bound    *tracefmt.Bound `json:"bound"`
	Value    float64         `json:"value"`
	Measured int64           `json:"measured"`
	Kept     Answer          `json:"kept"`
	// Runs is the number of compared runs, Broken the number of runs that broke the bound, and Sum the sum of
	// the measures.
	Runs   int64 `json:"runs"`
	Broken int64 `json:"broken,omitempty"`
	Sum    int64 `json:"sum"`

	limit Limit
}

// Restored returns a comparison that was read from a file, without the values of the names in the formula.
func Restored(b *tracefmt.Bound, value float64, measured int64, kept Answer) Compared {
	c := Compared{
		Bound: b, Value: value, Measured: measured, Kept: kept, Runs: 1, Sum: measured,
		limit: Limit{Bound: b, Value: value},
	}
	if kept == Broken {
		c.Broken = 1
	}
	return c
}

// String returns the value with its formula, and the values of the names in it.
func (c *Compared) String() string { return c.limit.String() }

// Compare compares a finished run with the bounds of a theory, fast enough for thousands of runs. [Unbounded]
// reports whether the bounds apply to such runs. Compare fails like [Theory.Limits].
func (c *Counter) Compare(t *Theory) ([]Compared, error) {
	totals := c.Totals()
	return t.compare(settingAt(c.state, c.stats.opening), &measured{
		sent: totals.Sent, toItself: totals.ToItself, ofType: totals.OfType, special: c.special.counts(),
		complete: c.run.End == tracefmt.Quiescent && c.state.Coverage().Complete(),
	})
}

// Theory compares the run with its own bounds. If no bound applies, the list is empty and reason explains why.
func (s *Stats) Theory() (list []Compared, reason string) {
	if reason := Unbounded(s.run); reason != "" {
		return nil, reason
	}
	if s.Messages.Sent == 0 {
		return nil, "nothing is sent"
	}
	list, err := NewTheory(s.run.Bounds).compare(settingAt(replay.NewState(s.run), s.opening), &measured{
		sent: s.Messages.Sent, toItself: s.Messages.ToItself,
		ofType: func(name string) int64 { return s.Messages.ByType[name] }, special: s.special,
		complete: s.End == tracefmt.Quiescent && s.complete,
	})
	if err != nil {
		reason = err.Error()
	}
	return list, reason
}

// measured holds the counts of a run that bounds use.
type measured struct {
	sent, toItself int64
	ofType         func(string) int64
	special        map[string]int64
	complete       bool // the run has ended, and is recorded completely
}

// counted returns the number of messages that a bound counts.
func (m *measured) counted(b *tracefmt.Bound) int64 {
	if needsSpecialCount(b) {
		return m.special[b.Convention()]
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

// compare compares the counts of a run with each limit in the setting of the run.
func (t *Theory) compare(v Setting, m *measured) ([]Compared, error) {
	limits, err := t.Limits(v)
	list := make([]Compared, len(limits))
	for i, l := range limits {
		count := m.counted(l.Bound)
		list[i] = Compared{
			Bound: l.Bound, Value: l.Value, Measured: count, Kept: l.keptBy(count, m.complete),
			Runs: 1, Sum: count, limit: l,
		}
		if list[i].Kept == Broken {
			list[i].Broken = 1
		}
	}
	return list, err
}

// keptBy reports whether a run with this number of messages keeps the limit. In a run that is not complete,
// more messages may come, so a minimum may still be reached.
func (l *Limit) keptBy(count int64, complete bool) Answer {
	more, fewer := float64(count) > l.Value, float64(count) < l.Value
	switch kind := l.Bound.KindOf(); {
	case kind == tracefmt.MeanCase || kind == tracefmt.OrderOf:
		return Beside
	// More messages may come, but none is taken back: an exceeded maximum stays exceeded, and a reached minimum stays
	// reached.
	case more && kind != tracefmt.LeastCase:
		return Broken
	case kind == tracefmt.LeastCase && !fewer:
		return Kept
	case !complete:
		return Open
	case fewer && kind != tracefmt.WorstCase:
		return Broken
	}
	return Kept
}

// Fold adds the comparisons of another run to those of earlier runs.
func Fold(folded, next []Compared) []Compared {
	for _, c := range next {
		i := 0
		for i < len(folded) && folded[i].Bound != c.Bound && !folded[i].Bound.Equal(c.Bound) {
			i++
		}
		if i == len(folded) {
			folded = append(folded, c)
			continue
		}
		worst := &folded[i]
		c.Runs, c.Broken, c.Sum = c.Runs+worst.Runs, c.Broken+worst.Broken, c.Sum+worst.Sum
		if c.Worse(worst) {
			*worst = c
		} else {
			worst.Runs, worst.Broken, worst.Sum = c.Runs, c.Broken, c.Sum
		}
	}
	return folded
}

// Worse reports whether c is closer than other to breaking the bound.
func (c *Compared) Worse(other *Compared) bool {
	severity := [...]int{Beside: 0, Kept: 1, Open: 2, Broken: 3}
	if severity[c.Kept] != severity[other.Kept] {
		return severity[c.Kept] > severity[other.Kept]
	}
	near, before := float64(c.Measured)-c.Value, float64(other.Measured)-other.Value
	if c.Bound.KindOf() == tracefmt.LeastCase {
		return near < before
	}
	return near > before
}

// specialCounts count messages for the bounds that the totals of a run do not answer: receives including
// copies, and messages to other processes without some types.
type specialCounts []specialCount

// specialCount is the count of one bound.
type specialCount struct {
	bound *tracefmt.Bound
	name  string // the name of the bound's convention of counting
	count int64
}

// needsSpecialCount reports whether the totals of a run do not answer the bound.
func needsSpecialCount(b *tracefmt.Bound) bool {
	return b.Counts == tracefmt.CountsDelivered || b.Counts == tracefmt.CountsOthers && len(b.Without) > 0
}

// newSpecialCounts returns the counters for the bounds of a run that need them.
func newSpecialCounts(run *tracefmt.Run) specialCounts {
	var odd specialCounts
	for i := range run.Bounds {
		b := &run.Bounds[i]
		if needsSpecialCount(b) {
			odd = append(odd, specialCount{bound: b, name: b.Convention()})
		}
	}
	return odd
}

// write counts an event for each bound that counts it.
func (odd specialCounts) write(e *tracefmt.Event) {
	for i := range odd {
		if Counts(odd[i].bound, e) {
			odd[i].count++
		}
	}
}

// counts returns the counts by convention.
func (odd specialCounts) counts() map[string]int64 {
	if odd == nil {
		return nil
	}
	counts := make(map[string]int64, len(odd))
	for _, c := range odd {
		counts[c.name] = c.count
	}
	return counts
}
