package mutex

import (
	"bytes"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/overlap"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// entryFold is the fold that computes, for an incomplete recording, which processes may be in the critical section
// at each event, in some completion. It serves runs with one lock: with several, an unrecorded note may be about
// any of them.
type entryFold struct {
	binds    []bool // by process
	recorded []passing
	lock     []byte // the lock of the first note
	noted    bool   // there was a note
	partly   bool   // the list is truncated, or there are several locks
	answer   *possibleEntries
}

// passing is an event after which its process is certainly inside, or outside.
type passing struct {
	seq     tracefmt.Seq
	process tracefmt.ProcessID
	kind    tracefmt.Kind
	enters  bool
	up      bool // the process is up after it
}

// newEntering returns the fold before the first event.
func newEntering(run *tracefmt.Run) *entryFold {
	m := &entryFold{binds: make([]bool, len(run.Members)+1)}
	for _, p := range members.All(run) {
		m.binds[p] = run.Binds(p)
	}
	return m
}

// Step takes an event.
func (m *entryFold) Step(s *replay.State, e *tracefmt.Event) {
	if s.Coverage().Complete() {
		m.partly = true // only a complete record stays decided without the list
		return
	}
	_, downOrUp := replay.StatusAfter(e.Kind)
	note := ofMutex(e)
	switch {
	// Only notes of locks and changes of status matter.
	case m.partly || !downOrUp && !note && !s.Restarted():
		return
	case note && !m.noted:
		m.lock, m.noted = bytes.Clone(lockOf(e)), true
	case note && !bytes.Equal(lockOf(e), m.lock):
		m.partly = true
		return
	}
	// A request leaves the process outside, and notes of non-participants do not count.
	if note && e.Type == requestNote && !s.Restarted() || note && !m.binds[e.Process] {
		return
	}
	m.partly = len(m.recorded) >= overlap.MostListed
	m.recorded = append(m.recorded, passing{
		seq: e.Seq, process: e.Process, kind: e.Kind,
		enters: note && e.Type == enterNote, up: s.Live(e.Process),
	})
}

// possibleEntries has which processes may have been inside, over all completions of the recording.
type possibleEntries struct {
	overlap.Meetings
	ever []bool // by process: it may have been inside
	// share is set if two may have been inside, at any times, one of them without a record.
	share bool
}

// result returns the result; it must be called at the end.
func (m *entryFold) result(s *replay.State) *possibleEntries {
	if m.answer == nil {
		m.answer = newEntryReplay(s, m).run()
	}
	return m.answer
}

// entryReplay replays the events to find where processes may have been.
type entryReplay struct {
	*entryFold
	possibleEntries
	state    *replay.State
	visitors []visitor
	some     overlap.Contenders
	// hiders are the processes with possibly missing notes, and seen the other processes inside.
	hiders, seen []tracefmt.ProcessID
}

// visitor is a process that may come inside.
type visitor struct {
	inside, down  bool         // as recorded
	hides         bool         // a note of it may be missing
	insideEarlier bool         // it may have been inside before its recorded entry
	out           tracefmt.Seq // the last event at which the process is certainly outside
}

// hidden reports whether the process may be inside without a record, or since before its recorded entry.
func (v *visitor) hidden() bool { return !v.inside || v.insideEarlier }

// newEntryReplay finds the processes whose notes may be missing.
func newEntryReplay(s *replay.State, m *entryFold) *entryReplay {
	n := len(s.Run.Members) + 1
	w := &entryReplay{
		entryFold: m, state: s, visitors: make([]visitor, n),
		possibleEntries: possibleEntries{ever: make([]bool, n)},
	}
	for _, p := range members.All(s.Run) {
		w.visitors[p].hides = m.binds[p] && s.Coverage().Missing(p, unrecorded.NoteFact, 0, 0)
		if w.visitors[p].hides {
			w.hiders = append(w.hiders, p)
		}
	}
	return w
}

// run replays the stored events and returns the result. At each end of a possible stay, the process is compared
// with the others.
func (w *entryReplay) run() *possibleEntries {
	// Without the list, any process may have been inside at any time.
	if w.partly {
		w.Many, w.Hidden, w.share = true, true, true
		copy(w.ever, w.binds)
		return &w.possibleEntries
	}
	for _, t := range w.recorded {
		byProcess := &w.visitors[t.process]
		switch {
		case t.enters:
			if !byProcess.inside && !byProcess.hides {
				w.seen = append(w.seen, t.process)
			}
			byProcess.insideEarlier = byProcess.insideEarlier || !byProcess.inside && w.possiblyInside(t.process, t.seq)
			byProcess.inside, byProcess.down = true, false
			continue
		case t.up || t.kind != tracefmt.Note:
			w.noteInside(t.process, t.seq)
		}
		if byProcess.inside && !byProcess.hides {
			w.seen = slices.DeleteFunc(w.seen, func(p tracefmt.ProcessID) bool { return p == t.process })
		}
		*byProcess = visitor{down: !t.up, out: t.seq, hides: byProcess.hides}
	}
	for _, p := range members.All(w.state.Run) {
		w.noteInside(p, 0)
	}
	w.share = w.some.Hidden && w.some.Second != 0
	return &w.possibleEntries
}

// possiblyInside reports whether p may be inside right before an event, 0 for the end.
func (w *entryReplay) possiblyInside(p tracefmt.ProcessID, seq tracefmt.Seq) bool {
	byProcess, c := &w.visitors[p], w.state.Coverage()
	switch {
	case byProcess.inside:
		return true
	case !byProcess.hides || !c.Missing(p, unrecorded.NoteFact, byProcess.out, seq):
		return false
	}
	return !byProcess.down || c.MayRise(p, byProcess.out, seq)
}

// noteInside records that p may be inside until right before an event.
func (w *entryReplay) noteInside(p tracefmt.ProcessID, seq tracefmt.Seq) {
	if !w.possiblyInside(p, seq) {
		return
	}
	w.ever[p] = true
	w.some.Add(overlap.Contender{Process: p, Hidden: w.visitors[p].hidden()})
	for _, rivals := range [...][]tracefmt.ProcessID{w.hiders, w.seen} {
		for _, q := range rivals {
			if w.Full() {
				return
			}
			// At the end of the run each pair is met twice, so only one of the two orders counts.
			if q != p && (seq != 0 || q < p) && w.possiblyInside(q, seq) {
				w.Add(overlap.Meeting{P: p, Q: q, Seq: seq, Hidden: w.visitors[p].hidden() || w.visitors[q].hidden()})
			}
		}
	}
}

// needs returns the facts by which processes may have been inside without a record.
func (w *possibleEntries) needs() (needs []analyze.Need) {
	for p, may := range w.ever {
		if may {
			needs = append(needs, analyze.Needs(tracefmt.ProcessID(p), 0, 0, unrecorded.NoteFacts...)...)
		}
	}
	return needs
}
