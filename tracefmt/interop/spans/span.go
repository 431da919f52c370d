package spans

import (
	"encoding/json"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// role is the part of a span in a message, such as server or consumer.
type role uint8

const (
	internal role = iota
	server
	client
	producer
	consumer
)

// id identifies a span.
type id struct{ trace, span string }

// span is a span of any of the formats. It is small, 80 bytes, since a file may have one in 15 bytes.
type span struct {
	id
	*details
	name       string
	start, end moment
	line       int32
	role       role
}

// source is the process that recorded spans. All spans of a resource share it.
type source struct {
	service, instance string
	plain             *details // shared by all its spans without attributes, references, events and the like
}

// newSource returns an unnamed source.
func newSource() *source {
	s := new(source)
	s.plain = &details{source: s}
	return s
}

// details are the source of a span and its rarer parts; see [details.orPlain].
type details struct {
	*source
	attributes []interop.Field
	refs       []id // its parent and its links
	events     []happening
	failed     string // the span's message of failure
	// sampled is set if the span's trace was sampled, so that other traces were left out.
	sampled bool
	// own is the recorded event if etrace itself wrote the span, else nil.
	own *recorded
}

// orPlain returns the details, or the shared details of the source if the span has no parts of its own.
func (d *details) orPlain() *details {
	if len(d.attributes)+len(d.refs)+len(d.events)+len(d.failed) == 0 && !d.sampled && d.own == nil {
		return d.plain
	}
	return d
}

// moment is a time in nanoseconds since 1970; 0 means unknown.
type moment int64

// time returns the moment as a time; an unknown moment is the zero time.
func (m moment) time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(m))
}

// recorded holds the event of a span that etrace wrote.
type recorded struct {
	kind               tracefmt.Kind
	typ, peer, message string
	network            bool // it is of no process
}

// recordedIn returns the event that the attributes of etrace describe, nil for a span of another program.
func recordedIn(attributes []interop.Field) *recorded {
	kind, err := tracefmt.ParseKind(attribute(attributes, "etrace.kind"))
	if err != nil {
		return nil
	}
	r := &recorded{
		kind: kind, typ: attribute(attributes, "etrace.type"), peer: attribute(attributes, "etrace.peer"),
		message: numberIn(attributes, "etrace.message"), network: numberIn(attributes, "etrace.network") != "",
	}
	if r.ofMessage() && (r.peer == "" || r.message == "" || r.network) {
		return nil
	}
	return r
}

// ofMessage reports whether the event is an end of a message.
func (r *recorded) ofMessage() bool {
	return r.kind == tracefmt.Send || r.kind == tracefmt.Receive || r.kind == tracefmt.Lose
}

// numberIn returns the value of an attribute that is a whole number, or "".
func numberIn(all []interop.Field, key string) string {
	for _, f := range all {
		if f.Key == key {
			return string(f.Value)
		}
	}
	return ""
}

// happening is an event within a span.
type happening struct {
	time       moment
	name       string
	attributes []interop.Field
}

// attribute returns the value of an attribute that is a text, or "".
func attribute(all []interop.Field, key string) string {
	var s string
	for _, f := range all {
		if f.Key == key && json.Unmarshal(f.Value, &s) == nil {
			return s
		}
	}
	return ""
}

// whatIsOne is the option that decides whether all spans are one run, or each trace.
var whatIsOne = interop.Option{
	Name: "one-run", Arg: "WHAT", Choices: []string{"all", "trace"}, Default: "all",
	Doc: "WHAT is one run: all spans, or each trace",
}
