package complexity_test

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// tenBits measures every message of the type A by ten bits.
type tenBits struct{}

func (tenBits) Bits(typ string, _ []byte) (int64, error) {
	if typ != "A" {
		return 0, errors.New("no such message")
	}
	return 10, nil
}

func carrying(e tracefmt.Event, payload string) tracefmt.Event {
	e.Payload = []byte(payload)
	return e
}

// weighed is what the sends among the events carry.
func weighed(t *testing.T, meter complexity.Meter, events ...tracefmt.Event) *complexity.Payload {
	t.Helper()
	p := complexity.NewPayload(meter)
	for i := range events {
		if err := p.Write(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestPayload(t *testing.T) {
	p := weighed(
		t, tenBits{}, carrying(send(1, 2, 1, "A"), `{"id":1}`), receive(1, 2, 1), send(2, 1, 2, "A"),
		carrying(lose(1, 2, 2, "dropped"), `{"reason":"dropped"}`),
	)
	if bits, known := p.Bits(); p.Bytes() != 8 || bits != 20 || !known {
		t.Errorf("%d bytes, %d bits, known %t; want 8, 20, true", p.Bytes(), bits, known)
	}
	if _, known := weighed(t, tenBits{}, send(1, 2, 1, "A"), send(1, 2, 2, "B")).Bits(); known {
		t.Error("bits are known of a message that is not declared")
	}
	if _, known := weighed(t, nil).Bits(); known {
		t.Error("bits are known without a declaration")
	}
}

// TestPayloadBytes: the marks of the trace do not count as payload. The oracle decodes the payload, removes the
// marks, and encodes it again.
func TestPayloadBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.MapOf(rapid.SampledFrom([]string{"id", "log", "causes", "x\"y", "content"}),
			rapid.SampledFrom([]string{`1`, `"log"`, `{"log":{"a":1}}`, `[1,2]`, `"causes"`})).Draw(t, "fields")
		kept, omitted := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		for key, value := range fields {
			kept[key] = json.RawMessage(value)
			if key != "log" && key != "causes" {
				omitted[key] = json.RawMessage(value)
			}
		}
		payload, _ := json.Marshal(kept)
		want, _ := json.Marshal(omitted)
		if len(omitted) == 0 {
			want = nil
		}
		p := complexity.NewPayload(nil)
		e := carrying(send(1, 2, 1, "A"), string(payload))
		if err := p.Write(&e); err != nil || p.Bytes() != int64(len(want)) {
			t.Fatalf("%s has %d bytes, want those of %s", payload, p.Bytes(), want)
		}
	})
}
