// Package record writes runs down as they happen. Its [Recorder] numbers the
// events, keeps the Lamport clocks and joins every receive to its send, so
// that a simulator, or a program that records itself, states only what a
// process does. It imports the standard library and tracefmt only.
package record

import (
	"etrace/tracefmt"
)

// Sink takes the events of a run one after the other. It may keep nothing of
// an event but a copy, since the recorder reuses it.
type Sink interface {
	Write(*tracefmt.Event) error
}

// Recorder makes the events of one run. Time is an input: the recorder reads
// no clock. It is not safe for concurrent use. The first error of the sink
// stays: later calls record nothing, and Err returns it.
type Recorder struct {
	sink     Sink
	clock    []int64 // Lamport clocks by ProcessID
	event    tracefmt.Event
	messages tracefmt.MessageID
	err      error
}

// Sent is what a receiver must know of a send to record the receive. A
// program that records itself lets it travel with the message.
type Sent struct {
	Message  tracefmt.MessageID
	Seq      tracefmt.Seq
	Lamport  int64
	Term     int64
	From, To tracefmt.ProcessID
	Type     string
}

// New returns a recorder for a run of that many processes.
func New(sink Sink, processes int) *Recorder {
	return &Recorder{sink: sink, clock: make([]int64, processes+1)}
}

// Seq returns the seq of the event recorded last, 0 before the first.
func (r *Recorder) Seq() tracefmt.Seq { return r.event.Seq }

// Messages returns how many messages were sent.
func (r *Recorder) Messages() int64 { return int64(r.messages) }

// Err returns the first error of the sink.
func (r *Recorder) Err() error { return r.err }

// Local records a step of p that is neither send, receive nor loss.
func (r *Recorder) Local(t tracefmt.Time, kind tracefmt.Kind, p, peer tracefmt.ProcessID, typ string, payload []byte) {
	r.clock[p]++
	r.write(t, tracefmt.Event{
		Kind: kind, Process: p, Peer: peer, Type: typ, Lamport: r.clock[p], Payload: payload,
	})
}

// Environment records what no process does: a partition, a heal, a note.
func (r *Recorder) Environment(t tracefmt.Time, kind tracefmt.Kind, typ string, payload []byte) {
	r.write(t, tracefmt.Event{Kind: kind, Type: typ, Payload: payload})
}

// Send records that from sends a message to to, and returns what is needed to
// record its fate.
func (r *Recorder) Send(t tracefmt.Time, from, to tracefmt.ProcessID, typ string, term int64, payload []byte) Sent {
	r.clock[from]++
	r.messages++
	r.write(t, tracefmt.Event{
		Kind: tracefmt.Send, Process: from, Peer: to, Type: typ, Message: r.messages,
		Lamport: r.clock[from], Term: term, Payload: payload,
	})
	return Sent{
		Message: r.messages, Seq: r.event.Seq, Lamport: r.clock[from], Term: term, From: from, To: to, Type: typ,
	}
}

// Receive records the delivery of a message. The receiver's clock passes that
// of the sender (Lamport 1978, rule IR2).
func (r *Recorder) Receive(t tracefmt.Time, s Sent, payload []byte) {
	r.clock[s.To] = max(r.clock[s.To], s.Lamport) + 1
	r.write(t, r.fate(tracefmt.Receive, s, r.clock[s.To], payload))
}

// Lose records that a message will not arrive. That is no step of the
// receiver: its clock stays, the event is merely later than the send.
func (r *Recorder) Lose(t tracefmt.Time, s Sent, reason string) {
	payload := append(tracefmt.AppendString([]byte(`{"reason":`), reason), '}')
	r.write(t, r.fate(tracefmt.Lose, s, s.Lamport+1, payload))
}

func (r *Recorder) fate(kind tracefmt.Kind, s Sent, lamport int64, payload []byte) tracefmt.Event {
	return tracefmt.Event{
		Kind: kind, Process: s.To, Peer: s.From, Type: s.Type, Message: s.Message, Cause: s.Seq,
		Lamport: lamport, Term: s.Term, Payload: payload,
	}
}

func (r *Recorder) write(t tracefmt.Time, e tracefmt.Event) {
	e.Time, e.Seq = t, r.event.Seq+1
	r.event = e
	if r.err == nil {
		r.err = r.sink.Write(&r.event)
	}
}
