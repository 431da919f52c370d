package network

import (
	"etrace/record"
	"etrace/tracefmt"
)

// Edits change a known run: they name its messages. Up to the first of these messages, the edited run equals the original
// one.

// EditKind is the effect of an edit on its message.
type EditKind uint8

// The edits of messages.
const (
	// DropMessage loses the message.
	DropMessage EditKind = iota
	// DelayMessage makes the message arrive after the delay of the edit, even if it would be lost.
	DelayMessage
	// DuplicateMessage lets a copy arrive together with the message.
	DuplicateMessage
)

// Edit changes the fate of one message. The random draws for the fate are made nevertheless. So other
// messages, if sent in the same order, have the same delays and losses as without the edit.
type Edit struct {
	Kind EditKind
	// Message is the id of the message. If Sent is not 0, the message is instead the one with this seq of its send.
	Message tracefmt.MessageID
	Sent    tracefmt.Seq
	Delay   tracefmt.Time
}

// applyEdits applies the edits of a message, in their order.
func (f *fates) applyEdits(m *record.Sent, decided fate) fate {
	for i := range f.config.Edits {
		e := &f.config.Edits[i]
		isOther := e.Message != m.Message
		if e.Sent != 0 { // the edit names the send instead of the message
			isOther = e.Sent != m.Seq
		}
		if isOther {
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
