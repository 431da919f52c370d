package logs_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/readings"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/logs"
)

// suggested are logs of each form, and the events that the suggestion must find in them.
var suggested = []struct {
	name string
	logs []string // names and texts
	want string   // the events without notes
	has  []string // lines of the suggestion
}{
	{
		"zap JSON",
		[]string{"all.log", `{"level":"info","ts":1700000000.25,"msg":"booting","node":"a"}
{"level":"info","ts":1700000000.5,"msg":"booting","node":"b"}
{"level":"debug","ts":1700000001,"msg":"sent","node":"a","msg_type":"VOTE","to":"b","id":1}
{"level":"debug","ts":1700000002,"msg":"received","node":"b","msg_type":"VOTE","from":"a","id":1}
{"level":"info","ts":1700000003,"msg":"became leader","node":"a","term":2}
listening on /tmp/socket
`},
		"a start\nb start\na send VOTE b\nb receive VOTE a\na state role=\"leader\" term=2\n",
		[]string{"lines: json", "process: '${node}'", "time: {from: '${ts}', layout: 'unix'}"},
	},
	{
		"slog text",
		[]string{"all.log", `time=2023-11-14T22:13:20.001Z level=INFO msg="became candidate" node=n1 term=4
time=2023-11-14T22:13:20.002Z level=DEBUG msg=message dir=send node=n1 from=n1 to=n2 type=Ask
time=2023-11-14T22:13:20.003Z level=DEBUG msg=message dir=recv node=n2 from=n1 to=n2 type=Ask
time=2023-11-14T22:13:20.004Z level=INFO msg="voted for n1" node=n2 term=4
time=2023-11-14T22:13:20.005Z level=INFO msg="became leader" node=n1 term=4
`},
		"n1 state role=\"candidate\" term=4\nn1 send Ask n2\nn2 receive Ask n1\nn2 state votedFor=\"n1\" term=4\nn1 " +
			"state role=\"leader\" term=4\n",
		[]string{"lines: logfmt", "time: {from: '${time}', layout: 'rfc3339'}"},
	},
	{
		"Python logging",
		[]string{"a.log", `2023-11-14 22:13:20,001 - ring.p1 - INFO - sending TOKEN #1 to p2
2023-11-14 22:13:20,009 - ring.p2 - INFO - got TOKEN #1 from p1
2023-11-14 22:13:20,010 - ring.p2 - INFO - entering critical section
2023-11-14 22:13:20,020 - ring.p2 - INFO - leaving critical section
2023-11-14 22:13:20,021 - ring.p2 - INFO - sending TOKEN #1 to p1
2023-11-14 22:13:20,030 - ring.p1 - INFO - got TOKEN #1 from p2
`},
		"p1 send TOKEN p2\np2 receive TOKEN p1\np2 note enter\np2 note exit\np2 send TOKEN p1\np1 receive TOKEN p2\n",
		[]string{
			"time: {from: '${time}', layout: '2006-01-02 15:04:05'}",
			`  - {when: {msg: '/^sending (?<type>[\w-]+) #(?<id>\d+) to (?<to>[\w.@:-]*\w)$/'}, send: '${type}', to: '${to}', ` +
				`message: '${process}/${id}'}`,
		},
	},
	{
		"log4j, the file is the process",
		[]string{
			"s1.log",
			"10:00:00,101 INFO  [main] Member - starting up\n10:00:00,300 INFO  [timer-1] Member - became leader of term " +
				"3\njava.io.IOException: broken pipe\n\tat Member.run(Member.java:7)\n10:00:00,350 INFO  [timer-1] Member - saved\n",
			"s2.log", "10:00:00,102 INFO  [main] Member - starting up\n10:00:00,400 INFO  [io-1] Member - following in term 3\n",
			"s3.log", "10:00:00,103 INFO  [main] Member - idle\n",
		},
		"s1 start\ns2 start\ns1 state role=\"leader\" term=3\ns2 state role=\"following\" term=3\n",
		[]string{"process: '${file}'", "# - no rule takes a line of s3: the trace will lack it, unless others name it"},
	},
	{
		"CSV",
		[]string{
			"t.csv",
			"time,node,event,peer,type\n1700000000001,x1,send,x2,PING\n1700000000002,x2,receive,x1,PING\n1700000000003,x2,idle,,\n",
		},
		"x1 send PING x2\nx2 receive PING x1\n",
		[]string{"lines: csv", "time: {from: '${time}', layout: 'unix-ms'}"},
	},
}

