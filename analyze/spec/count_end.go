package spec

import (
	"encoding/json"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Part decides the keys of the part.
func (m *countMonitor) Part(r *analyze.Result, s *replay.State, run analyze.Overall, surveyed json.RawMessage) error {
	_, err := m.loadSurvey(surveyed)
	m.judgeEnd(r, s, run.LastSeq, run.LastTime, run.Ending)
	return err
}

// Survey records the first event that counts but lacks its key.
func (m *countMonitor) Survey(s *replay.State, e *tracefmt.Event) []uint64 {
	hashes := m.base.Survey(s, e)
	if m.firstKeyless == 0 && slices.Contains(hashes, 0) && m.pattern.matches(m.frame) {
		if _, known := m.key.key(m.frame); !known {
			m.firstKeyless, m.share.news = e.Seq, true
		}
	}
	return hashes
}

// judgeEnd judges the keys after the last event, seq, at that time. If an event lacks its key, it may belong to any
// key, so no key is judged.
func (m *countMonitor) judgeEnd(
	r *analyze.Result, s *replay.State, seq tracefmt.Seq, at tracefmt.Time, end analyze.Ending,
) {
	if !m.atLeast || m.gaveUp || m.firstKeyless != 0 {
		return
	}
	m.frame.begin(s, &tracefmt.Event{Seq: seq, Time: at})
	m.judgeShortages(r, end)
}

// judgeShortages reports each key with too few events.
func (m *countMonitor) judgeShortages(r *analyze.Result, end analyze.Ending) {
	bound := m.bound(m.frame)
	if !bound.isNumber() {
		r.Undecided(func() string { return fmt.Sprintf("%s: how many is no number", m.program.rule) })
		return
	}
	var open openCount
	for _, expected := range m.expectedKeys(r) {
		k, c := expected.key, m.counts.get(m.frame.names, &expected.key)
		r.Rank(expected.at)
		r.Examined++
		m.occurred = true
		switch {
		case m.compareBound(int64(c.count), bound) >= 0: // enough
		case end.Looping() && expected.last > end.LoopFrom:
			// The loop has an event of this key, so its count grows without end.
		case end.Looping():
			m.reportShortage(r, k, bound, fmt.Sprintf(", and the run repeats seq %d to %d forever", end.LoopFrom+1,
				end.LoopTo))
		case end.Final():
			m.reportShortage(r, k, bound, "")
		case open < analyze.MostOwed:
			if more := m.possibleExcess(); len(more) > 0 {
				text := m.shortageText(k, bound, " so far")
				r.Undecided(func() string { return text + "; another key may have more, which are not recorded" },
					more...)
			}
			open.oweUnless(r, m.unrecordedEvents(k), m.shortageText(k, bound, " so far"), c.first, expected.last)
		default:
			open++
		}
	}
	open.close(r)
}

// expectedKeys returns the keys that the rule is about: the keys of events, and for "per process" all processes that
// participate.
func (m *countMonitor) expectedKeys(r *analyze.Result) []seenKey {
	// Without keys there is one count, also if no event counts.
	if len(m.key) == 0 {
		m.entry(r, &key{})
	}
	for p := range m.frame.run.Members {
		p := tracefmt.ProcessID(p + 1)
		if !m.everyProcess || m.frame.run.Part(p) == tracefmt.Bystander {
			continue
		}
		k := m.frame.canonical(processValue(p))
		if m.share.owns != nil && !m.share.owns(hashOf(k)) {
			continue
		}
		// entry adds the key of a process without events. That key is placed after all events, by process.
		known := len(m.keysInOrder)
		if m.entry(r, &key{k}); len(m.keysInOrder) > known {
			m.keysInOrder[known].at = afterAll + tracefmt.Seq(p)
		}
	}
	return m.keysInOrder
}

// afterAll is greater than the seq of any event.
const afterAll tracefmt.Seq = 1 << 62

// possibleExcess returns the unrecorded events that could push the count above the bound; nil for "at least", which
// has no upper bound.
func (m *countMonitor) possibleExcess() []analyze.Need {
	if !m.atMost {
		return nil
	}
	return analyze.Missing(m.frame.state, m.needsSince(0, 0, m.relied.events))
}

// reportShortage reports that a key has too few events at the end.
func (m *countMonitor) reportShortage(r *analyze.Result, k key, bound value, end string) {
	c := m.counts.get(m.frame.names, &k)
	last := m.keysInOrder[c.index].last
	if last == 0 {
		last = m.frame.event.Seq
	}
	if r.Violations > 0 && !m.frame.partial() {
		r.Violations++
		return
	}
	r.ViolateUnless(m.unrecordedEvents(k), func() string { return m.shortageText(k, bound, end) }, c.first, last)
}

// unrecordedEvents returns the needs for events of a key that may have happened without being recorded.
func (m *countMonitor) unrecordedEvents(k key) []analyze.Need {
	p := tracefmt.ProcessID(0)
	if m.everyProcess {
		p = m.frame.process(k[0])
	}
	return slices.Concat(m.needsSince(p, 0, m.relied.events), m.needsAnywhere(m.relied.reads))
}

// shortageText describes how many events a key has, and how many are expected.
func (m *countMonitor) shortageText(k key, bound value, end string) string {
	return fmt.Sprintf("%s of %s%s%s; expected %s %s", countClause(int64(m.counts.get(m.frame.names, &k).count)),
		m.pattern.source, m.keyText(k), end, m.boundWords, m.frame.format(bound))
}

// countClause returns the number as a clause, such as "there are 3".
func countClause(n int64) string {
	switch n {
	case 0:
		return "there is none"
	case 1:
		return "there is 1"
	}
	return fmt.Sprintf("there are %d", n)
}
