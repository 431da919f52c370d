package mapping_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/readings"
	"etrace/tracefmt"
)

// A line may be of one form or of another, and a field may have other keys; of a list of
// values or layouts the first counts that fits.
func TestAlternatives(t *testing.T) {
	rec, _ := readings.Read(t, `
lines: [json, logfmt, text]
match: '^(?<ts>\d+) (?<node>\w+) (?<msg>.*)$'
also: {msg: [message, '@message'], ts: [time]}
process: ['${node}', '${file}']
time: {from: '${ts}', layout: [unix, rfc3339]}
events:
  - {when: {msg: '/^leads (?<term>\d+)/'}, state: {role: leader, term: ['${term}', 0]}}
  - {when: {msg: leads}, state: {role: leader, term: ['${epoch}', '${round}', none]}}
`, "x.log", `{"ts":1.5,"node":"a","message":"leads","epoch":3}
time=1970-01-01T00:00:02Z msg=leads round=4 node=b
3 c leads 5
{"time":"1970-01-01T00:00:04Z","@message":"leads"}
`)
	want := `a state role="leader" term=3
b state role="leader" term=4
c state role="leader" term=5
x state role="leader" term="none"
`
	if diff := cmp.Diff(want, readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
	var times []int64
	for e := range rec.Events(1) {
		times = append(times, int64(e.Time))
	}
	if diff := cmp.Diff([]int64{15e8, 2e9, 3e9, 4e9}, times); diff != "" {
		t.Error(diff)
	}
}

// A process has one name in a run, whatever the lines call it: before the line of the alias,
// in other files, in hexadecimal and decimal, as peer and as the value of a variable.
func TestAliases(t *testing.T) {
	rec, report := readings.Read(t, `
match: '^(?<node>n\d)?:? ?(?<msg>.*)$'
process: ['${node}', '${file}']
alias: ['${id}', '${id:hex}']
events:
  - {when: {msg: '/^vote for (?<for>\w+)/'}, state: {votedFor: '${for}', term: 10}}
  - {when: {msg: '/^I am (?<id>\w+)/'}, note: name}
  - {when: {msg: '/^send to (?<to>\w+)/'}, send: X, to: '${to}', content: x}
  - {when: {msg: '/^got from (?<from>\w+)/'}, receive: X, from: '${from}', content: x}
  - {when: {msg: up}, start: }
`, "n1.log", "vote for b2\nvote for 178\nI am a1\nsend to b2\nvote for 9\n", "n2.log", "up\ngot from 161\nI am b2\nup\nvote for a1\n")
	want := `n1 state votedFor="n2" term=10
n1 state votedFor="n2" term=10
n1 note name
n1 send X n2 content="x"
n1 state votedFor=9 term=10
n2 start
n2 receive X n1 content="x"
n2 note name
n2 crash inferred=true
n2 recover
n2 state votedFor="n1" term=10
`
	if diff := cmp.Diff(want, readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(report.Runs[0].Remarks(), "\n"); !strings.Contains(
		got, "other names of processes: 161 is n1, 178 is n2, a1 is n1, b2 is n2",
	) {
		t.Error(got)
	}
}

// What was added under another name belongs to the process, in the order of the file; a name
// of two processes is a finding.
func TestAliasesMerge(t *testing.T) {
	rec, report := readings.Read(t, `
process: ['${node}', '${id}']
match: '^(?<id>\d)(/(?<node>\w+))? (?<what>\w+)'
alias: '${id}'
events: [{note: '${what}'}]
`, "log", "1 one\n1/a two\n1 three\n2/b four\n1/b five\n")
	if diff := cmp.Diff("a note one\na note two\na note three\nb note four\nb note five\n", readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(report.Runs[0].Remarks(), "\n"); !strings.Contains(
		got, `"1" is another name of "b" here, and was one of "a" before`,
	) {
		t.Error(got)
	}
}

// A value may be an object, the name of a variable may have a field in it, and a condition may
// compare fields.
func TestValues(t *testing.T) {
	rec, _ := readings.Read(t, `
lines: logfmt
process: '${node}'
events:
  - {when: {from: '${node}'}, note: self}
  - {when: {index: /./}, state: {'log[${index}]': {term: '${term}', op: '${op}', at: {node: '${node}'}}, commit: '${index}'}}
  - {when: {from: /./}, receive: X, from: '${from}'}
`, "log", "node=a from=a\nnode=a from=b\nnode=a index=7 term=2\nnode=a index=8 term=2 op=x\n")
	want := `a note self
a receive X b
a state log[7]={"term":2,"at":{"node":"a"}} commit=7
a state log[8]={"term":2,"op":"x","at":{"node":"a"}} commit=8
`
	if diff := cmp.Diff(want, readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
}

// Conditions see earlier lines of the process, until it starts anew.
func TestCarriedConditions(t *testing.T) {
	rec, _ := readings.Read(t, `
lines: logfmt
process: '${node}'
carry: [boot, term]
events:
  - {when: {msg: boot}, start: {boot: '${boot}', term: '${term}'}}
  - {when: {msg: new, boot: null}, start: {term: '${term}'}}
  - {when: {msg: new}, note: known, fields: {term: '${term}'}}
`, "log", "node=a msg=boot boot=1 term=4\nnode=a msg=new\nnode=b msg=new term=3\nnode=a msg=boot boot=2\nnode=a msg=new\n")
	want := `a start boot=1 term=4
a note known term=4
a crash inferred=true
b start term=3
a recover boot=2
a note known
`
	if diff := cmp.Diff(want, readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
}

// A crash without a line has its place after the last line of its process, also in the order
// of all events.
func TestPlaceOfCrash(t *testing.T) {
	rec, _ := readings.Read(
		t,
		"match: '^(?<node>[a-z]) (?<what>\\w+)'\nprocess: '${node}'\nevents: [{when: {what: up}, start: }, {note: '${what}'}]\n",
		"log", "a up\nb up\na leads\nb leads\nb rests\na up\n",
	)
	want := `a start
b start
a note leads
a crash inferred=true
b note leads
b note rests
a recover
`
	if diff := cmp.Diff(want, readings.Events(t, rec)); diff != "" {
		t.Error(diff)
	}
}

// Files of one name in several folders are several processes.
func TestEqualFileNames(t *testing.T) {
	rec, _ := readings.Read(
		t, "process: '${file}'\nevents: [{note: x}]\n", "/logs/a/server.log", "1\n", "/logs/b/server.log", "2\n",
		"/logs/other.log", "3\n",
	)
	var names []string
	for _, m := range rec.Run().Members {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff([]string{"a/server", "b/server", "other"}, names); diff != "" {
		t.Error(diff)
	}
	if err := tracefmt.Validate(rec); err != nil {
		t.Error(err)
	}
}
