package spans

import (
	"encoding/json"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// role is the part of a span in an exchange of messages.
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

// span is a span of OTLP or Jaeger. It is small, since a file may have one in 15 bytes: 77 bytes, for which Go
// takes 80.
type span struct {
	id
	*details
	name       string
	start, end moment
	line       int32
	role       role
}

// source is the process of spans. The spans of a resource share it.
type source struct {
	service, instance string
	plain             *details // shared by all its spans without attributes, references, events and the like
}

func newSource() *source {
	s := new(source)
	s.plain = &details{source: s}
	return s
}

// details are the source of a span, and the parts that many spans lack; see [details.orPlain].
type details struct {
	*source
	attributes []interop.Field
	refs       []id // the ids of the parent and of the links
	events     []happening
	failed     string // the error that the span reports
	sampled    bool   // true if the trace is a sample, so that other spans are missing
	written    *recorded
}

// orPlain returns the details, or the shared details of the source if the span has no parts of its own.
func (d *details) orPlain() *details {
	if len(d.attributes)+len(d.refs)+len(d.events)+len(d.failed) == 0 && !d.sampled && d.written == nil {
		return d.plain
	}
	return d
}

// moment is a time in nanoseconds since 1970; 0 means unknown.
type moment int64

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

// recordedIn returns the event in the attributes of a span that etrace wrote, nil for a span of another program.
func recordedIn(attributes []interop.Field) *recorded {
	kind, err := tracefmt.ParseKind(attribute(attributes, "etrace.kind"))
	if err != nil {
		return nil
	}
	r := &recorded{
		kind: kind, typ: attribute(attributes, "etrace.type"), peer: attribute(attributes, "etrace.peer"),
		message: numberIn(attributes, "etrace.message"), network: numberIn(attributes, "etrace.network") != "",
	}
	if r.isMessageEnd() && (r.peer == "" || r.message == "" || r.network) {
		return nil
	}
	return r
}

// isMessageEnd reports whether the event is an end of a message.
func (r *recorded) isMessageEnd() bool {
	return r.kind == tracefmt.Send || r.kind == tracefmt.Receive || r.kind == tracefmt.Lose
}

// numberIn returns the value of an attribute that is a whole number, or "".
func numberIn(attributes []interop.Field, key string) string {
	for _, f := range attributes {
		if f.Key == key {
			return string(f.Value)
		}
	}
	return ""
}

// happening is an event of a span.
type happening struct {
	time       moment
	name       string
	attributes []interop.Field
}

// attribute returns the value of an attribute that is a text, or "".
func attribute(attributes []interop.Field, key string) string {
	var s string
	for _, f := range attributes {
		if f.Key == key && json.Unmarshal(f.Value, &s) == nil {
			return s
		}
	}
	return ""
}

// runScope is the option that decides whether all spans are one run, or each trace.
var runScope = interop.Option{
	Name: "one-run", Arg: "WHAT", Choices: []string{"all", "trace"}, Default: "all",
	Doc: "WHAT is one run: all spans, or each trace",
}
