package modelcheck_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/modelcheck"
)

func read(t testing.TB, f interop.Format, text, variables string) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	input, err := interop.NewInput("m.log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var s interop.Settings
	if variables != "" {
		file := filepath.Join(t.TempDir(), "v.yaml")
		if err := os.WriteFile(file, []byte(variables), 0o600); err != nil {
			t.Fatal(err)
		}
		s.Options = map[string]string{"variables": file}
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), f, input, &got, s)
	return &got, report, err
}

// events are those of a run as words: process, kind, type, peer and payload without the log.
func events(run *tracefmt.Memory) string {
	var b strings.Builder
	for e := range run.Events(1) {
		name := "-"
		if e.Process != 0 {
			name = run.Run().ProcessName(e.Process)
		}
		fmt.Fprintf(&b, "%s %s", name, e.Kind)
		if e.Type != "" {
			b.WriteString(" " + e.Type)
		}
		if e.Peer != 0 {
			b.WriteString(" " + run.Run().ProcessName(e.Peer))
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

// sketch reads a text of one run.
func sketch(t *testing.T, f interop.Format, text, variables string) string {
	t.Helper()
	got, _, err := read(t, f, text, variables)
	if err != nil {
		t.Fatal(err)
	}
	return events(got.Runs[0])
}

func compare(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Two lamps that are switched by messages. Sets are written in another order, a number exceeds a float, an option is
// empty, then set, a step is a stutter.
const lamps = `{"#meta":{"format":"ITF","source":"lamps.qnt","status":"violation"},
 "vars":["m::lamps","m::wires","m::clock"],
 "states":[
 {"#meta":{"index":0},"m::lamps":{"#map":[["l1",{"on":false,"by":{"tag":"None","value":{"#tup":[]}}}],["l2",{"on":false,"by":{"tag":"None","value":{"#tup":[]}}}]]},"m::wires":{"#set":[]},"m::clock":{"#bigint":"9007199254740993"}},
 {"#meta":{"index":1},"m::lamps":{"#map":[["l2",{"on":false,"by":{"tag":"None","value":{"#tup":[]}}}],["l1",{"on":true,"by":{"tag":"Some","value":"l1"}}]]},"m::wires":{"#set":[{"a":"l1","b":"l2","what":"ON","n":{"#set":[2,1]}},{"a":"l1","b":"l2","what":"OFF","n":{"#tup":[]}}]},"m::clock":{"#bigint":"9007199254740993"},"mbt::actionTaken":"press","mbt::nondetPicks":{"l":{"tag":"Some","value":"l1"},"m":{"tag":"None","value":{"#tup":[]}}}},
 {"#meta":{"index":2},"m::lamps":{"#map":[["l2",{"on":false,"by":{"tag":"None","value":{"#tup":[]}}}],["l1",{"on":true,"by":{"tag":"Some","value":"l1"}}]]},"m::wires":{"#set":[{"a":"l1","b":"l2","what":"OFF","n":{"#tup":[]}},{"a":"l1","b":"l2","what":"ON","n":{"#set":[1,2]}}]},"m::clock":{"#bigint":"9007199254740993"}},
 {"#meta":{"index":3},"m::lamps":{"#map":[["l2",{"on":true,"by":{"tag":"Some","value":"l1"}}],["l1",{"on":true,"by":{"tag":"Some","value":"l1"}}]]},"m::wires":{"#set":[{"a":"l1","b":"l2","what":"OFF","n":{"#tup":[]}}]},"m::clock":{"#bigint":"9007199254740994"}},
 {"#meta":{"index":4},"m::lamps":{"#map":[["l2",{"on":true,"by":{"tag":"Some","value":"l1"}}],["l1",{"on":true,"by":{"tag":"Some","value":"l1"}}]]},"m::wires":{"#set":[]},"m::clock":{"#bigint":"9007199254740994"}}
 ],"loop":1}
`

const lampsMeaning = "process: lamps\nnetwork: {set: wires, from: a, to: b, type: what}\nvariables: {lit: " +
	"on}\nvalues: {lit: {true: bright}}\n"

func TestITF(t *testing.T) {
	got, report, err := read(t, modelcheck.ITF, lamps, lampsMeaning)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, `- note step clock=9007199254740993
l1 start by=null lit=false
l2 start by=null lit=false
l1 note press
l1 state by="l1" lit="bright"
l1 send ON l2 n=[1,2]
l1 send OFF l2 n=[]
l2 note step clock=9007199254740994
l2 receive ON l1 n=[1,2]
l2 state by="l1" lit="bright"
- note loop state=1
`, events(got.Runs[0]))
	if end := got.Runs[0].Run().End; end != tracefmt.Stopped {
		t.Errorf("a lasso ends %s, want stopped", end)
	}
	remarks := strings.Join(report.Runs[0].Remarks(), "\n")
	for _, want := range []string{
		"lamps.qnt", `"violation", which is no verdict`, "repeats forever what is after state 1",
		"1 step changes nothing", "1 message disappears, and nothing says whether received or lost",
	} {
		if !strings.Contains(remarks, want) {
			t.Errorf("remarks %q, want %q", remarks, want)
		}
	}
	tells := got.Runs[0].Run().Completeness
	if tells.Default != tracefmt.All || tells.Kinds["receive"] != tracefmt.Some || tells.Kinds["lose"] != tracefmt.Some {
		t.Errorf("tells %+v", tells)
	}
	lost := strings.Replace(lampsMeaning, "type: what", "type: what, lost: ['', cut]", 1)
	if list := sketch(t, modelcheck.ITF, lamps, lost); !strings.Contains(list, "l2 lose ON l1") || !strings.Contains(list, "l2 lose OFF l1") {
		t.Errorf("what an action loses is no loss:\n%s", list)
	}
}

// TestGuess: processes are the keys of several maps, or of one to records; a map to anything
// else is a variable of the system, where there is nothing better.
func TestGuess(t *testing.T) {
	for states, want := range map[string]string{
		`[{"x":{"#map":[[1,2]]},"y":{"#map":[[1,3]]},"z":0}]`: "- note step z=0\n1 start x=2 y=3\n",
		`[{"x":{"#map":[["a",{"n":2,"k":[]}]]},"z":0}]`:       "- note step z=0\na start k=[] n=2\n",
		`[{"x":{"#map":[["a",{"#map":[["b",2]]}]]},"z":0}]`:   "system start x={\"a\":{\"b\":2}} z=0\n",
		`[{"i::x":1,"j::x":2,"k::y":{"tag":"A","value":3}}]`: "system start " +
			"i::x=1 j::x=2 y={\"tag\":\"A\",\"value\":3}\n",
		`[{"x":{"#unserializable":"λ"},"action":{"tag":"go","n":1}}]`: "system start x=\"λ\"\n",
		`[{"log":{"#map":[["a",["x","y"]]]},"t":{"#map":[["a",1]]}},{"log":{"#map":[["a",["x"]]]},"t":{"#map":[["a",1]]}}]`: "a start log[1]=\"x\" " +
			"log[2]=\"y\" t=1\na state log[2]=null\n",
	} {
		compare(t, want, sketch(t, modelcheck.ITF, `{"vars":[],"states":`+states+`}`, ""))
	}
}

// One counterexample in all the forms in which TLC writes it. A crash takes the clerk's
// memory; two messages are equal, in a map of how many there are.
const (
	clerkStates = `{"desk":{"c1":"busy","c2":"idle"},"mem":{"c1":[2,1],"c2":[]},"mail":[],"day":1},
{"desk":{"c1":"busy","c2":"idle"},"mem":{"c1":[1,2],"c2":[]},"mail":[{"to":"c2","t":"FORM"},{"to":"c2","t":"COPY"}],"day":1},
{"desk":{"c1":"busy","c2":"busy"},"mem":{"c1":[1,2],"c2":[1]},"mail":[{"to":"c2","t":"COPY"}],"day":1},
{"desk":{"c1":"idle","c2":"busy"},"mem":{"c1":[],"c2":[1]},"mail":[{"to":"c2","t":"COPY"}],"day":2}`
	clerkText = `TLC2 Version 2.19 of Day Month 20??
Error: Invariant Calm is violated.
Error: The behavior up to this point is:
State 1: <Initial predicate>
/\ day = 1
/\ desk = (c1 :> "busy" @@ c2 :> "idle")
/\ mail = {}
/\ mem = (c1 :> {2, 1} @@ c2 :> {})

State 2: <Post(c1) line 5, col 1 to line 6, col 2 of module Clerks>
/\ mail = { [to |-> c2, t |-> "FORM"],
   [t |-> "COPY", to |-> c2] }
/\ day = 1
/\ desk = (c1 :> "busy" @@ c2 :> "idle")
/\ mem = (c1 :> 1..2 @@ c2 :> {})

State 3: <Next line 7, col 1 to line 8, col 2 of module Clerks>
/\ day = 1
/\ desk = (c1 :> "busy" @@ c2 :> "busy")
/\ mem = (c1 :> {1, 2} @@ c2 :> {1})
/\ mail = {[to |-> c2, t |-> "COPY"]}

State 4: <Sleep(c1) line 9, col 1 to line 9, col 2 of module Clerks>
/\ day = 2
/\ desk = (c1 :> "idle" @@ c2 :> "busy")
/\ mail = {[to |-> c2, t |-> "COPY"]}
/\ mem = (c1 :> {} @@ c2 :> {1})

`
	clerkMeaning = "process: [desk, mem]\nnetwork: {set: mail, to: to, type: t}\nsets: [mem]\ncrash: Sleep\nrecover: Sleep\n"
	clerkEvents  = `- note step day=1
c1 start desk="busy" mem=[1,2]
c2 start desk="idle" mem=[]
c1 note Post
c1 send COPY c2
c1 send FORM c2
c2 note Next
c2 receive FORM c1
c2 state desk="busy" mem=[1]
c1 crash
c1 recover desk="idle" mem=[]
c1 note Sleep day=2
`
)

func clerkDump(wrapped bool) string {
	actions := []string{
		`{"name":"Post","context":{"s":"c1"},"parameters":["s"]}`, `{"name":"Next"}`,
		`{"name":"Sleep","context":{"s":"c1"},"parameters":["s"]}`,
	}
	var states, triples []string
	for i, s := range strings.Split(clerkStates, ",\n") {
		states = append(states, fmt.Sprintf("[%d,%s]", i+1, s))
		if i > 0 {
			triples = append(triples, "["+states[i-1]+","+actions[i-1]+","+states[i]+"]")
		}
	}
	dump := `{"action":[` + strings.Join(triples, ",\n") + `],"state":[` + strings.Join(states, ",\n") + `]}`
	if wrapped {
		return `{"counterexample":` + dump + `}`
	}
	return dump
}

// TestITFReceived: a behaviour in which no message disappears without a step of its receiver is complete.
func TestITFReceived(t *testing.T) {
	before, _, _ := strings.Cut(lamps, ",\n {\"#meta\":{\"index\":4}")
	got, report, err := read(t, modelcheck.ITF, before+"\n ]}\n", lampsMeaning)
	if err != nil {
		t.Fatal(err)
	}
	if tells := got.Runs[0].Run().Completeness; len(tells.Kinds) > 0 {
		t.Errorf("levels of kinds: %v", tells.Kinds)
	}
	if remarks := strings.Join(report.Runs[0].Remarks(), "\n"); strings.Contains(remarks, "disappear") {
		t.Errorf("remarks %q", remarks)
	}
}

func TestTLC(t *testing.T) {
	text := strings.Replace(clerkText, "1..2", "{1, 2}", 1)
	for name, file := range map[string]string{
		"wrapped": clerkDump(true), "bare": clerkDump(false), "text": text,
		"text with CRLF": strings.ReplaceAll(text, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) { compare(t, clerkEvents, sketch(t, modelcheck.TLC, file, clerkMeaning)) })
	}
	meaning := strings.NewReplacer("crash: Sleep\n", "", "recover: Sleep\n", "", "to: to, ", "to: to, from: nobody, ").Replace(clerkMeaning)
	compare(t, `- note step day=1
c1 start desk="busy" mem=[1,2]
c2 start desk="idle" mem=[]
c2 state desk="busy" mem=[1]
c1 note step day=2
c1 state desk="idle" mem=[]
`, sketch(t, modelcheck.TLC, "["+clerkStates+"]", meaning)) // the sender is unknown
	_, report, err := read(t, modelcheck.TLC, clerkText, clerkMeaning)
	if err != nil {
		t.Fatal(err)
	}
	want := `3 lines of TLC's own beside the states
TLC says "Error: Invariant Calm is violated.", which is no verdict on what happens in the behaviour`
	compare(t, want, strings.Join(report.Notes, "\n"))
}

// TestEnds: a behaviour may come back to a state, or stay in its last one; then it is at rest.
func TestEnds(t *testing.T) {
	two := "State 1: <Initial predicate>\nx = 0\n\nState 2: <Up line 1, col 1 to line 1, col 2 of module M>\nx = 1\n\n"
	dump := func(to int) string {
		return fmt.Sprintf(
			`{"state":[[1,{"x":0}],[2,{"x":1}]],"action":[[[1,{"x":0}],{"name":"Up"},[2,{"x":1}]],[[2,{"x":1}],{"name":"Up"},[%d,{}]]]}`,
			to,
		)
	}
	for _, c := range []struct {
		text string
		end  tracefmt.End
		last string
	}{
		{two, tracefmt.Stopped, "system state x=1"},
		{two + "State 3: Stuttering\n", tracefmt.Quiescent, "- note stuttering state=2"},
		{two + "Back to state 1: <Up line 1, col 1 to line 1, col 2 of module M>\n", tracefmt.Stopped, "- note loop state=1"},
		{dump(2), tracefmt.Quiescent, "- note stuttering state=2"},
		{dump(1), tracefmt.Stopped, "- note loop state=1"},
	} {
		got, _, err := read(t, modelcheck.TLC, c.text, "")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(events(got.Runs[0])), "\n")
		if end := got.Runs[0].Run().End; end != c.end || lines[len(lines)-1] != c.last {
			t.Errorf("%q: ends %s with %q, want %s with %q", c.text, end, lines[len(lines)-1], c.end, c.last)
		}
	}
	if got, _, err := read(t, modelcheck.TLC, two+two, ""); err != nil || len(got.Runs) != 2 {
		t.Errorf("two behaviours are %d runs, %v", len(got.Runs), err)
	}
}

// TestInboxes: what is added to a list is sent, what is taken from its front received; a step
// that names an action of loss loses it.
func TestInboxes(t *testing.T) {
	state := func(a, b, n string) string {
		return `{"box":{"a":` + a + `,"b":` + b + `},"n":{"a":0,"b":` + n + `}}`
	}
	file := "[" + state("[]", "[]", "0") + "," + state("[]", `[{"k":"X","s":"a"},{"k":"Y","s":"a"}]`, "0") + "," +
		state(`[{"k":"R","s":"b"}]`, `[{"k":"Y","s":"a"}]`, "1") + "," + state(`[{"k":"R","s":"b"}]`, `[{"k":"Y","s":"a"}]`, "2") + "]"
	compare(t, `a start n=0
b start n=0
a send X b
a send Y b
b receive X a
b state n=1
b send R a
b state n=2
`, sketch(t, modelcheck.TLC, file, "process: n\nnetwork: {inboxes: box, from: s, type: k}\n"))
	// Both processes change in the step: the inbox decides which of them receives.
	compare(t, `a start n=0
b start n=0
a send X b
b receive X a
a state n=1
b state n=1
`, sketch(t, modelcheck.TLC, `[{"box":{"a":[],"b":[]},"n":{"a":0,"b":0}},{"box":{"a":[],"b":[{"k":"X","s":"a"}]},"n":{"a":0,"b":0}},`+
		`{"box":{"a":[],"b":[]},"n":{"a":1,"b":1}}]`, "process: n\nnetwork: {inboxes: box, from: s, type: k}\n"))
}

// TestBag: a map from messages to how often they are there, as TLC writes it in either form.
func TestBag(t *testing.T) {
	text := `State 1: <Initial predicate>
/\ n = (a :> 0 @@ b :> 0)
/\ net = << >>

State 2: <Next line 1, col 1 to line 1, col 2 of module M>
/\ n = (a :> 1 @@ b :> 0)
/\ net = ([s |-> a, d |-> b, k |-> "X"] :> 2)

State 3: <Next line 1, col 1 to line 1, col 2 of module M>
/\ n = (a :> 1 @@ b :> 1)
/\ net = ([s |-> a, d |-> b, k |-> "X"] :> 1)
`
	dump := `[{"n":{"a":0,"b":0},"net":[]},{"n":{"a":1,"b":0},"net":{"[s |-> a, d |-> b, k |-> \"X\"]":2}},{"n":{"a":1,"b":1},"net":{"[s |-> a, d |-> b, k |-> \"X\"]":1}}]`
	moves := "a start n=0\nb start n=0\na%s state n=1\na send X b\na send X b\n%sb receive X a\nb state n=1\n"
	meaning := "process: n\nnetwork: {set: net, from: s, to: d, type: k}\n"
	compare(
		t, strings.Replace(fmt.Sprintf(moves, "", "b note Next\n"), "a state", "a note Next\na state", 1),
		sketch(t, modelcheck.TLC, text, meaning),
	)
	compare(t, fmt.Sprintf(moves, "", ""), sketch(t, modelcheck.TLC, dump, meaning))
}

// TestDamage: what is wrong has a line, and is no crash.
func TestDamage(t *testing.T) {
	itf := func(s string) string { return `{"#meta":{"format":"ITF"},` + s + `}` }
	for _, test := range []struct {
		format               interop.Format
		text, variables, err string
	}{
		{modelcheck.ITF, itf("\n\"vars\":[]"), "", `m.log:1: expected a list "states" in the document`},
		{modelcheck.ITF, itf("\n\"states\":[{},\n3]"), "", "m.log:3: state 1 is no object"},
		{modelcheck.ITF, itf("\n\"states\":[]"), "", "m.log: no event of format itf in the file"},
		{modelcheck.ITF, itf("\n\"states\":[{\"x\":1}],\"loop\":7"), "", "m.log:2: loop is 7, expected the index of a state"},
		{modelcheck.ITF, "{\n\"states\":[", "", "m.log:2: the file ends inside the JSON document"},
		{modelcheck.ITF, "{\n\"states\":[}", "", "m.log:2: invalid character '}' looking for beginning of value"},
		{modelcheck.ITF, itf("\n\"states\":[{\"x\":1}]") + "{}", "", "m.log:2: expected one JSON document, here something follows it"},
		{modelcheck.ITF, itf("\"x\":" + strings.Repeat("[", 1e6)), "", "m.log:1: values are nested deeper than 500"},
		{modelcheck.ITF, itf(`"states":[{"a::x":1}]`), "process: y", `m.log:1: --variables: unknown variable "y" (known: x)`},
		{
			modelcheck.ITF, itf(`"states":[{"x":{"#map":[["a",1]]},"n":{"#map":[["m",100000]]}}]`),
			"process: x\nnetwork: {set: n}",
			"m.log:1: state 0: a message is there 100000 times, expected at most 1024",
		},
		{
			modelcheck.TLC, `{"counterexample":{"action":[]}}`, "",
			`m.log:1: expected an array of states, or an object with the keys "state" and "action"`,
		},
		{modelcheck.TLC, "State 99999999999999999999: <A line 1>\n", "", "m.log:1: 99999999999999999999 is no number of a state"},
		{modelcheck.TLC, "nothing\x00\n", "", "m.log: no state in the file, expected lines such as: State 1: <Initial predicate>"},
		{modelcheck.TLC, "State 1: <Initial predicate>\nx = " + strings.Repeat("{", 1e6) + "\n", "", ""},
		{
			modelcheck.TLC, "State 2: <Next>\n" + strings.Repeat("/\\ x = 1\n", 64<<10+1), "",
			"m.log:65538: state 2 has more than 65536 variables, the most that this format reads",
		},
		{
			modelcheck.TLC, "State 2: <Next>\n/\\ x = {" + strings.Repeat("1,", 512<<10) + "1}\n", "",
			"m.log:1: state 2 has more than 524288 values, the most that this format reads",
		},
		{modelcheck.TLC, "State 1: <Initial predicate>\nx = \"" + strings.Repeat("y", 10<<20) + "\xff\n", "", ""},
	} {
		_, _, err := read(t, test.format, test.text, test.variables)
		if test.err == "" && err != nil || test.err != "" && (err == nil || err.Error() != test.err) {
			t.Errorf("%.80q: error %v, want %s", test.text, err, test.err)
		}
	}
}

// TestVariablesFile: mistakes in the file have their place.
func TestVariablesFile(t *testing.T) {
	for file, want := range map[string]string{
		"proces: x":                  `:1:1: unknown key "proces"`,
		"network: {from: a}":         ":1:10: expected one of set: VARIABLE and inboxes: VARIABLE in network",
		"network: {set: x, lose: a}": `:1:19: unknown key of network "lose"`,
		"run: {problem: chess}":      `unknown problem "chess"`,
		"process: {a: b}":            ":1:10: expected a text",
		"values: [a]":                ":1:9: expected keys and values",
	} {
		if _, _, err := read(t, modelcheck.ITF, lamps, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}

func FuzzITF(f *testing.F) {
	f.Add(lamps, lampsMeaning)
	f.Add(`{"vars":[],"states":[{"x":{"#map":[[[1],2]]},"y":{"#set":[1,1]}},{}]}`, "process: x\nnetwork: {set: y}")
	fuzz(f, modelcheck.ITF)
}

func FuzzTLC(f *testing.F) {
	f.Add(clerkText, clerkMeaning)
	f.Add(clerkDump(true), clerkMeaning)
	f.Add("["+clerkStates+"]", "process: [desk]\nnetwork: {inboxes: mem}\ncrash: Next")
	f.Add("1: <Initial predicate>\nx = <<1, [a |-> (1 :> -2)]>>\n2: Stuttering\n", "")
	fuzz(f, modelcheck.TLC)
}

func fuzz(f *testing.F, format interop.Format) {
	f.Fuzz(func(t *testing.T, text, variables string) {
		got, _, err := read(t, format, text, variables)
		if err != nil {
			return
		}
		for _, run := range got.Runs {
			if err := tracefmt.Validate(run); err != nil {
				t.Error(err)
			}
		}
	})
}
