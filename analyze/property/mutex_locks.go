package property

import (
	"cmp"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// The labels of the notes in which runs of mutual exclusion tell their story: a
// process asks to enter, enters and exits.
const (
	requestNote = "request"
	enterNote   = "enter"
	exitNote    = "exit"
)

// What the properties of the critical section need, those of waiting processes, and
// why they are not applicable.
const (
	mutexNeeds   = "note events enter and exit of the processes"
	requestNeeds = "note events request, enter and exit of the processes"
	noMutex      = "no process notes that it enters or exits"
	noRequests   = "no process notes that it requests to enter"
)

// heldLocks is what a run of mutual exclusion has much of.
const heldLocks = "processes in critical sections and waiting for them"

// lockKeys are the payload keys by which a note of mutual exclusion says which lock it
// is about; the first that it has counts. Notes that have none are about the one lock of
// the run, which has no name.
var lockKeys = [...]string{"lock", "key", "resource"}

// lockOf is the name of the lock that a note is about, as the canonical text of a value.
func lockOf(e *tracefmt.Event) []byte {
	for _, key := range lockKeys {
		if value, ok := e.Field(key); ok && !isNull(value) {
			return tracefmt.Canonical(value)
		}
	}
	return nil
}

// Lock is the name of the lock that a note of mutual exclusion is about, as the canonical text of a value; nil for the one
// lock of a run that names none. It is false of any other event.
func Lock(e *tracefmt.Event) (name []byte, ok bool) {
	if !ofMutex(e) {
		return nil, false
	}
	return lockOf(e), true
}

// ofMutex reports whether the event is a note of mutual exclusion of some process.
func ofMutex(e *tracefmt.Event) bool {
	return e.Kind == tracefmt.Note && e.Process != 0 && (e.Type == enterNote || e.Type == exitNote || e.Type == requestNote)
}

// locks is the fold that knows which processes are in which critical sections, and wait
// for which: one is inside from its note enter to its note exit, and waits from its note
// request until it comes inside, unless it goes down or comes up anew. A request of one
// that waits, or is inside, or is down, asks for nothing; to enter once more changes
// nothing. What a Byzantine process notes counts for nothing.
//
// It keeps what is, not what was: a lock that no process holds or waits for is forgotten.
type locks struct {
	binds     []bool // by process
	byName    map[string]*lock
	standings map[claim]*standing
	of        [][]*standing // by process
	// told and asked: some process noted that it enters or exits, and that it requests.
	told, asked bool
	// full: there was no room for all.
	full bool
	// left is by process where it was last seen to leave a lock, or all.
	left []leaving
	// now is what the event at hand does.
	now lockChange
}

// leaving is an exit of the lock of that name or, by a change of the status of the process,
// of all.
type leaving struct {
	lock string
	all  bool
	at   tracefmt.Seq
}

// claim is a lock and a process.
type claim struct {
	lock    *lock
	process tracefmt.ProcessID
}

// lock is a critical section that some process is in, or waits for.
type lock struct {
	name            string
	inside, waiting []*standing
	entries         int // those that certainly are some
}

// standing is how a process is in a critical section, or waits for it.
type standing struct {
	claim
	inside bool
	// since is the note with which that began, and entries how many there had been.
	since   tracefmt.Seq
	entries int
	// sure is the event since which the process is known to be so if no note of it is
	// missing: one that waits was outside then.
	sure tracefmt.Seq
	// asked is the clock of a request, for whom it matters.
	asked replay.Clock
	// atLock and atProcess are its places in their lists.
	atLock, atProcess int
}

// compare orders standings by their beginnings.
func (st *standing) compare(other *standing) int { return cmp.Compare(st.since, other.since) }

// lockChange is what an event does.
type lockChange struct {
	asks, enters *standing
	// counts: who enters was outside before, whatever is not recorded.
	counts bool
	// ended is what was until then and the event's note ends: being inside, by an exit, or
	// waiting, by an entry. again is what an entry or a request finds its process in already.
	ended, again *standing
	// waited is the request after which the process enters, 0 if it did not ask.
	waited tracefmt.Seq
}

func newLocks(run *tracefmt.Run) *locks {
	l := &locks{
		binds: make([]bool, len(run.Members)+1), of: make([][]*standing, len(run.Members)+1), left: make([]leaving, len(run.Members)+1),
		byName: make(map[string]*lock), standings: make(map[claim]*standing),
	}
	for _, p := range allProcesses(run) {
		l.binds[p] = run.Binds(p)
	}
	return l
}

// Step takes in an event.
func (l *locks) Step(s *replay.State, e *tracefmt.Event) {
	l.now = lockChange{}
	if _, downOrUp := replay.StatusAfter(e.Kind); downOrUp {
		for len(l.of[e.Process]) > 0 {
			l.leave(l.of[e.Process][0])
		}
		l.left[e.Process] = leaving{all: true, at: e.Seq}
	}
	if !ofMutex(e) {
		return
	}
	l.told, l.asked = l.told || e.Type != requestNote, l.asked || e.Type == requestNote
	if l.binds[e.Process] {
		l.note(s, e)
	}
}

func (l *locks) note(s *replay.State, e *tracefmt.Event) {
	name := lockOf(e)
	at := l.byName[string(name)]
	before := l.standings[claim{at, e.Process}]
	if e.Type == exitNote {
		l.left[e.Process] = leaving{lock: string(name), at: e.Seq}
	}
	switch {
	case e.Type == exitNote && before != nil && before.inside:
		l.now.ended = before
		l.leave(before)
	case e.Type == enterNote && before != nil && before.inside:
		l.now.again = before
	case e.Type == enterNote:
		if before != nil {
			l.now.waited, l.now.ended = before.since, before
			l.leave(before)
		}
		l.now.counts = !s.Coverage().Missing(e.Process, noteFact, l.leftAt(e.Process, name), e.Seq)
		l.now.enters = l.join(name, e, true)
		if l.now.enters != nil && before != nil {
			l.now.enters.asked = before.asked
		}
	case e.Type == requestNote && before == nil:
		l.now.asks = l.join(name, e, false)
	case e.Type == requestNote:
		l.now.again = before
	}
}

// join has a process come inside, or begin to wait; nil if there is no room.
func (l *locks) join(name []byte, e *tracefmt.Event, inside bool) *standing {
	if len(l.standings) >= mostKept {
		l.full = true
		return nil
	}
	at := l.byName[string(name)]
	if at == nil {
		at = &lock{name: string(name)}
		l.byName[at.name] = at
	}
	if inside && l.now.counts {
		at.entries++
	}
	list, own := at.list(inside), &l.of[e.Process]
	st := &standing{
		claim: claim{at, e.Process}, inside: inside, since: e.Seq, entries: at.entries,
		atLock: len(*list), atProcess: len(*own), sure: e.Seq,
	}
	if !inside {
		st.sure = l.leftAt(e.Process, name)
	}
	*list, *own, l.standings[st.claim] = append(*list, st), append(*own, st), st
	return st
}

// leftAt is where a process was last seen to leave a lock, 0 for never; the last that it left
// is remembered.
func (l *locks) leftAt(p tracefmt.ProcessID, name []byte) tracefmt.Seq {
	if left := l.left[p]; left.all || left.lock == string(name) {
		return left.at
	}
	return 0
}

// list is that of the processes that are inside, or of those that wait.
func (at *lock) list(inside bool) *[]*standing {
	if inside {
		return &at.inside
	}
	return &at.waiting
}

// leave ends a standing; the last of each list takes its place.
func (l *locks) leave(st *standing) {
	list, own := st.lock.list(st.inside), &l.of[st.process]
	last := len(*list) - 1
	(*list)[st.atLock], (*list)[last].atLock = (*list)[last], st.atLock
	*list = (*list)[:last]
	last = len(*own) - 1
	(*own)[st.atProcess], (*own)[last].atProcess = (*own)[last], st.atProcess
	*own = (*own)[:last]
	delete(l.standings, st.claim)
	if len(st.lock.inside)+len(st.lock.waiting) == 0 {
		delete(l.byName, st.lock.name)
	}
}

// lockMonitor is what the monitors of mutual exclusion have in common.
type lockMonitor struct{ *locks }

// Follow implements [analyze.Follower].
func (m *lockMonitor) Follow(f *analyze.Folds) { m.locks = analyze.Shared(f, newLocks) }

// step returns what the event does. It is good for the present event.
func (m *lockMonitor) step(r *analyze.Result) *lockChange {
	if m.full {
		r.Undecided(func() string { return tooMany(heldLocks) })
	}
	return &m.now
}

// notes are those that may be missing of each process whose notes count. Clients are among
// them: they are who enters.
func (m *lockMonitor) notes() (needs []analyze.Need) {
	if !slices.Contains(m.binds[1:], false) {
		return analyze.Needs(analyze.EveryProcess, 0, 0, noteFacts...)
	}
	for p, binds := range m.binds {
		if p > 0 && binds {
			needs = append(needs, analyze.Needs(tracefmt.ProcessID(p), 0, 0, noteFacts...)...)
		}
	}
	return needs
}

// end says where a run does not tell what a property is about.
func (m *lockMonitor) end(r *analyze.Result, told bool, lacks string) {
	if !told {
		r.NothingTold(lacks, noteFacts...)
	}
}
