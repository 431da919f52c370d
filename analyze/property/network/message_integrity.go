package network

import (
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

var messageIntegrity = analyze.Property{
	Name:  "message-integrity",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `Each receive has exactly one earlier send, with equal fields.

Sender, receiver, type and payload must equal those of the send that the receive names, whatever the order of the payload's
fields. A message may be received more than once: duplication is judged by no-duplication. A run without the trait no-creation,
or reliable, may lack sends: it is examined only if the property is named. The payload keys "causes" and "log", which an
importer adds, are no part of the message.`,
	Needs:      "send and receive events",
	Source:     paper.ReliableProgramming + ", 2.4: no creation",
	Presumed:   []string{tracefmt.NoCreation},
	ViolatedBy: unrecorded.ReceiveFacts,
	ExcusedBy:  unrecorded.SendFacts,
	New:        func(*tracefmt.Run) analyze.Monitor { return &integrityMonitor{parts: twiceSent | unsent | altered} },
}

// integrity is a part of message-integrity.
type integrity uint8

const (
	twiceSent integrity = 1 << iota
	unsent
	altered
)

// The parts of message-integrity, by the names under which lint reports them.
var integrityParts = []*analyze.Property{
	integrityPart("sent-twice", twiceSent, "No message is sent twice: a message is what one send event has sent."),
	integrityPart("receive-without-send", unsent, "Each message that is received was sent before."),
	integrityPart("altered-message", altered,
		"A message is received with the fields with which it was sent, by its receiver, and names that send."),
}

// IntegrityParts returns the parts of message-integrity, each as a property: sent-twice, receive-without-send and
// altered-message. Package lint checks them on messages.
func IntegrityParts() []*analyze.Property { return slices.Clone(integrityParts) }

// integrityPart returns the property that checks one part of message-integrity.
func integrityPart(name string, part integrity, doc string) *analyze.Property {
	p := messageIntegrity
	p.Name, p.Doc = name, doc
	p.New = func(*tracefmt.Run) analyze.Monitor { return &integrityMonitor{parts: part} }
	return &p
}

// sentMessage is the first send of a message.
type sentMessage struct {
	seq    tracefmt.Seq
	fields uint64 // a hash of the fields that must be equal
}

// sends is the fold that stores the sends, 24 bytes for each message.
type sends struct {
	tracefmt.MessageTable[sentMessage]
}

// Step implements [analyze.Fold]. Of a message that is sent twice it stores the first send.
func (f *sends) Step(_ *replay.State, e *tracefmt.Event) {
	if e.Kind == tracefmt.Send && f.Get(e.Message) == nil {
		f.Put(e.Message, sentMessage{e.Seq, messageHash(e, e.Process, e.Peer)})
	}
}

// integrityMonitor compares each receive with the send of its message. parts selects what it checks.
type integrityMonitor struct {
	parts integrity
	sends *sends
}

// Follow implements [analyze.Follower].
func (m *integrityMonitor) Follow(f *analyze.Folds) {
	m.sends = analyze.Shared(f, func(*tracefmt.Run) *sends { return new(sends) })
}

// Step checks a send for uniqueness, and a receive against its send.
func (m *integrityMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send:
		if old := m.sends.Get(e.Message); old.seq != e.Seq && m.checksPart(twiceSent) {
			r.ViolateUnless(nil, func() string {
				return fmt.Sprintf("message %d is sent at seq %d and again at seq %d", e.Message, old.seq, e.Seq)
			}, old.seq, e.Seq)
		}
	case tracefmt.Receive:
		r.Examined++
		sent := m.sends.Get(e.Message)
		switch {
		// A monitor of the other parts of the property reports this case.
		case sent == nil && !m.checksPart(unsent), sent != nil && !m.checksPart(altered):
		case sent == nil:
			r.ViolateUnless(analyze.Needs(e.Peer, 0, e.Seq, unrecorded.SendFacts...), func() string {
				return fmt.Sprintf("process %s receives message %s at seq %d, which no process has sent before",
					s.Run.ProcessName(e.Process), messageName(e), e.Seq)
			}, e.Seq)
		case sent.seq != e.Cause:
			r.ViolateUnless(nil, func() string {
				return fmt.Sprintf("process %s receives message %d at seq %d, which was sent at seq %d, but the event names seq %d",
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

// longestName bounds the log's name of a message in a report.
const longestName = 60

// messageName returns the number of the message, with the log's own name if it has one.
func messageName(e *tracefmt.Event) string {
	if logged := e.LoggedMessage(); logged != "" {
		return fmt.Sprintf("%d (%s)", e.Message, text.Printable(text.Short(logged, longestName)))
	}
	return fmt.Sprint(e.Message)
}

// checksPart reports whether the monitor checks a part.
func (m *integrityMonitor) checksPart(part integrity) bool { return m.parts&part != 0 }

// End does nothing: each event was judged at once.
func (m *integrityMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// messageHash hashes the fields that must be equal at both ends of a message.
func messageHash(e *tracefmt.Event, from, target tracefmt.ProcessID) uint64 {
	h := maphash.String(memory.HashSeed, e.Type) ^ memory.Mix(uint64(from)<<32|uint64(target))
	for key, value := range tracefmt.Fields(e.Payload) {
		if string(key) != tracefmt.CausesKey && string(key) != tracefmt.LogKey {
			h += memory.FieldHash(key, value)
		}
	}
	return h
}

// Relies implements [analyze.Relying].
func (m *integrityMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.ReceiveFacts...))
}
