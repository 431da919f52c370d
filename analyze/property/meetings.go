package property

import "etrace/tracefmt"

// meetings are where two processes may have been at one time what only one may be, in the
// recorded order of the events and whatever else happened: lead, be inside.
type meetings struct {
	all []meeting // the first
	// many: there are more than are kept; hidden: in some one of the two is not recorded to be
	// so.
	many, hidden bool
}

// meeting is that of two processes, right before an event of p by which it may cease to be
// so, or at the end.
type meeting struct {
	p, q   tracefmt.ProcessID
	seq    tracefmt.Seq // 0 for the end
	hidden bool
}

// mostMeetings is how many are kept.
const mostMeetings = 256

func (m *meetings) add(p, q tracefmt.ProcessID, seq tracefmt.Seq, hidden bool) {
	m.hidden = m.hidden || hidden
	m.many = len(m.all) == mostMeetings
	if !m.many {
		m.all = append(m.all, meeting{p, q, seq, hidden})
	}
}

// some reports whether there are any.
func (m *meetings) some() bool { return m.many || len(m.all) > 0 }

// full reports whether no further meeting is worth to be looked for.
func (m *meetings) full() bool { return m.many && m.hidden }

// heard knows from where on each process may know anything of others, by what is recorded:
// 0 for never.
type heard []tracefmt.Seq

// step takes in an event.
func (h heard) step(e *tracefmt.Event) {
	if h[e.Process] != 0 {
		return
	}
	if e.Kind == tracefmt.Receive {
		h[e.Process] = e.Seq
	}
	for range e.Causes() {
		h[e.Process] = e.Seq
	}
}

// definite reports whether every order of the events may lead through one of the meetings,
// and whether through a hidden one, if all that processes received is recorded: the one that ceases has heard of others, or neither ceases. final is as for [causal.Pairs.End].
func (h heard) definite(m *meetings, final bool) (some, hidden bool) {
	if m.many {
		return true, m.hidden
	}
	for _, at := range m.all {
		before := func(p tracefmt.ProcessID) bool { return h[p] != 0 && (at.seq == 0 || h[p] <= at.seq) }
		if at.seq != 0 && before(at.p) || at.seq == 0 && (final || before(at.p) && before(at.q)) {
			some, hidden = true, hidden || at.hidden
		}
	}
	return some, hidden
}
