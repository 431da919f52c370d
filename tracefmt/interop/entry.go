package interop

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"etrace/tracefmt"
)

// Entry is one event as a foreign log has it: processes by name, messages by
// whatever identifies them, causes by key. Everything but the kind is optional
// where the kind does not demand it, see [tracefmt.Kinds].
type Entry struct {
	// Line is where the entry begins in the file, from 1.
	Line int
	// Text is the log's own words.
	Text string
	// Extra holds the other fields of the entry. They are kept, but belong to no message and are no variables.
	Extra []Field

	Kind tracefmt.Kind
	// Inferred marks an event that no line records, but another line implies. It happened at some moment after
	// this one, see [tracefmt.InferredKey].
	Inferred bool
	Process  string
	Peer     string
	Type     string
	Term     int64
	// Time is wall time; a time of day has the year 0, as [time.Parse] gives
	// it, and a time since the start is time.Unix(0, nanoseconds). The zero
	// time is unknown: then it is that of the entry before it of its process, or
	// of the next one, or of one beside it in the file.
	Time time.Time
	// Fields are the message's fields, the variables that changed, the
	// arguments or the result.
	Fields []Field

	// Message identifies the message of a send, receive or loss, at both ends
	// alike, whatever their order in the file. A second receive of it is a
	// duplicate; sends of it to several receivers are a broadcast.
	Message string
	// Content is the message in the log's own words, equal at both ends.
	// Without Message, ends are joined that agree in sender, receiver, type,
	// Content and Match: the k-th receive with the k-th send before it.
	Content, Match string
	// Label is the type of the note that replaces a receive without a send.
	Label string

	// Key is a name by which other entries call this one a cause; After are
	// the keys of the entry's direct causes, whatever their order in the file.
	Key   string
	After []string
	// Own numbers the entries of a process, where the file's order is not
	// theirs. Clock is the vector clock after the event; it implies Own.
	Own   int64
	Clock []Tick
}

// Tick is an entry of a vector clock.
type Tick struct {
	Process string
	Count   int64
}

// Field is a field of a JSON object.
type Field struct {
	Key string
	// Value is JSON without white space between its parts.
	Value []byte
}

// Text returns a field that holds a text.
func Text(key, value string) Field { return Field{key, tracefmt.AppendString(nil, value)} }

// Int returns a field that holds an integer.
func Int(key string, n int64) Field { return Field{key, strconv.AppendInt(nil, n, 10)} }

// JSON returns a field that holds a value as in the log, digits included. Invalid JSON becomes a text.
func JSON(key string, value []byte) Field {
	b := bytes.NewBuffer(make([]byte, 0, len(value)))
	if json.Compact(b, value) != nil {
		return Text(key, string(value))
	}
	if utf8.Valid(b.Bytes()) {
		return Field{key, b.Bytes()}
	}
	return Field{key, bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD"))}
}

// reserved are the payload keys that the Builder itself sets.
var reserved = []string{tracefmt.ContentKey, tracefmt.CausesKey, tracefmt.LogKey}

// splitReserved separates the fields with reserved keys from the others.
func splitReserved(fields []Field) (free, taken []Field) {
	if !slices.ContainsFunc(fields, isReserved) {
		return fields, nil
	}
	for _, f := range fields {
		if isReserved(f) {
			taken = append(taken, f)
		} else {
			free = append(free, f)
		}
	}
	return free, taken
}

func isReserved(f Field) bool { return slices.Contains(reserved, f.Key) }

// appendFields appends the fields as JSON, separated by commas and without braces. Of fields with equal keys it
// writes the last.
func appendFields(dst []byte, fields []Field) []byte {
	fields = lastByKey(fields)
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = tracefmt.AppendString(dst, f.Key)
		dst = append(dst, ':')
		dst = append(dst, f.Value...)
	}
	return dst
}

// lastByKey returns the fields without those whose key occurs again later.
func lastByKey(fields []Field) []Field {
	last := make(map[string]int, len(fields))
	for i, f := range fields {
		last[f.Key] = i
	}
	if len(last) == len(fields) {
		return fields
	}
	var kept []Field
	for i, f := range fields {
		if last[f.Key] == i {
			kept = append(kept, f)
		}
	}
	return kept
}
