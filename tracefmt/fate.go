package tracefmt

import "encoding/json"

// Fate is the fate of a message. Each event of a message implies a fate ([Event.Fate]), and fates are ordered.
// The message, which the network may have copied, has the greatest fate of all its events. The view messages of
// a trace database computes the same in SQL.
type Fate uint8

// The fates, in ascending order.
const (
	// NoFate is the fate for events without a message.
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

// String returns the word for the fate, as in the view messages; "" for [NoFate].
func (f Fate) String() string { return fates[f%Fate(len(fates))] }

// Fate returns the fate that the event implies for its message: in flight for a send, delivered for a receive,
// and for a lose one of the two losses, by the reason in its payload.
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

// Reason returns why the message of a lose event was lost. ok is false if the payload has no text under the key
// reason.
func (e *Event) Reason() (reason string, ok bool) {
	value, ok := e.Field("reason")
	if !ok || !json.Valid(e.Payload) || json.Unmarshal(value, &reason) != nil {
		return "", false
	}
	return reason, true
}
