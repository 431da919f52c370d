package property

import (
	"bytes"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// entering is the fold that says, of a run that is not recorded whole, who may be in the
// critical section when, in whatever may have happened between its events. It is for runs of
// one lock: with several, a note that is not recorded may be about any.
type entering struct {
	binds  []bool // by process
	told   []passing
	lock   []byte // that of the first note
	noted  bool   // there is one
	partly bool   // not all was kept, or there are several locks
	answer *whoMayEnter
}

// passing is an event by which its process comes inside, or is outside.
type passing struct {
	seq     tracefmt.Seq
	process tracefmt.ProcessID
	kind    tracefmt.Kind
	enters  bool
	up      bool // the process is up after it
}

func newEntering(run *tracefmt.Run) *entering {
	m := &entering{binds: make([]bool, len(run.Members)+1)}
	for _, p := range allProcesses(run) {
		m.binds[p] = run.Binds(p)
	}
	return m
}

// Step takes in an event.
func (m *entering) Step(s *replay.State, e *tracefmt.Event) {
	if s.Coverage().Complete() {
		m.partly = true // unless all stays to be told
		return
	}
	_, downOrUp := replay.StatusAfter(e.Kind)
	note := ofMutex(e)
	switch {
	case m.partly || !downOrUp && !note && !s.Restarted():
		return
	case note && !m.noted:
		m.lock, m.noted = bytes.Clone(lockOf(e)), true
	case note && !bytes.Equal(lockOf(e), m.lock):
		m.partly = true
		return
	}
	if note && e.Type == requestNote && !s.Restarted() || note && !m.binds[e.Process] {
		return
	}
	m.partly = len(m.told) >= mostTold
	m.told = append(m.told, passing{e.Seq, e.Process, e.Kind, note && e.Type == enterNote, s.Live(e.Process)})
}

// whoMayEnter is what may have been, by what is recorded.
type whoMayEnter struct {
	meetings
	ever []bool // by process: it may have been inside
	// share: two may have been inside, at whatever times, one of them where it is not recorded
	// to.
	share bool
}

// ask returns what may have been; it is for the end.
func (m *entering) ask(s *replay.State) *whoMayEnter {
	if m.answer == nil {
		m.answer = newWhoEntered(s, m).follow()
	}
	return m.answer
}

// whoEntered follows where processes may have been, event by event.
type whoEntered struct {
	*entering
	whoMayEnter
	state *replay.State
	of    []visitor
	some  contenders
	// hiders are the processes of which notes may be missing, and seen the others that are
	// inside.
	hiders, seen []tracefmt.ProcessID
}

// visitor is a process that may come inside.
type visitor struct {
	inside, down bool         // as is recorded
	hides        bool         // some note of it may be missing
	early        bool         // it may have been inside before it was recorded to be
	out          tracefmt.Seq // its last event by which it is outside
}

// hidden reports whether the process may be inside, or have been since earlier, otherwise than
// is recorded.
func (v *visitor) hidden() bool { return !v.inside || v.early }

func newWhoEntered(s *replay.State, m *entering) *whoEntered {
	n := len(s.Run.Members) + 1
	w := &whoEntered{entering: m, state: s, of: make([]visitor, n), whoMayEnter: whoMayEnter{ever: make([]bool, n)}}
	for _, p := range allProcesses(s.Run) {
		w.of[p].hides = m.binds[p] && s.Coverage().Missing(p, noteFact, 0, 0)
		if w.of[p].hides {
			w.hiders = append(w.hiders, p)
		}
	}
	return w
}

func (w *whoEntered) follow() *whoMayEnter {
	if w.partly {
		w.many, w.hidden, w.share = true, true, true
		copy(w.ever, w.binds)
		return &w.whoMayEnter
	}
	for _, t := range w.told {
		of := &w.of[t.process]
		switch {
		case t.enters:
			if !of.inside && !of.hides {
				w.seen = append(w.seen, t.process)
			}
			of.early = of.early || !of.inside && w.may(t.process, t.seq)
			of.inside, of.down = true, false
			continue
		case t.kind == tracefmt.Note && t.up || t.kind != tracefmt.Note:
			w.leaves(t.process, t.seq)
		}
		if of.inside && !of.hides {
			w.seen = slices.DeleteFunc(w.seen, func(p tracefmt.ProcessID) bool { return p == t.process })
		}
		*of = visitor{down: !t.up, out: t.seq, hides: of.hides}
	}
	for _, p := range allProcesses(w.state.Run) {
		w.leaves(p, 0)
	}
	w.share = w.some.hidden && w.some.second != 0
	return &w.whoMayEnter
}

// may reports whether p may be inside right before an event, 0 for the end.
func (w *whoEntered) may(p tracefmt.ProcessID, seq tracefmt.Seq) bool {
	of, c := &w.of[p], w.state.Coverage()
	switch {
	case of.inside:
		return true
	case !of.hides || !c.Missing(p, noteFact, of.out, seq):
		return false
	}
	return !of.down || c.MayRise(p, of.out, seq)
}

// leaves takes in that p may be inside right before an event, and not any longer.
func (w *whoEntered) leaves(p tracefmt.ProcessID, seq tracefmt.Seq) {
	if !w.may(p, seq) {
		return
	}
	w.ever[p] = true
	w.some.add(p, w.of[p].hidden())
	for _, others := range [...][]tracefmt.ProcessID{w.hiders, w.seen} {
		for _, q := range others {
			if w.full() {
				return
			}
			if q != p && (seq != 0 || q < p) && w.may(q, seq) {
				w.add(p, q, seq, w.of[p].hidden() || w.of[q].hidden())
			}
		}
	}
}

// needs are the facts by which processes may have been inside that are not recorded to.
func (w *whoMayEnter) needs() (needs []analyze.Need) {
	for p, may := range w.ever {
		if may {
			needs = append(needs, analyze.Needs(tracefmt.ProcessID(p), 0, 0, noteFacts...)...)
		}
	}
	return needs
}