// TestSuggest: what is suggested for a log imports it without a finding, finds what is plain to
// see, and counts the other lines.
func TestSuggest(t *testing.T) {
	for _, test := range suggested {
		t.Run(test.name, func(t *testing.T) {
			m := readings.Guess(t, test.logs)
			run, report := readings.Read(t, m, test.logs...)
			if s := report.Runs[0]; s.FindingCount > 0 {
				t.Errorf("%+v", s)
			} else if left := notUnderstood(t, m); left != s.Skipped.Lines {
				t.Errorf("says that %d lines are left over, the import leaves %d\n%s", left, s.Skipped.Lines, m)
			}
			got := strings.Split(strings.TrimSuffix(readings.Events(t, run), "\n"), "\n")
			got = slices.DeleteFunc(got, func(line string) bool {
				return strings.Contains(line, " note ") && !strings.HasSuffix(line, " note enter") && !strings.HasSuffix(line, " note exit")
			})
			if diff := cmp.Diff(strings.TrimSuffix(test.want, "\n"), strings.Join(got, "\n")); diff != "" {
				t.Errorf("%s%s", diff, m)
			}
			for _, line := range test.has {
				if !strings.Contains(m, line+"\n") {
					t.Errorf("no line %s in\n%s", line, m)
				}
			}
		})
	}
}

// notUnderstood is the number of lines that a suggestion reports as left over.
func notUnderstood(t *testing.T, m string) (lines int) {
	t.Helper()
	_, said, ok := strings.Cut(m, "\n# Not understood: ")
	if _, err := fmt.Sscanf(said, "%d", &lines); !ok || err != nil {
		t.Errorf("does not say what it leaves over: %v\n%s", err, m)
	}
	return lines
}

// A log without an understood line gets the beginning of a mapping, with what was found.
func TestSkeleton(t *testing.T) {
	for _, test := range []struct {
		log string
		has []string
	}{
		{
			"hello\nworld\n",
			[]string{
				`# t.log: nothing is understood of its 2 lines, such as "hello"`, "# No time was found",
				"#  - {when: {msg: hello}, note: line}",
			},
		},
		{
			"{\"level\":\"info\",\"ts\":1700000000,\"op\":\"fsync\",\"node\":\"a\"}\n{\"level\":\"info\",\"ts\":1700000001,\"op\":\"flush\",\"node\":\"b\"}\n",
			[]string{
				"lines: json", "process: '${node}'", "time: {from: '${ts}', layout: 'unix'}",
				"#  - {when: {op: flush}, note: flush}", "#  - {when: {op: fsync}, note: fsync}",
			},
		},
		{"7 x\n9 y\n12 z\n", []string{"# No time was found (is it ${word1}?)"}},
		{
			`{"node":"a","ev":"sent","type":"A","to":"b"}` + "\n",
			[]string{`the field "ev" says "sent", but such words are expected in a field event, dir, direction, action, op, act or kind`},
		},
	} {
		m := readings.Guess(t, []string{"t.log", test.log})
		for _, part := range test.has {
			if !strings.Contains(m, part) {
				t.Errorf("no %s in\n%s", part, m)
			}
		}
	}
}

// What is no log gets no mapping.
func TestSuggestNothing(t *testing.T) {
	for _, test := range []struct{ log, want string }{
		{"[\n {\"a\": 1},\n {\"a\": 2}\n]\n", "t.log: is an array of JSON objects (--from tlc reads the states of TLC), expected a log of lines"},
		{`[{"name":"pip"}]`, "t.log: is an array of JSON objects (--from tlc reads the states of TLC), expected a log of lines"},
		{"{\n \"a\": 1\n}\n", "t.log: is a JSON document over several lines, expected a log of lines"},
		{"\n\n", "t.log: has no lines, expected a log"},
	} {
		m, err := readings.TryGuess(t, []string{"t.log", test.log})
		if err == nil || m != "" || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %s\n%s", test.log, err, test.want, m)
		}
	}
}

