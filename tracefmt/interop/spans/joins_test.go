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

// readAll imports files of one execution.
func readAll(t testing.TB, f interop.Format, oneRun string, texts ...string) (*tracefmt.Collector, interop.Report) {
	t.Helper()
	if !f.Joins {
		t.Fatalf("files of %s are not of one execution", f.Name)
	}
	var files []*interop.Input
	for i, text := range texts {
		input, err := interop.NewInput(fmt.Sprintf("s%d.json", i+1), strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, input)
	}
	var got tracefmt.Collector
	var s interop.Settings
	if oneRun != "" {
		s.Options = map[string]string{"one-run": oneRun}
	}
	report, err := interop.Import(context.Background(), f, interop.Join(files...), &got, s)
	if err != nil {
		t.Fatal(err)
	}
	return &got, report
}

// TestJoins: services that export a file each give the run that they give in one file, and
// events keep their file and line.
func TestJoins(t *testing.T) {
	byService := strings.SplitAfter(orders, "]}]}]}\n")[:3]
	for _, oneRun := range []string{"all", "trace"} {
		complete, _, err := read(t, spans.OTLP, orders, oneRun)
		if err != nil {
			t.Fatal(err)
		}
		apart, _ := readAll(t, spans.OTLP, oneRun, byService...)
		if len(complete.Runs) != len(apart.Runs) {
			t.Fatalf("one run is %s: %d runs, want %d", oneRun, len(apart.Runs), len(complete.Runs))
		}
		for i, run := range complete.Runs {
			if diff := cmp.Diff(events(run), events(apart.Runs[i])); diff != "" {
				t.Errorf("one run is %s (-joined +by service):\n%s", oneRun, diff)
			}
		}
		for e := range apart.Runs[0].Events(3) {
			if from := e.Origin(); from.File != "s2.json" || from.Line != 1 {
				t.Errorf("the receive of the bank is from %s:%d, want s2.json:1", from.File, from.Line)
			}
			break
		}
	}
}

// TestJoinsTwice: a span that two files have is found, with both places; a file without spans
// is noted.
func TestJoinsTwice(t *testing.T) {
	first := otlp("a", `{"traceId":"1","spanId":"1","name":"x","startTimeUnixNano":"1","endTimeUnixNano":"2"}`)
	got, report := readAll(t, spans.OTLP, "", first, "\n"+first, `{"resourceSpans":[]}`)
	if len(got.Runs) != 1 {
		t.Fatalf("%d runs, want 1", len(got.Runs))
	}
	found := fmt.Sprintf("%+v", report.Runs[0].Findings)
	if !strings.Contains(found, "s1.json:1") {
		t.Errorf("findings %s", found)
	}
	if notes := strings.Join(report.Notes, "; "); !strings.Contains(notes, "s3.json has no spans") {
		t.Errorf("notes %q", notes)
	}
}

// TestJoinsJaeger: the processes of a file are its own: p1 is another service in each.
func TestJoinsJaeger(t *testing.T) {
	file := func(service, span, parent string, start int) string {
		return fmt.Sprintf(
			`{"traceID":"t","spans":[{"traceID":"t","spanID":%q,"operationName":%[1]q,"startTime":%d,"duration":5,"processID":"p1","references":[%s]}],"processes":{"p1":{"serviceName":%q}}}`,
			span, start, parent, service,
		)
	}
	got, _ := readAll(
		t, spans.Jaeger, "", file("hall", "look", `{"refType":"CHILD_OF","traceID":"t","spanID":"visit"}`, 1001),
		file("door", "visit", "", 1000),
	)
	want := `door note visit
hall note look ^1
door note end span="visit"
hall note end span="look"
`
	if len(got.Runs) != 1 {
		t.Fatalf("%d runs, want 1", len(got.Runs))
	}
	if diff := cmp.Diff(want, events(got.Runs[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestJoinsChrome: numbers of processes are those of a file, unless both call the process the
// same; flows go from file to file.
func TestJoinsChrome(t *testing.T) {
	file := func(name string, events ...string) string {
		return `[{"ph":"M","pid":1,"name":"process_name","args":{"name":"` + name + `"}},` + strings.Join(events, ",") + `]`
	}
	slice := func(pid, ts int, name string) string {
		return fmt.Sprintf(`{"ph":"X","pid":%d,"tid":1,"ts":%d,"dur":5,"name":%q}`, pid, ts, name)
	}
	flow := func(phase string, pid, ts int) string {
		return fmt.Sprintf(`{"ph":%q,"bp":"e","pid":%d,"tid":1,"ts":%d,"id":7,"cat":"c","name":"go"}`, phase, pid, ts)
	}
	got, _ := readAll(t, spans.Chrome, "",
		file("shop", slice(1, 10, "ask"), flow("s", 1, 11), slice(2, 30, "idle")),
		file("bank", slice(1, 20, "answer"), flow("f", 1, 21), slice(2, 40, "rest")),
		file("shop", slice(1, 50, "thank")))
	if len(got.Runs) != 1 {
		t.Fatalf("%d runs, want 1", len(got.Runs))
	}
	want := `shop note ask
shop send go bank #1
shop note end slice="ask"
bank note answer
bank receive go shop #1 ^2
bank note end slice="answer"
s1/2 note idle
s1/2 note end slice="idle"
s2/2 note rest
s2/2 note end slice="rest"
shop note thank
shop note end slice="thank"
`
	if diff := cmp.Diff(want, events(got.Runs[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
