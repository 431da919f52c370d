package property

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// ringWatch follows, in a partial recording, what may not have been as it is recorded when
// messages were sent on a ring.
type ringWatch struct {
	watched []watched // by process
	// shown are the messages of which only an arrival is recorded, and strays the first of
	// them that cannot have gone to a successor.
	shown  map[tracefmt.MessageID]bool
	strays []stray
	sends  bool // some send is recorded
}

// watched is since when it matters that a process, which is up as far as is recorded, is not
// down: from its last step on, up to the latest send that rests on that. What it does next
// says whether it can only have been down if it came up again, too.
type watched struct {
	since, last tracefmt.Seq
	strays      []stray
}

// stray is a message that did not go to the successor.
type stray struct {
	at      tracefmt.Seq
	excuses []analyze.Need
	explain func() string
}

// mostStrays is how many wait for what shows more of them.
const mostStrays = 1 << 10

// violate reports it.
func (t stray) violate(r *analyze.Result) { r.ViolateUnless(t.excuses, t.explain, t.at) }

// watch is for a send that rests on it that q is up.
func (w *ringWatch) watch(s *replay.State, q tracefmt.ProcessID) *watched {
	of := &w.watched[q]
	if of.last == 0 {
		of.since = s.StepAt(q)
	}
	of.last = s.Seq
	return of
}

// step takes in an event, which may say more of its process.
func (w *ringWatch) step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || w.watched[e.Process].last == 0 {
		return
	}
	switch {
	case replay.IsAct(e) && !s.Restarted():
		restart := analyze.MayRestart(e.Process, w.watched[e.Process].since, e.Seq)
		w.settle(r, e.Process, []analyze.Need{restart}, !s.Coverage().Silent() && certain(s, []analyze.Need{restart}))
	case replay.ChangesProcess(e.Kind) && e.Kind != tracefmt.State:
		w.settle(r, e.Process, w.watched[e.Process].falls(e.Process), false)
	}
}

// falls is that p may have gone down while it was watched.
func (w *watched) falls(p tracefmt.ProcessID) []analyze.Need {
	return analyze.Needs(p, w.since, w.last, crashFact, haltFact)
}

// settle ends the watch of p, which was up unless one of these happened; sure: none did.
func (w *ringWatch) settle(r *analyze.Result, p tracefmt.ProcessID, unless []analyze.Need, sure bool) {
	of := w.watched[p]
	w.watched[p] = watched{}
	r.Lacks(unless...)
	for _, t := range of.strays {
		if sure {
			t.excuses = nil
		}
		t.violate(r)
	}
}

// end is for the end of the run.
func (w *ringWatch) end(r *analyze.Result, s *replay.State) {
	for p := range w.watched {
		if of := &w.watched[p]; of.last != 0 {
			w.settle(r, tracefmt.ProcessID(p), of.falls(tracefmt.ProcessID(p)), false)
		}
	}
	if !w.sends && s.Coverage().Nowhere(sendFact) {
		r.Examined = 0 // the property has no word of what it is about
		return
	}
	for _, t := range w.strays {
		t.violate(r)
	}
}

// rightUnless is that a send of p to q, its successor as far as is recorded, may be none to
// its successor.
func (m *successorMonitor) rightUnless(r *analyze.Result, s *replay.State, p, q tracefmt.ProcessID) {
	if m.fixed || s.Coverage().Complete() {
		return
	}
	if q != p {
		m.watch(s, q)
	}
	for _, b := range m.between(p, q) {
		r.Lacks(mayRise(s, b)...)
	}
}

// between are the processes after p and before q on the ring.
func (m *successorMonitor) between(p, q tracefmt.ProcessID) (all []tracefmt.ProcessID) {
	for i := m.place[p] + 1; ; i++ {
		b := m.order[i%len(m.order)]
		if b == q || b == p {
			return all
		}
		all = append(all, b)
	}
}

// arrive takes in what arrives, or is lost, of a message of which no send is recorded: it was
// sent at some time before.
func (m *successorMonitor) arrive(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p, q := e.Peer, e.Process
	if p == 0 || m.aside[p] || m.aside[q] || m.shown[e.Message] {
		return
	}
	m.shown[e.Message] = true
	r.Examined++
	between := m.between(p, q)
	up := slices.DeleteFunc(slices.Clone(between), func(b tracefmt.ProcessID) bool { return s.Vocabulary().WentDown(b) })
	switch {
	case m.fixed, len(between) > 0 && len(up) == 0, len(between) == 0 && s.Vocabulary().WentDown(q):
		r.Lacks(analyze.Needs(p, 0, e.Seq, sendFacts...)...)
	case len(between) == 0:
		r.Lacks(analyze.Needs(q, 0, e.Seq, crashFact, haltFact)...)
	case len(m.strays) < mostStrays:
		excuses := analyze.Needs(up[0], 0, e.Seq, crashFact, haltFact)
		for _, b := range up[1:] {
			if others := analyze.Needs(b, 0, e.Seq, crashFact, haltFact); !s.Coverage().Silent() && certain(s, others) {
				excuses = nil
			}
		}
		m.strays = append(m.strays, stray{e.Seq, excuses, func() string {
			return fmt.Sprintf("process %s has sent to %s what is recorded at seq %d, and %s, which comes first on the ring, was never down",
				s.Run.ProcessName(p), s.Run.ProcessName(q), e.Seq, s.Run.ProcessName(up[0]))
		}})
	default:
		r.Lacks(analyze.Needs(p, 0, e.Seq, sendFacts...)...)
	}
}

// Relies implements [analyze.Relying]: no other message was sent; what it rests on that those
// which are recorded went to a successor was said of each.
func (m *successorMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	needs := mayHaveSent(s, end, func(send *tracefmt.Event) bool { return !m.aside[send.Process] && !m.aside[send.Peer] })
	if m.fixed {
		needs = append(needs, analyze.Needs(analyze.AnyProcess, 0, 0, crashFact, haltFact)...)
	}
	for q, absent := range m.absent {
		if p := tracefmt.ProcessID(q); m.fixed && absent { // it may have been up before
			needs = append(needs, analyze.Needs(p, 0, s.Process(p).Since, startFact)...)
		}
	}
	return slices.Values(needs)
}
