package mapping_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/readings"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/logs"
	"etrace/tracefmt/interop/mapping"
)

// TestMembersAndRoles: members without lines are recorded in no part. A role is an attribute of the member.
func TestMembersAndRoles(t *testing.T) {
	run, report := readings.Read(t, `match: '^(?<node>\w+): (?<msg>.*)$'
process: '${node}'
members: [n9, '${other}']
roles: {n2: observer, n8: client}
run: {problem: commit, complete: 'state.vote=all'}
events:
  - {when: {msg: '/^coordinates (?<other>\w+)$/'}, role: coordinator, note: begin}
  - {when: {msg: /^voted yes$/}, role: server, state: {vote: 'yes'}}
`, "x.log", "n1: coordinates n3\nn2: voted yes\nn4: voted yes\nn1: voted yes\nn5: coordinates n6\n")
	var got []string
	for i, m := range run.Run().Members {
		coverage := tracefmt.NewCoverage(run.Run())
		got = append(got, fmt.Sprintf("%s %s %v", m.Name, m.Attributes, coverage.Declared(tracefmt.ProcessID(i+1), tracefmt.StateOf("vote"))))
	}
	want := []string{
		`n1 {"role":"coordinator"} all`, `n2 {"role":"observer"} all`, `n4 {"role":"server"} all`, `n5 {"role":"coordinator"} all`, `n9  none`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	notes := strings.Join(report.Runs[0].Notes, "\n")
	for _, want := range []string{
		`n2 has the role "observer", and "server" in a later line: the first counts`,
		`n1 has the role "coordinator", and "server" in a later line: the first counts`,
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %s in\n%s", want, notes)
		}
	}
}

const election = `
match: '^(?<node>\w+): (?<msg>.*)$'
process: ${node}
events:
  - {when: {msg: '/^send (?<type>\w+) to (?<to>\w+)/'}, send: '${type}', to: '${to}', content: '${type}'}
  - {when: {msg: '/^got (?<type>\w+) from (?<from>\w+)/'}, receive: '${type}', from: '${from}', content: '${type}'}
  - {when: {msg: '/^term (?<term>\d+): leader is (?<leader>\w+)/'}, state: {elected: '${leader}', term: '${term}', role: null}}
  - {when: {msg: down}, crash: }
  - {when: {msg: '/^up\b/'}, recover: {elected: null}}
ignore:
  - {msg: /^heartbeat/i}
`

