package trial

import (
	"slices"

	"etrace/analyze/complexity"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/tracefmt"
)

// Unknown is the value of a measure that the run does not determine.
const Unknown Value = "not known"

// weights are the measures of payload sizes.
var weights = []Measure{
	weighed("bytes", func(p *complexity.Payload) Value { return Integer(p.Bytes()) }),
	weighed("bits", func(p *complexity.Payload) Value {
		if bits, known := p.Bits(); known {
			return Integer(bits)
		}
		return Unknown
	}),
}

// Weights returns the measures of payload sizes. Bytes counts the payloads in the trace; bits uses the
// declarations of the algorithm (see sim.WidthWords).
func Weights() []Measure { return slices.Clone(weights) }

// weighed returns a measure of the payloads; its value is Unknown if the recording cannot be read.
func weighed(name string, value func(p *complexity.Payload) Value) Measure {
	return Measure{Name: name, Of: func(t *Trial) Value {
		if p := t.payload(); p != nil {
			return value(p)
		}
		return Unknown
	}}
}

// weigh reads the recording once more; it returns nil if that fails.
func (t *Trial) weigh() *complexity.Payload {
	p := complexity.NewPayload(nil)
	if m, ok := scenario.MeterOf(t.Recording.Run(), t.known); ok {
		p = complexity.NewPayload(m)
	}
	for e, err := range t.Recording.Events(1) {
		if err != nil || p.Write(e) != nil {
			return nil
		}
	}
	return p
}

// CountDetailed counts a recording in detail. It also counts bits if the run is simulated and its algorithm is
// known; the zero registry means that of etrace.
func CountDetailed(rec tracefmt.Recording, d complexity.Detail, known algorithm.Registry) (*complexity.Stats, error) {
	if m, ok := scenario.MeterOf(rec.Run(), known); ok {
		d.Meter = m
	}
	return complexity.CountDetailed(rec, d)
}
