package tracefmt

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// Validator checks that the events of one run form a well-formed trace: the fields that their kinds require,
// ascending seqs, existing processes, and causes that are earlier. It does not check the protocol: a
// well-formed trace may violate every property.
//
// It remembers each send, 17 bytes, to compare receives with them, and the messages without a recorded send.
// For a slice ([Run.Slice]) it omits all checks that need other events: seqs ascend, with gaps, and messages
// and causes may belong to missing events.
type Validator struct {
	run   *Run
	last  Seq
	sends MessageTable[sent]
	// coverage determines which sends need not be recorded. orphans are messages without a recorded send so
	// far, with their first event; senders has the first of these events by sender.
	coverage *Coverage
	orphans  MessageTable[Seq]
	senders  map[ProcessID]Seq
	// decoded: the texts of events have been checked.
	decoded bool
}

// Flaw is a mistake in the form of an event. Further events can still be checked after it.
type Flaw struct {
	Of FlawOf
	// With is the earlier event that it contradicts, 0 for none.
	With Seq
	text string
}

// Error implements [error].
func (f *Flaw) Error() string { return f.text }

// FlawOf is the subject of a flaw.
type FlawOf uint8

// The subjects of flaws: the fields of the event, its order, its cause, or its message.
const (
	FlawOfFields FlawOf = iota
	FlawOfOrder
	FlawOfCause
	FlawOfMessage
)

// flaw returns a flaw of an event that contradicts an earlier event, 0 for none.
func flaw(subject FlawOf, earlier Seq, format string, args ...any) *Flaw {
	return &Flaw{subject, earlier, fmt.Sprintf(format, args...)}
}

// sent is the remembered part of a send.
type sent struct {
	seq              Seq
	sender, receiver ProcessID
}

// NewValidator returns a validator for the events of run.
func NewValidator(run *Run) *Validator {
	return &Validator{run: run, coverage: NewCoverage(run)}
}

// Validator returns a validator for the events of the run that the decoder reads. It leaves out what the decoder has
// checked: the forms of texts and payloads.
func (d *Decoder) Validator(run *Run) *Validator {
	v := NewValidator(run)
	v.decoded = true
	return v
}

// Check checks the next event of the run.
func (v *Validator) Check(e *Event) error {
	f := v.Examine(e)
	switch {
	case f == nil:
		return nil
	case v.run.Number > 0:
		return fmt.Errorf("run %d seq %d: %w", v.run.Number, e.Seq, f)
	}
	return fmt.Errorf("seq %d: %w", e.Seq, f)
}

// Examine is Check without the place in the error: it returns the first flaw of the event, nil for a valid
// event.
func (v *Validator) Examine(e *Event) *Flaw {
	f := v.check(e)
	v.last = e.Seq
	return f
}

// check returns the first flaw of the event: in its seq, its fields, its cause, its texts, or its message.
func (v *Validator) check(e *Event) *Flaw {
	if err := v.checkPlace(e); err != nil {
		return err
	}
	if !e.Kind.Valid() {
		return flaw(FlawOfFields, 0, "%v is not an event kind", e.Kind)
	}
	if err := v.checkFields(e); err != nil {
		return err
	}
	if e.Cause < 0 || e.Cause >= e.Seq {
		return flaw(FlawOfCause, 0, "the cause of an event is an earlier one, not seq %d", e.Cause)
	}
	if e.Lamport < 0 {
		return flaw(FlawOfFields, 0, "the Lamport clock is %d, expected 0 or more", e.Lamport)
	}
	if v.decoded {
		return v.checkMessage(e)
	}
	if err := checkText(e); err != nil {
		return err
	}
	return v.checkMessage(e)
}

// checkPlace compares the event's seq with that of the previous event.
func (v *Validator) checkPlace(e *Event) *Flaw {
	switch {
	case v.run.Slice:
		return v.checkSlice(e)
	case e.Seq != v.last+1:
		return flaw(FlawOfOrder, v.last, "seq %d follows seq %d, expected %d", e.Seq, v.last, v.last+1)
	}
	return nil
}

// checkText ensures that the event's text has the same meaning in every form of the trace: UTF-8, and a payload
// on one line.
func checkText(e *Event) *Flaw {
	if !utf8.ValidString(e.Type) {
		return flaw(FlawOfFields, 0, "the type is not UTF-8")
	}
	if e.Payload == nil {
		return nil
	}
	switch valid, spaced := validObject(e.Payload); {
	case !valid:
		return flaw(FlawOfFields, 0, "the payload is not a JSON object")
	case spaced:
		return flaw(FlawOfFields, 0, "the payload has white space between its parts")
	case !utf8.Valid(e.Payload):
		return flaw(FlawOfFields, 0, "the payload is not UTF-8")
	}
	return nil
}

