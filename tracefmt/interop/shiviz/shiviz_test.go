package shiviz_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/shiviz"
)

// fataler is what tests, benchmarks and rapid's checks have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// form is the form of a log, by the user.
type form struct{ Regex, Delimiter string }

func settings(strict bool, f form) interop.Settings {
	s := interop.Settings{Strict: strict, Options: map[string]string{}}
	if f.Regex != "" {
		s.Options["regex"] = f.Regex
	}
	if f.Delimiter != "" {
		s.Options["delimiter"] = f.Delimiter
	}
	return s
}

func lenient(f form) interop.Settings { return settings(false, f) }

func strict(f form) interop.Settings { return settings(true, f) }

func readText(t fataler, text string, s interop.Settings) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	return readFile(t, "shiviz.log", strings.NewReader(text), s)
}

func readFile(t fataler, name string, file io.Reader, s interop.Settings) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	input, err := interop.NewInput(name, file)
	if err != nil {
		t.Fatal(err)
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), shiviz.Format, input, &got, s)
	return &got, report, err
}

// oneLine is the regex of the logs below: host, clock, event on one line.
const oneLine = `^(?<host>\S+) (?<clock>\{.*?\}) (?<event>.*)$`

// The whole of an import: two messages of equal content, one of them never
// received, a receipt that no process sent, an event with two direct causes. So p and q have unrecorded sends, and r
// has received it.
const smallLog = `[t1] p {"p":1} Sending PING(7) to q
[t2] q {"p":1, "q":1} INFO Received PING(7) from p
[t3] p {"p":2} Sending PING(7) to q
[t3] r {"r":1, "p":0} Received NEWS from q
[t4] q {"p":1, "q":2} thinking
[t5] r {"p":2, "q":2, "r":2} look around
`

const smallRun = `{"format":"etrace/1","source":"shiviz","time_unit":"logical","members":[{"name":"p","position":1},{"name":"q","position":2},{"name":"r","position":3}],"complete":{"default":"none","kinds":{"note":"all","receive":"all","send":"all"},"processes":{"p":{"kinds":{"send":"some"}},"q":{"kinds":{"send":"some"}},"r":{"kinds":{"receive":"some"}}}}}
{"seq":1,"time":1000000000,"process":"p","kind":"send","type":"PING","peer":"q","message":1,"lamport":1,"payload":{"content":"PING(7)","log":{"text":"Sending PING(7) to q","file":"shiviz.log","line":1,"fields":{"date":"t1"},"clock":{"p":1}}}}
{"seq":2,"time":2000000000,"process":"q","kind":"receive","type":"PING","peer":"p","message":1,"cause":1,"lamport":2,"payload":{"content":"PING(7)","log":{"text":"INFO Received PING(7) from p","file":"shiviz.log","line":2,"fields":{"date":"t2"},"clock":{"p":1,"q":1}}}}
{"seq":3,"time":2000000000,"process":"p","kind":"send","type":"PING","peer":"q","message":2,"lamport":2,"payload":{"content":"PING(7)","log":{"text":"Sending PING(7) to q","file":"shiviz.log","line":3,"fields":{"date":"t3"},"clock":{"p":2}}}}
{"seq":4,"time":1000000000,"process":"r","kind":"note","lamport":1,"payload":{"log":{"text":"Received NEWS from q","file":"shiviz.log","line":4,"fields":{"date":"t3"},"clock":{"r":1}}}}
{"seq":5,"time":3000000000,"process":"q","kind":"note","type":"thinking","lamport":3,"payload":{"log":{"text":"thinking","file":"shiviz.log","line":5,"fields":{"date":"t4"},"clock":{"p":1,"q":2}}}}
{"seq":6,"time":4000000000,"process":"r","kind":"note","cause":5,"lamport":4,"payload":{"causes":[3],"log":{"text":"look around","file":"shiviz.log","line":6,"fields":{"date":"t5"},"clock":{"p":2,"q":2,"r":2}}}}
{"end":"stopped","events":6}
`

var dated = form{Regex: `^\[(?<date>\w+)\] ` + strings.TrimPrefix(oneLine, "^")}

