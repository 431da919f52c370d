package spec

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

func (p *pairMonitor) preceded(form *eachForm) (*plan, error) {
	if form.Unless != nil {
		return nil, errorf(form.Unless.Pos, "unless belongs to: each ... leads to ...")
	}
	return &plan{
		kind: analyze.Safety, needs: p.trigger.words, kinds: p.trigger.kinds | p.matcher.kinds,
		monitor: func(b base) analyze.Monitor {
			m := &precededMonitor{pairMonitor: *p}
			m.base = b
			return m
		},
	}, nil
}

// precededMonitor remembers what the events of the second pattern were. Only
// that there was one is kept where the key is all that counts; where a time or
// a further condition does, the events are kept, as long as the time allows.
type precededMonitor struct {
	pairMonitor
	seen   table[struct{}]
	recent map[key][]past
	size   int     // events in recent
	queue  []dated // of recent, in the order of time
	gone   int     // entries of queue that are too old
}

type past struct {
	at   tracefmt.Time
	kept []value
}

type dated struct {
	at  tracefmt.Time
	key key
}

func (m *precededMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.tick(r, e) || !m.wants(s, e) {
		return
	}
	m.expire()
	if m.meets(m.trigger) {
		m.look(r)
	}
	if m.matcher.matches(m.frame) {
		if k, ok := m.second.key(m.frame); ok {
			m.remember(r, k)
		}
	}
}

// look asks whether the event at hand was preceded.
func (m *precededMonitor) look(r *analyze.Result) {
	k, ok := m.first.key(m.frame)
	if !ok {
		r.Undecided(m.vain())
		return
	}
	r.Examined++
	m.round.looked = m.event.Seq
	if !m.found(k) {
		r.Violate(func() string {
			text := fmt.Sprintf("%s; expected an earlier %s", m.tell(), m.matcher.source)
			if m.within != forEver {
				text += fmt.Sprintf(" within %v", m.within)
			}
			return text + m.called(m.trigger)
		}, m.event.Seq)
	}
}

func (m *precededMonitor) found(k key) bool {
	if m.within == forEver && m.rest == nil {
		return m.seen.get(k) != nil
	}
	return slices.ContainsFunc(m.recent[k], func(p past) bool { return m.holds(m.pairing, p.kept) })
}

func (m *precededMonitor) remember(r *analyze.Result, k key) {
	if m.within == forEver && m.rest == nil {
		m.seen.put(k, struct{}{})
		return
	}
	if m.recent == nil {
		m.recent = map[key][]past{}
	}
	list := m.recent[k]
	if m.rest == nil {
		m.size -= len(list)
		list = list[:0] // the latest is as good as all
	}
	if m.size++; m.size > mostPast {
		m.lose(r, fmt.Sprintf("more than %d events would have to be kept at seq %d", mostPast, m.event.Seq))
		return
	}
	m.recent[k] = append(list, past{m.at(m.event), keptOf(m.frame, nil, m.keep)})
	if m.within != forEver {
		m.queue = append(m.queue, dated{m.at(m.event), k})
	}
}

// expire forgets what is too old to count.
func (m *precededMonitor) expire() {
	if m.within == forEver {
		return
	}
	horizon := later(m.at(m.event), -m.within)
	for ; m.gone < len(m.queue) && m.queue[m.gone].at < horizon; m.gone++ {
		m.forget(m.queue[m.gone].key, horizon)
	}
	if m.gone > len(m.queue)/2 {
		m.queue = m.queue[:copy(m.queue, m.queue[m.gone:])]
		m.gone = 0
	}
}

func (m *precededMonitor) forget(k key, horizon tracefmt.Time) {
	list := m.recent[k]
	for len(list) > 0 && list[0].at < horizon {
		list = list[1:]
		m.size--
	}
	if m.recent[k] = list; len(list) == 0 {
		delete(m.recent, k)
	}
}

func (m *precededMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.judgeRound(r, end, m.timed || m.within != forEver || m.rest != nil)
	m.close(r, s)
}
