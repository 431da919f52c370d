package tracefmt

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// Seq is the place of an event in the recorded order of its run, from 1.
// 0 means no event.
type Seq int64

// MessageID names a message within its run. 0 means no message.
type MessageID int64

// ProcessID is a process's place in [Run].Members, from 1. 0 means no process
// and, as the value of a variable, "none".
type ProcessID int32

// Time is an instant or a duration in nanoseconds. [Run].TimeUnit defines the meaning of a unit. In a simulated
// run, one mean message delay is [Unit].
type Time int64

// Unit is one mean message delay in simulated time.
const Unit Time = 1e9

// String writes the time in units of 1e9 as a plain decimal: "2", "3.5".
func (t Time) String() string {
	if t == math.MinInt64 {
		return "-9223372036.854775808"
	}
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	units, frac := t/Unit, t%Unit
	if frac == 0 {
		return sign + strconv.FormatInt(int64(units), 10)
	}
	return sign + strconv.FormatInt(int64(units), 10) + "." + strings.TrimRight(fmt.Sprintf("%09d", frac), "0")
}

// ParseTime reads the output of [Time.String] exactly: at most nine decimals.
func ParseTime(s string) (Time, error) {
	bad := func() (Time, error) {
		return 0, fmt.Errorf("%q is not a time, expected a decimal number such as 2 or 3.5, with at most 9 decimals", s)
	}
	digits, negative := strings.CutPrefix(s, "-")
	units, frac, dotted := strings.Cut(digits, ".")
	if len(frac) > 9 || units == "" || dotted && frac == "" {
		return bad()
	}
	nanoseconds := units + frac + strings.Repeat("0", 9-len(frac))
	for _, c := range []byte(nanoseconds) {
		if c < '0' || c > '9' {
			return bad()
		}
	}
	if negative {
		nanoseconds = "-" + nanoseconds
	}
	n, err := strconv.ParseInt(nanoseconds, 10, 64)
	if err != nil {
		return bad()
	}
	return Time(n), nil
}

// Event is one step of a run. Its Kind determines which fields it uses, see [Kinds]; the others are zero.
type Event struct {
	Seq  Seq
	Time Time
	Kind Kind
	// Process is the process of the event; of a lose event, the intended receiver.
	Process ProcessID
	// Peer is the other process: of a send the receiver, of a receive or lose
	// the sender, of a suspicion the suspected.
	Peer ProcessID
	// Type is the message type, timer name, operation or label.
	Type    string
	Message MessageID
	// Cause is the seq of the event of another process that directly
	// happened before this one: of a receive or lose, its send.
	Cause Seq
	// Lamport is the logical clock of the process after the event; 0 where
	// no process takes a step (partition, heal).
	Lamport int64
	// Term is the epoch of algorithms that have one, 0 for none.
	Term int64
	// Payload is a JSON object without insignificant white space, or nil. Streams reuse the memory of the
	// payload and of the event: use [Event.Clone] to keep them.
	Payload []byte
}

// Payload keys of imported events. The values of CausesKey and LogKey belong to the trace and not to the
// message, so comparisons of the two ends of a message must ignore them.
const (
	// ContentKey holds a message in the log's own words, equal at both ends.
	ContentKey = "content"
	// CausesKey holds the seqs of direct causes beside Event.Cause.
	CausesKey = "causes"
	// LogKey holds an object with the log's information on the event.
	LogKey = "log"
	// LogFieldsKey holds, in that object, the remaining fields of the log line: the groups of a pattern, or the
	// rest of a mapping.
	LogFieldsKey = "fields"
)

// Payload keys of a start, halt, crash or recover event that the system did not log itself.
// They are no variables.
const (
	// InferredKey is true of an event that was inferred from others, such as a crash from a restart. It may not
	// have happened, and alone it shows no violation.
	InferredKey = "inferred"
	// StatedKey is true of an event that the user stated.
	StatedKey = "stated"
)

// Inferred reports whether the event was inferred, see [InferredKey].
func (e *Event) Inferred() bool { return e.marked(InferredKey) }

// Stated reports whether the user stated the event, see [StatedKey].
func (e *Event) Stated() bool { return e.marked(StatedKey) }

// Mark returns the source of an event that the system did not log: inferred, stated, or "".
func (e *Event) Mark() string {
	switch {
	case e.Inferred():
		return InferredKey
	case e.Stated():
		return StatedKey
	}
	return ""
}

// marked reports whether the event is a start, halt, crash or recover with the mark key in its payload.
func (e *Event) marked(key string) bool { return e.Kind.markable() && e.isTrue(key) }

// markable reports whether events of the kind can be inferred or stated.
func (k Kind) markable() bool { return k == Start || k == Halt || k == Crash || k == Recover }

// isTrue reports whether a field of the payload is true.
func (e *Event) isTrue(key string) bool {
	if !bytes.Contains(e.Payload, []byte(key)) && bytes.IndexByte(e.Payload, '\\') < 0 {
		return false // the usual case: no key can match, with or without escapes
	}
	value, _ := e.Field(key)
	return string(value) == "true"
}

// IsMark reports whether a payload field of an event of the kind is [InferredKey] or [StatedKey], which is no
// variable.
func IsMark(k Kind, field []byte) bool {
	return k != State && (string(field) == InferredKey || string(field) == StatedKey)
}

// IsVariable reports whether a payload field of an event that assigns variables is a variable: it is neither a
// mark nor an addition of an importer, see [LogKey].
func IsVariable(k Kind, field, value []byte) bool {
	switch string(field) {
	case CausesKey:
		return false
	case LogKey:
		return !bytes.HasPrefix(value, []byte(`{"text":`))
	}
	return !IsMark(k, field)
}

// Clone returns a copy that shares no memory with e.
func (e *Event) Clone() *Event {
	c := *e
	c.Payload = bytes.Clone(e.Payload)
	return &c
}

// Field returns the raw JSON value of a top-level field of the payload.
func (e *Event) Field(name string) ([]byte, bool) {
	for key, value := range Fields(e.Payload) {
		if string(key) == name {
			return value, true
		}
	}
	return nil, false
}

// Causes yields the seqs that the event names as its direct causes: its Cause, then the values of [CausesKey].
// It skips values that are no seqs, and does not verify the others.
func (e *Event) Causes() iter.Seq[Seq] {
	return func(yield func(Seq) bool) {
		if e.Cause != 0 && !yield(e.Cause) || !bytes.Contains(e.Payload, causesKey) {
			return
		}
		further, _ := e.Field(CausesKey)
		for text := range bytes.SplitSeq(bytes.Trim(further, "[]"), []byte{','}) {
			if n, err := strconv.ParseInt(string(text), 10, 64); err == nil && !yield(Seq(n)) {
				return
			}
		}
	}
}

// causesKey quickly excludes payloads without further causes.
var causesKey = []byte(CausesKey)