func TestShiVizWhole(t *testing.T) {
	got, report, err := readText(t, smallLog, strict(dated))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, got)
	if diff := cmp.Diff(smallRun, toJSONL(t, got)); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
	want := &interop.RunReport{Events: 6, Processes: 3, Messages: 2, Receives: 1, Edges: 3, Notes: []string{
		"1 receive has no send in the file, it is kept as a note (line 4)",
		"1 message is not received in the file (line 3)",
	}}
	if diff := cmp.Diff(want, report.Runs[0]); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func toJSONL(t testing.TB, got *tracefmt.Collector) string {
	t.Helper()
	var b bytes.Buffer
	enc := tracefmt.NewEncoder(&b)
	for _, run := range got.Runs {
		if err := enc.Encode(run); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func validate(t fataler, got *tracefmt.Collector) {
	t.Helper()
	for _, run := range got.Runs {
		if err := tracefmt.Validate(run); err != nil {
			t.Fatal(err)
		}
	}
}

// What the bytes of a file look like must not change the run.
func TestShiVizSameRun(t *testing.T) {
	for name, text := range map[string]string{
		"CRLF":           strings.ReplaceAll(smallLog, "\n", "\r\n"),
		"BOM":            "\uFEFF" + smallLog,
		"no last line":   strings.TrimSuffix(smallLog, "\n"),
		"escaped quotes": strings.ReplaceAll(smallLog, `"`, `\"`),
		"gzip":           string(pack(t, smallLog)),
		"blank lines":    smallLog + "\n \n\t\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := readText(t, text, strict(dated))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(smallRun, toJSONL(t, got)); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
		})
	}
}

