package property

import (
	"fmt"
	"hash/maphash"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

var messageIntegrity = analyze.Property{
	Name:  "message-integrity",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `Each receive has exactly one earlier send, with equal fields.

Sender, receiver, type and payload must be those of the send that the receive
names; the order of the payload's fields does not matter. A message may be
received more than once: that is duplication, and another property's business. A run
that does not state the trait no-creation, or reliable, may not hold every send: it is
examined if the property is asked for by name.
What an importer has added under the payload keys "causes" and "log" is no part
of the message.`,
	Needs:    "send and receive events",
	Source:   reliableProgramming + ", 2.4: no creation",
	Presumed: []string{tracefmt.NoCreation},
	Convicts: receiveFacts,
	Acquits:  sendFacts,
	New:      func(*tracefmt.Run) analyze.Monitor { return &integrityMonitor{asked: twiceSent | unsent | altered} },
}

// integrity is a part of what message-integrity asks for.
type integrity uint8

const (
	twiceSent integrity = 1 << iota
	unsent
	altered
)

// The parts of message-integrity, by the names that a recording which lacks them gets told.
var integrityParts = []*analyze.Property{
	integrityPart("sent-twice", twiceSent, "No message is sent twice: a message is what one send event has sent."),
	integrityPart("receive-without-send", unsent, "Each message that is received was sent before."),
	integrityPart("altered-message", altered,
		"A message is received with the fields with which it was sent, by whom it was sent to, and names that send."),
}

// IntegrityParts returns the parts of message-integrity, each as a property: sent-twice,
// receive-without-send and altered-message. They are what package lint asks of messages.
func IntegrityParts() []*analyze.Property { return slices.Clone(integrityParts) }

func integrityPart(name string, part integrity, doc string) *analyze.Property {
	p := messageIntegrity
	p.Name, p.Doc = name, doc
	p.New = func(*tracefmt.Run) analyze.Monitor { return &integrityMonitor{asked: part} }
	return &p
}

type sentMessage struct {
	seq    tracefmt.Seq
	fields uint64 // a hash of all that must be equal
}

// sends is the fold that follows what was sent, 24 bytes a message.
type sends struct {
	tracefmt.MessageTable[sentMessage]
}

// Step implements [analyze.Fold]: of a message that is sent twice it keeps the first.
func (f *sends) Step(_ *replay.State, e *tracefmt.Event) {
	if e.Kind == tracefmt.Send && f.Get(e.Message) == nil {
		f.Put(e.Message, sentMessage{e.Seq, messageHash(e, e.Process, e.Peer)})
	}
}

type integrityMonitor struct {
	asked integrity
	sends *sends
}

// Follow implements [analyze.Follower].
func (m *integrityMonitor) Follow(f *analyze.Folds) {
	m.sends = analyze.Shared(f, func(*tracefmt.Run) *sends { return new(sends) })
}

func (m *integrityMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send:
		if old := m.sends.Get(e.Message); old.seq != e.Seq && m.asks(twiceSent) {
			r.ViolateUnless(nil, func() string {
				return fmt.Sprintf("message %d is sent at seq %d and again at seq %d", e.Message, old.seq, e.Seq)
			}, old.seq, e.Seq)
		}
	case tracefmt.Receive:
		r.Examined++
		sent := m.sends.Get(e.Message)
		switch {
		case sent == nil && !m.asks(unsent), sent != nil && !m.asks(altered):
		case sent == nil:
			r.ViolateUnless(analyze.Needs(e.Peer, 0, e.Seq, sendFacts...), func() string {
				return fmt.Sprintf("process %s receives message %s at seq %d, which no process has sent before",
					s.Run.ProcessName(e.Process), messageName(e), e.Seq)
			}, e.Seq)
		case sent.seq != e.Cause:
			r.ViolateUnless(nil, func() string {
				return fmt.Sprintf("process %s receives message %d at seq %d, which was sent at seq %d, not at seq %d as it says",
					s.Run.ProcessName(e.Process), e.Message, e.Seq, sent.seq, e.Cause)
			}, sent.seq, e.Seq)
		case sent.fields != messageHash(e, e.Peer, e.Process):
			r.ViolateUnless(nil, func() string {
				return fmt.Sprintf("process %s receives message %d at seq %d with other fields than it was sent with at seq %d",
					s.Run.ProcessName(e.Process), e.Message, e.Seq, sent.seq)
			}, sent.seq, e.Seq)
		}
	}
}

// longestName is how much of the name that a log has for a message a report repeats.
const longestName = 60

// messageName is the number of the message and, where its log alone has a name for it, that.
func messageName(e *tracefmt.Event) string {
	if logged := e.LoggedMessage(); logged != "" {
		return fmt.Sprintf("%d (%s)", e.Message, text.Printable(text.Short(logged, longestName)))
	}
	return fmt.Sprint(e.Message)
}

func (m *integrityMonitor) asks(part integrity) bool { return m.asked&part != 0 }

func (m *integrityMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// messageHash hashes what the two ends of a message must agree on.
func messageHash(e *tracefmt.Event, from, to tracefmt.ProcessID) uint64 {
	h := maphash.String(hashSeed, e.Type) ^ mix(uint64(from)<<32|uint64(to))
	for key, value := range tracefmt.Fields(e.Payload) {
		if string(key) != tracefmt.CausesKey && string(key) != tracefmt.LogKey {
			h += fieldHash(key, value)
		}
	}
	return h
}

// Relies implements [analyze.Relying].
func (m *integrityMonitor) Relies(s *replay.State, _ analyze.Ending) []analyze.Need {
	return analyze.Needs(analyze.EveryProcess, 0, 0, receiveFacts...)
}