// One mapping reads lines of text; each form of lines gives the same events.
func TestForms(t *testing.T) {
	want := `a send ELECTION b content="ELECTION"
b receive ELECTION a content="ELECTION"
b state elected="b" term=7 role=null
`
	rules := func(lines string) string {
		return lines + `
process: '${node}'
events:
  - {when: {event: send}, send: '${type}', to: '${peer}', content: '${type}'}
  - {when: {event: receive}, receive: '${type}', from: '${peer}', content: '${type}'}
  - {when: {event: leader}, state: {elected: '${peer}', term: '${term}', role: null}}
`
	}
	for _, test := range []struct{ name, mapping, log string }{
		{"text", election, "a: send ELECTION to b\nb: got ELECTION from a\nb: term 7: leader is b\n"},
		{"json", rules("lines: json"), `{"node":"a","event":"send","type":"ELECTION","peer":"b"}
{"node":"b","event":"receive","type":"ELECTION","peer":"a"}
{"node":"b","event":"leader","peer":"b","term":7}`},
		{
			"logfmt", rules("lines: logfmt"),
			"node=a event=send type=ELECTION peer=b\nnode=b event=receive type=ELECTION peer=a\nnode=b event=leader peer=b term=7\n",
		},
		{"csv", rules("lines: csv"), "node,event,type,peer,term\na,send,ELECTION,b,\nb,receive,ELECTION,a,\nb,leader,,b,7\r\n"},
		{"CRLF, BOM", election, "\uFEFFa: send ELECTION to b\r\nb: got ELECTION from a\r\nb: term 7: leader is b"},
	} {
		rec, _ := readings.Read(t, test.mapping, "log", test.log)
		if diff := cmp.Diff(want, readings.Events(t, rec)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}

// What no rule takes is counted and shown, and what is to be ignored is not.
func TestSkipped(t *testing.T) {
	rec, report := readings.Read(t, election, "log", "a: down\n\na: Heartbeat 1\nwhat is this\na: up again\na: nonsense\n")
	if diff := cmp.Diff("a crash\na recover elected=null\n", readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
	got := report.Runs[0].Skipped
	if got.Lines != 2 || got.First[0].Number != 4 || got.First[1].Number != 6 {
		t.Errorf("%+v", got)
	}
}

const clocks = `
lines: json
process: '${at}'
clock: '${vc}'
events:
  - {when: {do: say}, state: {said: '${to}'}, send: HI, to: '${to}'}
  - {when: {do: hear}, receive: HI, from: '${from}'}
`

// A vector clock orders the lines of a process and joins messages; of a line that is several
// Events it is that of the message, which comes first.
func TestClock(t *testing.T) {
	log := `{"at":"b","do":"hear","from":"a","vc":{"a":2,"b":1}}
{"at":"a","do":"say","to":"b","vc":{"a":2,"b":0}}
{"at":"a","do":"say","to":"c","vc":{"a":1}}
{"at":"c","do":"hear","from":"a","vc":{"c":1}}
`
	rec, report := readings.Read(t, clocks, "log", log)
	want := `a send HI c
a state said="c"
a send HI b
b receive HI a
a state said="b"
c note
`
	if diff := cmp.Diff(want, readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
	if got := report.Runs[0]; got.Messages != 2 || got.Receives != 1 || got.Edges != 1 {
		t.Errorf("%s, want 2 messages, 1 receive, 1 edge: who does not know of a send has not received it", got.Counts())
	}
	for _, c := range []struct{ clock, want string }{
		{`{"a":"x"}`, `log:1: the entry "x" of the clock is no whole number`},
		{`[1]`, "log:1: the clock [1], expected an object of numbers by process"},
		{`{"b":1}`, `log:1: the clock {"b":1} has no entry for its own host "a"`},
		{`{"a":-1}`, `the clock entry "a" is -1`},
	} {
		if _, _, err := readings.TryRead(t, clocks, "log", `{"at":"a","do":"say","to":"b","vc":`+c.clock+`}`); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("clock %s: %v, want %s", c.clock, err, c.want)
		}
	}
}

// A line may report missing lines: of its process, or of all. The stretch is that between the
// Events around it: after seq 1 and before 2, and of b from the beginning.
func TestGap(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"a: 12 lines dropped", "[{a 2 1 0}]"},
		{"--- rotated ---", "[{a 2 1 0} {b 0 2 0}]"},
		{"", "[]"},
	} {
		mapping := strings.Replace(election, "match: ", "gap: [{msg: /lines dropped/}, {text: /rotated/}]\nmatch: ", 1)
		rec, report := readings.Read(t, mapping, "log", "a: down\n"+c.line+"\na: up again\nb: down\n")
		var got []string
		for _, g := range rec.Run().Completeness.Gaps {
			got = append(got, fmt.Sprintf("{%s %d %d %d}", g.Process, g.From, g.To, g.Dropped))
		}
		if output := fmt.Sprint(got); output != c.want || report.Runs[0].Skipped.Lines > 0 {
			t.Errorf("%q: gaps %s, %d lines skipped, want %s", c.line, output, report.Runs[0].Skipped.Lines, c.want)
		}
	}
}

// Fields within fields, texts with escapes, big numbers and null.
func TestJSONPaths(t *testing.T) {
	rec, _ := readings.Read(t, `
lines: json
process: ${event.nid}
values: {role: {StateLeader: leader}}
events:
  - {when: {event.name: Become, event.state.lead: null}, state: {role: '${event.role}', term: '${event.state.term}', x: '${a.b}'}}
`, "log", `{"event":{"nid":"1","name":"Become","role":"State\u004ceader","state":{"term":9007199254740993}},"a.b":[1, 2]}
{"event":{"nid":"1","name":"Become","role":"StateLeader","state":{"term":5,"lead":1}}}`)
	if diff := cmp.Diff("1 state role=\"leader\" term=9007199254740993 x=[1,2]\n", readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
}

// A process keeps its term until it starts anew; a record has several lines; executions are
// runs of their own; the name of the file names the process.
func TestRecords(t *testing.T) {
	runs, _ := readings.ReadRuns(t, `
begin: ^\d
split: ^=== (?<trace>\w+)
match: '^\d+ (?<msg>[^\n]*)(\n(?<more>.*))?'
file: (?<node>n\d)
process: ${node}
carry: term
events:
  - {when: {msg: '/^term (?<term>\d+)/'}, note: term}
  - {when: {msg: start}, start: }
  - {when: {msg: leads}, state: {role: leader, term: '${term}', why: '${more}'}}
`, "log-n7.txt", "1 term 3\n2 leads\n  three votes\n=== second\n1 leads\n2 term 4\n3 start\n4 leads\n")
	if len(runs) != 2 || runs[1].Run().Name != "second" {
		t.Fatalf("%d runs", len(runs))
	}
	if diff := cmp.Diff("n7 note term\nn7 state role=\"leader\" term=3 why=\"  three votes\"\n", readings.Events(t, runs[0])); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("n7 state role=\"leader\"\nn7 note term\nn7 crash inferred=true\nn7 recover\nn7 state "+
		"role=\"leader\"\n", readings.Events(t, runs[1])); diff != "" {
		t.Error(diff)
	}
}

// Files of one execution are one run: a receive comes after its send, even against the clocks and the file of the
// receiver is read first.
func TestFiles(t *testing.T) {
	timed := strings.Replace(election, `'^(?<node>\w+): `, `'^(?<time>\d+) (?<node>\w+): `, 1) + "time: {from: '${time}', layout: ms}\n"
	rec, report := readings.Read(t, timed,
		"/logs/b.log", "10 b: got ELECTION from a\n12 b: term 1: leader is b\n20 b: nonsense\n",
		"/logs/a.log", "11 a: send ELECTION to b\n13 a: send ELECTION to b\n")
	want := `a send ELECTION b content="ELECTION"
b receive ELECTION a content="ELECTION"
b state elected="b" term=1 role=null
a send ELECTION b content="ELECTION"
`
	if diff := cmp.Diff(want, readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(report.Runs[0].Remarks(), "\n"); !strings.Contains(got, "not received in the file (a.log:2)") ||
		!strings.Contains(got, "(b.log:3)") {
		t.Error(got)
	}
	var last tracefmt.Event
	for e := range rec.Events(1) {
		last = *e.Clone()
	}
	if !bytes.Contains(last.Payload, []byte(`"file":"/logs/a.log","line":2`)) {
		t.Errorf("%s", last.Payload)
	}
}

// Times in all the ways in which logs write them.
func TestTimes(t *testing.T) {
	const second = int64(1_700_000_000)
	for _, test := range []struct {
		layout, text string
		want         int64
	}{
		{"unix", "1700000000", second * 1e9},
		{"unix", "1700000000.123456789", second*1e9 + 123456789},
		{"unix", "1.7e9", second * 1e9},
		{"unix-ms", "1700000000123", second*1e9 + 123e6},
		{"unix-us", "1700000000123456.7", second*1e9 + 123456700},
		{"unix-ns", "1700000000123456789", second*1e9 + 123456789},
		{"rfc3339", "2023-11-14T22:13:20.5Z", second*1e9 + 5e8},
		{"rfc3339", "2023-11-14T23:13:20+01:00", second * 1e9},
		{"2006-01-02 15:04:05,000", "2023-11-14 22:13:20,007", second*1e9 + 7e6},
		{"2006-01-02 15:04:05.000, zone: Europe/Berlin", "2023-11-14 23:13:20.007", second*1e9 + 7e6},
		{"2006-01-02 15:04:05.000, zone: '-05:30'", "2023-11-14 16:43:20.007", second*1e9 + 7e6},
		{"15:04:05", "10:00:01", (10*3600 + 1) * 1e9},
		{"s", "12.5", 12_500_000_000},
		// Of several units the one by which the time is not of 1970 counts.
		{"[rfc3339, unix-ms, unix]", "1700000000.1", second*1e9 + 1e8},
		{"[rfc3339, unix-ms, unix]", "1700000000123", second*1e9 + 123e6},
		{"[unix, unix-ms]", "2.5", 2_500_000_000},
	} {
		layout, zone, zoned := strings.Cut(test.layout, ", zone")
		if layout[0] != '[' {
			layout = "'" + layout + "'"
		}
		m := "match: '^(?<t>.*) x$'\nprocess: p\ntime: {from: '${t}', layout: " + layout
		if zoned {
			m += ", zone" + zone
		}
		rec, _ := readings.Read(t, m+"}\nevents: [{note: x}]\n", "log", test.text+" x\n")
		for e := range rec.Events(1) {
			if int64(e.Time) != test.want {
				t.Errorf("%s %s: %d, want %d", test.layout, test.text, e.Time, test.want)
			}
		}
	}
}

// Mistakes in a mapping have a place and an answer.
func TestMistakes(t *testing.T) {
	for _, test := range []struct{ mapping, want string }{
		{"line: json\n", `m.yaml:1:1: unknown key "line", did you mean "lines"?`},
		{"lines: jsn\n", `m.yaml:1:8: unknown form of lines "jsn", did you mean "json"?`},
		{
			"process: n\nevents: [{when: {msg: /up, at/}, start: }]\n",
			"m.yaml:2:23: a pattern that begins with / and does not end with it; put one with a comma",
		},
		{"match: '('\n", "m.yaml:1:8: no regular expression: missing closing )"},
		{"match: '(?<a>x)(?<a>y)'\n", `m.yaml:1:8: the group "a" is there twice, expected once`},
		{"match: '(?=x)'\n", "m.yaml:1:8: no regular expression:"},
		{"process: '${node'\nevents: []\n", "m.yaml:1:10: ${ without a name and }, expected ${FIELD}"},
		{"process: $node\n", "m.yaml:1:10: a $ alone, expected ${FIELD}, or $$ for a dollar"},
		{"process: x\n", "m.yaml:1:1: a mapping without events, expected a list of rules"},
		{"events: {send: x}\n", "m.yaml:1:9: expected a list, each entry of it on a line that begins with -"},
		{"events: [{send: x, to: b}]\n", "m.yaml:1:10: a send event needs a process, expected process: here or"},
		{"process: x\nevents: [{send: x}]\n", "m.yaml:2:10: a send event needs a receiver, expected to:"},
		{"process: x\nevents: [{receive: x}]\n", "m.yaml:2:10: a receive event needs a sender, expected from:"},
		{"process: x\nevents: [{timeout: }]\n", "m.yaml:2:10: a timeout event needs a type, expected timeout: TYPE"},
		{"process: x\nevents: [{sned: x}]\n", `m.yaml:2:11: unknown key of a rule "sned", did you mean "send"?`},
		{"process: x\nevents: [{when: {a: b}}]\n", "m.yaml:2:10: a rule without an event"},
		{"process: x\nevents: [{crash: now}]\n", "m.yaml:2:18: a crash event has no type, expected nothing after crash:"},
		{"process: x\nevents: [{state: leader}]\n", "m.yaml:2:18: expected keys and values"},
		{"run: {problem: elections}\n", `m.yaml:1:16: unknown problem "elections", did you mean "election"?`},
		{"run: {tells: most}\n", "m.yaml:1:14: "},
		{"run: {complete: most}\n", "m.yaml:1:17: "},
		{"time: {layout: today}\n", `m.yaml:1:16: layout "today", expected one such as 2006-01-02 15:04:05.000`},
		{"lines: [json, csv]\n", "m.yaml:1:8: csv is the form of all lines or of none, expected a list of some of: text, json, logfmt"},
		{"process: []\n", "m.yaml:1:10: an empty list, expected values of which the first counts"},
		{
			"process: '${node}'\nalso: {msg: [message, node]}\n",
			`m.yaml:2:13: "node" is a field by itself, expected a key that is not used before`,
		},
		{"process: x\nevents: [{when: {a: '${b'}, send: x, to: y}]\n", "m.yaml:2:21: ${ without a name and }"},
		{"process: x\nevents: [{state: {'log[${i]': 1}}]\n", "m.yaml:2:19: ${ without a name and }"},
		{"not: '('\n", "m.yaml:1:6: no regular expression: missing closing )"},
		{"time: {zone: Mars}\n", `m.yaml:1:14: unknown zone "Mars", expected UTC`},
	} {
		_, err := mapping.Parse("m.yaml", []byte(test.mapping))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n got %v\nwant %s", test.mapping, err, test.want)
		}
	}
}

// Whatever a log holds, it is read or refused.
func FuzzRead(f *testing.F) {
	f.Add("a: send ELECTION to b\nb: got ELECTION from a\n")
	f.Add("a: term 99999999999999999999: leader is \x00\xff\n")
	parsed, err := mapping.Parse("map.yaml", []byte(election))
	if err != nil {
		f.Fatal(err)
	}
	format := interop.Format{Name: "map", Read: parsed.Read, Detect: logs.Format.Detect}
	f.Fuzz(func(t *testing.T, log string) {
		input, err := interop.NewInput("log", strings.NewReader(log))
		if err != nil {
			return
		}
		var sink readings.Runs
		if _, err := interop.Import(t.Context(), format, input, &sink, interop.Settings{}); err != nil {
			return
		}
		for _, rec := range sink.List {
			if err := tracefmt.Validate(rec); err != nil {
				t.Error(err)
			}
		}
	})
}

// Whatever a mapping holds, it is read or refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte(election))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = mapping.Parse("m.yaml", text) })
}

// What no line needs of a mapping may be misspelt: the note has the place and the nearest name.
func TestUnused(t *testing.T) {
	for _, test := range []struct{ name, mapping, log, want string }{
		{
			"a group",
			"match: '^(?<node>\\w+): (?<msg>.*)$'\nprocess: '${node}'\nevents:\n  - {when: {msg: '/^leads " +
				"(?<term>\\d+)/'}, state: {role: leader, term: '${trm}'}}\n",
			"a: leads 7\n", `map.yaml:4:72: no line has a field "trm", did you mean "term"?`,
		},
		{
			"a key of JSON", "lines: json\nprocess: '${nod}'\nevents: [{when: {msg: x}, process: '${node}', note: x}]\n",
			`{"node":"a","msg":"x"}`, `map.yaml:2:10: no line has a field "nod", did you mean "node"?`,
		},
		{
			"a key that the mapping does not name", "lines: json\nprocess: p\nevents: [{note: x, fields: {a: '${a.trem}'}}]\n",
			`{"a":{"term":1}}`, `map.yaml:3:32: no line has a field "a.trem", did you mean "a.term"?`,
		},
		{
			"a condition, a rule",
			"lines: logfmt\nprocess: '${node}'\nevents:\n  - {note: any, when: {node: a}}\n  - {when: {mesage: up}, " +
				"start: }\nignore: [{message: /./}]\n",
			"node=a message=up\n",
			`map.yaml:5:13: no line has a field "mesage", did you mean "message"?; no line is one for the rule at map.yaml:5:5`,
		},
		{
			"a column", "lines: csv\nprocess: p\nevents: [{note: x, fields: {t: '${trm}'}}]\n",
			"node,term\na,1\n", `map.yaml:3:32: no line has a field "trm", did you mean "term"?`,
		},
		{
			"a variable",
			"match: '(?<role>\\w+)'\nprocess: p\nrun: {complete: " +
				"'none,state.roel=all,state.vote=none,note=all'}\nevents: [{state: {role: '${role}'}}]\n",
			"leader\n", `map.yaml:3:17: no line assigns the variable "roel", did you mean "role"?`,
		},
		{
			"nearly a word",
			"match: '(?<role>\\w+)'\nprocess: p\nevents:\n  - {when: {role: x}, start: }\n  - {state: {rolle: '${role}', wait: 1}}\n",
			"leader\nx\n", `map.yaml:5:5: no property reads the variable "rolle", did you mean "role"?`,
		},
		{
			"nearly a word, besides it", "match: '(?<role>\\w+)'\nprocess: p\nevents: [{state: {rolle: '${role}', role: '${role}'}}]\n",
			"leader\n", "",
		},
		{
			"alternatives", "match: '(?<role>\\w+)'\nprocess: ['${node}', '${role}']\nevents: [{state: {role: '${role}'}}]\n",
			"leader\n", "",
		},
	} {
		_, report := readings.Read(t, test.mapping, "log", test.log)
		if diff := cmp.Diff(test.want, strings.Join(report.Notes, "; ")); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// The example of the explanation is a mapping that reads the lines that it names.
func TestExample(t *testing.T) {
	_, description, _ := strings.Cut(logs.Format.Describe(), "leader of term 3\":\n")
	example, _, _ := strings.Cut(description, "\netrace import")
	run, report := readings.Read(
		t, example, "log",
		"10:00:01.250 [n1] sent VOTE 7 to n2\n10:00:01.260 [n2] got VOTE 7 from n1\n10:00:01.300 [n2] leader of term 3\n",
	)
	if diff := cmp.Diff("n1 send VOTE n2\nn2 receive VOTE n1\nn2 state role=\"leader\" term=3\n", readings.Events(t, run)); diff != "" ||
		len(report.Notes) > 0 {
		t.Error(diff, report.Notes)
	}
}

// TestArithmetic: a number may be logged as one less or more, in whatever base; what is
// no number lacks, so that an alternative counts.
func TestArithmetic(t *testing.T) {
	const m = `
match: '^(?<node>\w+) (?<term>\S+)$'
process: ${node}
events:
  - {when: {term: /./}, state: {next: ['${term:+1}', '${term}'], before: '${term:-1}', hex: '${term:hex:+1}', words: 'term ${term:+10}'}}
`
	run, _ := readings.Read(t, m, "a.log", "a 1\na 9223372036854775807\na x:1\na -1\na ff\n")
	want := `a state next=2 before=0 hex=2 words="term 11"
a state next=9223372036854775808 before=9223372036854775806 hex=43132194673522839607304 words="term 9223372036854775817"
a state next="x:1"
a state next=0 before=-2 hex=0 words="term 9"
a state next="ff" hex=256
`
	if diff := cmp.Diff(want, readings.Events(t, run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRuns: a log of several groups is a run for each; a line without a group is of all that its
// process is in, also of later runs, and each run has its own carried fields and names.
func TestRuns(t *testing.T) {
	const m = `
match: '^(?<node>\w+) (\[(?<id>\w+) (?<group>\w+)\] )?(?<msg>.*)$'
process: ${node}
alias: '${id}'
runs: '${group}'
carry: [term]
events:
  - {when: {msg: up}, start: }
  - {when: {msg: '/^votes for (?<for>\w+) in (?<term>\d+)/'}, state: {votedFor: '${for}', term: '${term}'}}
  - {when: {msg: '/^(?<role>\w+) now/'}, state: {role: '${role}', term: '${term}'}}
ignore: [{msg: /^noise/}]
`
	runs, report := readings.ReadRuns(t, m, "log", `n1 up
n3 up
n1 noise
n1 [x1 red] votes for x1 in 7
n2 up
n1 [y1 blue] leader now
n2 [x2 red] votes for x1 in 7
n2 [y2 blue] votes for y2 in 3
n1 [x1 red] leader now
odd
n1 up
n1 [y1 blue] follower now
n2 what
`)
	want := []string{`red
n1 start
n1 state votedFor="n1" term=7
n2 start
n2 state votedFor="n1" term=7
n1 state role="leader" term=7
n1 crash inferred=true
n1 recover
`, `blue
n1 start
n2 start
n1 state role="leader"
n2 state votedFor="n2" term=3
n1 crash inferred=true
n1 recover
n1 state role="follower"
`}
	var got []string
	for _, run := range runs {
		got = append(got, run.Run().Name+"\n"+readings.Events(t, run))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if notes := strings.Join(report.Notes, "; "); !strings.Contains(notes, "1 line is of processes that have none of any run, left out") {
		t.Errorf("notes %q", notes)
	}
	skipped := report.Runs[0].Skipped.Lines + report.Runs[1].Skipped.Lines
	if skipped != 2 {
		t.Errorf("%d lines are not understood, want 2", skipped)
	}
}

// TestRunsNone: a log without a named run is one run.
func TestRunsNone(t *testing.T) {
	const m = "match: '^(?<node>\\w+) (?<msg>\\w+)( (?<group>\\w+))?$'\nprocess: ${node}\nruns: '${group}'\nsplit: " +
		"'^==='\nevents: [{when: {msg: up}, start: }]\n"
	runs, _ := readings.ReadRuns(t, m, "log", "a up\nb up\nc lost\n")
	if len(runs) != 1 || readings.Events(t, runs[0]) != "a start\nb start\n" {
		t.Errorf("%d runs, the first: %s", len(runs), readings.Events(t, runs[0]))
	}
	// Executions are runs apart.
	runs, _ = readings.ReadRuns(t, m, "log", "a up g\nb up h\n===\na up g\n")
	if len(runs) != 3 {
		t.Errorf("%d runs, want 3", len(runs))
	}
}

// What has neither a type nor variables may be written with nothing after it, or as a start without variables is.
func TestNothingAfterCrash(t *testing.T) {
	for _, event := range []string{"crash:", "crash: {}", "halt: {}", "start: {}"} {
		if _, err := mapping.Parse("m.yaml", []byte("process: x\nevents: [{"+event+" }]\n")); err != nil {
			t.Errorf("%s: %v", event, err)
		}
	}
}
