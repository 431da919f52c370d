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
	size   int // events in recent
}

type past struct {
	at   tracefmt.Time
	kept []value
}

func (m *precededMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.tick(r, e) || !m.wants(s, e) {
		return
	}
	m.expire(m.forget)
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
			return text + m.window.told() + m.called(m.trigger)
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
	m.recent[k] = append(list, past{m.now, keptOf(m.frame, nil, m.keep)})
	if m.within != forEver {
		m.add(dated{m.now, k, m.event.Seq})
	}
}

// forget drops what is as old as an event that is too old to count.
func (m *precededMonitor) forget(d dated) {
	list := m.recent[d.key]
	for len(list) > 0 && list[0].at <= d.at {
		list = list[1:]
		m.size--
	}
	if m.recent[d.key] = list; len(list) == 0 {
		delete(m.recent, d.key)
	}
}

func (m *precededMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.judgeRound(r, end, m.timed || m.within != forEver || m.rest != nil)
	m.close(r, s)
}