// Logs that can be read, but break a rule: a finding, an error under Strict.
func TestShiVizFindings(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{
			"own sequence, gap", "a {\"a\":1} x\na {\"a\":3} y\n",
			`line 2: own-sequence: the own clock of "a" goes from 1 to 3, expected 2; events are missing`,
		},
		{"own sequence, begin", "a {\"a\":2} x\n", `line 1: own-sequence: the own clock of "a" goes from 0 to 2, expected 1; events are missing`},
		{"unique keys", "a {\"a\":2, \"a\":1} x\n", `line 1: unique-keys: the clock has two entries for "a", the last is taken`},
		{"unknown host", "a {\"a\":1, \"b\":4} x\n", `line 1: known-events: a:1 knows event 4 of "b", which has no events`},
		{"unknown event", "b {\"b\":1} x\na {\"a\":1, \"b\":4} x\n", `line 2: known-events: a:1 knows event 4 of "b", whose last is b:1`},
		{
			"monotone", "b {\"b\":1} x\nb {\"b\":2} x\na {\"a\":1, \"b\":2} x\na {\"a\":2, \"b\":1} y\n",
			`line 4: monotone: a:2 knows a:1 (line 3), which has b:2, but has b:1 itself; expected clock {"b":2,"a":2}`,
		},
		{
			"transitive", "c {\"c\":1} x\nb {\"b\":1, \"c\":1} x\na {\"a\":1, \"b\":1} x\n",
			`line 3: transitive: a:1 knows b:1 (line 2), which has c:1, but has c:0 itself; expected clock {"c":1,"b":1,"a":1}`,
		},
		{"every line", "a {\"a\":1} x\nmore of x\n", `1 line is not part of any event (line 2), the first is "more of x"`},
		{
			"two rules",
			"a {\"a\":1} x\na {\"a\":3, \"b\":1} y\n?\n", `line 2: own-sequence: the own clock of "a" goes from 1 to 3, expected 2; events are missing
line 2: known-events: a:3 knows event 1 of "b", which has no events
1 line is not part of any event (line 3), the first is "?"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := form{Regex: oneLine}
			got, report, err := readText(t, c.log, lenient(o))
			if err != nil {
				t.Fatal(err)
			}
			validate(t, got)
			if diff := cmp.Diff(c.want, strings.Join(report.Runs[0].Remarks(), "\n")); diff != "" {
				t.Errorf("remarks (-want +got):\n%s", diff)
			}
			got, _, err = readText(t, c.log, strict(o))
			if err == nil || len(got.Runs) != 0 {
				t.Errorf("strict: error %v and %d runs, expected an error and none", err, len(got.Runs))
			}
		})
	}
}

func TestShiVizManyFindings(t *testing.T) {
	var log strings.Builder
	for i := range 50 {
		fmt.Fprintf(&log, "a {\"a\":%d} x\nunread %d\n", 2*i+1, i)
	}
	_, report, err := readText(t, log.String(), lenient(form{Regex: oneLine}))
	if err != nil {
		t.Fatal(err)
	}
	r := report.Runs[0]
	if r.FindingCount != 49 || len(r.Findings) != 10 || r.Skipped.Lines != 50 || len(r.Skipped.First) != 10 {
		t.Errorf(
			"%d findings, %d listed, %d lines skipped, %d listed; want 49, 10, 50, 10", r.FindingCount,
			len(r.Findings), r.Skipped.Lines, len(r.Skipped.First),
		)
	}
	_, _, err = readText(t, log.String(), strict(form{Regex: oneLine}))
	want := `shiviz.log:2: every-line: expected a part of an event, not "unread 0" (and 98 more findings)`
	if err == nil || err.Error() != want {
		t.Errorf("strict:\n got %v\nwant %s", err, want)
	}
}

// A log with holes keeps its causality: c knows of b's missing event 2, so it
// knows of event 1.
func TestShiVizHoles(t *testing.T) {
	got, report, err := readText(t, "c {\"c\":1, \"b\":2} z\nb {\"b\":3} y\nb {\"b\":1} x\n",
		lenient(form{Regex: oneLine}))
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Runs[0].At(2); report.Runs[0].Edges != 1 || c.Cause != 1 {
		t.Errorf("%d edges, cause %d; want 1, 1", report.Runs[0].Edges, c.Cause)
	}
}

// Files that cannot be read.
func TestShiVizErrors(t *testing.T) {
	for _, c := range []struct {
		name, log string
		o         form
		want      string
	}{
		{"empty", "", form{}, "shiviz.log: the file is empty"},
		{"blank", "\n \r\n", form{}, "shiviz.log: the file is empty"},
		{
			"no form", "\n2024 a: hello\n",
			form{},
			"shiviz.log:2: no regex is given and no known form (GoVector, GoVector with time stamps, ShiViz's default) " +
				"fits; say how an event looks, for example --regex '(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)'; here the log says \"2024 a: hello\"",
		},
		{
			"no match", "# made by x\nhello\n",
			form{Regex: oneLine},
			"shiviz.log:1: the regex " + oneLine + " matches nothing in the log, which begins with \"# made by x\"",
		},
		{"binary", "\x7fELF\x00\x01\xff\xfe\x00", form{Regex: oneLine}, "shiviz.log:1: the regex"},
		{
			"no host", "a {\"a\":1} x\n",
			form{Regex: `(?<clock>{.*}) (?<event>.*)`},
			"shiviz.log: the regex has no group host; an event needs the groups host, clock and event",
		},
		{"no event", "a {\"a\":1} x\n", form{Regex: `(?<host>\w) (?<clock>{.*})`}, "shiviz.log: the regex has no group event;"},
		{
			"twice", "a {\"a\":1} x\n",
			form{Regex: oneLine + `(?<host>x)?`},
			"shiviz.log: the regex " + oneLine + "(?<host>x)?: two groups are named host",
		},
		{"syntax", "a {\"a\":1} x\n", form{Regex: `(?<host>`}, "shiviz.log: the regex (?<host>: missing closing )"},
		{
			"look-ahead", "a {\"a\":1} x\n",
			form{Regex: `(?=a)` + oneLine},
			"shiviz.log: the regex (?=a)" + oneLine + ": look-ahead ((?=a) is not supported",
		},
		{
			"look-behind", "a {\"a\":1} x\n",
			form{Regex: `(?<!a)` + oneLine},
			"shiviz.log: the regex (?<!a)" + oneLine + ": negative look-behind ((?<!) is not supported",
		},
		{
			"back-reference", "a {\"a\":1} x\n",
			form{Regex: oneLine + `\1`},
			"shiviz.log: the regex " + oneLine + `\1: a back-reference (\1) is not supported`,
		},
		{"delimiter", "a {\"a\":1} x\n", form{Regex: oneLine, Delimiter: "x*"}, "shiviz.log: the delimiter x* matches the empty text"},
		{"header", "(?<host>a) (?<clock>b\n\nx\n", form{}, "shiviz.log:1: the regex"},
		{"header delimiter", "(?<host>a) (?<clock>b)(?<event>c)\n(\nx\n", form{}, "shiviz.log:2: the regex (: missing closing )"},
		{"empty host", " {\"\":1} x\n", form{Regex: `(?<host>\w*) (?<clock>{.*}) (?<event>.*)`}, "shiviz.log:1: the host is empty"},
		{
			"clock no JSON", "a {a:1} x\n",
			form{Regex: oneLine},
			`shiviz.log:1: the clock "{a:1}" is not a JSON object, expected one like {"a":1, "b":2}`,
		},
		{"clock is text", "a {\"a\":\"1\"} x\n", form{Regex: oneLine}, `shiviz.log:1: the clock entry "a" is "1", expected an integer from 0 on`},
		{"clock empty", "a {} x\n", form{Regex: oneLine}, `shiviz.log:1: the clock {} is empty, expected one like {"a":1, "b":2}`},
		{"clock negative", "a {\"a\":1,\"b\":-1} x\n", form{Regex: oneLine}, `shiviz.log:1: the clock entry "b" is -1, expected`},
		{"clock fraction", "a {\"a\":1.5} x\n", form{Regex: oneLine}, `shiviz.log:1: the clock entry "a" is 1.5, expected`},
		{
			"clock huge", "a {\"a\":9223372036854775808} x\n",
			form{Regex: oneLine},
			`shiviz.log:1: the clock entry "a" is 9223372036854775808, expected`,
		},
		{
			"no own entry", "a {\"a\":1} x\nb {\"a\":1} y\n",
			form{Regex: oneLine},
			`shiviz.log:2: the clock {"a":1} has no entry for its own host "b"`,
		},
		{"own entry zero", "a {\"a\":0} x\n", form{Regex: oneLine}, `shiviz.log:1: the clock {"a":0} has no entry for its own host "a"`},
		{
			"own value twice", "a {\"a\":1} x\n\na {\"a\":1} y\n",
			form{Regex: oneLine},
			"shiviz.log:3: the own clock a:1 occurs before, at line 1;",
		},
		{
			"cycle", "a {\"a\":1, \"b\":1} x\nb {\"a\":1, \"b\":1} y\n",
			form{Regex: oneLine},
			"shiviz.log:1: a causal cycle, each event knows of the next, so one comes from the future: a:1 (line 1), b:1 (line 2), a:1",
		},
		{
			"from the future",
			"a {\"a\":1, \"b\":2} x\na {\"a\":2, \"b\":2} x\nb {\"b\":1} y\nb {\"b\":2, \"a\":2} z\n",
			form{Regex: oneLine},
			"shiviz.log:1: a causal cycle, each event knows of the next, so one comes from the future: a:1 (line 1), b:2 " +
				"(line 4), a:2 (line 2), a:1",
		},
		{
			"label twice", "== x\na {\"a\":1} x\n== x\na {\"a\":1} x\n",
			form{Regex: oneLine, Delimiter: "^== (?<trace>.*)$"},
			`shiviz.log:3: the label "x" is not unique among the executions`,
		},
		{
			"no events", "== x\na {\"a\":1} x\n== y\nhello\n",
			form{Regex: oneLine, Delimiter: "^== (?<trace>.*)$"},
			"shiviz.log:4: the regex " + oneLine + ` matches nothing in execution "y", which begins with "hello"`,
		},
		{
			"text before", "hello\n== x\na {\"a\":1} x\n",
			form{Regex: oneLine, Delimiter: "^== (?<trace>.*)$"},
			"shiviz.log:1: the regex " + oneLine + ` matches nothing in the log, which begins with "hello"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := readText(t, c.log, lenient(c.o))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error:\n got %v\nwant %s…", err, c.want)
			}
			if len(got.Runs) != 0 {
				t.Errorf("%d runs reached the sink, want none", len(got.Runs))
			}
		})
	}
}

