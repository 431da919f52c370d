package sim

import (
	"cmp"
	"math"
	"slices"

	"etrace/tracefmt"
)

// A known run is changed by actions after its events, and by edits of its messages. Up to the first of these, the
// edited run equals the original one. The kernel looks for no loop while such an action is still to come.

// never is the seq of an event that does not come.
const never tracefmt.Seq = math.MaxInt64

// later holds the actions that wait for an event.
type later struct {
	waiting []*Action    // the actions in the order of the events that they wait for
	next    tracefmt.Seq // the event of the first action
}

// add adds an action after the actions of the same event.
func (l *later) add(a *Action) {
	i, _ := slices.BinarySearchFunc(l.waiting, a.After+1, func(w *Action, after tracefmt.Seq) int { return cmp.Compare(w.After, after) })
	l.waiting = slices.Insert(l.waiting, i, a)
	l.next = l.waiting[0].After
}

// take removes and returns the next action that is due, nil if none is. Within a step of a process only the
// process's own crash is due: it may crash between two sends, but nothing else interrupts a handler. The
// process could not distinguish other events during its handler from events after it.
func (l *later) take(seq tracefmt.Seq, stepping tracefmt.ProcessID) *Action {
	for i, a := range l.waiting {
		if a.After > seq {
			return nil
		}
		if stepping != 0 && (a.Kind != CrashProcess || a.Process != stepping) {
			continue
		}
		l.waiting = slices.Delete(l.waiting, i, i+1)
		l.next = never
		if len(l.waiting) > 0 {
			l.next = l.waiting[0].After
		}
		return a
	}
	return nil
}

// due reports whether an action may be due. It is the only check between two events.
func (k *kernel) due() bool { return k.rec.Seq() >= k.later.next }

// takeDue takes the actions whose event was recorded. stepping is the process whose step is interrupted, 0
// between two steps.
func (k *kernel) takeDue(stepping tracefmt.ProcessID) {
	for a := k.later.take(k.rec.Seq(), stepping); a != nil; a = k.later.take(k.rec.Seq(), stepping) {
		k.takeAction(a)
	}
}
