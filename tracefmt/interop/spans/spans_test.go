package spans_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/spans"
)

func read(t testing.TB, f interop.Format, text, oneRun string) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	input, err := interop.NewInput("s.json", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got tracefmt.Collector
	var s interop.Settings
	if oneRun != "" {
		s.Options = map[string]string{"one-run": oneRun}
	}
	report, err := interop.Import(context.Background(), f, input, &got, s)
	return &got, report, err
}

// events are those of a run as words.
func events(run *tracefmt.Memory) string {
	var b strings.Builder
	for e := range run.Events(1) {
		fmt.Fprintf(&b, "%s %s %s", run.Run().ProcessName(e.Process), e.Kind, e.Type)
		if e.Peer != 0 {
			fmt.Fprintf(&b, " %s #%d", run.Run().ProcessName(e.Peer), e.Message)
		}
		if e.Cause != 0 {
			fmt.Fprintf(&b, " ^%d", e.Cause)
		}
		for key, value := range tracefmt.Fields(e.Payload) {
			if string(key) != tracefmt.LogKey {
				fmt.Fprintf(&b, " %s=%s", key, value)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func otlp(service string, spans ...string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"` +
		service + `"}}]},"scopeSpans":[{"scope":{},"spans":[` + strings.Join(spans, ",\n") + "]}]}]}\n"
}

// Orders: shop asks bank, whose clock is behind; it sends two parcels that depot takes together,
// and a third that is not taken; a link to another trace is a cause.
var orders = otlp("shop",
	`{"traceId":"AA","spanId":"01","name":"order","kind":1,"startTimeUnixNano":"100","endTimeUnixNano":900,"status":{"code":2,"message":"sold out"},"events":[{"timeUnixNano":"300","name":"became leader","attributes":[{"key":"raft.term","value":{"intValue":"9007199254740993"}}]},{"timeUnixNano":"200","name":"thinking"}]}`,
	`{"traceId":"aa","spanId":"02","parentSpanId":"01","name":"pay","kind":3,"startTimeUnixNano":"110","endTimeUnixNano":"180"}`,
	`{"traceId":"aa","spanId":"04","parentSpanId":"01","name":"parcel","kind":4,"startTimeUnixNano":"120","endTimeUnixNano":"121"}`,
	`{"traceId":"aa","spanId":"05","parentSpanId":"01","name":"parcel","kind":4,"startTimeUnixNano":"120","endTimeUnixNano":"122"}`,
	`{"traceId":"aa","spanId":"06","parentSpanId":"01","name":"letter","kind":4,"startTimeUnixNano":"130","endTimeUnixNano":"131","attributes":[{"key":"messaging.destination.name","value":{"stringValue":"depot"}}]}`) +
	otlp(
		"bank",
		`{"traceId":"aa","spanId":"03","parentSpanId":"02","name":"debit","kind":2,"startTimeUnixNano":"50","endTimeUnixNano":"60"}`,
	) +
	otlp("depot",
		`{"traceId":"bb","spanId":"07","name":"batch","kind":5,"startTimeUnixNano":"500","endTimeUnixNano":"510","links":[{"traceId":"aa","spanId":"04"},{"traceId":"aa","spanId":"05"}]}`,
		`{"traceId":"bb","spanId":"08","name":"audit","kind":1,"startTimeUnixNano":"520","endTimeUnixNano":"530","links":[{"traceId":"aa","spanId":"03"}]}`)

func TestOTLP(t *testing.T) {
	got, report, err := read(t, spans.OTLP, orders, "all")
	if err != nil {
		t.Fatal(err)
	}
	want := `shop note order
shop send pay bank #1
bank receive pay shop #1 ^2
bank note end span="debit"
shop send parcel depot #2
shop send parcel depot #3
shop note end span="parcel"
shop note end span="parcel"
shop send letter depot #4
shop note end span="letter"
shop note end span="pay"
shop note thinking
shop state  role="leader" term=9007199254740993
depot receive parcel shop #2 ^5
depot receive parcel shop #3 ^6
depot note end span="batch"
depot note audit ^3
depot note end span="audit"
shop note end span="order" status="error sold out"
`
	if diff := cmp.Diff(want, events(got.Runs[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if notes := strings.Join(report.Runs[0].Notes, " "); !strings.Contains(notes, "1 message is not received in the file (line 5)") {
		t.Errorf("notes %q", notes)
	}
	if got, _, err := read(t, spans.OTLP, orders, "trace"); err != nil || len(got.Runs) != 2 ||
		got.Runs[1].Run().Name != "bb" || got.Runs[1].Run().Completeness.Kinds["send"] != tracefmt.Some {
		t.Errorf("by trace: %d runs, %v", len(got.Runs), err)
	}
}

// TestSampled: a sampled trace is incomplete; a trace that was kept like all is complete.
func TestSampled(t *testing.T) {
	for state, want := range map[string]bool{"": false, "ot=th:0": false, "ot=th:c": true, "ot=p:8;th:08": true} {
		text := otlp("a", `{"traceId":"1","spanId":"1","name":"x","traceState":"`+state+`","startTimeUnixNano":"1","endTimeUnixNano":"2"}`)
		got, _, err := read(t, spans.OTLP, text, "all")
		if err != nil || (got.Runs[0].Run().Completeness.Kinds["note"] == tracefmt.Some) != want {
			t.Errorf("%q: %v, %v; want sampled %t", state, got.Runs[0].Run().Completeness, err, want)
		}
	}
	complete := strings.Replace(
		strings.Replace(visits, `"value":"probabilistic"}`, `"value":"probabilistic"},{"key":"sampler.param","value":1}`, 1),
		`,{"refType":"FOLLOWS_FROM","traceID":"t","spanID":"gone"}`, "", 1,
	)
	if got, _, err := read(t, spans.Jaeger, complete, "all"); err != nil || got.Runs[0].Run().Completeness.Kinds["note"] != tracefmt.All {
		t.Errorf("all traces were kept: %v", err)
	}
}

// TestDelivery: two readers of one message get it each; two of one service are a duplicate.
func TestDelivery(t *testing.T) {
	reader := func(span string) string {
		return `{"traceId":"a","spanId":"` + span + `","parentSpanId":"1","name":"r","kind":5,"startTimeUnixNano":"2","endTimeUnixNano":"3"}`
	}
	text := otlp("w", `{"traceId":"a","spanId":"1","name":"m","kind":4,"startTimeUnixNano":"1","endTimeUnixNano":"2"}`) +
		otlp("x", reader("2"), reader("3")) + otlp("y", reader("4"))
	got, _, err := read(t, spans.OTLP, text, "all")
	if err != nil {
		t.Fatal(err)
	}
	list := events(got.Runs[0])
	for want, n := range map[string]int{"w send m x #1": 1, "w send m y #2": 1, "x receive m w #1 ^1": 2, "y receive m w #2 ^2": 1} {
		if strings.Count(list, want) != n {
			t.Errorf("%q is not %d times in\n%s", want, n, list)
		}
	}
}

const visits = `{"data":[{"traceID":"t","spans":[
{"traceID":"t","spanID":"root","operationName":"visit","startTime":1000,"duration":50,"processID":"p1","references":[],"tags":[{"key":"sampler.type","type":"string","value":"probabilistic"}]},
{"traceID":"t","spanID":"kid","operationName":"look","startTime":1010,"duration":5,"processID":"p2","references":[{"refType":"CHILD_OF","traceID":"t","spanID":"root"},{"refType":"FOLLOWS_FROM","traceID":"t","spanID":"gone"}],"tags":[],"logs":[{"timestamp":1011,"fields":[{"key":"event","type":"string","value":"seen"}]}]}],
"processes":{"p1":{"serviceName":"door"},"p2":{"serviceName":"hall"}}}]}`

func TestJaeger(t *testing.T) {
	got, report, err := read(t, spans.Jaeger, visits, "all")
	if err != nil {
		t.Fatal(err)
	}
	want := `door note visit
hall note look ^1
hall note seen event="seen"
hall note end span="look"
door note end span="visit"
`
	if diff := cmp.Diff(want, events(got.Runs[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for e := range got.Runs[0].Events(2) {
		if from := e.Origin(); from.Line != 3 || e.Time != 1010_000 {
			t.Errorf("line %d at %d, want 3 at 1010 µs", from.Line, e.Time)
		}
		break
	}
	notes := strings.Join(report.Runs[0].Notes, "\n")
	if !strings.Contains(notes, "1 reference is to spans that are not in the file") || !strings.Contains(notes, "sampled") {
		t.Errorf("notes %q", notes)
	}
}

// TestDamage: what is wrong has a line, and is no crash.
func TestDamage(t *testing.T) {
	first := func(s string) string { return "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[\n" + s + "]}]}]}" }
	for _, test := range []struct {
		format    interop.Format
		text, err string
	}{
		{spans.OTLP, first(""), "s.json: no event of format otlp in the file"},
		{spans.OTLP, first("{}"), "s.json:2: a span without an id"},
		{spans.OTLP, first(`{"spanId":"1","startTimeUnixNano":1.5}`), "s.json:2: expected a whole number of 64 bits, not 1.5"},
		{spans.OTLP, first(`{"spanId":7}`), "s.json:2: spanId is a number, which it cannot be"},
		{spans.OTLP, first(`7`), "s.json:2: a value is a number, which it cannot be"},
		{spans.OTLP, first(`{"spanId":"1"`), "s.json:2: invalid character ']' after object key:value pair"},
		{spans.OTLP, "{\"resourceSpans\":[\n", "s.json:2: the file ends inside a JSON document"},
		{spans.OTLP, "[]", "s.json:1: expected {, not ["},
		{spans.OTLP, first(`{"spanId":"1","attributes":` + strings.Repeat("[", 1e6)), "s.json:2: invalid character '[' exceeded max depth"},
		{spans.Jaeger, `{"spans":3}`, "s.json:1: expected [, not 3"},
		{spans.OTLP, first(`{"spanId":"1","name":"` + strings.Repeat("x", 10<<20) + "\xff\"}"), ""},
		{spans.OTLP, first(`{"spanId":"1","parentSpanId":"2"},{"spanId":"2","parentSpanId":"1"},{"spanId":"2","parentSpanId":"2"}`), ""},
	} {
		_, _, err := read(t, test.format, test.text, "all")
		if test.err == "" && err != nil || test.err != "" && (err == nil || err.Error() != test.err) {
			t.Errorf("%.80q: error %v, want %s", test.text, err, test.err)
		}
	}
}

func FuzzOTLP(f *testing.F) {
	f.Add(orders)
	fuzz(f, spans.OTLP)
}

func FuzzJaeger(f *testing.F) {
	f.Add(visits)
	fuzz(f, spans.Jaeger)
}

func fuzz(f *testing.F, format interop.Format) {
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"all", "trace"} {
			got, _, err := read(t, format, text, name)
			if err != nil {
				continue
			}
			for _, run := range got.Runs {
				if err := tracefmt.Validate(run); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