// Ways to describe a log. Each log has event x of a, then event y of b.
func TestShiVizForms(t *testing.T) {
	for _, c := range []struct {
		name, log string
		o         form
		runs      string
	}{
		{"host first", "a {\"a\":1}\nx\nb {\"b\":1, \"a\":1}\ny\n", form{}, ": x y"},
		{"event first", "x\na {\"a\":1}\ny\nb {\"b\":1, \"a\":1}\n", form{}, ": x y"},
		{"time stamps", "17 a {\"a\":1}\nx\n18 b {\"b\":1, \"a\":1}\ny\n", form{}, ": x y"},
		{"known delimiter", "a {\"a\":1}\nx\n \n=== Execution #2  ===\nb {\"b\":1}\ny\n", form{}, ": x; Execution #2: y"},
		{
			"delimiter whose second group may be missing", "a {\"a\":1}\nx\n---\nb {\"b\":1}\ny\n",
			form{Delimiter: `^(-+)(?<trace> \w+)?$`},
			": x; execution 1: y",
		},
		{"own delimiter", "a {\"a\":1}\nx\n---\nb {\"b\":1}\ny\n", form{Delimiter: "^---$"}, ": x; execution 1: y"},
		{"header", "(?<host>\\S+) says (?<event>.*) at (?<clock>.*)\n\na says x at {\"a\":1}\nb says y at {\"b\":1, \"a\":1}\n", form{}, ": x y"},
		{
			"header with delimiter",
			"(?<host>\\S+) says (?<event>.*) at (?<clock>.*)\n-- (?<trace>.*) --\n-- 1 --\na says x at {\"a\":1}\n-- 2 --\nb says y at {\"b\":1}\n",
			form{},
			"1: x; 2: y",
		},
		{"blank header", "\n-- (?<trace>.*)\n-- 1\nx\na {\"a\":1}\n-- 2\ny\nb {\"b\":1}\n", form{}, "1: x; 2: y"},
		{"option before header", "(?<host>\\S+) (?<event>.*) (?<clock>.*)\n\na {\"a\":1} x\nb {\"b\":1} y\n", form{Regex: oneLine}, ": x y"},
		{
			"option before a header of another dialect",
			"(?=a)(?<host>\\S+) (?<event>.*) (?<clock>.*)\n(\na {\"a\":1} x\nb {\"b\":1} y\n",
			form{Regex: oneLine, Delimiter: "^--"},
			": x y",
		},
		{"no text in the last event", "x\na {\"a\":1}\n\nb {\"b\":1}", form{}, ": x "},
		{"one event", "a {\"a\":1}\n", form{}, ": "},
		{"header only", "(?<host>a)(?<clock>b)(?<event>c)", form{}, "error"},
		{"unicode escape", "a {\"a\":1} “x\nb {\"b\":1} “y\n", form{Regex: `(?<host>\S+) (?<clock>.*) \u201c(?<event>.*)`}, ": x y"},
		{"clock last", "a x {\"a\":1}\nb y {\"b\":1}\n", form{Regex: `(?<host>.*) (?<event>.*) (?<clock>.*)`}, ": x y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := readText(t, c.log, strict(c.o))
			runs := labels(got)
			if err != nil {
				runs = "error"
			}
			if runs != c.runs {
				t.Errorf("runs %q, want %q (%v)", runs, c.runs, err)
			}
		})
	}
}

