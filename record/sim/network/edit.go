package network

import (
	"etrace/record"
	"etrace/tracefmt"
)

// Edits are how a run that is known is changed: they name its messages. Up to
// the first of these the edited run is the same as the one without.

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
func (f *fates) edit(m *record.Sent, decided fate) fate {
	for i := range f.config.Edits {
		e := &f.config.Edits[i]
		if e.Sent == 0 && e.Message != m.Message || e.Sent != 0 && e.Sent != m.Seq {
			continue
		}
		f.edited[i] = true
		f.edits--
		switch e.Kind {
		case DropMessage:
			decided.lost = "dropped"
		case DelayMessage:
			if decided.lost != "" {
				decided = fate{copy: -1}
			}
			decided.delay = e.Delay
		case DuplicateMessage:
			decided.copy = decided.delay
		}
	}
	return decided
}
