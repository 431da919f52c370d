package record

import (
	"fmt"

	"etrace/tracefmt"
)

// Recorder makes the events of one run. Time is an input: the recorder reads no clock. It is not safe for
// concurrent use. The first error is final: it is an event that the sink refused, or that names a process that
// the run does not have. From then on nothing is recorded or counted, and Err returns the error.
type Recorder struct {
	sink     tracefmt.Writer
	clock    []int64 // Lamport clocks by ProcessID
	term     []int64 // by ProcessID
	event    tracefmt.Event
	seq      tracefmt.Seq // the seq of the event recorded last
	messages tracefmt.MessageID
	unsent   int64  // the number of messages whose send is not recorded
	reason   []byte // payload of the last loss
	err      error
}

// Sent is the part of a send that a receiver needs to record the receive. A program that records itself lets it
// travel with the message.
type Sent struct {
	Message  tracefmt.MessageID
	Seq      tracefmt.Seq
	Lamport  int64
	Term     int64
	From, To tracefmt.ProcessID
	Type     string
}

// New returns a recorder for a run with the given number of processes.
func New(sink tracefmt.Writer, processes int) *Recorder {
	r := new(Recorder)
	r.Restart(sink, processes)
	return r
}

// Restart makes the recorder begin another run like a new recorder. It reuses the memory of the previous run.
func (r *Recorder) Restart(sink tracefmt.Writer, processes int) {
	*r = Recorder{sink: sink, clock: zeros(r.clock, processes+1), term: zeros(r.term, processes+1), reason: r.reason[:0]}
}

// zeros returns n zero values, reusing memory if it is large enough.
func zeros(memory []int64, n int) []int64 {
	if cap(memory) < n {
		return make([]int64, n)
	}
	memory = memory[:n]
	clear(memory)
	return memory
}

// Seq returns the seq of the event recorded last, 0 before the first.
func (r *Recorder) Seq() tracefmt.Seq { return r.seq }

// Messages returns the number of recorded sends.
func (r *Recorder) Messages() int64 { return int64(r.messages) - r.unsent }

// Err returns the first error.
func (r *Recorder) Err() error { return r.err }

// SetTerm sets the term, or epoch, of p from now on: events recorded by Local carry it. The initial
// value is 0, no term.
func (r *Recorder) SetTerm(p tracefmt.ProcessID, term int64) {
	if r.knows(p) {
		r.term[p] = term
	}
}

// Term returns the term of p.
func (r *Recorder) Term(p tracefmt.ProcessID) int64 {
	if !r.knows(p) {
		return 0
	}
	return r.term[p]
}

// knows reports whether the run has the process; without it, the recording ends with an error.
func (r *Recorder) knows(p tracefmt.ProcessID) bool {
	known := p > 0 && int(p) < len(r.clock)
	if !known && r.err == nil {
		r.err = fmt.Errorf("after seq %d: there is no process %d, expected one of 1 to %d", r.seq, p, len(r.clock)-1)
	}
	return known
}

// Local records a step of p that is neither send, receive nor loss.
func (r *Recorder) Local(t tracefmt.Time, kind tracefmt.Kind, p, peer tracefmt.ProcessID, typ string, payload []byte) {
	if !r.knows(p) || peer != 0 && !r.knows(peer) {
		return
	}
	e := r.next(t, kind, payload)
	e.Process, e.Peer, e.Type, e.Term = p, peer, typ, r.term[p]
	e.Lamport = r.tick(p)
	r.write()
}

// Environment records an event without a process: a partition, a heal, or a note.
func (r *Recorder) Environment(t tracefmt.Time, kind tracefmt.Kind, typ string, payload []byte) {
	e := r.next(t, kind, payload)
	e.Type = typ
	r.write()
}

// Send records a send of a message, and returns the data with which its receive or loss is recorded.
func (r *Recorder) Send(t tracefmt.Time, from, to tracefmt.ProcessID, typ string, term int64, payload []byte) Sent {
	if !r.knows(from) || !r.knows(to) {
		return Sent{}
	}
	r.messages++
	e := r.next(t, tracefmt.Send, payload)
	e.Process, e.Peer, e.Type, e.Message, e.Term = from, to, typ, r.messages, term
	e.Lamport = r.tick(from)
	s := Sent{Message: e.Message, Seq: e.Seq, Lamport: e.Lamport, Term: term, From: from, To: to, Type: typ}
	r.write()
	return s
}

// Receive records the delivery of a message. The receiver's clock passes that of the sender (Lamport 1978, rule
// IR2). If Message and Seq of s are 0, the send is not recorded; the run should then declare that, see
// [tracefmt.Run.Completeness].
func (r *Recorder) Receive(t tracefmt.Time, s Sent, payload []byte) {
	if !r.knows(s.To) || !r.knows(s.From) {
		return
	}
	if s.Message == 0 {
		r.messages++
		r.unsent++
		s.Message = r.messages
	}
	r.clock[s.To] = max(r.clock[s.To], s.Lamport)
	r.fate(r.next(t, tracefmt.Receive, payload), &s, r.tick(s.To))
}

// Lose records that a message will not arrive. A loss is no step of the receiver: its clock stays, and the event
// only follows the send.
func (r *Recorder) Lose(t tracefmt.Time, s Sent, reason string) {
	if !r.knows(s.To) || !r.knows(s.From) {
		return
	}
	r.reason = append(tracefmt.AppendString(append(r.reason[:0], `{"reason":`...), reason), '}')
	r.fate(r.next(t, tracefmt.Lose, r.reason), &s, s.Lamport+1)
}

// fate records the event of the message with the given clock.
func (r *Recorder) fate(e *tracefmt.Event, s *Sent, lamport int64) {
	e.Process, e.Peer, e.Type, e.Message, e.Cause = s.To, s.From, s.Type, s.Message, s.Seq
	e.Lamport, e.Term = lamport, s.Term
	r.write()
}

// tick advances the Lamport clock of a process, and returns it.
func (r *Recorder) tick(p tracefmt.ProcessID) int64 {
	r.clock[p]++
	return r.clock[p]
}

// next returns the next event, to be completed by the caller. The event is reused: to build and copy a new one
// costs a fifth of a simulated step.
func (r *Recorder) next(t tracefmt.Time, kind tracefmt.Kind, payload []byte) *tracefmt.Event {
	e := &r.event
	e.Seq, e.Time, e.Kind, e.Payload = r.seq+1, t, kind, payload
	e.Process, e.Peer, e.Type, e.Message, e.Cause, e.Lamport, e.Term = 0, 0, "", 0, 0, 0, 0
	return e
}

// write passes the event to the sink.
func (r *Recorder) write() {
	if r.err != nil {
		return
	}
	r.err = r.sink.Write(&r.event)
	if r.err == nil {
		r.seq = r.event.Seq
	}
}
