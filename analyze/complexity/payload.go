package complexity

import (
	"bytes"

	"etrace/tracefmt"
)

// Meter says how many bits a message has by what its sender declares of it; the error is that
// of a message that is not declared so. A protocol of package sim has one.
type Meter interface {
	Bits(typ string, payload []byte) (int64, error)
}

// Payload counts what the messages that a run sends carry, of all of them. It is a
// [tracefmt.Writer] of its own beside a [Counter], so that who does not ask for it does not pay.
type Payload struct {
	meter Meter
	sum   weight
}

// weight is what messages carry. Bits are those of the messages that could be measured, and
// unmeasured is how many could not.
type weight struct{ bytes, bits, unmeasured int64 }

// NewPayload returns a count that measures bits by a meter; without one, nil, it counts
// bytes only.
func NewPayload(meter Meter) *Payload { return &Payload{meter: meter} }

// Write takes in the next event.
func (p *Payload) Write(e *tracefmt.Event) error {
	if e.Kind == tracefmt.Send {
		p.sum.add(weigh(p.meter, e))
	}
	return nil
}

// Bytes returns how many bytes the payloads have, as the trace has them, compact JSON, but for
// what the trace says of its events: see [tracefmt.LogKey] and [tracefmt.CausesKey].
func (p *Payload) Bytes() int64 { return p.sum.bytes }

// Bits returns how many bits the messages have by the meter; known is false if there is none,
// or if it could not measure all.
func (p *Payload) Bits() (bits int64, known bool) {
	return p.sum.bits, p.meter != nil && p.sum.unmeasured == 0
}

func (w *weight) add(other weight) {
	w.bytes += other.bytes
	w.bits += other.bits
	w.unmeasured += other.unmeasured
}

// weigh measures the message of an event.
func weigh(meter Meter, e *tracefmt.Event) weight {
	w := weight{bytes: payloadBytes(e.Payload), unmeasured: 1}
	if meter == nil {
		return w
	}
	if bits, err := meter.Bits(e.Type, e.Payload); err == nil {
		w.bits, w.unmeasured = bits, 0
	}
	return w
}

// ownMarks are how the keys begin that belong to the trace and not to the message.
var ownMarks = [...][]byte{[]byte(`"` + tracefmt.LogKey + `"`), []byte(`"` + tracefmt.CausesKey + `"`)}

// payloadBytes is how long a payload is without what the trace says of the event.
func payloadBytes(payload []byte) int64 {
	length := int64(len(payload))
	if bytes.Contains(payload, ownMarks[0]) || bytes.Contains(payload, ownMarks[1]) {
		length = ownBytes(payload)
	}
	if length == int64(len("{}")) {
		return 0
	}
	return length
}

// ownBytes is payloadBytes of one that may have such keys.
func ownBytes(payload []byte) int64 {
	length := int64(len("{}"))
	first := true
	for key, value := range tracefmt.Fields(payload) {
		if string(key) == tracefmt.LogKey || string(key) == tracefmt.CausesKey {
			continue
		}
		if !first {
			length++ // the comma
		}
		first = false
		length += int64(len(tracefmt.AppendString(nil, string(key)))+len(":")) + int64(len(value))
	}
	return length
}
