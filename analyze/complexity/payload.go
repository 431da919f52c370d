package complexity

import (
	"bytes"

	"etrace/tracefmt"
)

// Meter returns the number of bits of a message by the declaration of its sender. It fails for an undeclared
// message. A protocol of package sim has a meter.
type Meter interface {
	Bits(typ string, payload []byte) (int64, error)
}

// Payload measures the payloads of all sent messages. It is a [tracefmt.Writer] beside a [Counter], so that
// runs without this measure do not pay for it.
type Payload struct {
	meter Meter
	sum   weight
}

// weight is the size of messages: their bytes, the bits of all measurable messages, and the number of the
// others.
type weight struct{ bytes, bits, unmeasured int64 }

// NewPayload returns a count that measures bits with a meter. With a nil meter it counts only bytes.
func NewPayload(meter Meter) *Payload { return &Payload{meter: meter} }

// Write takes the next event.
func (p *Payload) Write(e *tracefmt.Event) error {
	if e.Kind == tracefmt.Send {
		p.sum.add(weigh(p.meter, e))
	}
	return nil
}

// Bytes returns the number of payload bytes, as compact JSON. It excludes the marks of the trace: see
// [tracefmt.LogKey] and [tracefmt.CausesKey].
func (p *Payload) Bytes() int64 { return p.sum.bytes }

// Bits returns the number of bits of the messages. known is false without a meter, or if it could not measure
// all messages.
func (p *Payload) Bits() (bits int64, known bool) {
	return p.sum.bits, p.meter != nil && p.sum.unmeasured == 0
}

// add adds the size of other messages.
func (w *weight) add(added weight) {
	w.bytes += added.bytes
	w.bits += added.bits
	w.unmeasured += added.unmeasured
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

// ownMarks are the keys of a payload that belong to the trace and not to the message.
var ownMarks = [...][]byte{[]byte(`"` + tracefmt.LogKey + `"`), []byte(`"` + tracefmt.CausesKey + `"`)}

// payloadBytes returns the length of a payload without the marks of the trace.
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

// ownBytes returns the length of a payload as compact JSON, without ownMarks.
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
