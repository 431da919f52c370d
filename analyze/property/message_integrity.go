package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var messageIntegrity = analyze.Property{
	Name: "message-integrity",
	Kind: analyze.Safety,
	Doc: `Each receive has exactly one earlier send, with equal fields.

Sender, receiver, type and payload must be those of the send that the receive
names. A message may be received more than once: that is duplication, and
another property's business. What an importer has added under the payload key
"import" is no part of the message.`,
	Source: "Cachin, Guerraoui, Rodrigues, Introduction to Reliable and Secure Distributed Programming, 2.4: no creation",
	New: func(*tracefmt.Run) analyze.Monitor {
		return &integrityMonitor{sends: make(map[tracefmt.MessageID]sentMessage)}
	},
}

type sentMessage struct {
	seq    tracefmt.Seq
	fields uint64 // a hash of all that must be equal
}

type integrityMonitor struct {
	sends map[tracefmt.MessageID]sentMessage
}

func (m *integrityMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send:
		if old, ok := m.sends[e.Message]; ok {
			r.Violate(fmt.Sprintf("message %d is sent at seq %d and again at seq %d", e.Message, old.seq, e.Seq), old.seq, e.Seq)
			return
		}
		m.sends[e.Message] = sentMessage{e.Seq, messageHash(e, e.Process, e.Peer)}
	case tracefmt.Receive:
		r.Examined++
		sent, ok := m.sends[e.Message]
		switch {
		case !ok:
			r.Violate(fmt.Sprintf("process %s receives message %d at seq %d, which nobody has sent before",
				s.Run.ProcessName(e.Process), e.Message, e.Seq), e.Seq)
		case sent.seq != e.Cause || sent.fields != messageHash(e, e.Peer, e.Process):
			r.Violate(fmt.Sprintf("process %s receives message %d at seq %d with other fields than it was sent with at seq %d",
				s.Run.ProcessName(e.Process), e.Message, e.Seq, sent.seq), sent.seq, e.Seq)
		}
	}
}

func (m *integrityMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// messageHash hashes what the two ends of a message must agree on.
func messageHash(e *tracefmt.Event, from, to tracefmt.ProcessID) uint64 {
	h := replay.Hash([]byte(e.Type))*31 + uint64(from)
	h = h*1099511628211 + uint64(to)
	for key, value := range tracefmt.Fields(e.Payload) {
		if string(key) != tracefmt.CausesKey && string(key) != tracefmt.LogKey {
			h = h*1099511628211 + replay.Hash(key)
			h = h*1099511628211 + replay.Hash(value)
		}
	}
	return h
}
