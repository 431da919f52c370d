package tracefmt_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/tracefmt"
)

// TestValidator: for each rule, a trace that is well-formed except for one mistake.
func TestValidator(t *testing.T) {
	const (
		start = `{"seq":1,"time":0,"process":"1","kind":"start"}`
		send  = `{"seq":1,"time":0,"process":"1","kind":"send","peer":"2","message":1}`
	)
	for _, tt := range []struct{ name, events, want string }{
		{"seq from 1", `{"seq":2,"kind":"heal"}`, `seq 2: seq 2 follows seq 0, expected 1`},
		{"seq missing", `{"kind":"heal"}`, `seq 0: seq 0 follows seq 0, expected 1`},
		{"seq twice", start + "\n" + start, `seq 1: seq 1 follows seq 1, expected 2`},
		{"seq with a gap", start + "\n" + `{"seq":3,"kind":"heal"}`, `seq 3: seq 3 follows seq 1, expected 2`},
		{"process missing", `{"seq":1,"kind":"crash"}`, `seq 1: a crash event needs a process`},
		{"process too many", `{"seq":1,"process":"1","kind":"heal"}`, `seq 1: a heal event has no process`},
		{"peer missing", `{"seq":1,"process":"1","kind":"send","message":1}`, `seq 1: a send event needs a peer`},
		{"peer too many", `{"seq":1,"process":"1","peer":"2","kind":"start"}`, `seq 1: a start event has no peer`},
		{"type missing", `{"seq":1,"process":"1","kind":"set-timer"}`, `seq 1: a set-timer event needs a type`},
		{"type too many", `{"seq":1,"process":"1","kind":"crash","type":"x"}`, `seq 1: a crash event has no type`},
		{"message missing", `{"seq":1,"process":"1","kind":"send","peer":"2"}`, `seq 1: a send event needs a message`},
		{"message too many", `{"seq":1,"process":"1","kind":"halt","message":1}`, `seq 1: a halt event has no message`},
		{"payload missing", `{"seq":1,"process":"1","kind":"state"}`, `seq 1: a state event needs a payload`},
		{
			"cause missing",
			send + "\n" + `{"seq":2,"process":"2","kind":"receive","peer":"1","message":1,"cause":null}`,
			`seq 2: a receive event needs a cause`,
		},
		{
			"received, and never sent",
			send + "\n" + `{"seq":2,"process":"2","kind":"receive","peer":"1","message":2}`,
			`seq 2: no send of message 2 comes before this receive, and it names no cause`,
		},
		{
			"received, then sent",
			`{"seq":1,"process":"2","kind":"receive","peer":"1","message":1}` + "\n" + strings.Replace(send, `"seq":1`, `"seq":2`, 1),
			`seq 2: message 1 is sent after it arrived, at seq 1`,
		},
		{
			"received, and others sent",
			`{"seq":1,"process":"2","kind":"receive","peer":"1","message":2}` + "\n" + strings.Replace(send, `"seq":1`, `"seq":2`, 1),
			`seq 2: a send, so that all sends are taken for recorded, but the message that arrives at seq 1 was not sent: ` +
				`"complete" in the header says it where not all sends are recorded`,
		},
		{
			"lost, and never sent",
			send + "\n" + `{"seq":2,"process":"2","kind":"lose","peer":"1","message":2}`,
			`seq 2: no send of message 2 comes before this lose, and it names no cause`,
		},
		{"cause too many", start + "\n" + `{"seq":2,"process":"1","kind":"crash","cause":1}`, `seq 2: a crash event has no cause`},
		{"cause itself", `{"seq":1,"process":"1","kind":"halt","cause":1}`, `seq 1: the cause of an event is an earlier one, not seq 1`},
		{"cause negative", `{"seq":1,"process":"1","kind":"halt","cause":-1}`, `seq 1: the cause of an event is an earlier one, not seq -1`},
		{"clock negative", `{"seq":1,"process":"1","kind":"start","lamport":-1}`, `seq 1: the Lamport clock is -1, expected 0 or more`},
		{"sent twice", send + "\n" + strings.Replace(send, `"seq":1`, `"seq":2`, 1), `seq 2: message 1 was sent before, at seq 1`},
		{
			"never sent",
			start + "\n" + `{"seq":2,"process":"2","kind":"receive","peer":"1","message":1,"cause":1}`,
			`seq 2: message 1 was never sent`,
		},
		{
			"never sent, but lost",
			start + "\n" + `{"seq":2,"process":"2","kind":"lose","peer":"1","message":1,"cause":1}`,
			`seq 2: message 1 was never sent`,
		},
		{
			"other cause",
			start + "\n" + strings.Replace(send, `"seq":1`, `"seq":2`, 1) + "\n" +
				`{"seq":3,"process":"2","kind":"receive","peer":"1","message":1,"cause":1}`,
			`seq 3: the cause is seq 1, but message 1 was sent at seq 2`,
		},
		{
			"other sender",
			send + "\n" + `{"seq":2,"process":"2","kind":"receive","peer":"2","message":1,"cause":1}`,
			`seq 2: message 1 went from 1 to 2, not from 2 to 2`,
		},
		{
			"other receiver",
			send + "\n" + `{"seq":2,"process":"1","kind":"lose","peer":"1","message":1,"cause":1}`,
			`seq 2: message 1 went from 1 to 2, not from 1 to 1`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runs, err := decodeAll([]byte(`{"format":"etrace/1","time_unit":"ns","members":[{"name":"1"},{"name":"2"}]}` + "\n" + tt.events))
			if err != nil {
				t.Fatal(err)
			}
			if err := tracefmt.Validate(runs[0]); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestValidatorOfRecorders: what the text form cannot even hold.
func TestValidatorOfRecorders(t *testing.T) {
	for _, tt := range []struct {
		event tracefmt.Event
		want  string
	}{
		{tracefmt.Event{Seq: 1}, `run 7 seq 1: kind(0) is not an event kind`},
		{tracefmt.Event{Seq: 1, Kind: 99}, `run 7 seq 1: kind(99) is not an event kind`},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Start, Process: 3}, `run 7 seq 1: process number 3, but the run has 2 processes`},
		{
			tracefmt.Event{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: -1, Message: 1},
			`run 7 seq 1: process number -1, but the run has 2 processes`,
		},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Type: "\xff"}, `run 7 seq 1: the type is not UTF-8`},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Payload: []byte{}}, `run 7 seq 1: the payload is not a JSON object`},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Payload: []byte(`[]`)}, `run 7 seq 1: the payload is not a JSON object`},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Payload: []byte(`{"a":1,}`)}, `run 7 seq 1: the payload is not a JSON object`},
		{
			tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Payload: []byte("{\"a\":1}\n")},
			`run 7 seq 1: the payload has white space between its parts`,
		},
		{
			tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Payload: []byte("{\"a\": 1}")},
			`run 7 seq 1: the payload has white space between its parts`,
		},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Payload: []byte("{\"a\":\"\xff\"}")}, `run 7 seq 1: the payload is not UTF-8`},
	} {
		run := &tracefmt.Run{Number: 7, Members: []tracefmt.Member{{Name: "1"}, {Name: "2"}}}
		if err := tracefmt.NewValidator(run).Check(&tt.event); err == nil || err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}

