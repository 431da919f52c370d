package formats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// TestTLA: each event is a record that has all fields, and nothing that TLC has no value for.
func TestTLA(t *testing.T) {
	run := described(t)
	lines := strings.Split(strings.TrimSuffix(export(t, "tla", run), "\n"), "\n")
	if len(lines) != run.Len() {
		t.Fatalf("%d lines, expected %d", len(lines), run.Len())
	}
	for e := range run.Events(1) {
		var r struct {
			Run, Seq, Message, Cause, Lamport, Term *int64
			Event, Node, Type, Peer                 *string
			Payload                                 map[string]any
		}
		line := lines[e.Seq-1]
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(line, err)
		}
		got := fmt.Sprintln(*r.Run, *r.Seq, *r.Event, *r.Node, *r.Type, *r.Peer, *r.Message, *r.Cause, *r.Lamport, *r.Term)
		want := fmt.Sprintln(1, int64(e.Seq), e.Kind, run.Run().ProcessName(e.Process), e.Type,
			run.Run().ProcessName(e.Peer), int64(e.Message), int64(e.Cause), e.Lamport, e.Term)
		if got != want || r.Payload == nil || strings.Contains(line, "null,") || strings.Contains(line, "null}") {
			t.Errorf("%s, expected %s", line, want)
		}
	}
}

func TestTLAValues(t *testing.T) {
	run := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}}})
	payload := `{"a":null,"b":2147483647,"c":2147483648,"d":-2147483648,"e":1.5,"f":[1,null,{}],"g":"null","h":true,"i":[]}`
	_ = run.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.State, Process: 1, Lamport: 1 << 40, Payload: []byte(payload)})
	want := `{"run":1,"seq":1,"event":"state","node":"a","type":"","peer":"","message":0,"cause":0,"lamport":"1099511627776","term":0,` +
		`"payload":{"a":"null","b":2147483647,"c":"2147483648","d":-2147483648,"e":"1.5","f":[1,"null",{}],"g":"null","h":true,"i":[]}}` + "\n"
	if got := export(t, "tla", run); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestTLAModule: each kind and type is an action of its own, whatever the names are.
func TestTLAModule(t *testing.T) {
	hostile := "x\"\n====\n---- MODULE Evil ----\\"
	run := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}, {Name: hostile}}})
	for i, typ := range []string{"A-B", "A_B", hostile, "", "A-B", "azAZ09"} {
		_ = run.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Process: 1, Type: typ})
	}
	var b bytes.Buffer
	if _, err := interop.Export(lookup(t, "tla"), &b, []tracefmt.Recording{run}, map[string]string{"module": "true"}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for pattern, want := range map[string]int{
		`(?m)^====`: 1, `(?m)^----`: 1, `(?m)^On_\w+ ==$`: 5, `(?m)^  \\/ On_\w+$`: 5, `(?m)^On_note_azAZ09 ==$`: 1, `Is\("note", "A-B"\)`: 1,
		`(?m)^On_note_A_B ==$`: 1, `(?m)^On_note_A_B_2 ==$`: 1,
		`(?m)^Nodes == \{"a", "x\\"\\n====\\n---- MODULE Evil ----\\\\"\}$`: 1,
	} {
		if n := len(regexp.MustCompile(pattern).FindAllString(got, -1)); n != want {
			t.Errorf("%s occurs %d times, expected %d\n%s", pattern, n, want, got)
		}
	}
}
