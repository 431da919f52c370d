package spec

import (
	"fmt"
	"math"

	"etrace/analyze"
	"etrace/tracefmt"
)

// forEver is the bound of a rule without "within".
const forEver tracefmt.Time = -1

// compile of "each A was preceded by B" and "each A leads to B". There may be further
// patterns: each leads to the next one, or is preceded by it.
func (form *eachForm) compile(c *compiler) (*plan, error) {
	first, err := c.scope.of(form.Trigger)
	if err != nil {
		return nil, err
	}
	trigger, err := c.scope.matcher(form.Trigger)
	if err != nil {
		return nil, err
	}
	c.scope.asked = nil // later patterns may ask for what no event has
	p := pairMonitor{trigger: trigger, patient: c.AllowQuadratic, window: window{span: endless}}
	if form.Answers == nil {
		return p.preceded(c, first, form)
	}
	return p.leads(c, first, form)
}

// stage compiles a later pattern of a rule. keepsFirst: see join.
func (c *compiler) stage(first *scope, e *stageExpr, keepsFirst bool) (*pairing, span, error) {
	within, err := e.Within.span()
	if err != nil {
		return nil, within, err
	}
	j, err := c.scope.join(first, e.Pattern, keepsFirst)
	if err == nil && len(j.first) == 0 && j.rest != nil && within.within == forEver && !c.AllowQuadratic {
		err = quadratic(e.Pattern)
	}
	return j, within, err
}

func quadratic(p *pattern) error {
	return errorf(p.Pos, "the two events share no key such as process = e.process, and no time bounds the rule: "+
		"each event would have to be compared with every other one (quadratic); expected an equality of fields of both, or within")
}

// span is the bound on the time, none of a rule without.
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

// mostTries is how many pairs of events a rule may try whose conditions on both
// are more than equalities, and mostPast how many events it may keep for that,
// or obligations open, or keys.
var mostTries, mostPast = 1 << 26, 1 << 22

// pairMonitor is what the monitors of pairs of events share.
type pairMonitor struct {
	base
	trigger *matcher
	window  // of the last bound on the time that the rule has
	tries   int
	patient bool // as many pairs may be tried as there are
}

// tick takes in the time of an event, and reports whether it can be judged.
func (m *pairMonitor) tick(r *analyze.Result, e *tracefmt.Event) bool {
	if !m.lost && m.tries > mostTries && !m.patient {
		m.lose(r, fmt.Sprintf("more than %d pairs of events would have to be tried, since they are joined by "+
			"more than equalities (from seq %d on; --allow-quadratic)", mostTries, e.Seq))
	}
	return !m.lost && m.window.tick(r, &m.base, e)
}

// holds reports whether the event at hand and one of which values were kept
// meet the rest of the condition.
func (m *pairMonitor) holds(j *pairing, kept []value) bool {
	if j.rest == nil {
		return true
	}
	m.tries++
	m.frame.kept = kept
	return j.rest(m.frame) == yes
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
