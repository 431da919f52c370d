package spec

import (
	"fmt"
	"math"

	"etrace/analyze"
	"etrace/tracefmt"
)

// forEver is the bound of a rule without "within".
const forEver tracefmt.Time = -1

// compile compiles "each A was preceded by B" and "each A leads to B". Further patterns form a chain: each leads to
// the next, or is preceded by it.
func (form *eachForm) compile(c *compiler) (*plan, error) {
	first, err := c.scope.scopeOf(form.Trigger)
	if err != nil {
		return nil, err
	}
	trigger, err := c.scope.matcher(form.Trigger)
	if err != nil {
		return nil, err
	}
	c.scope.demanded = nil // the rule applies to a run without events of the later patterns
	p := pairMonitor{trigger: trigger, unlimited: c.AllowQuadratic, window: window{span: endless}}
	if form.Answers == nil {
		return p.compilePreceded(c, first, form)
	}
	return p.compileLeads(c, first, form)
}

// laterPattern compiles a later pattern of a rule. keepsFirst is explained at join.
func (c *compiler) laterPattern(first *scope, e *stageExpr, keepsFirst bool) (*pairing, span, error) {
	bound, err := e.Within.span()
	if err != nil {
		return nil, bound, err
	}
	j, err := c.scope.join(first, e.Pattern, keepsFirst)
	if err == nil && len(j.first) == 0 && j.condition != nil && bound.within == forEver && !c.AllowQuadratic {
		err = quadraticError(e.Pattern)
	}
	return j, bound, err
}

// quadraticError returns the error for a pattern that shares no key with the first one, so that each pair of events
// would be compared.
func quadraticError(p *pattern) error {
	return errorf(p.Pos, "the two events share no key such as process = e.process, and no time bounds the rule: "+
		"each event would have to be compared with every other one (quadratic); expected an equality of fields of both, or within")
}

// span returns the bound on the time, endless without a bound.
func (d *duration) span() (span, error) {
	if d == nil {
		return endless, nil
	}
	var l lowering
	t := l.span(nil, d.Text+d.Unit)
	if l.err != nil {
		return endless, errorf(d.Pos, "%v", l.err)
	}
	last := (d.Text + d.Unit)[len(d.Text+d.Unit)-1]
	return span{t, fmt.Sprintf(" within %s%s", d.Text, d.Unit), last > '9'}, nil
}

// maxTries bounds the pairs of events that a rule may try whose conditions on both are more than equalities.
// maxPast bounds the events kept for them, the open obligations, and the keys.
var maxTries, maxPast = 1 << 26, 1 << 22

// pairMonitor is the common part of the monitors of pairs of events.
type pairMonitor struct {
	base
	trigger *matcher
	window  // the window of the last time bound in the rule
	tries   int
	// unlimited is set if maxTries does not apply.
	unlimited bool
}

// tick takes the time of an event, and reports whether the event can be judged.
func (m *pairMonitor) tick(r *analyze.Result, e *tracefmt.Event) bool {
	if !m.gaveUp && m.tries > maxTries && !m.unlimited {
		m.giveUp(r, fmt.Sprintf("more than %d pairs of events would have to be tried, since they are joined by "+
			"more than equalities (from seq %d on; --allow-quadratic)", maxTries, e.Seq))
	}
	return !m.gaveUp && m.window.tick(r, &m.base, e)
}

// holds reports whether the conditions beyond the key hold for the current event and the kept values of an earlier one.
func (m *pairMonitor) holds(j *pairing, kept []value) bool {
	if j.condition == nil {
		return true
	}
	m.tries++
	m.frame.kept = kept
	return j.condition(m.frame) == yes
}

// addTime returns t + d, limited to the range of times.
func addTime(t, d tracefmt.Time) tracefmt.Time {
	switch sum := t + d; {
	case d > 0 && sum < t:
		return math.MaxInt64
	case d < 0 && sum > t:
		return math.MinInt64
	default:
		return sum
	}
}

// appendKept appends the values that are kept of the current event.
func appendKept(f *frame, into []value, keep []eval) []value {
	for _, k := range keep {
		into = append(into, k(f))
	}
	return into
}
