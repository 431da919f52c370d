package ptrace_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/ptrace"
)

func read(t testing.TB, text string) (*tracefmt.Collector, interop.Report, error) {
	t.Helper()
	input, err := interop.NewInput("p.json", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got tracefmt.Collector
	report, err := interop.Import(context.Background(), ptrace.Format, input, &got, interop.Settings{})
	return &got, report, err
}

// events are those of the run as words: line, process, kind, type, peer, cause, and the payload
// without the log.
func events(t testing.TB, text string) string {
	t.Helper()
	got, _, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	run := got.Runs[0]
	for e := range run.Events(1) {
		name := "-"
		if e.Process != 0 {
			name = run.Run().ProcessName(e.Process)
		}
		fmt.Fprintf(&b, "%d %s %s", e.Seq, name, e.Kind)
		if e.Type != "" {
			b.WriteString(" " + e.Type)
		}
		if e.Peer != 0 {
			b.WriteString(" " + run.Run().ProcessName(e.Peer))
		}
		if e.Cause != 0 {
			fmt.Fprintf(&b, " <%d", e.Cause)
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

// A lamp is made by the first machine, two switches send it the same event: its clock decides whose it takes. A
// monitor watches.
const lamp = ` [
  {"type":"StateTransition","details":{"log":"Main(1) enters state \u0027Init\u0027.","id":"Main(1)","state":"Init","payload":"null","isEntry":true,"clock":{"Main(1)":2}}},
  {"type":"CreateStateMachine","details":{"log":"Lamp(2) was created by Main(1).","id":"Lamp(2)","creatorName":"Main(1)","creatorType":"Main","clock":{"Lamp(2)":1}}},
  {"type":"SendEvent","details":{"log":"","sender":"Main(1)","target":"Lamp(2)","event":"eOn","payload":{"by":1},"clock":{"Main(1)":3}}},
  {"type":"SendEvent","details":{"log":"","sender":"Switch(3)","target":"Lamp(2)","event":"eOn","payload":{"by":1},"clock":{"Switch(3)":1}}},
  {"type":"MonitorStateTransition","details":{"log":"Watch enters hot state.","monitor":"Watch","state":"Hot","isEntry":true}},
  {"type":"DequeueEvent","details":{"log":"","id":"Lamp(2)","event":"eOn","payload":{"by":1},"clock":{"Lamp(2)":2,"Switch(3)":1}}},
  {"type":"ReceiveEvent","details":{"log":"","id":"Lamp(2)","event":"eOff","payload":null,"clock":{"Lamp(2)":3,"Switch(3)":1}}},
  {"type":"GoToState","details":{"log":"","id":"Lamp(2)","newState":"On","clock":{"Lamp(2)":4,"Switch(3)":1}}},
  {"type":"Halt","details":{"log":"","id":"Lamp(2)","inboxSize":0,"clock":{"Lamp(2)":5,"Switch(3)":1}}},
  {"type":"AssertionFailure","details":{"log":"too bright","error":"too bright","payload":"null"}}
]`

func TestEntries(t *testing.T) {
	want := `1 Main(1) state state="Init"
2 Lamp(2) start <1
3 Main(1) send eOn Lamp(2) payload={"by":1}
4 Switch(3) send eOn Lamp(2) payload={"by":1}
5 - note MonitorStateTransition monitor="Watch" state="Hot" isEntry=true
6 Lamp(2) receive eOn Switch(3) <4 payload={"by":1}
7 Lamp(2) note ReceiveEvent payload=null
8 Lamp(2) note GoToState newState="On"
9 Lamp(2) halt
10 - note AssertionFailure error="too bright" payload="null"
`
	if diff := cmp.Diff(want, events(t, lamp)); diff != "" {
		t.Error(diff)
	}
	run, report, _ := read(t, lamp)
	var names []string
	for _, m := range run.Runs[0].Run().Members {
		names = append(names, m.Name)
	}
	if got, want := strings.Join(names, " "), "Main(1) Lamp(2) Switch(3)"; got != want {
		t.Errorf("machines %s, want them as they appear, %s", got, want)
	}
	if r := report.Runs[0]; r.FindingCount != 0 || len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "the own clock of Main(1) begins at 2") {
		t.Errorf("findings %v, notes %v, want a note that a creation is not in the file", r.Findings, r.Notes)
	}
}

// Equal events are on their way to B: of these it takes the oldest that its clock newly knows, else the oldest that it
// knows at all, and one of its own whatever the clock; a clock that knows of none takes none.
func TestWhichMessage(t *testing.T) {
	const begin = `[
  {"type":"SendEvent","details":{"sender":"A","target":"B","event":"e","clock":{"A":1}}},
  {"type":"SendEvent","details":{"sender":"A","target":"B","event":"e","clock":{"A":2}}},
  {"type":"SendEvent","details":{"sender":"C","target":"B","event":"e","clock":{"C":1}}},
  {"type":"SendEvent","details":{"sender":"B","target":"B","event":"own","clock":{"B":1}}}`
	take := func(event, clock string) string {
		return `,
  {"type":"DequeueEvent","details":{"id":"B","event":"` + event + `","clock":` + clock + `}}`
	}
	for _, tt := range []struct{ takes, want string }{
		{take("e", `{"B":2,"A":1}`), "1"},
		{take("e", `{"B":2,"A":2}`), "1"},
		{take("e", `{"B":2,"C":1}`), "3"},
		{take("e", `{"B":2}`), "none"},
		{take("own", `{"B":2}`), "4"},
		{take("other", `{"B":2,"A":1}`), "none"},
		{take("e", `{"B":2,"A":1}`) + take("e", `{"B":3,"A":2}`), "1 2"},
		{take("e", `{"B":2,"A":2}`) + take("e", `{"B":3,"A":2}`), "1 2"},                                            // nothing is new
		{take("e", `{"B":2,"A":1}`) + take("e", `{"B":3,"A":1,"C":1}`), "1 3"},                                      // A's second is not known
		{take("e", `{"B":2,"A":2}`) + take("e", `{"B":3,"A":2,"C":1}`), "1 3"},                                      // C's is new
		{take("e", `{"B":2,"A":2}`) + take("e", `{"B":3,"A":2,"C":1}`) + take("e", `{"B":4,"A":2,"C":1}`), "1 3 2"}, // A's is left
		// An entry without a clock changes nothing of what B knows.
		{
			take("e", `{"B":2,"A":2}`) + `,{"type":"GoToState","details":{"id":"B","newState":"On"}}` + take("e", `{"B":4,"A":2,"C":1}`),
			"1 none 3",
		},
	} {
		got, _, err := read(t, begin+tt.takes+"]")
		if err != nil {
			t.Fatal(err)
		}
		var causes []string
		for e := range got.Runs[0].Events(5) {
			if e.Kind == tracefmt.Note {
				causes = append(causes, "none")
				continue
			}
			causes = append(causes, fmt.Sprint(e.Cause))
		}
		if got := strings.Join(causes, " "); got != tt.want {
			t.Errorf("%s\nare of the sends %s, want %s", tt.takes, got, tt.want)
		}
	}
}

// The creation of a machine is not in the file where the least of its own clocks is 2, wherever that is.
func TestCreationIsMissing(t *testing.T) {
	entry := func(clock int) string {
		return fmt.Sprintf(`{"type":"GoToState","details":{"id":"A","clock":{"A":%d}}}`, clock)
	}
	for _, tt := range []struct {
		clocks []int
		want   bool
	}{
		{[]int{1, 2}, false},
		{[]int{2, 3}, true},
		{[]int{3, 2}, true},
		{[]int{2, 1}, false},
		{[]int{3, 4}, false},
	} {
		var list []string
		for _, c := range tt.clocks {
			list = append(list, entry(c))
		}
		_, report, err := read(t, "["+strings.Join(list, ",")+"]")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(report.Runs[0].Notes, " "), "its creation is not in the file"); got != tt.want {
			t.Errorf("own clocks %v: a creation is missing: %v, want %v", tt.clocks, got, tt.want)
		}
	}
}

// What is no trace is refused with its line; what is missing in a clock is found.
func TestDamage(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{lamp[:len(lamp)-40], "p.json:11: the file ends inside the JSON document"},
		{"[\n{\"type\":\"Halt\",\"details\":7}]", `p.json:2: expected an entry {"type": NAME, "details": {…}}`},
		{"[\n{\"type\":\"Halt\",\"details\":{\"id\":7}}]", "p.json:2: id of a Halt is a number, which it cannot be"},
		{"[\n\n3]", `expected {"type", "details"}`},
		{`[{"type":"Halt","details":{"id":"A(1)"}}] 7`, "p.json:1: expected one JSON document"},
		{`{"type":"Halt"}`, `p.json:1: expected an array of {"type", "details"}`},
		{"[]", "p.json: no event of format p-trace in the file"},
		{`[{"type":"Halt","details":{"id":"A(1)","clock":{"A(1)":9223372036854775808}}}]`, "which it cannot be"},
		{`[{"type":"Halt","details":{"id":"A(1)","clock":{"A(1)":1,"B(2)":-1}}}]`, `the clock entry "B(2)" is -1`},
	} {
		_, _, err := read(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
	}
	_, report, err := read(t, strings.Replace(lamp, `{"Lamp(2)":5`, `{"Lamp(2)":6`, 1))
	if err != nil || report.Runs[0].FindingCount != 1 || report.Runs[0].Findings[0].Rule != "own-sequence" {
		t.Errorf("%v, findings %v, want the step in the own clock", err, report.Runs[0].Findings)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(lamp)
	f.Add(`[{"type":"SendEvent","details":{"sender":"A(1)","target":"A(1)","event":"e","clock":{"A(1)":1}}},{"type":"DequeueEvent","details":{"id":"A(1)","event":"e","clock":{"A(1)":2}}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		got, _, err := read(t, text)
		if err != nil {
			return
		}
		if err := tracefmt.Validate(got.Runs[0]); err != nil {
			t.Error(err)
		}
	})
}

// TestReceiveLooksAmongTheOldest: of equal messages to a machine a receive finds that which its clock newly knows, among
// the 1,000 oldest.
func TestReceiveLooksAmongTheOldest(t *testing.T) {
	for _, c := range []struct {
		sent int
		want string
	}{
		{1000, "1001 b receive E a <1000"},
		{1001, "1002 b note ReceiveEvent"},
	} {
		var b strings.Builder
		b.WriteString("[")
		for i := range c.sent {
			sender := "c"
			if i == c.sent-1 {
				sender = "a"
			}
			fmt.Fprintf(&b, `{"type":"SendEvent","details":{"id":%q,"event":"E","target":"b","clock":{%[1]q:%d}}},`, sender, i+1)
		}
		fmt.Fprintf(&b, `{"type":"ReceiveEvent","details":{"id":"b","event":"E","clock":{"b":1,"a":%d}}}]`, c.sent)
		if got := events(t, b.String()); !strings.Contains(got, c.want) {
			t.Errorf("%d are sent:\n%s\nwant %s", c.sent, got[max(0, len(got)-200):], c.want)
		}
	}
}