// checkFields compares the event's fields with the row of its kind.
func (v *Validator) checkFields(e *Event) *Flaw {
	info := e.Kind.Info()
	for _, f := range []struct {
		name string
		need Need
		has  bool
	}{
		{"process", info.Process, e.Process != 0},
		{"peer", info.Peer, e.Peer != 0},
		{"type", info.Type, e.Type != ""},
		{"message", info.Message, e.Message != 0},
		{"cause", info.Cause, e.Cause != 0},
		{"payload", info.Payload, e.Payload != nil},
	} {
		switch {
		case f.need == Required && !f.has:
			if f.name == "cause" && (v.run.Slice && infersCause(e) || v.sendMayBeUnrecorded(e)) {
				continue // a receipt without a recorded send has no cause
			}
			return v.lacks(e, f.name)
		case f.need == Absent && f.has:
			return flaw(FlawOfFields, 0, "a %s event has no %s", e.Kind, f.name)
		}
	}
	for _, p := range [...]ProcessID{e.Process, e.Peer} {
		if p < 0 || int(p) > len(v.run.Members) {
			return flaw(FlawOfFields, 0, "process number %d, but the run has %d processes", p, len(v.run.Members))
		}
	}
	return nil
}

// sendMayBeUnrecorded reports whether the event is a receive or loss of a message whose send may have happened
// unrecorded: the run declares the sends of the sender incomplete, or has no declaration and no recorded send. If it
// declares all sends recorded, no process has sent the message. A receive of such a message violates a property, and
// not the form of the run.
func (v *Validator) sendMayBeUnrecorded(e *Event) bool {
	isMember := e.Peer >= 1 && int(e.Peer) <= len(v.run.Members)
	if !infersCause(e) || e.Cause != 0 || !isMember || v.sends.Get(e.Message) != nil {
		return false
	}
	return e.Kind == Receive && v.declaresAllSends(e.Peer) || v.coverage.Missing(e.Peer, Fact{Kind: Send}, 0, e.Seq)
}

// declaresAllSends reports whether the run explicitly declares all sends of the process recorded. A simulated run
// has this declaration implicitly.
func (v *Validator) declaresAllSends(p ProcessID) bool {
	return v.run.Completeness != nil && v.coverage.Declared(p, Fact{Kind: Send}) == All
}

// lacks returns the flaw of a missing field. The cause of a receive or lose event may be missing because the
// message should determine it.
func (v *Validator) lacks(e *Event, field string) *Flaw {
	if field == "cause" && infersCause(e) && v.sends.Get(e.Message) == nil {
		return flaw(FlawOfMessage, 0, "no send of message %d comes before this %s, and it names no cause", e.Message, e.Kind)
	}
	return flaw(FlawOfFields, 0, "a %s event needs a %s", e.Kind, field)
}

// checkMessage compares receives and losses with their sends.
func (v *Validator) checkMessage(e *Event) *Flaw {
	if v.run.Slice {
		return nil
	}
	// Each message has at most one send: it identifies the message, and its copies share it.
	switch e.Kind {
	case Send:
		if err := v.checkOrphans(e); err != nil {
			return err
		}
		if s := v.sends.Get(e.Message); s != nil {
			return flaw(FlawOfMessage, s.seq, "message %d was sent before, at seq %d", e.Message, s.seq)
		}
		v.sends.Put(e.Message, sent{e.Seq, e.Process, e.Peer})
	case Receive, Lose:
		s := v.sends.Get(e.Message)
		switch {
		case s == nil && v.sendMayBeUnrecorded(e):
			v.adopt(e)
		case s == nil:
			return flaw(FlawOfMessage, 0, "message %d was never sent", e.Message)
		case s.seq != e.Cause:
			return flaw(FlawOfMessage, s.seq, "the cause is seq %d, but message %d was sent at seq %d", e.Cause, e.Message, s.seq)
		case s.sender != e.Peer || s.receiver != e.Process:
			return flaw(FlawOfMessage, s.seq, "message %d went from %s to %s, not from %s to %s", e.Message,
				v.run.ProcessName(s.sender), v.run.ProcessName(s.receiver), v.run.ProcessName(e.Peer), v.run.ProcessName(e.Process))
		}
	}
	return nil
}

// adopt adds an event of a message without a recorded send.
func (v *Validator) adopt(e *Event) {
	if v.orphans.Get(e.Message) == nil {
		v.orphans.Put(e.Message, e.Seq)
	}
	if v.senders == nil {
		v.senders = make(map[ProcessID]Seq)
	}
	if v.senders[e.Peer] == 0 {
		v.senders[e.Peer] = e.Seq
	}
}

// checkOrphans ensures that a send does not contradict earlier receives without a send.
func (v *Validator) checkOrphans(send *Event) *Flaw {
	v.coverage.ShowKind(send)
	if at := v.orphans.Get(send.Message); at != nil {
		return flaw(FlawOfMessage, *at, "message %d is sent after it arrived, at seq %d", send.Message, *at)
	}
	if v.sends.Len() > 0 {
		// Only the first recorded send can contradict that sends are not recorded.
		return nil
	}
	for _, p := range slices.Sorted(maps.Keys(v.senders)) {
		if at := v.senders[p]; !v.declaresAllSends(p) && !v.coverage.Missing(p, Fact{Kind: Send}, 0, at) {
			return flaw(
				FlawOfMessage, at,
				"a send, so that all sends are taken for recorded, but the message that arrives at seq %d "+
					"was not sent: \"complete\" in the header says it where not all sends are recorded",
				at,
			)
		}
	}
	return nil
}

// Validate examines a whole recording: its description, then every event.
func Validate(r Recording) error {
	if err := r.Run().Validate(); err != nil {
		return err
	}
	v := NewValidator(r.Run())
	for e, err := range r.Events(1) {
		if err != nil {
			return err
		}
		if err := v.Check(e); err != nil {
			return err
		}
	}
	return nil
}