func TestValidateRun(t *testing.T) {
	good := tracefmt.Run{TimeUnit: tracefmt.Delays, End: tracefmt.Open, Members: []tracefmt.Member{{Name: "1"}, {Name: "2"}}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		good.Traits, good.Bounds = append(good.Traits, fmt.Sprintf("a-z-0-9-%d", i)), append(good.Bounds, tracefmt.Bound{Messages: "n"})
	}
	if err := good.Validate(); err != nil {
		t.Errorf("64 traits and bounds: %v", err)
	}
	good.Traits, good.Bounds = nil, nil
	for want, spoil := range map[string]func(*tracefmt.Run){
		`process 2 has no name`:                                             func(r *tracefmt.Run) { r.Members[1].Name = "" },
		`the name of process 1 is not UTF-8`:                                func(r *tracefmt.Run) { r.Members[0].Name = "\xff" },
		`two processes are named "1"`:                                       func(r *tracefmt.Run) { r.Members[1].Name = "1" },
		`the attributes of process "1" are not a JSON object`:               func(r *tracefmt.Run) { r.Members[0].Attributes = []byte(`1`) },
		`unknown time unit "" (known: delay, ns, logical)`:                  func(r *tracefmt.Run) { r.TimeUnit = "" },
		`unknown end "" (known: quiescent, stopped, deadline, recording)`:   func(r *tracefmt.Run) { r.End = "" },
		`the scenario is not a JSON object`:                                 func(r *tracefmt.Run) { r.Scenario = []byte(`{`) },
		`trait "Ring": expected a word in lower case such as greatest-wins`: func(r *tracefmt.Run) { r.Traits = []string{"Ring"} },
		`trait "": expected a word in lower case such as greatest-wins`:     func(r *tracefmt.Run) { r.Traits = []string{""} },
		`the trait ring is given twice`: func(r *tracefmt.Run) {
			r.Traits = []string{"ring", "fifo", "ring"}
		},
		`the run states 65 traits and 0 bounds, expected at most 64 and 64`: func(r *tracefmt.Run) { r.Traits = make([]string, 65) },
		`"best": "greatest:load", expected load for the greatest value, or least:load`: func(r *tracefmt.Run) {
			r.Best = []string{"greatest:load"}
		},
		`"basic": "", expected the type of a message`:                           func(r *tracefmt.Run) { r.Basic = []string{"WORK", ""} },
		`"token" has "TOKEN" twice`:                                             func(r *tracefmt.Run) { r.Token = []string{"TOKEN", "TOKEN"} },
		`"basic" has 65 types, expected at most 64`:                             func(r *tracefmt.Run) { r.Basic = make([]string, 65) },
		`bound 1 of the messages: expected "messages", a formula such as 3*n-1`: func(r *tracefmt.Run) { r.Bounds = make([]tracefmt.Bound, 1) },
		`bound 2 of the messages: "counts": "all", expected one of [sent others delivered]`: func(r *tracefmt.Run) {
			r.Bounds = []tracefmt.Bound{{Messages: "n"}, {Messages: "n", Counts: "all"}}
		},
		`bound 1 of the messages: "kind": "best", expected one of [worst exact least mean order]`: func(r *tracefmt.Run) {
			r.Bounds = []tracefmt.Bound{{Messages: "n", Kind: "best"}}
		},
		`bound 1 of the messages: "without" is not UTF-8`: func(r *tracefmt.Run) {
			r.Bounds = []tracefmt.Bound{{Messages: "n", Without: []string{"\xff"}}}
		},
		`bound 1 of the messages: "given": "live", expected a name in lower case such as edges, and none of above, live, ` +
			`n, starts, top`: func(r *tracefmt.Run) {
			r.Bounds = []tracefmt.Bound{{Messages: "n", Given: map[string]int64{"edges": 3, "live": 2}}}
		},
		`bound 1 of the messages: "delays": "any", expected unit or nothing`: func(r *tracefmt.Run) {
			r.Bounds = []tracefmt.Bound{{Messages: "n", Delays: "any"}}
		},
		`bound 1 of the messages: "if" has 1001 bytes, expected at most 1000`: func(r *tracefmt.Run) {
			r.Bounds = []tracefmt.Bound{{Messages: "n", If: strings.Repeat("x", 1001)}}
		},
		`bound 1 of the messages: "source" is not UTF-8`: func(r *tracefmt.Run) {
			r.Bounds = []tracefmt.Bound{{Messages: "n", Source: "\xff"}}
		},
		`the algorithm of the run is not UTF-8`: func(r *tracefmt.Run) { r.Algorithm = "\xff" },
	} {
		run := good
		run.Members = append([]tracefmt.Member(nil), good.Members...)
		spoil(&run)
		if err := run.Validate(); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestValidatorOfOrphans: a send costs the same however many senders there are of messages
// whose sends are not recorded.
func TestValidatorOfOrphans(t *testing.T) {
	run := &tracefmt.Run{
		Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: map[string]tracefmt.Level{"send": tracefmt.Some}}},
	}
	for i := range 1000 {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint("p", i), Position: i + 1})
	}
	v := tracefmt.NewValidator(run)
	check := func(e tracefmt.Event) {
		if err := v.Check(&e); err != nil {
			t.Fatal(err)
		}
	}
	seq := tracefmt.Seq(0)
	for range 999 {
		seq++
		check(tracefmt.Event{Seq: seq, Kind: tracefmt.Receive, Process: 1, Peer: tracefmt.ProcessID(seq + 1), Message: tracefmt.MessageID(seq)})
	}
	send := func() {
		seq++
		check(tracefmt.Event{Seq: seq, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: tracefmt.MessageID(seq)})
	}
	send()
	if allocs := testing.AllocsPerRun(100, send); allocs > 2 {
		t.Errorf("%v allocations of a send", allocs)
	}
}

