package spans

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/interop"
)

// Jaeger reads traces as its query interface and its user interface give them: one, or
// several in "data". The service of the process is the process.
var Jaeger = interop.Format{
	Name:        "jaeger",
	Doc:         "traces of Jaeger, as JSON of its interfaces",
	Source:      "jaegertracing/jaeger-ui at c321fb32bbca",
	Detect:      detectJaeger,
	Read:        readJaeger,
	ReadOptions: []interop.Option{runScope},
	Joins:       true,
}

var (
	spanOfJaeger = regexp.MustCompile(`"spanID"\s*:`)
	listOfJaeger = regexp.MustCompile(`"(spans|data)"\s*:\s*\[`)
)

func detectJaeger(head []byte) interop.Confidence {
	trimmed := bytes.TrimLeft(head, "\uFEFF \t\r\n")
	return interop.SureIf(bytes.HasPrefix(trimmed, []byte("{")) && spanOfJaeger.Match(head) && listOfJaeger.Match(head))
}

// jaegerSpan is a span in the JSON of Jaeger.
type jaegerSpan struct {
	TraceID   string      `json:"traceID"`
	SpanID    string      `json:"spanID"`
	ParentID  string      `json:"parentSpanID"` // only in old versions
	Name      string      `json:"operationName"`
	Start     number      `json:"startTime"`
	Duration  number      `json:"duration"`
	Tags      []jaegerTag `json:"tags"`
	ProcessID string      `json:"processID"`
	Refs      []struct {
		TraceID string `json:"traceID"`
		SpanID  string `json:"spanID"`
	} `json:"references"`
	Logs []struct {
		Time   number      `json:"timestamp"`
		Fields []jaegerTag `json:"fields"`
	} `json:"logs"`
}

// jaegerTag is an attribute of a span.
type jaegerTag struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// rolesOfJaeger are values of the tag span.kind.
var rolesOfJaeger = map[string]role{"server": server, "client": client, "producer": producer, "consumer": consumer}

// readJaeger makes a run of the spans of all files.
func readJaeger(r *interop.Reading) error {
	t := newTraces(r)
	err := t.eachDocument(func(d *document) error {
		readTraces := func() error { return d.array(func() error { return d.readJaegerTrace(t, nil) }) }
		return d.readJaegerTrace(t, map[string]func() error{"data": readTraces})
	})
	if err != nil {
		return err
	}
	return t.addRuns()
}

// readJaegerTrace reads an object with the spans and processes of a trace, or with the additional keys.
func (d *document) readJaegerTrace(t *traces, keys map[string]func() error) error {
	var processes map[string]struct {
		ServiceName string `json:"serviceName"`
	}
	sources := make(map[string]*source)
	readers := map[string]func() error{
		"processes": d.into(&processes),
		"spans":     func() error { return d.array(func() error { return d.readJaegerSpan(t, sources) }) },
	}
	for key, read := range keys {
		readers[key] = read
	}
	err := d.object(readers)
	for id, from := range sources {
		from.service = cmp.Or(processes[id].ServiceName, id)
	}
	return err
}

// readJaegerSpan reads a span of a trace, and adds it. sources are the processes of the trace by their ids.
func (d *document) readJaegerSpan(t *traces, sources map[string]*source) error {
	line := int32(d.r.Line(d.currentLine()))
	var j jaegerSpan
	if err := d.dec.Decode(&j); err != nil {
		return err
	}
	from := sources[j.ProcessID]
	if from == nil {
		from = newSource()
		sources[j.ProcessID] = from
	}
	s := &details{source: from, attributes: tags(j.Tags)}
	s.sampled = attribute(s.attributes, "sampler.type") == "probabilistic" && !slices.ContainsFunc(j.Tags, isWhole)
	if j.ParentID != "" {
		s.refs = append(s.refs, id{j.TraceID, j.ParentID})
	}
	for _, ref := range j.Refs {
		s.refs = append(s.refs, id{ref.TraceID, ref.SpanID})
	}
	for _, l := range j.Logs {
		e := happening{time: inMicros(l.Time), attributes: tags(l.Fields)}
		for _, key := range []string{"event", "message"} {
			if e.name == "" {
				e.name = attribute(e.attributes, key)
			}
		}
		s.events = append(s.events, e)
	}
	return t.add(&span{
		id: id{j.TraceID, j.SpanID}, details: s.orPlain(), line: line, name: j.Name,
		role: rolesOfJaeger[attribute(s.attributes, "span.kind")], start: inMicros(j.Start), end: inMicros(j.Start + j.Duration),
	})
}

// inMicros converts microseconds to a moment, limited to its range.
func inMicros(n number) moment {
	const last = math.MaxInt64 / 1000
	return moment(min(max(n, -last), last)) * 1000
}

// isWhole reports whether a tag states that the sampler kept all traces.
func isWhole(tag jaegerTag) bool {
	return tag.Key == "sampler.param" && strings.Trim(string(tag.Value), `"`) == "1"
}

// tags returns the tags as fields.
func tags(recorded []jaegerTag) (list []interop.Field) {
	for _, tag := range recorded {
		list = append(list, interop.JSON(tag.Key, tag.Value))
	}
	return list
}
