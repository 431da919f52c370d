package spans_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/spans"
)

// The clock of b is behind; a message arrives twice, one is lost, one waits; names are hostile.
const skewed = `{"format":"etrace/1","name":"skewed","time_unit":"ns","members":[{"name":"a\",\n","position":1},{"name":"b","position":2}]}
{"seq":1,"time":1700000000000000100,"process":"a\",\n","kind":"send","type":"PI\"},{","peer":"b","message":1,"payload":{"n":1}}
{"seq":2,"time":1700000000000000100,"process":"a\",\n","kind":"send","type":"PING","peer":"b","message":2}
{"seq":3,"time":1700000000000000050,"process":"b","kind":"receive","type":"PI\"},{","peer":"a\",\n","message":1,"cause":1,"payload":{"n":1}}
{"seq":4,"time":1700000000000000050,"process":"b","kind":"receive","type":"PI\"},{","peer":"a\",\n","message":1,"cause":1,"payload":{"n":1}}
{"seq":5,"time":1700000000000000060,"process":"b","kind":"send","type":"PONG","peer":"a\",\n","message":3,"term":2}
{"seq":6,"time":1700000000000000070,"process":"a\",\n","kind":"note","type":"x","cause":5,"payload":{"causes":[4]}}
{"end":"stopped","events":6}
`

func runOf(t *testing.T, text string) *tracefmt.Memory {
	t.Helper()
	runs, err := tracefmt.ReadMemory(strings.NewReader(text))
	if err != nil || len(runs) != 1 {
		t.Fatal(len(runs), err)
	}
	return runs[0]
}

func exportOTLP(t *testing.T, runs ...tracefmt.Recording) string {
	t.Helper()
	var b bytes.Buffer
	if left, err := interop.Export(spans.OTLP, &b, runs, nil); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	return b.String()
}

// TestWriteOTLP: import of what is written has the messages and the causality of the run.
func TestWriteOTLP(t *testing.T) {
	input, err := interop.NewInput("otlp", strings.NewReader(exportOTLP(t, runOf(t, skewed))))
	if err != nil {
		t.Fatal(err)
	}
	var runs tracefmt.Collector
	if _, err := interop.Import(context.Background(), spans.OTLP, input, &runs, interop.Settings{Strict: true}); err != nil {
		t.Fatal(err)
	}
	var got []string
	run := runs.Runs[0].Run()
	for e := range runs.Runs[0].Events(1) {
		if e.Type != "end" {
			got = append(
				got,
				fmt.Sprintf(
					"%q %s %s %q %d %v", run.ProcessName(e.Process), e.Kind, e.Type, run.ProcessName(e.Peer),
					e.Message, len(slices.Collect(e.Causes())),
				),
			)
		}
	}
	want := []string{
		`"a\",\n" send PI"},{ "b" 1 0`,
		`"a\",\n" send PING "b" 2 0`,
		`"b" receive PI"},{ "a\",\n" 1 1`,
		`"b" receive PI"},{ "a\",\n" 1 1`,
		`"b" send PONG "a\",\n" 3 0`,
		`"a\",\n" note note x "" 0 2`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestWriteOTLPSpans: of every kind of event all fields are there, no two spans have one id, and no
// span starts before its parent and its links.
func TestWriteOTLPSpans(t *testing.T) {
	_, text, _ := strings.Cut(tracefmt.DescribeJSONL(), "\nExample:\n")
	run := runOf(t, text)
	written := exportOTLP(t, run, run)
	if written != exportOTLP(t, run, run) {
		t.Error("the same run is other bytes")
	}
	starts := map[string]int64{}
	lines := strings.Split(strings.TrimSuffix(written, "\n"), "\n")
	if len(lines) != 2*run.Len() {
		t.Fatalf("%d lines, expected %d", len(lines), 2*run.Len())
	}
	for i, line := range lines {
		var request struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct {
						TraceID, SpanID, ParentSpanID string
						StartTimeUnixNano             string
						EndTimeUnixNano               string
						Attributes                    []struct {
							Key   string
							Value struct{ StringValue, IntValue string }
						}
						Links []struct{ TraceID, SpanID string }
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatal(err)
		}
		s := request.ResourceSpans[0].ScopeSpans[0].Spans[0]
		start, _ := strconv.ParseInt(s.StartTimeUnixNano, 10, 64)
		if end, _ := strconv.ParseInt(s.EndTimeUnixNano, 10, 64); end < start || start <= 0 {
			t.Errorf("line %d: from %d to %d", i, start, end)
		}
		before := []string{}
		if s.ParentSpanID != "" {
			before = append(before, s.TraceID+s.ParentSpanID)
		}
		for _, l := range s.Links {
			before = append(before, l.TraceID+l.SpanID)
		}
		for _, id := range before {
			if second, ok := starts[id]; !ok || start <= second {
				t.Errorf("line %d: starts at %d, what it names at %d, %v", i, start, second, ok)
			}
		}
		if _, twice := starts[s.TraceID+s.SpanID]; twice || len(s.TraceID) != 32 || len(s.SpanID) != 16 {
			t.Errorf("line %d: id %s %s", i, s.TraceID, s.SpanID)
		}
		starts[s.TraceID+s.SpanID] = start
		values := map[string]string{}
		for _, a := range s.Attributes {
			values[a.Key] = a.Value.StringValue + a.Value.IntValue
		}
		for e := range run.Events(tracefmt.Seq(i%run.Len() + 1)) {
			number := func(n int64) string { return strings.TrimSuffix(" "+strconv.FormatInt(n, 10), " 0") }
			for key, want := range map[string]string{
				"kind": e.Kind.String(), "type": e.Type, "peer": run.Run().ProcessName(e.Peer),
				"payload": string(e.Payload), "seq": number(int64(e.Seq)),
				"time": number(int64(e.Time)), "message": number(int64(e.Message)), "cause": number(int64(e.Cause)),
				"lamport": number(e.Lamport), "term": number(e.Term),
			} {
				if got := values["etrace."+key]; got != strings.TrimSpace(want) {
					t.Errorf("line %d: %s is %q, expected %q", i, key, got, want)
				}
			}
			break
		}
	}
}

// TestWriteKinds: a send is a producer, a receive a consumer, and another event internal, by the numbers of OpenTelemetry.
func TestWriteKinds(t *testing.T) {
	text := exportOTLP(t, runOf(t, skewed))
	for part, want := range map[string]int{
		`"name":"send PING","kind":4,`: 1, `"name":"send PONG","kind":4,`: 1, `"kind":5,`: 2, `"name":"note x","kind":1,`: 1,
	} {
		if got := strings.Count(text, part); got != want {
			t.Errorf("%d times %s, want %d, in\n%s", got, part, want, text)
		}
	}
}

// TestWriteLinks: a link is to an earlier span, whatever seqs a payload names as causes.
func TestWriteLinks(t *testing.T) {
	text := exportOTLP(t, runOf(t, strings.Replace(skewed, `"causes":[4]`, `"causes":[4,0,-1,6,7]`, 1)))
	_, links, _ := strings.Cut(text[strings.Index(text, `"name":"note x"`):], `"links":[`)
	if got := strings.Count(links, `"spanId"`); got != 2 {
		t.Errorf("%d links, want 2, to the spans of seq 5 and 4: %s", got, links)
	}
}
