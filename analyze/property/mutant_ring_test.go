package property_test

import (
	"testing"

	"etrace/tracefmt"
)

// TestRingMutants breaks a good run of Chang-Roberts (testdata/ring.jsonl:
// processes 1 to 4 in this order on the ring, 1 starts, 4 wins, 3*4-1 messages).
func TestRingMutants(t *testing.T) {
	testMutations(t, "testdata/ring.jsonl", []mutation{
		{"a process that sends back", "ring-successor-only", func(m *mutant) {
			// The announcement does not return to 4, but goes from 3 to 1.
			m.at(34).Peer, m.at(35).Process = m.process("1"), m.process("1")
		}},
		{"a participant that passes a smaller id on", "ring-forward-increasing", func(m *mutant) {
			// 3, which has sent its own id, sends 2 instead of 4.
			m.at(22).Payload, m.at(23).Payload = []byte(`{"id":2}`), []byte(`{"id":2}`)
		}},
		{"a starter that forgets that it has started", "message-complexity", func(m *mutant) {
			m.send(35, "1", "2", "election", []byte(`{"id":1}`))
		}},
		{"a message of the dead that goes round twice", "message-complexity ring-no-orphan", func(m *mutant) {
			id := []byte(`{"id":2}`)
			m.insertAfter(35, tracefmt.Event{Kind: tracefmt.Crash, Process: m.process("2")})
			m.send(36, "3", "4", "election", id)
			m.send(38, "4", "1", "election", id)
			m.send(40, "1", "3", "election", id)
			m.send(42, "3", "4", "election", id)
		}},
	})
}
