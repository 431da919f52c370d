package interop_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// entries is a format whose files are not looked at: it reads the entries of a test.
func entries(add func(*interop.Builder)) interop.Format {
	return interop.Format{Name: "entries", Read: func(r *interop.Reading) error {
		add(r.Build(tracefmt.Run{}))
		return nil
	}}
}

// build returns the run that a Builder makes, and the report.
func build(t fataler, s interop.Settings, add func(*interop.Builder)) (*tracefmt.Memory, *interop.RunReport, error) {
	t.Helper()
	got, report, err := importText(t, entries(add), "", s)
	if err != nil {
		return nil, nil, err
	}
	if err := tracefmt.Validate(got.Runs[0]); err != nil {
		t.Fatal(err)
	}
	return got.Runs[0], report.Runs[0], nil
}

// fataler is what tests and rapid's checks have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func importText(t fataler, f interop.Format, text string, s interop.Settings) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	input, err := interop.NewInput(f.Name+".log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), f, input, &got, s)
	return &got, report, err
}

// sketch writes the events of a run in short: process, kind, type, peer, #message,
// @cause, ^lamport and the payload without the log.
func sketch(run *tracefmt.Memory) string {
	var b strings.Builder
	for e := range run.Events(1) {
		fmt.Fprintf(&b, "%s %s", run.Run().ProcessName(e.Process), e.Kind)
		for _, part := range []string{e.Type, run.Run().ProcessName(e.Peer)} {
			if part != "" {
				b.WriteString(" " + part)
			}
		}
		if e.Message != 0 {
			fmt.Fprintf(&b, " #%d", e.Message)
		}
		if e.Cause != 0 {
			fmt.Fprintf(&b, " @%d", e.Cause)
		}
		fmt.Fprintf(&b, " ^%d", e.Lamport)
		for key, value := range tracefmt.Fields(e.Payload) {
			if string(key) != tracefmt.LogKey {
				fmt.Fprintf(&b, " %s=%s", key, value)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func jsonLines(t fataler, got *tracefmt.Collector) string {
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

// Short ways to write entries.
func send(from, to, typ string) interop.Entry {
	return interop.Entry{Kind: tracefmt.Send, Process: from, Peer: to, Type: typ}
}

func receive(at, from, typ string) interop.Entry {
	return interop.Entry{Kind: tracefmt.Receive, Process: at, Peer: from, Type: typ}
}

func step(at, label string) interop.Entry {
	return interop.Entry{Kind: tracefmt.Note, Process: at, Type: label}
}

func lose(at, from, typ string) interop.Entry {
	return interop.Entry{Kind: tracefmt.Lose, Process: at, Peer: from, Type: typ}
}

func named(e interop.Entry, message string) interop.Entry { e.Message = message; return e }

func keyed(e interop.Entry, key string, after ...string) interop.Entry {
	e.Key, e.After = key, after
	return e
}

func local(e interop.Entry, n int64) interop.Entry { e.Own = n; return e }

func at(e interop.Entry, t string) interop.Entry {
	layout := time.RFC3339Nano
	if !strings.Contains(t, "T") {
		layout = "15:04:05.999"
	}
	var err error
	e.Time, err = time.Parse(layout, t)
	if err != nil {
		panic(err)
	}
	return e
}

var builderCases = []struct {
	name    string
	entries []interop.Entry
	want    string
	remarks string // or the error, after "error: "
}{
	{
		"numbers follow the names",
		[]interop.Entry{step("n10", "x"), send("n2", "n1", "A"), step("n9", "y")},
		"n10 note x ^1\nn2 send A n1 #1 ^1\nn9 note y ^1\n",
		"1 message is not received in the file (line 2)\nnothing is recorded of the member n1",
	},
	{
		"by name, receive first",
		[]interop.Entry{named(receive("b", "a", "A"), "m1"), named(send("a", "b", "A"), "m1")},
		"a send A b #1 ^1\nb receive A a #1 @1 ^2\n", "",
	},
	{
		"duplicate",
		[]interop.Entry{named(send("a", "b", "A"), "m"), named(receive("b", "a", "A"), "m"), named(receive("b", "a", "A"), "m")},
		"a send A b #1 ^1\nb receive A a #1 @1 ^2\nb receive A a #1 @1 ^3\n", "",
	},
	{
		"broadcast",
		[]interop.Entry{named(send("a", "b", "A"), "m"), named(send("a", "c", "A"), "m"), named(receive("c", "a", "A"), "m")},
		"a send A b #1 ^1\na send A c #2 ^2\nc receive A a #2 @2 ^3\n",
		"1 message is not received in the file (line 1)\nnothing is recorded of the member b",
	},
	{
		"sent twice",
		[]interop.Entry{named(send("a", "b", "A"), "m"), named(send("a", "b", "A"), "m"), named(receive("b", "a", "A"), "m")},
		"a send A b #1 ^1\na note ^2\nb receive A a #1 @1 ^2\n", "line 2: sent-once: message \"m\" was sent before, at line 1",
	},
	{
		"numbered anew",
		[]interop.Entry{
			{Kind: tracefmt.Start, Process: "a"},
			named(send("a", "b", "A"), "1"), named(receive("b", "a", "A"), "1"),
			{Kind: tracefmt.Crash, Process: "a"},
			{Kind: tracefmt.Recover, Process: "a"},
			named(send("a", "b", "B"), "1"), named(receive("b", "a", "B"), "1"),
		},
		"a start ^1\na send A b #1 ^2\nb receive A a #1 @2 ^3\na crash ^3\na recover ^4\na send B b #2 ^5\nb receive B a #2 @6 ^6\n", "",
	},
	{
		"another sender",
		[]interop.Entry{named(send("a", "b", "A"), "m"), named(receive("b", "c", "A"), "m")},
		"a send A b #1 ^1\nb note ^1\n", `1 receive has no send in the file, it is kept as a note (line 2)
1 message is not received in the file (line 1)
nothing is recorded of the member c
line 2: same-sender: message "m" comes from "c" here, but "a" sent it, at line 1`,
	},
	{
		"halves of two senders",
		[]interop.Entry{named(receive("b", "a", "A"), "1"), named(receive("b", "c", "A"), "1"), named(receive("b", "c", "A"), "1")},
		"b receive A a #1 ^1\nb receive A c #2 ^2\nb receive A c #2 ^3\n",
		"3 receives have no send in the file, so not all sends of their senders are recorded (lines 1, 2, 3)\nnothing " +
			"is recorded of the members a and c",
	},
	{
		"the ends that the log leaves out",
		[]interop.Entry{named(send("a", "", "A"), "m"), named(receive("b", "", "A"), "m"), send("a", "", "B"), receive("b", "", "B")},
		"a send A b #1 ^1\nb receive A a #1 @1 ^2\na note ^2\nb note ^3\n",
		"1 receive has no send in the file, it is kept as a note (line 4)\n1 send names no receiver, it is kept as a note (line 3)",
	},
	{
		"in order of the channel",
		[]interop.Entry{
			send("a", "b", "A"), send("a", "b", "B"), send("a", "b", "A"), receive("b", "a", "B"), receive("b", "a", "A"), receive("b", "a", "A"),
		},
		"a send A b #1 ^1\na send B b #2 ^2\na send A b #3 ^3\nb receive B a #2 @2 ^3\nb receive A a #1 @1 ^4\nb receive A a #3 @3 ^5\n",
		"1 receive could belong to more than one send of the same content, paired in order",
	},
	{
		"a nameless receive before its send is of another message",
		[]interop.Entry{receive("b", "a", "A"), send("a", "b", "A")},
		"b receive A a #1 ^1\na send A b #2 ^1\n",
		"1 receive has no send in the file, so not all sends of its sender are recorded (line 1)\n1 message is not received in the file (line 2)",
	},
	{
		"lost",
		[]interop.Entry{send("a", "b", "A"), step("b", "x"), lose("b", "a", "A"), step("b", "y")},
		"a send A b #1 ^1\nb note x ^1\nb lose A a #1 @1 ^2\nb note y ^2\n", "",
	},
	{
		"causes by key, in any order",
		[]interop.Entry{
			keyed(step("a", "x"), "x", "y"), keyed(step("b", "y"), "y", "z"), keyed(step("c", "z"), "z"),
			keyed(step("b", "w"), "w", "y", "z"),
		},
		"c note z ^1\nb note y @1 ^2\na note x @2 ^3\nb note w @1 ^3\n", "",
	},
	{
		"a cause that is missing, a key that is taken",
		[]interop.Entry{keyed(step("a", "x"), "x", "y"), keyed(step("b", "x"), "x"), keyed(step("c", "z"), "", "x")},
		"a note x ^1\nb note x ^1\nc note z @1 ^2\n",
		"1 cause is not in the file (line 1)\nline 2: unique-keys: another entry has the key \"x\", the first counts",
	},
	{
		"further causes",
		[]interop.Entry{
			keyed(step("a", "x"), "x"), keyed(step("b", "y"), "y"),
			keyed(interop.Entry{Kind: tracefmt.Crash, Process: "c"}, "", "x"), keyed(step("c", "z"), "", "x", "y"),
		},
		"a note x ^1\nb note y ^1\nc crash ^2 causes=[1]\nc note z @2 ^3 causes=[1]\n", "",
	},
	{
		"a cycle",
		[]interop.Entry{keyed(step("a", "x"), "x", "y"), keyed(step("b", "y"), "y", "x")},
		"", "error: entries.log:1: a causal cycle, each event knows of the next, so one comes from the future: a (line 1), b (line 2), a",
	},
	{
		"own clocks",
		[]interop.Entry{
			local(step("a", "y"), 2), local(step("b", "z"), 1), local(step("a", "x"), 1), step("a", "x again"), local(step("b", "u"), 3),
		},
		"a note x ^1\na note x again ^2\na note y ^3\nb note z ^1\nb note u ^2\n",
		"a: 1 event out of file order (line 3), sorted by own clock\nline 5: own-sequence: the own clock of \"b\" " +
			"goes from 1 to 3, expected 2; events are missing",
	},
	{
		"environment",
		[]interop.Entry{
			step("a", "x"),
			{Kind: tracefmt.Partition, Fields: []interop.Field{interop.JSON("groups", []byte(`[ ["a"], ["b"] ]`))}},
			step("a", "y"),
		},
		"a note x ^1\n partition ^0 groups=[[\"a\"],[\"b\"]]\na note y ^2\n", "",
	},
	{
		"fields",
		[]interop.Entry{{
			Kind: tracefmt.State, Process: "a",
			Fields: []interop.Field{interop.Int("n", 1), interop.Text("log", "x"), interop.Text("n", "two"), interop.JSON("bad", []byte("{"))},
		}},
		`a state ^1 n="two" bad="{"` + "\n", "",
	},
	{"no process", []interop.Entry{send("", "b", "A")}, "", "error: entries.log:1: a send event needs a process"},
	{"no kind", []interop.Entry{{Process: "a"}}, "", "error: entries.log:1: kind(0) is not an event kind"},
	{
		"no timer name",
		[]interop.Entry{{Kind: tracefmt.Timeout, Process: "a"}},
		"",
		"error: entries.log:1: seq 1: a timeout event needs a type",
	},
	{"nothing", nil, "", "error: entries.log: no event of format entries in the file"},
}

func TestBuilder(t *testing.T) {
	for _, c := range builderCases {
		t.Run(c.name, func(t *testing.T) {
			run, report, err := build(t, interop.Settings{}, func(b *interop.Builder) {
				for i, e := range c.entries {
					e.Line = i + 1
					b.Add(e)
				}
			})
			got, remarks := "", ""
			if err != nil {
				remarks = "error: " + err.Error()
			} else {
				got, remarks = sketch(run), strings.Join(report.Remarks(), "\n")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.remarks, remarks); diff != "" {
				t.Errorf("remarks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuilderMembers(t *testing.T) {
	members := func(first bool, declared ...tracefmt.Member) string {
		f := interop.Format{Name: "entries", Read: func(r *interop.Reading) error {
			b := r.Build(tracefmt.Run{Members: declared})
			b.FirstSeen = first
			b.Add(send("n10", "n2", "A"))
			b.Add(step("n9", "x"))
			b.Add(step("N1", "x"))
			return nil
		}}
		got, _, err := importText(t, f, "", interop.Settings{Tool: "test 1"})
		if err != nil {
			t.Fatal(err)
		}
		run := got.Runs[0].Run()
		if run.Source != "entries" || run.Tool != "test 1" || run.TimeUnit != tracefmt.Logical {
			t.Errorf("source %q, tool %q, unit %q; want entries, test 1, logical", run.Source, run.Tool, run.TimeUnit)
		}
		var names []string
		for _, m := range run.Members {
			names = append(names, fmt.Sprintf("%s:%d", m.Name, m.Position))
		}
		return strings.Join(names, " ")
	}
	for _, c := range []struct{ got, want string }{
		{members(false), "N1:1 n2:2 n9:3 n10:4"},
		{members(true), "n10:1 n9:2 N1:3 n2:4"},
		{members(false, tracefmt.Member{Name: "n9", Position: 7}, tracefmt.Member{Name: "z"}), "n9:7 z:2 N1:3 n2:4 n10:5"},
	} {
		if c.got != c.want {
			t.Errorf("members %s, want %s", c.got, c.want)
		}
	}
}

func TestBuilderTimes(t *testing.T) {
	for _, c := range []struct {
		name     string
		byTime   bool
		entries  []interop.Entry
		want     string // times by seq, in seconds since the first, and types
		remarked string
	}{
		{"midnight", false, []interop.Entry{at(step("a", "x"), "23:59:59.5"), at(step("a", "y"), "00:00:01")}, "x 0, y 1.5", ""},
		{"unknown", false, []interop.Entry{at(step("a", "x"), "10:00:00"), at(step("b", "y"), "10:00:02"), step("a", "z")}, "x 0, y 2, z 0", ""},
		{
			"back", false,
			[]interop.Entry{at(step("a", "x"), "10:00:00"), at(step("a", "y"), "09:59:59")},
			"x 0, y -1", "1 step back in time of process a, by 1s (line 2)",
		},
		{
			"back twice", false,
			[]interop.Entry{at(step("0", "x"), "10:00:00.000020"), at(step("0", "y"), "10:00:00"), at(step("0", "z"), "09:59:59.999995")},
			"x 0, y -0.00002, z -0.000025", "2 steps back in time of process 0, by up to 20µs (lines 2, 3)",
		},
		{
			"zone", false,
			[]interop.Entry{at(step("a", "x"), "2026-11-22T00:00:00Z"), at(step("a", "y"), "2026-11-22T02:00:00+02:00")},
			"x 0, y 0", "",
		},
		{
			"by time", true,
			[]interop.Entry{at(step("a", "x"), "10:00:05"), at(step("a", "y"), "10:00:00"), at(step("b", "z"), "10:00:03")},
			"x 0, y -5, z -2", "1 step back in time of process a, by 5s (line 2)",
		},
		{
			"by time, causes first", true,
			[]interop.Entry{
				at(named(receive("b", "a", "A"), "m"), "10:00:00"), at(step("c", "x"), "09:00:00"),
				at(named(send("a", "b", "A"), "m"), "10:00:01"),
			},
			"x 0, A 3601, A 3600",
			"the clock of b is at least 1s behind that of a: 1 message arrives before it was sent, first at line 1",
		},
		{"skew", false, []interop.Entry{
			at(named(send("a", "b", "A"), "1"), "10:00:05"), at(named(receive("b", "a", "A"), "1"), "10:00:02"),
			at(named(send("b", "a", "B"), "2"), "10:00:03"), at(named(receive("a", "b", "B"), "2"), "10:00:07"),
		}, "A 0, A -3, B -2, B 2", "the clock of b is 3s to 4s behind that of a: 1 message arrives before it was sent, first at line 2"},
	} {
		run, report, err := build(t, interop.Settings{}, func(b *interop.Builder) {
			b.ByTime = c.byTime
			for i, e := range c.entries {
				e.Line = i + 1
				b.Add(e)
			}
		})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var times []string
		for e := range run.Events(1) {
			times = append(times, fmt.Sprintf("%s %v", e.Type, e.Time-run.At(1).Time))
		}
		if got := strings.Join(times, ", "); got != c.want || strings.Join(report.Remarks(), "\n") != c.remarked {
			t.Errorf("%s: got %s, %q; want %s, %q", c.name, got, report.Remarks(), c.want, c.remarked)
		}
	}
	_, _, err := build(t, interop.Settings{}, func(b *interop.Builder) { b.Add(at(step("a", "x"), "9999-01-01T00:00:00Z")) })
	if err == nil || !strings.Contains(err.Error(), "the time 9999-01-01T00:00:00Z is out of range") {
		t.Errorf("error %v, expected one about the year", err)
	}
}

func TestBuilderRepeatsAndChanges(t *testing.T) {
	run, report, err := build(t, interop.Settings{}, func(b *interop.Builder) {
		b.SkipRepeats = true
		line := interop.Entry{Kind: tracefmt.Note, Process: "a", Text: "hello"}
		b.Add(at(line, "10:00:00"))
		b.Add(at(line, "10:00:00"))
		b.Add(at(line, "10:00:01"))
		vars := func(term int64, role string) interop.Entry {
			return interop.Entry{Process: "a", Fields: []interop.Field{interop.Int("term", term), interop.Text("role", role)}}
		}
		b.Change(vars(1, "follower"))
		b.Change(vars(1, "follower"))
		b.Change(vars(2, "follower"))
		b.Add(interop.Entry{Kind: tracefmt.Crash, Process: "a"})
		b.Change(vars(2, "follower"))
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `a note ^1
a note ^2
a state ^3 term=1 role="follower"
a state ^4 term=2 role="follower"
a crash ^5
a state ^6 term=2 role="follower"
`
	if diff := cmp.Diff(want, sketch(run)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1 entry repeats the one before, left out"}, report.Remarks()); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
}

// A vote or a role that is reported anew in a new term is a new one, though the variable keeps its value. The term may
// have risen in a line before.
func TestBuilderNewTerm(t *testing.T) {
	run, _, err := build(t, interop.Settings{}, func(b *interop.Builder) {
		change := func(fields ...interop.Field) { b.Change(interop.Entry{Process: "a", Fields: fields}) }
		vote := interop.Text("votedFor", "a")
		change(vote, interop.Int("term", 2))
		change(vote, interop.Int("term", 2))
		change(interop.Int("term", 3))
		change(vote, interop.Int("term", 3))
		change(vote)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `a state ^1 votedFor="a" term=2
a state ^2 term=3
a state ^3 votedFor="a" term=3
`
	if diff := cmp.Diff(want, sketch(run)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A receive without a send and a sender describes itself, in the log's words or in ours.
func TestBuilderOrphan(t *testing.T) {
	run, _, err := build(t, interop.Settings{}, func(b *interop.Builder) {
		e := receive("b", "", "PING")
		e.Line, e.Fields = 3, []interop.Field{interop.Int("n", 7)}
		b.Add(e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(run.At(1).Payload), `{"n":7,"log":{"text":"receive PING","file":"entries.log","line":3}}`; got != want {
		t.Errorf("payload %s, want %s", got, want)
	}
}
