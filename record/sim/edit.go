package sim

import (
	"cmp"
	"math"
	"slices"

	"etrace/tracefmt"
)

// Edits and actions behind an event are how a run that is known is changed:
// they name its messages and events. Up to the first of these the edited run
// is the same as the one without, since the kernel does nothing else before. No
// loop is looked for while one of them is to come.

// EditKind says what an edit does to its message.
type EditKind uint8

// The edits of messages.
const (
	// DropMessage loses the message.
	DropMessage EditKind = iota
	// DelayMessage lets the message arrive after the delay of the edit, also
	// one that would be lost.
	DelayMessage
	// DuplicateMessage lets a copy arrive together with the message.
	DuplicateMessage
)

// Edit changes the fate of one message. The random draws that decide the fate
// without the edit are made all the same, so that messages which are sent in
// the same order as before are drawn the same delays and losses.
type Edit struct {
	Kind EditKind
	// Message is its id; or Sent is the seq of its send, if that is not 0.
	Message tracefmt.MessageID
	Sent    tracefmt.Seq
	Delay   tracefmt.Time
}

// edit applies the edits of a message, in their order.
func (k *kernel) edit(message tracefmt.MessageID, sent tracefmt.Seq, f fate) fate {
	for i := range k.Edits {
		e := &k.Edits[i]
		if e.Sent != sent && (e.Sent != 0 || e.Message != message) {
			continue
		}
		k.pending--
		switch e.Kind {
		case DropMessage:
			f.lost = "dropped"
		case DelayMessage:
			if f.lost != "" {
				f = fate{copy: -1}
			}
			f.delay = e.Delay
		case DuplicateMessage:
			f.copy = f.delay
		}
	}
	return f
}

// never is an event that does not come.
const never tracefmt.Seq = math.MaxInt64

// behind holds the actions that are taken behind an event.
type behind struct {
	waiting []*Action // in the order of the events
	next    tracefmt.Seq
}

func (b *behind) add(a *Action) {
	i, _ := slices.BinarySearchFunc(b.waiting, a.After+1, func(w *Action, after tracefmt.Seq) int { return cmp.Compare(w.After, after) })
	b.waiting = slices.Insert(b.waiting, i, a)
	b.next = b.waiting[0].After
}

// take removes the next action that is due, nil if there is none. Within a
// step of a process only its own crash is: it may crash between two sends, but a
// handler is not interrupted by anything else, and what becomes of others
// meanwhile it could not tell from what becomes of them afterwards.
func (b *behind) take(seq tracefmt.Seq, stepping tracefmt.ProcessID) *Action {
	for i, a := range b.waiting {
		if a.After > seq {
			return nil
		}
		if stepping != 0 && (a.Kind != CrashProcess || a.Process != stepping) {
			continue
		}
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.next = never
		if len(b.waiting) > 0 {
			b.next = b.waiting[0].After
		}
		return a
	}
	return nil
}

// due reports whether there may be an action to take now. All that is asked
// between two events is this.
func (k *kernel) due() bool { return k.rec.Seq() >= k.behind.next }

// takeDue takes the actions whose event was recorded, within a step of a
// process or, for 0, between two steps.
func (k *kernel) takeDue(stepping tracefmt.ProcessID) {
	for a := k.behind.take(k.rec.Seq(), stepping); a != nil; a = k.behind.take(k.rec.Seq(), stepping) {
		k.pending--
		k.act(a)
	}
}
