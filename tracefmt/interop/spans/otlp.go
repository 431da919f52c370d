package spans

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// OTLP reads spans as the exporters of OpenTelemetry write them: one document, or one in each
// line. The service of the resource is the process, with its instance if there are several.
var OTLP = interop.Format{
	Name: "otlp",
	Doc: "spans of OpenTelemetry: OTLP as JSON, one document or one on each line; an export keeps events, " +
		"messages, causality, and from the header only names",
	Describe:    describeOTLP,
	Source:      "open-telemetry/opentelemetry-proto at ac2c4b5d1f3a",
	Detect:      detectOTLP,
	Read:        readOTLP,
	ReadOptions: []interop.Option{runScope},
	Write:       writeOTLP,
	Keeps:       interop.OfEvents,
	Returns:     interop.Processes | interop.Messages | interop.Causality,
	Extensions:  []string{"json", "jsonl"},
	Joins:       true,
}

var signOfOTLP = regexp.MustCompile(`^(?:\x{FEFF})?\s*\{\s*"resourceSpans"\s*:\s*\[`)

// rejecting matches a trace state whose sampling threshold rejects some traces.
var rejecting = regexp.MustCompile(`\bth:0*[1-9a-f]`)

func detectOTLP(head []byte) interop.Confidence { return interop.CertainIf(signOfOTLP.Match(head)) }

// number is a 64-bit integer, in quotes or without.
type number int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	v, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("expected a whole number of 64 bits, not %s", interop.Shorten(string(b)))
	}
	*n = number(v)
	return nil
}

// otlpSpan is a span in the JSON of OTLP.
type otlpSpan struct {
	TraceID      string          `json:"traceId"`
	SpanID       string          `json:"spanId"`
	ParentSpanID string          `json:"parentSpanId"`
	TraceState   string          `json:"traceState"`
	Name         string          `json:"name"`
	Kind         role            `json:"kind"`
	Start        number          `json:"startTimeUnixNano"`
	End          number          `json:"endTimeUnixNano"`
	Attributes   []otlpAttribute `json:"attributes"`
	Events       []struct {
		Time       number          `json:"timeUnixNano"`
		Name       string          `json:"name"`
		Attributes []otlpAttribute `json:"attributes"`
	} `json:"events"`
	Links []struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	} `json:"links"`
	Status struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"status"`
}

// otlpAttribute is an attribute; its value is an object with the type as its only key.
type otlpAttribute struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

// otlpValue is the text of an object or null. A map would take ten times its memory.
type otlpValue []byte

// UnmarshalJSON implements the interface of encoding/json.
func (v *otlpValue) UnmarshalJSON(text []byte) error {
	if text[0] != '{' && string(text) != "null" {
		return fmt.Errorf("the value of an attribute is %s, expected an object", text)
	}
	*v = bytes.Clone(text)
	return nil
}

// kindsOfOTLP are the numbers of span kinds.
var kindsOfOTLP = map[role]role{2: server, 3: client, 4: producer, 5: consumer}

// statusError is the status code of a failed span.
const statusError = 2

// readOTLP makes a run of the spans of all files.
func readOTLP(r *interop.Reading) error {
	t := newTraces(r)
	err := t.eachDocument(func(d *document) error {
		return d.object(map[string]func() error{"resourceSpans": func() error { return d.array(func() error { return d.readResource(t) }) }})
	})
	if err != nil {
		return err
	}
	return t.addRuns()
}

// readResource reads the spans of a resource, which is a process.
func (d *document) readResource(t *traces) error {
	var description struct {
		Attributes []otlpAttribute `json:"attributes"`
	}
	from := newSource()
	spans := func() error { return d.array(func() error { return d.readSpan(t, from) }) }
	scope := func() error { return d.object(map[string]func() error{"spans": spans}) }
	err := d.object(map[string]func() error{"resource": d.into(&description), "scopeSpans": func() error { return d.array(scope) }})
	attributes := fields(description.Attributes)
	from.service, from.instance = attribute(attributes, "service.name"), attribute(attributes, "service.instance.id")
	return err
}

// readSpan reads a span of a resource, and adds it.
func (d *document) readSpan(t *traces, from *source) error {
	line := int32(d.r.Line(d.currentLine()))
	var o otlpSpan
	if err := d.dec.Decode(&o); err != nil {
		return err
	}
	s := &details{source: from, attributes: fields(o.Attributes), sampled: rejecting.MatchString(o.TraceState)}
	if o.ParentSpanID != "" && strings.Trim(o.ParentSpanID, "0") != "" {
		s.refs = append(s.refs, otlpID(o.TraceID, o.ParentSpanID))
	}
	for _, l := range o.Links {
		s.refs = append(s.refs, otlpID(l.TraceID, l.SpanID))
	}
	for _, e := range o.Events {
		s.events = append(s.events, happening{moment(e.Time), e.Name, fields(e.Attributes)})
	}
	s.written = recordedIn(s.attributes)
	if o.Status.Code == statusError {
		s.failed = "error " + o.Status.Message
	}
	return t.add(&span{
		id: otlpID(o.TraceID, o.SpanID), details: s.orPlain(), line: line, name: o.Name, role: kindsOfOTLP[o.Kind],
		start: moment(o.Start), end: moment(o.End),
	})
}

// otlpID returns the id of a span. Hexadecimal digits may be in upper or lower case.
func otlpID(trace, span string) id { return id{strings.ToLower(trace), strings.ToLower(span)} }

// fields returns the attributes as fields: whole numbers as numbers, texts as texts, lists unchanged.
func fields(attributes []otlpAttribute) (list []interop.Field) {
	for _, a := range attributes {
		for kind, value := range tracefmt.Fields(a.Value) { // the object has one key, the type of the value
			if string(kind) == "intValue" {
				value = bytes.Trim(value, `"`)
			}
			list = append(list, interop.JSON(a.Key, value))
			break
		}
	}
	return list
}
