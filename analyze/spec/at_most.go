package spec

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile of "at most N P per run" and "at most N P per K".
func (form *mostForm) compile(c *compiler) (*plan, error) {
	bound, err := lowerSum(form.Bound)
	if err != nil {
		return nil, err
	}
	m := mostMonitor{}
	if m.bound, err = c.value(bound, typNumber); err != nil {
		return nil, err
	}
	if m.pattern, err = c.matcher(form.Pattern); err != nil {
		return nil, err
	}
	own, err := c.of(form.Pattern)
	if err != nil {
		return nil, err
	}
	if m.key, m.per, err = own.keyOf(form.Per); err != nil {
		return nil, err
	}
	return &plan{kind: analyze.Safety, needs: m.pattern.words, kinds: m.pattern.kinds, monitor: func(b base) analyze.Monitor {
		own := m
		own.base = b
		return &own
	}}, nil
}

type mostMonitor struct {
	base
	bound   eval
	pattern *matcher
	key     keyer
	per     []string
	counts  table[counted]
}

// counted is how many events there were with a key, and the first.
type counted struct {
	count int64
	first tracefmt.Seq
}

func (m *mostMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.lost || !m.wants(s, e) || !m.meets(m.pattern) {
		return
	}
	k, ok := m.key.key(m.frame)
	bound := m.bound(m.frame)
	if !ok || !bound.isNumber() {
		r.Undecided(m.vain())
		return
	}
	r.Examined++
	m.round.looked = e.Seq
	c := m.counts.get(k)
	if c == nil {
		if !m.room(r, m.counts.size()) {
			return
		}
		m.counts.put(k, counted{first: e.Seq})
		c = m.counts.get(k)
	}
	c.count++
	if float64(c.count) > bound.float() {
		r.Violate(func() string {
			of := ""
			if len(m.key) > 0 {
				of = " with " + m.pairs(m.per, " = ", k)
			}
			return fmt.Sprintf("%s, number %d of %s%s, the first at seq %d; expected at most %s",
				m.tell(), c.count, m.pattern.source, of, c.first, m.show(bound))
		}, c.first, e.Seq)
	}
}

// End closes the rule. What happens once in a loop happens without end.
func (m *mostMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if end.Looping() && m.round.touched && !m.timed && !m.renamed {
		r.Violate(func() string {
			return fmt.Sprintf("the run repeats seq %d to %d forever, and %s with it; the rule is: %s", end.LoopFrom+1, end.LoopTo, m.pattern.source, m.rule)
		}, end.LoopFrom, end.LoopTo)
	}
	m.judgeRound(r, end, true)
	m.close(r, s)
}