// labels writes the runs and the labels of their notes.
func labels(got *tracefmt.Collector) string {
	var runs []string
	for _, run := range got.Runs {
		text := run.Run().Name + ":"
		for e := range run.Events(1) {
			text += " " + e.Type
		}
		runs = append(runs, text)
	}
	return strings.Join(runs, "; ")
}

func TestShiVizMessages(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{"received", "a {\"a\":1} Sending m to b\nb {\"a\":1,\"b\":1} Received m from a\n", "send m 1, receive m 1"},
		{"by file order reversed", "b {\"a\":1,\"b\":1} Received m from a\na {\"a\":1} Sending m to b\n", "send m 1, receive m 1"},
		{"in flight", "a {\"a\":1} Sending m to b\nb {\"b\":1} x\n", "send m 1, note x"},
		{"not in the past", "a {\"a\":1} Sending m to b\nb {\"b\":1} Received m from a\n", "send m 1, note "},
		{"other content", "a {\"a\":1} Sending m to b\nb {\"a\":1,\"b\":1} Received n from a\n", "send m 1, note "},
		{"no such host", "a {\"a\":1} Sending m to c\n", "note "},
		{"host without events", "a {\"a\":1,\"c\":1} Sending m to c\n", "note "},
		{"to itself", "a {\"a\":1} Sending m to a\na {\"a\":2} Received m from a\n", "send m 1, receive m 1"},
		{"to itself, late", "a {\"a\":1} Received m from a\na {\"a\":2} Sending m to a\n", "note , send m 1"},
		{
			"overtaken by an equal one", `a {"a":1} Sending m(1) to b
a {"a":2} Sending m(1) to b
b {"a":2,"b":1} Received m(1) from a
b {"a":2,"b":2} Received m(1) from a
`, "send m 1, send m 2, receive m 2, receive m 1",
		},
		{
			"received twice",
			"a {\"a\":1} Sending m to b\nb {\"a\":1,\"b\":1} Received m from a\nb {\"a\":1,\"b\":2} Received m from a\n",
			"send m 1, receive m 1, note ",
		},
		{"type without a word", "a {\"a\":1} Sending (x) to b\nb {\"a\":1,\"b\":1} Received (x) from a\n", "send message 1, receive message 1"},
		{
			"name with blanks",
			"a {\"a\":1} Sending go to the park to b\nb {\"a\":1,\"b\":1} Received go to the park from a\n",
			"send go 1, receive go 1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := readText(t, c.log, lenient(form{Regex: oneLine}))
			if err != nil {
				t.Fatal(err)
			}
			validate(t, got)
			var events []string
			for e := range got.Runs[0].Events(1) {
				text := e.Kind.String() + " " + e.Type
				if e.Message != 0 {
					text += fmt.Sprintf(" %d", e.Message)
				}
				events = append(events, text)
			}
			if diff := cmp.Diff(c.want, strings.Join(events, ", ")); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// Two receives, two sends of equal content, and no direct cause to distinguish them.
func TestShiVizAmbiguousMessages(t *testing.T) {
	_, report, err := readText(t, `a {"a":1} Sending m to b
a {"a":2} Sending m to b
a {"a":3} x
b {"a":3,"b":1} Received m from a
b {"a":3,"b":2} Received m from a
`, lenient(form{Regex: oneLine}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 receive could belong to more than one send of the same content, paired in order"}
	if diff := cmp.Diff(want, report.Runs[0].Notes); diff != "" || report.Runs[0].Receives != 2 {
		t.Errorf("%d receives, notes (-want +got):\n%s", report.Runs[0].Receives, diff)
	}
}

// Names and texts of any bytes come through, or are replaced with a note.
func TestShiVizHostileText(t *testing.T) {
	for _, name := range []string{`"`, `\\`, "'; DROP TABLE events; --", "<script>", "名前", "a\tb", "{}", "\u202e", "--", "0001", "\u2028"} {
		quoted := fmt.Sprintf("%q", name)
		if name == "名前" || name == "\u202e" || name == "\u2028" {
			quoted = `"` + name + `"`
		}
		log := name + "|{" + quoted + ":1}|\x00\x1b[31m \"text\" \\\n"
		got, _, err := readText(t, log, strict(form{Regex: `^(?<host>.*)\|(?<clock>.*)\|(?<event>.*)$`}))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		validate(t, got)
		if run := got.Runs[0].Run(); run.Members[0].Name != name {
			t.Errorf("name %q, want %q", run.Members[0].Name, name)
		}
		again, err := tracefmt.ReadMemory(strings.NewReader(toJSONL(t, got)))
		if err != nil || toJSONL(t, &tracefmt.Collector{Runs: again}) != toJSONL(t, got) {
			t.Errorf("%q does not survive the text twin: %v", name, err)
		}
	}
}

// No complaint carries a log's control characters to a terminal.
func TestShiVizHarmlessComplaints(t *testing.T) {
	o := form{Regex: `^(?<host>.*)\|(?<clock>.*)\|(?<event>.*)$`}
	_, report, err := readText(t, "\x1b[2J|{\"\\u001b[2J\":2}|x\n\x1b[3J\n\x1b[2J|{\"\\u001b[2J\":1}|x\n", lenient(o))
	if err != nil {
		t.Fatal(err)
	}
	remarks := strings.Join(report.Runs[0].Remarks(), "\n")
	_, _, err = readText(t, "\x1b[2J|{\"\\u001b[2J\":1}|x\n\x1b[2J|{\"\\u001b[2J\":1}|x\n", lenient(o))
	if err == nil || strings.Contains(remarks+err.Error(), "\x1b") || len(report.Runs[0].Notes) != 1 {
		t.Errorf("remarks %q, error %v", remarks, err)
	}
}

func TestShiVizInvalidUTF8(t *testing.T) {
	got, report, err := readText(t, "a\xff {\"a\xff\":1} \xc3\x28\n", lenient(form{Regex: oneLine}))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, got)
	if len(report.Notes) != 1 || got.Runs[0].Run().Members[0].Name != "a\uFFFD" {
		t.Errorf("notes %q, members %v", report.Notes, got.Runs[0].Run().Members)
	}
}

func TestShiVizVeryLongLine(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	got, report, err := readText(t, "a {\"a\":1} "+long+"\n"+long+"\n", lenient(form{Regex: oneLine}))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, got)
	if s := report.Runs[0].Skipped; s.Lines != 1 || len(s.First[0].Text) > 100 {
		t.Errorf("skipped %d lines, the first of %d bytes; want 1, shortened", s.Lines, len(s.First[0].Text))
	}
}

// A chain of causes as long as the log must not need a stack as deep.
func TestShiVizDeepChain(t *testing.T) {
	const n = 20_000
	var lines []string
	for i := n; i >= 1; i-- {
		lines = append(lines, fmt.Sprintf("a {\"a\":%d} x\n", i))
	}
	_, report, err := readText(t, strings.Join(lines, ""), lenient(form{Regex: oneLine}))
	if err != nil {
		t.Fatal(err)
	}
	want := "a: 19999 events out of file order (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …), sorted by own clock"
	if diff := cmp.Diff([]string{want}, report.Runs[0].Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func FuzzShiViz(f *testing.F) {
	regexes := []string{"", oneLine, dated.Regex, goVectorRegex, tlcRegex, `(?<host>.*?)(?<clock>{[^}]*})(?<event>.*)`}
	for i := range regexes {
		f.Add(smallLog, uint8(i), "")
		f.Add("=== 1 ===\na {\"a\":1}\nx\n=== 2 ===\na {\"a\":2, \"b\":1}\ny\nb {\"b\":1, \"a\":1}\n", uint8(i), executions)
	}
	f.Add("(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})\n(?<trace>=+)\nx\na {\"a\":1}\n", uint8(0), "")
	f.Fuzz(func(t *testing.T, text string, regex uint8, delimiter string) {
		o := lenient(form{Regex: regexes[int(regex)%len(regexes)], Delimiter: delimiter})
		got, report, err := readText(t, text, o)
		if err != nil {
			return
		}
		validate(t, got)
		if len(report.Runs) != len(got.Runs) {
			t.Errorf("%d runs reported, %d read", len(report.Runs), len(got.Runs))
		}
	})
}

func pack(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestShiVizLongLog: which line of an event comes first does not depend on where the sample ends.
func TestShiVizLongLog(t *testing.T) {
	for _, word := range []string{"step", "steps", "a step"} {
		var log strings.Builder
		for i := range 4000 {
			fmt.Fprintf(&log, "%d %s %d\na {\"a\":%d}\n", 1001+i, word, i+1, i+1)
		}
		got, report, err := readText(t, log.String(), interop.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		first := strings.Split(toJSONL(t, got), "\n")[1]
		if want := fmt.Sprintf(`"text":"1001 %s 1"`, word); !strings.Contains(first, want) || report.Runs[0].Skipped.Lines != 0 {
			t.Errorf("the first event is %s, expected %s; %d lines are left", first, want, report.Runs[0].Skipped.Lines)
		}
	}
}
