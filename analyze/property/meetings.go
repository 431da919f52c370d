package property

import "etrace/tracefmt"

// meetings are overlaps: two processes may have led, or been inside, at the same time, in the recorded order of
// events and in some completion.
type meetings struct {
	found []meeting // the first ones
	// many is set if there are more than are stored; hidden if one of the two processes of some overlap is
	// unrecorded.
	many, hidden bool
}

// meeting is an overlap of two processes right before an event of p, by which p may cease to be so, or at the
// end.
type meeting struct {
	p, q   tracefmt.ProcessID
	seq    tracefmt.Seq // 0 for the end
	hidden bool
}

// mostMeetings bounds the stored overlaps.
const mostMeetings = 256

func (m *meetings) add(p, q tracefmt.ProcessID, seq tracefmt.Seq, hidden bool) {
	m.hidden = m.hidden || hidden
	m.many = len(m.found) == mostMeetings
	if !m.many {
		m.found = append(m.found, meeting{p, q, seq, hidden})
	}
}

// some reports whether there is an overlap.
func (m *meetings) some() bool { return m.many || len(m.found) > 0 }

// full reports whether no further overlap matters.
func (m *meetings) full() bool { return m.many && m.hidden }

// heard has for each process the first recorded event after which it may know anything of others, 0 for never.
type heard []tracefmt.Seq

// step takes an event.
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

// definite reports whether every order of the events may lead through one of the overlaps, and whether through
// one with an unrecorded process, provided that all receives are recorded. In such an overlap the process that
// ceases has heard of others, or none of the two ceases. final is explained at [causal.Pairs.End].
func (h heard) definite(m *meetings, final bool) (some, hidden bool) {
	// Without messages between them, either process may end before the other begins.
	if m.many {
		return true, m.hidden
	}
	for _, at := range m.found {
		before := func(p tracefmt.ProcessID) bool { return h[p] != 0 && (at.seq == 0 || h[p] <= at.seq) }
		if at.seq != 0 && before(at.p) || at.seq == 0 && (final || before(at.p) && before(at.q)) {
			some, hidden = true, hidden || at.hidden
		}
	}
	return some, hidden
}
