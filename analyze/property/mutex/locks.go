package mutex

import (
	"cmp"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// The labels of the notes in runs of mutual exclusion: a process requests to enter, enters and exits.
const (
	requestNote = "request"
	enterNote   = "enter"
	exitNote    = "exit"
)

// The needs of properties of the critical section and of waiting processes, and the reasons if a run lacks them.
const (
	mutexNeeds   = "note events enter and exit of the processes"
	requestNeeds = "note events request, enter and exit of the processes"
	noMutex      = "no process notes that it enters or exits"
	noRequests   = "no process notes that it requests to enter"
)

// heldLocks names in messages what a run of mutual exclusion has too many of.
const heldLocks = "processes in critical sections and waiting for them"

// lockKeys are the payload keys that name the lock of a note; the first present one counts. Notes without a key
// are about the only lock of the run, which has no name.
var lockKeys = [...]string{"lock", "key", "resource"}

// lockOf returns the name of a note's lock, as the canonical text of a value.
func lockOf(e *tracefmt.Event) []byte {
	for _, key := range lockKeys {
		if value, ok := e.Field(key); ok && !members.IsNull(value) {
			return tracefmt.Canonical(value)
		}
	}
	return nil
}

// Lock returns the name of the lock of a mutual exclusion note, as the canonical text of a value; nil for the
// lock of a run that names none. ok is false for any other event.
func Lock(e *tracefmt.Event) (name []byte, ok bool) {
	if !ofMutex(e) {
		return nil, false
	}
	return lockOf(e), true
}

// ofMutex reports whether the event is a mutual exclusion note of a process.
func ofMutex(e *tracefmt.Event) bool {
	return e.Kind == tracefmt.Note && e.Process != 0 &&
		(e.Type == enterNote || e.Type == exitNote || e.Type == requestNote)
}

// locks is the fold that follows which processes are in which critical sections, and which wait for them. A process
// is inside from its note enter to its note exit. It waits from its note request until it enters, crashes or
// restarts. A request of a process that waits, is inside, or is down is ignored. So are an entry of a process inside,
// and every note of a Byzantine process.
//
// Only the present state is stored: a lock is dropped when no process holds it or waits for it.
type locks struct {
	binds     []bool // by process
	byName    map[string]*lock
	standings map[claim]*standing
	requests  [][]*standing // by process
	// recorded is set once a process noted an entry or exit, asked once it noted a request.
	recorded, asked bool
	// full is set if there was no room.
	full bool
	// lastExits has, by process, its last exit from a lock, or from all locks.
	lastExits []leaving
	// change is the effect of the current event.
	change lockChange
}

// leaving is an exit of the lock of that name or, by a change of the status of the process, of all locks.
type leaving struct {
	lock  string
	found bool
	at    tracefmt.Seq
}

// claim is a pair of a lock and a process.
type claim struct {
	lock    *lock
	process tracefmt.ProcessID
}

// lock is a critical section that some process is in, or waits for.
type lock struct {
	name            string
	inside, waiting []*standing
	entries         int // the number of certain entries
}

// standing is a process's stay in a critical section, or its wait for it; inside distinguishes them.
type standing struct {
	claim
	inside bool
	// since is the note with which it began, and entries the number of entries of the lock by then.
	since   tracefmt.Seq
	entries int
	// certainSince is the event since which the process is certainly in this state if its notes are complete. A waiting
	// process was outside then. A process inside noted an entry then: the first, or the last before which it may
	// have left without a record.
	certainSince tracefmt.Seq
	// asked is the clock of a request, if a property reads it.
	asked replay.Clock
	// atLock and atProcess are the places in their lists.
	atLock, atProcess int
}

// compare orders standings by their beginnings.
func (st *standing) compare(second *standing) int { return cmp.Compare(st.since, second.since) }

// lockChange is the effect of one event on a lock.
type lockChange struct {
	asks, enters *standing
	// counts is set if the entering process was certainly outside before.
	counts bool
	// ended is the standing that the note ends: being inside, by an exit, or waiting, by an entry. again is the
	// standing of a process that enters or requests once more.
	ended, again *standing
	// renews is set if a process inside enters once more and may have left before without a record.
	renews bool
	// waited is the request before the entry, 0 without a request.
	waited tracefmt.Seq
}

// newLocks returns the fold before the first event. Notes of Byzantine processes do not bind.
func newLocks(run *tracefmt.Run) *locks {
	l := &locks{
		binds: make([]bool, len(run.Members)+1), requests: make([][]*standing, len(run.Members)+1),
		lastExits: make([]leaving, len(run.Members)+1),
		byName:    make(map[string]*lock), standings: make(map[claim]*standing),
	}
	for _, p := range members.All(run) {
		l.binds[p] = run.Binds(p)
	}
	return l
}

// Step takes an event.
func (l *locks) Step(s *replay.State, e *tracefmt.Event) {
	l.change = lockChange{}
	if _, downOrUp := replay.StatusAfter(e.Kind); downOrUp {
		for len(l.requests[e.Process]) > 0 {
			l.endStanding(l.requests[e.Process][0])
		}
		l.lastExits[e.Process] = leaving{found: true, at: e.Seq}
	}
	if !ofMutex(e) {
		return
	}
	l.recorded, l.asked = l.recorded || e.Type != requestNote, l.asked || e.Type == requestNote
	if l.binds[e.Process] {
		l.applyNote(s, e)
	}
}

// applyNote applies a note request, enter or exit to its lock.
func (l *locks) applyNote(s *replay.State, e *tracefmt.Event) {
	name := lockOf(e)
	at := l.byName[string(name)]
	former := l.standings[claim{at, e.Process}]
	if e.Type == exitNote {
		l.lastExits[e.Process] = leaving{lock: string(name), at: e.Seq}
	}
	switch {
	case e.Type == exitNote && former != nil && former.inside:
		l.change.ended = former
		l.endStanding(former)
	case e.Type == enterNote && former != nil && former.inside:
		l.change.again = former
		if former.unrecordedExit(s, e.Seq) {
			l.change.renews, former.certainSince = true, e.Seq
		}
	case e.Type == enterNote:
		if former != nil {
			l.change.waited, l.change.ended = former.since, former
			l.endStanding(former)
		}
		// An unrecorded exit would be missing between the last recorded exit and this entry.
		l.change.counts = !s.Coverage().Missing(e.Process, unrecorded.NoteFact, l.leftAt(e.Process, name), e.Seq)
		l.change.enters = l.addStanding(name, e, true)
		if l.change.enters != nil && former != nil {
			l.change.enters.asked = former.asked
		}
	case e.Type == requestNote && former == nil:
		l.change.asks = l.addStanding(name, e, false)
	case e.Type == requestNote:
		l.change.again = former
	}
}

// unrecordedExit reports whether the process may have left without a record, between the event since which it
// certainly was inside and the event until.
func (st *standing) unrecordedExit(s *replay.State, until tracefmt.Seq) bool {
	c := s.Coverage()
	return c.Missing(st.process, unrecorded.NoteFact, st.certainSince, until) ||
		c.Missing(st.process, tracefmt.Fact{Kind: tracefmt.Recover}, st.certainSince, until)
}

// addStanding adds a standing for a process that enters, or begins to wait; nil if there is no room.
func (l *locks) addStanding(name []byte, e *tracefmt.Event, inside bool) *standing {
	if len(l.standings) >= memory.MostKept {
		l.full = true
		return nil
	}
	index := l.byName[string(name)]
	if index == nil {
		index = &lock{name: string(name)}
		l.byName[index.name] = index
	}
	if inside && l.change.counts {
		index.entries++
	}
	list, self := index.list(inside), &l.requests[e.Process]
	st := &standing{
		claim: claim{index, e.Process}, inside: inside, since: e.Seq, entries: index.entries,
		atLock: len(*list), atProcess: len(*self), certainSince: e.Seq,
	}
	if !inside {
		st.certainSince = l.leftAt(e.Process, name)
	}
	*list, *self, l.standings[st.claim] = append(*list, st), append(*self, st), st
	return st
}

// leftAt returns the last exit of a process from a lock, 0 for never; only the lock it left last is stored.
func (l *locks) leftAt(p tracefmt.ProcessID, name []byte) tracefmt.Seq {
	if left := l.lastExits[p]; left.found || left.lock == string(name) {
		return left.at
	}
	return 0
}

// list returns the processes that are inside, or that wait.
func (at *lock) list(inside bool) *[]*standing {
	if inside {
		return &at.inside
	}
	return &at.waiting
}

// endStanding ends a standing; the last standing of each list takes its place.
func (l *locks) endStanding(st *standing) {
	list, self := st.lock.list(st.inside), &l.requests[st.process]
	last := len(*list) - 1
	(*list)[st.atLock], (*list)[last].atLock = (*list)[last], st.atLock
	*list = (*list)[:last]
	last = len(*self) - 1
	(*self)[st.atProcess], (*self)[last].atProcess = (*self)[last], st.atProcess
	*self = (*self)[:last]
	delete(l.standings, st.claim)
	if len(st.lock.inside)+len(st.lock.waiting) == 0 {
		delete(l.byName, st.lock.name)
	}
}

// lockMonitor is the common part of the monitors of mutual exclusion.
type lockMonitor struct{ *locks }

// Follow implements [analyze.Follower].
func (m *lockMonitor) Follow(f *analyze.Folds) { m.locks = analyze.Shared(f, newLocks) }

// step returns the effect of the current event. It is valid until the next event.
func (m *lockMonitor) step(r *analyze.Result) *lockChange {
	if m.full {
		r.Undecided(func() string { return memory.TooMany(heldLocks) })
	}
	return &m.change
}

// notes returns the needs for notes of all processes whose notes count, clients included: these enter, too.
func (m *lockMonitor) notes() (needs []analyze.Need) {
	if !slices.Contains(m.binds[1:], false) {
		return analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.NoteFacts...)
	}
	for p, binds := range m.binds {
		if p > 0 && binds {
			needs = append(needs, analyze.Needs(tracefmt.ProcessID(p), 0, 0, unrecorded.NoteFacts...)...)
		}
	}
	return needs
}

// end reports a run that records nothing of the property's subject.
func (m *lockMonitor) end(r *analyze.Result, recorded bool, lacks string) {
	if !recorded {
		r.NoFacts(lacks, unrecorded.NoteFacts...)
	}
}
