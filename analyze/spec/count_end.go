package spec

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Part decides of the keys of the part.
func (m *countMonitor) Part(r *analyze.Result, s *replay.State, whole analyze.Overall) {
	m.settle(r, s, whole.LastSeq, whole.LastTime, whole.Ending)
}

// Survey notes the first event that counts, and does not say for which key.
func (m *countMonitor) Survey(s *replay.State, e *tracefmt.Event) []uint64 {
	hashes := m.base.Survey(s, e)
	if m.vague == 0 && slices.Contains(hashes, 0) && m.pattern.matches(m.frame) {
		if _, told := m.key.key(m.frame); !told {
			m.vague = e.Seq
		}
	}
	return hashes
}

// settle asks at the end, after an event of that seq and time, for what is missing. Where it is not
// known of which key an event was, none may be.
func (m *countMonitor) settle(r *analyze.Result, s *replay.State, seq tracefmt.Seq, at tracefmt.Time, end analyze.Ending) {
	if !m.least || m.lost || m.vague != 0 {
		return
	}
	m.frame.begin(s, &tracefmt.Event{Seq: seq, Time: at})
	m.judgeKeys(r, end)
}

// judgeKeys asks at the end whether there were events enough.
func (m *countMonitor) judgeKeys(r *analyze.Result, end analyze.Ending) {
	bound := m.bound(m.frame)
	if !bound.isNumber() {
		r.Undecided(func() string { return fmt.Sprintf("%s: how many is no number", m.program.rule) })
		return
	}
	var open owed
	for _, of := range m.expected(r) {
		k, c := of.key, m.counts.get(m.frame.names, &of.key)
		r.Rank(of.at)
		r.Examined++
		m.occurred = true
		switch {
		case m.order(int64(c.count), bound) >= 0:
		case end.Looping() && of.last > end.LoopFrom: // it grows without end
		case end.Looping():
			m.fail(r, k, bound, fmt.Sprintf(", and the run repeats seq %d to %d forever", end.LoopFrom+1, end.LoopTo))
		case end.Final():
			m.fail(r, k, bound, "")
		case open < analyze.MostOwed:
			if more := m.excess(); len(more) > 0 {
				text := m.lack(k, bound, " so far")
				r.Undecided(func() string { return text + "; another key may have more, which are not recorded" }, more...)
			}
			open.oweUnless(r, m.hidden(k), m.lack(k, bound, " so far"), c.first, of.last)
		default:
			open++
		}
	}
	open.close(r)
}

// expected are the keys that the rule is about: those of events, and with "per
// process" each process that does not only stand by.
func (m *countMonitor) expected(r *analyze.Result) []appeared {
	if len(m.key) == 0 {
		m.entry(r, &key{})
	}
	for p := range m.frame.run.Members {
		p := tracefmt.ProcessID(p + 1)
		if !m.everyProcess || m.frame.run.Part(p) == tracefmt.StandsBy {
			continue
		}
		k := m.frame.canonical(processValue(p))
		if m.share.owns != nil && !m.share.owns(hashOf(k)) {
			continue
		}
		known := len(m.keys)
		if m.entry(r, &key{k}); len(m.keys) > known {
			m.keys[known].at = afterAll + tracefmt.Seq(p)
		}
	}
	return m.keys
}

// afterAll is after all events.
const afterAll tracefmt.Seq = 1 << 62

// excess are the events that may be missing and make too many, nil where no number is too great.
func (m *countMonitor) excess() []analyze.Need {
	if !m.most {
		return nil
	}
	return analyze.Untold(m.frame.state, m.between(0, 0, m.rests.events))
}

func (m *countMonitor) fail(r *analyze.Result, k key, bound value, end string) {
	c := m.counts.get(m.frame.names, &k)
	last := m.keys[c.place].last
	if last == 0 {
		last = m.frame.event.Seq
	}
	if r.Violations > 0 {
		r.Violations++
		return
	}
	r.ViolateUnless(m.hidden(k), func() string { return m.lack(k, bound, end) }, c.first, last)
}

// hidden are events of a key that may have happened without being recorded.
func (m *countMonitor) hidden(k key) []analyze.Need {
	p := tracefmt.ProcessID(0)
	if m.everyProcess {
		p = m.frame.process(k[0])
	}
	return slices.Concat(m.between(p, 0, m.rests.events), m.anywhere(m.rests.reads))
}

// lack says how many events there are of a key, instead of how many.
func (m *countMonitor) lack(k key, bound value, end string) string {
	return fmt.Sprintf("%s of %s%s%s; expected %s %s", counting(int64(m.counts.get(m.frame.names, &k).count)),
		m.pattern.source, m.with(k), end, m.word, m.frame.show(bound))
}

// counting says how many there are.
func counting(n int64) string {
	switch n {
	case 0:
		return "there is none"
	case 1:
		return "there is 1"
	}
	return fmt.Sprintf("there are %d", n)
}
