package property

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// lockKeys are the payload keys by which a note of mutual exclusion says which lock it
// is about; the first that it has counts. Notes that have none are about the one lock of
// the run, which has no name.
var lockKeys = [...]string{"lock", "key", "resource"}

// lockOf is the lock that a note is about, as the canonical text of a value.
func lockOf(e *tracefmt.Event) string {
	for _, key := range lockKeys {
		if value, ok := e.Field(key); ok && string(value) != "null" {
			return strings.Trim(string(value), `"`) // the number 7 and the text "7" are one name
		}
	}
	return ""
}

// ofMutex reports whether the event is a note of mutual exclusion of some process.
func ofMutex(e *tracefmt.Event) bool {
	return e.Kind == tracefmt.Note && e.Process != 0 && (e.Type == enterNote || e.Type == exitNote || e.Type == requestNote)
}

// lockMonitor is a monitor of one lock, which is asked for its last word only if
// the notes of the lock tell what its property is about.
type lockMonitor interface {
	analyze.Monitor
	tells() bool
}

// perLock has a monitor for each lock of a run, since each is a critical section of
// its own. All of them see what happens to processes, and each the notes of its lock.
type perLock struct {
	create func() lockMonitor
	lacks  string // the reason for runs that tell nothing of it
	named  map[string]lockMonitor
	order  []lockMonitor
}

func newPerLock(lacks string, create func() lockMonitor) *perLock {
	return &perLock{create: create, lacks: lacks, named: map[string]lockMonitor{}}
}

func (l *perLock) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	switch {
	case ofMutex(e):
		l.of(lockOf(e)).Step(r, s, e)
	case slices.Contains([]tracefmt.Kind{tracefmt.Crash, tracefmt.Halt, tracefmt.Recover}, e.Kind):
		for _, m := range l.order {
			m.Step(r, s, e)
		}
	}
}

func (l *perLock) of(lock string) lockMonitor {
	m := l.named[lock]
	if m == nil {
		m = l.create()
		l.named[lock], l.order = m, append(l.order, m)
	}
	return m
}

func (l *perLock) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	told := slices.DeleteFunc(slices.Clone(l.order), func(m lockMonitor) bool { return !m.tells() })
	for _, m := range told {
		m.End(r, s, end)
	}
	if len(told) == 0 {
		r.NotApplicable(l.lacks)
	}
}