// A run that declares all sends recorded may have a receive without a send, which violates properties. The form
// forbids such a receive in a run without this declaration, such a loss, and a receive before its send.
func TestValidatorOfToldSends(t *testing.T) {
	const receive, send = `{"seq":1,"process":"2","kind":"receive","peer":"1","message":7}`,
		`{"seq":2,"process":"1","kind":"send","peer":"2","message":`
	for _, tt := range []struct{ name, tells, events, want string }{
		{"all of each", `"complete":{"kinds":{"send":"all"}},`, receive + "\n" + send + "8}", ""},
		{"all of all", `"complete":{"default":"all"},`, receive + "\n" + send + "8}", ""},
		{
			"all of the sender",
			`"complete":{"kinds":{"send":"none"},"processes":{"1":{"kinds":{"send":"all"}}}},`,
			receive + "\n" + send + "8}", "",
		},
		{"silent", "", receive + "\n" + send + "8}", "seq 2: a send, so that all sends are taken for recorded"},
		{
			"silent on sends", `"complete":{"kinds":{"receive":"all"}},`, receive + "\n" + send + "8}",
			"seq 2: a send, so that all sends are taken for recorded",
		},
		{
			"sent later", `"complete":{"kinds":{"send":"all"}},`, receive + "\n" + send + "7}",
			"seq 2: message 7 is sent after it arrived, at seq 1",
		},
		{
			"lost", `"complete":{"kinds":{"send":"all"}},`, strings.Replace(receive, "receive", "lose", 1),
			"seq 1: no send of message 7 comes before this lose",
		},
	} {
		text := `{"format":"etrace/1",` + tt.tells +
			`"time_unit":"delay","members":[{"name":"1","position":1},{"name":"2","position":2}]}` + "\n" + tt.events + "\n"
		runs, err := tracefmt.ReadMemory(strings.NewReader(text))
		if err == nil {
			err = tracefmt.Validate(runs[0])
		}
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
