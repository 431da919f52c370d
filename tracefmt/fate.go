package tracefmt

import "encoding/json"

// Fate is what became of a message. An event of a message gives it a fate
// ([Event.Fate]), and the fates ascend: the message, of which the network may
// have made several copies, has the greatest that any of its events gives it.
// The view messages of a trace database says the same in SQL.
type Fate uint8

// The fates, in ascending order.
const (
	// NoFate is that of events that are not about a message.
	NoFate Fate = iota
	// InFlight: sent, and so far neither received nor lost.
	InFlight
	// Lost: dropped, or sent across a partition.
	Lost
	// ReceiverCrashed: it arrived where no process was up.
	ReceiverCrashed
	// Delivered: received at least once.
	Delivered
)

var fates = [...]string{InFlight: "in flight", Lost: "lost", ReceiverCrashed: "receiver crashed", Delivered: "delivered"}

// String is the word for the fate, as in the view messages; "" for [NoFate].
func (f Fate) String() string { return fates[f%Fate(len(fates))] }

// Fate returns what the event says of its message: a send that it is in flight,
// a receive that it is delivered, and a lose, by the reason in its payload,
// which of the two losses it is.
func (e *Event) Fate() Fate {
	switch e.Kind {
	case Send:
		return InFlight
	case Receive:
		return Delivered
	case Lose:
		if reason, ok := e.Reason(); ok && reason == ReceiverCrashed.String() {
			return ReceiverCrashed
		}
		return Lost
	}
	return NoFate
}

// Reason returns why the message of a lose event was lost, if the event says so
// by a text under the key reason.
func (e *Event) Reason() (reason string, ok bool) {
	value, ok := e.Field("reason")
	if !ok || !json.Valid(e.Payload) || json.Unmarshal(value, &reason) != nil {
		return "", false
	}
	return reason, true
}
