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

// Time is an instant or a duration in nanoseconds. What one unit means is
// told by [Run].TimeUnit; in a simulated run one mean message delay is [Unit].
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
	whole, frac := t/Unit, t%Unit
	if frac == 0 {
		return sign + strconv.FormatInt(int64(whole), 10)
	}
	return sign + strconv.FormatInt(int64(whole), 10) + "." + strings.TrimRight(fmt.Sprintf("%09d", frac), "0")
}

// ParseTime reads what [Time.String] writes, exactly: at most nine decimals.
func ParseTime(s string) (Time, error) {
	bad := func() (Time, error) {
		return 0, fmt.Errorf("%q is not a time, expected a decimal number such as 2 or 3.5, with at most 9 decimals", s)
	}
	digits, negative := strings.CutPrefix(s, "-")
	whole, frac, dotted := strings.Cut(digits, ".")
	if len(frac) > 9 || whole == "" || dotted && frac == "" {
		return bad()
	}
	all := whole + frac + strings.Repeat("0", 9-len(frac))
	for _, c := range []byte(all) {
		if c < '0' || c > '9' {
			return bad()
		}
	}
	if negative {
		all = "-" + all
	}
	n, err := strconv.ParseInt(all, 10, 64)
	if err != nil {
		return bad()
	}
	return Time(n), nil
}

// Event is one step of a run. Which fields an event uses follows from its
// Kind, see [Kinds]; the others are zero.
type Event struct {
	Seq  Seq
	Time Time
	Kind Kind
	// Process is where the event happens; of a lose event, the intended receiver.
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
	// Payload is a JSON object without insignificant white space, or nil.
	// Streams reuse its memory and that of the event: [Event.Clone] what is to be kept.
	Payload []byte
}

// Payload keys of imported events. What is under CausesKey and LogKey
// belongs to the trace and not to the message: whoever compares the two ends
// of a message leaves them out.
const (
	// ContentKey holds a message in the log's own words, equal at both ends.
	ContentKey = "content"
	// CausesKey holds the seqs of direct causes beside Event.Cause.
	CausesKey = "causes"
	// LogKey holds an object with what the log says about this event.
	LogKey = "log"
	// LogFieldsKey holds, in that object, one with what else the log says: the
	// groups of a pattern, the rest of a mapping.
	LogFieldsKey = "fields"
)

// Payload keys of a start, halt, crash or recover event that the system did not log itself.
// They are no variables.
const (
	// InferredKey is true of an event that was guessed from others, as a crash from a
	// process that begins anew. It may not have happened, and convicts no process alone.
	InferredKey = "inferred"
	// StatedKey is true of an event that the user has stated of the run.
	StatedKey = "stated"
)

// Inferred reports whether the event was guessed, see [InferredKey].
func (e *Event) Inferred() bool { return e.marked(InferredKey) }

// Stated reports whether the event was stated by the user, see [StatedKey].
func (e *Event) Stated() bool { return e.marked(StatedKey) }

// Mark says in a word who says that the event happened, if not the system: inferred,
// stated, or "".
func (e *Event) Mark() string {
	switch {
	case e.Inferred():
		return InferredKey
	case e.Stated():
		return StatedKey
	}
	return ""
}

func (e *Event) marked(key string) bool { return e.Kind.mayBeMarked() && e.says(key) }

// mayBeMarked reports whether events of the kind may be inferred or stated.
func (k Kind) mayBeMarked() bool { return k == Start || k == Halt || k == Crash || k == Recover }

// says reports whether a field of the payload is true.
func (e *Event) says(key string) bool {
	if !bytes.Contains(e.Payload, []byte(key)) && bytes.IndexByte(e.Payload, '\\') < 0 {
		return false // as most have it: no key can be it, however it is written
	}
	value, _ := e.Field(key)
	return string(value) == "true"
}

// IsMark reports whether a field of the payload of an event of the kind is [InferredKey] or
// [StatedKey], and so no variable.
func IsMark(k Kind, field []byte) bool {
	return k != State && (string(field) == InferredKey || string(field) == StatedKey)
}

// IsVariable reports whether a field of the payload of an event that assigns variables is
// one of them: no mark, and nothing of what an importer adds, see [LogKey].
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

// Causes yields the seqs of the events that the event names as its direct
// causes: its Cause, then what is under [CausesKey]. What is no seq there
// is passed over. They are as the trace has them, not compared with anything.
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

// causesKey tells in little time the payloads without further causes.
var causesKey = []byte(CausesKey)
