package election

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// ringWatch follows, in an incomplete recording, the processes whose status decided whether a send went to a
// successor.
type ringWatch struct {
	watched []watched // by process
	// shown are the messages with only a recorded arrival, and strays the first of them that cannot have gone to a
	// successor.
	shown  map[tracefmt.MessageID]bool
	strays []stray
	sends  bool // some send is recorded
}

// watched is the stretch in which it matters that a process was up: from its last step to the latest send that
// rests on that. Its next step decides whether it can only have been down with an unrecorded recovery, too.
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

// maxStrays bounds the strays that wait for more evidence.
const maxStrays = 1 << 10

// violate reports the stray.
func (t stray) violate(r *analyze.Result) { r.ViolateUnless(t.excuses, t.explain, t.at) }

// watch starts the watch of q for a send that rests on its being up.
func (w *ringWatch) watch(s *replay.State, q tracefmt.ProcessID) *watched {
	state := &w.watched[q]
	if state.last == 0 {
		state.since = s.StepAt(q)
	}
	state.last = s.Seq
	return state
}

// step takes an event, which may prove more about its process.
func (w *ringWatch) step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || w.watched[e.Process].last == 0 {
		return
	}
	switch {
	case replay.IsAct(e) && !s.Restarted():
		// A step proves that the process was up, unless it restarted in between.
		restart := analyze.MayRestart(e.Process, w.watched[e.Process].since, e.Seq)
		w.endWatch(r, e.Process, []analyze.Need{restart},
			!s.Coverage().Silent() && unrecorded.None(s, []analyze.Need{restart}))
	case replay.ChangesProcess(e.Kind) && e.Kind != tracefmt.State:
		w.endWatch(r, e.Process, w.watched[e.Process].falls(e.Process), false)
	}
}

// falls returns the needs by which p may have gone down while it was watched.
func (w *watched) falls(p tracefmt.ProcessID) []analyze.Need {
	return analyze.Needs(p, w.since, w.last, unrecorded.CrashFact, unrecorded.HaltFact)
}

// endWatch ends the watch of p, which was up unless one of the needs happened. If sure is set, it certainly was up.
func (w *ringWatch) endWatch(r *analyze.Result, p tracefmt.ProcessID, unless []analyze.Need, sure bool) {
	state := w.watched[p]
	w.watched[p] = watched{}
	r.Lacks(unless...)
	for _, t := range state.strays {
		if sure {
			t.excuses = nil
		}
		t.violate(r)
	}
}

// endAll ends all watches at the end of the run.
func (w *ringWatch) endAll(r *analyze.Result, s *replay.State) {
	for p := range w.watched {
		if state := &w.watched[p]; state.last != 0 {
			w.endWatch(r, tracefmt.ProcessID(p), state.falls(tracefmt.ProcessID(p)), false)
		}
	}
	if !w.sends && s.Coverage().Nowhere(unrecorded.SendFact) {
		r.Examined = 0 // the run records no send
		return
	}
	for _, t := range w.strays {
		t.violate(r)
	}
}

// noteSuccessorNeeds records on which facts it rests that q is the successor of p when p sends to q: q has not crashed, and
// no process between them has recovered.
func (m *successorMonitor) noteSuccessorNeeds(r *analyze.Result, s *replay.State, p, q tracefmt.ProcessID) {
	if m.fixed || s.Coverage().Complete() {
		return
	}
	if q != p {
		m.watch(s, q)
	}
	for _, b := range m.between(p, q) {
		r.Lacks(unrecorded.Recovery(s, b)...)
	}
}

// between returns the processes after p and before q on the ring.
func (m *successorMonitor) between(p, q tracefmt.ProcessID) (list []tracefmt.ProcessID) {
	for i := m.place[p] + 1; ; i++ {
		b := m.order[i%len(m.order)]
		if b == q || b == p {
			return list
		}
		list = append(list, b)
	}
}

// arrive handles an arrival or loss without a recorded send: the message was sent at some time before.
func (m *successorMonitor) arrive(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p, q := e.Peer, e.Process
	if p == 0 || m.offRing[p] || m.offRing[q] || m.shown[e.Message] {
		return
	}
	m.shown[e.Message] = true
	r.Examined++
	// The send has no place in the record, so the ring at that time is unknown: only a process that was never down
	// decides.
	between := m.between(p, q)
	up := slices.DeleteFunc(slices.Clone(between), func(b tracefmt.ProcessID) bool { return s.Vocabulary().WentDown(b) })
	switch {
	case m.fixed, len(between) > 0 && len(up) == 0, len(between) == 0 && s.Vocabulary().WentDown(q):
		r.Lacks(analyze.Needs(p, 0, e.Seq, unrecorded.SendFacts...)...)
	case len(between) == 0:
		r.Lacks(analyze.Needs(q, 0, e.Seq, unrecorded.CrashFact, unrecorded.HaltFact)...)
	case len(m.strays) < maxStrays:
		excuses := analyze.Needs(up[0], 0, e.Seq, unrecorded.CrashFact, unrecorded.HaltFact)
		for _, b := range up[1:] {
			if rivals := analyze.Needs(b, 0, e.Seq, unrecorded.CrashFact,
				unrecorded.HaltFact); !s.Coverage().Silent() &&
				unrecorded.None(s, rivals) {
				excuses = nil
			}
		}
		at := e.Seq // the event is another one when the explanation is written
		m.strays = append(m.strays, stray{at, excuses, func() string {
			return fmt.Sprintf("process %s has sent to %s what is recorded at seq %d, and %s, which comes first on the ring, was never down",
				s.Run.ProcessName(p), s.Run.ProcessName(q), at, s.Run.ProcessName(up[0]))
		}})
	default:
		r.Lacks(analyze.Needs(p, 0, e.Seq, unrecorded.SendFacts...)...)
	}
}

// Relies implements [analyze.Relying]: no further message was sent. Step has reported the needs of recorded sends.
func (m *successorMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	needs := unrecorded.Send(s, end, func(send *tracefmt.Event) bool {
		return !m.offRing[send.Process] &&
			!m.offRing[send.Peer]
	})
	if m.fixed {
		needs = append(needs, analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.CrashFact, unrecorded.HaltFact)...)
	}
	for q, absent := range m.absent {
		if p := tracefmt.ProcessID(q); m.fixed && absent { // it may have been up at the start
			needs = append(needs, analyze.Needs(p, 0, s.Process(p).Since, unrecorded.StartFact)...)
		}
	}
	return slices.Values(needs)
}