// A field with both send and receive is read for that, whatever it is called.
func TestSuggestActs(t *testing.T) {
	m := readings.Guess(t, []string{"a.log", `{"node":"a","ev":"sent","type":"A","to":"b","id":1}
{"node":"b","ev":"recv","type":"A","from":"a","id":1}
`})
	for _, want := range []string{"{ev: sent}, send: '${type}', to: '${to}'", "{ev: recv}, receive: '${type}', from: '${from}'"} {
		if !strings.Contains(m, want) {
			t.Errorf("no %s in\n%s", want, m)
		}
	}
}

// Numbers that do not name messages are not taken for names: here each sender uses one twice.
func TestSuggestRefuted(t *testing.T) {
	m := readings.Guess(t, []string{"a.log", `10:00:00 a1: send PING #1 to a2
10:00:01 a1: send PING #1 to a2
10:00:02 a2: received PING #1 from a1
`})
	if strings.Contains(m, "message:") || !strings.Contains(m, "send: '${type}'") {
		t.Error(m)
	}
}

// Of a long log the first lines are looked at, and only these.
func TestSuggestLong(t *testing.T) {
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, "10:00:00 n%d: sends PING to n%d\n", i%3, (i+1)%3)
	}
	m := readings.Guess(t, []string{"a.log", b.String()})
	if !strings.Contains(m, "the first 10000 lines of a.log") || !strings.Contains(m, "# 3 processes: n0, n1 and n2.") {
		t.Error(m)
	}
}

// Whatever a log holds, the suggestion for it reads it.
func FuzzSuggest(f *testing.F) {
	for _, test := range suggested {
		f.Add(test.logs[1])
	}
	for _, test := range found {
		f.Add(logsOf(f, test.log)[1])
	}
	f.Fuzz(func(t *testing.T, log string) {
		input, err := interop.NewInput("a.log", strings.NewReader(log))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := logs.Guess(t.Context(), []*interop.Input{input}, &out); err != nil {
			if strings.Contains(err.Error(), "no mapping could be guessed") {
				t.Error(err)
			}
			return
		}
		if strings.Contains(out.String(), "nothing is understood") {
			return
		}
		_, report, err := readings.TryRead(t, out.String(), "a.log", log)
		if err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
		if left := notUnderstood(t, out.String()); report.Runs[0].Skipped.Lines != left {
			t.Errorf("says that %d lines are left over, the import leaves %d\n%s", left, report.Runs[0].Skipped.Lines, &out)
		}
	})
}

// TestSuggestLocks: the process inside belongs to the lock that lines name. A lock for several readers, and locks
// that only some lines name, are separate.
func TestSuggestLocks(t *testing.T) {
	const format = "2026-01-01T00:00:0%dZ INFO [%s] %s\n"
	for _, tt := range []struct{ acquire, release, want string }{
		{"acquired lock orders", "released lock orders", "lock: orders"},
		{"acquired the lock on orders", "released the lock on orders", "note: enter}"},
		{"acquired lock orders", "released lock", "note: enter}"},
		{"acquired read lock", "released read lock", ""},
	} {
		var log strings.Builder
		for i, process := range []string{"a", "b"} {
			fmt.Fprintf(&log, format, 2*i, process, tt.acquire)
			fmt.Fprintf(&log, format, 2*i+1, process, tt.release)
		}
		got := readings.Guess(t, []string{"x.log", log.String()})
		if tt.want != "" && !strings.Contains(got, tt.want) || tt.want == "" && strings.Contains(got, "note: enter") {
			t.Errorf("%s, %s: want %q in\n%s", tt.acquire, tt.release, tt.want, got)
		}
	}
}
