package spec

import (
	"fmt"
	"math"

	"etrace/analyze"
	"etrace/tracefmt"
)

// forEver is the bound of a rule without "within".
const forEver tracefmt.Time = -1

// compile of "each A was preceded by B" and "each A leads to B".
func (form *eachForm) compile(c *compiler) (*plan, error) {
	first, err := c.of(form.Trigger)
	if err != nil {
		return nil, err
	}
	p := pairMonitor{within: forEver}
	if p.trigger, err = c.matcher(form.Trigger); err != nil {
		return nil, err
	}
	if form.Within != nil {
		if p.within, err = form.Within.span(); err != nil {
			return nil, err
		}
	}
	second := form.Answer
	if second == nil {
		second = form.Preceded
	}
	c.scope.asked = nil // the second pattern may ask for what no event has
	if p.pairing, err = c.join(first, second, form.Answer != nil); err != nil {
		return nil, err
	}
	if len(p.first) == 0 && p.within == forEver && !c.AllowQuadratic {
		return nil, quadratic(second)
	}
	if form.Answer == nil {
		return p.preceded(form)
	}
	return p.leads(c, first, form)
}

func quadratic(p *pattern) error {
	return errorf(p.Pos, "the two events share no key such as process = e.process, and no time bounds the rule: "+
		"each event would have to be held against every other one (quadratic); expected an equality of fields of both, or within")
}

func (d *duration) span() (tracefmt.Time, error) {
	var l lowering
	t := l.span(nil, d.Text)
	if l.err != nil {
		return 0, errorf(d.Pos, "%v", l.err)
	}
	return t, nil
}

// pairMonitor is what the monitors of pairs of events share.
type pairMonitor struct {
	base
	*pairing
	trigger *matcher
	within  tracefmt.Time
	clock   tracefmt.Time
	// skewed: the time went back, so that no bound means anything.
	skewed bool
}

// tick takes in the time of an event, and reports whether it can be judged.
func (m *pairMonitor) tick(r *analyze.Result, e *tracefmt.Event) bool {
	if m.within == forEver || m.skewed {
		return !m.skewed
	}
	if e.Time < m.clock {
		m.skewed = true
		seq, before := e.Seq, m.clock
		r.Undecided(func() string {
			return fmt.Sprintf("the clock goes back at seq %d, from %v to %v, so that no time bounds the rule", seq, before, e.Time)
		})
		return false
	}
	m.clock = e.Time
	return true
}

// later is t and d added, as far as there are times.
func later(t, d tracefmt.Time) tracefmt.Time {
	switch sum := t + d; {
	case d > 0 && sum < t:
		return math.MaxInt64
	case d < 0 && sum > t:
		return math.MinInt64
	default:
		return sum
	}
}

// keptOf computes what is kept of the event at hand.
func keptOf(f *frame, into []value, keep []eval) []value {
	for _, k := range keep {
		into = append(into, k(f))
	}
	return into
}
