package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/replay"
	"etrace/tracefmt"
)

func TestSentence(t *testing.T) {
	run := newRun(3)
	run.Members[2].Name = "\x1b[31mthree"
	withFields := func(e tracefmt.Event, fields string) *tracefmt.Event { e.Payload = []byte(fields); return &e }
	message := func(k tracefmt.Kind, typ string) tracefmt.Event {
		return tracefmt.Event{Kind: k, Process: 1, Peer: 2, Message: 1, Type: typ}
	}
	simulated := *run
	simulated.Source = tracefmt.Simulated
	original := &simulated
	for _, tt := range []struct {
		event *tracefmt.Event
		want  string
	}{
		{withFields(event(tracefmt.Start, 1), `{"elected":null,"role":"follower"}`), "1 starts with elected = none, role = follower"},
		{withFields(event(tracefmt.Start, 1), ""), "1 starts"},
		{withFields(event(tracefmt.Halt, 1), ""), "1 halts"},
		{withFields(event(tracefmt.Crash, 1), ""), "1 crashes"},
		{withFields(event(tracefmt.Recover, 1), `{"x":1}`), "1 recovers with x = 1"},
		{withFields(message(tracefmt.Send, "ELECTION"), ""), "1 sends ELECTION to 2"},
		{withFields(message(tracefmt.Send, "VOTE"), `{"id":5,"for":"bob","causes":[3],"log":{}}`), "1 sends VOTE(id 5, for bob) to 2"},
		{withFields(message(tracefmt.Send, "NO"), `{"reason":"busy"}`), "1 sends NO(reason busy) to 2"},
		{withFields(message(tracefmt.Send, "NO"), `{"log":{"text":"1 says no"}}`), "1 sends NO to 2"},
		{withFields(message(tracefmt.Lose, "OK"), `{"id":5,"reason":"no link"}`), "OK(id 5) from 2 to 1 is lost: no link"},
		{withFields(event(tracefmt.State, 1), `{"x":1,"causes":[3],"log":{"text":"x := 1"}}`), "1 sets x = 1"},
		{withFields(message(tracefmt.Send, ""), ""), "1 sends a message to 2"},
		{withFields(message(tracefmt.Receive, "OK"), ""), "1 receives OK from 2"},
		{withFields(message(tracefmt.Lose, "OK"), `{"reason":"receiver crashed"}`), "OK from 2 to 1 is lost: receiver crashed"},
		{withFields(message(tracefmt.Lose, "OK"), ""), "OK from 2 to 1 is lost"},
		{withFields(timer(tracefmt.SetTimer, 1, "answer"), `{"due":3500000000}`), "1 sets timer answer, due at 3.5"},
		{withFields(timer(tracefmt.SetTimer, 1, "answer"), ""), "1 sets timer answer"},
		{withFields(timer(tracefmt.CancelTimer, 1, "answer"), ""), "1 cancels timer answer"},
		{withFields(timer(tracefmt.Timeout, 1, "answer"), `{"due":1}`), "timer answer of 1 expires"},
		{withFields(message(tracefmt.Suspect, ""), ""), "1 suspects 2"},
		{withFields(event(tracefmt.Suspect, 1), ""), "1 suspects a process"},
		{withFields(message(tracefmt.Trust, ""), ""), "1 trusts 2 again"},
		{withFields(event(tracefmt.State, 1), `{"elected":1,"role":"leader"}`), "1 elects itself, role = leader"},
		{withFields(event(tracefmt.State, 1), `{"elected":"2"}`), "1 elects 2"},
		{withFields(event(tracefmt.State, 1), `{"elected":null}`), "1 forgets whom it elected"},
		{withFields(event(tracefmt.State, 1), `{"role":"leader","n":[1,2]}`), "1 sets role = leader, n = [1,2]"},
		{withFields(timer(tracefmt.Invoke, 1, "write"), `{"value":3}`), "1 invokes write(value 3)"},
		{withFields(timer(tracefmt.Return, 1, "write"), `{"result":"ok"}`), "1 returns from write(result ok)"},
		{withFields(event(tracefmt.Partition, 0), `{"groups":[["1","2"],["3"]]}`), "the network splits: 1 2 | 3"},
		{withFields(event(tracefmt.Partition, 0), `{"groups":7}`), "the network splits"},
		{withFields(event(tracefmt.Heal, 0), ""), "the network is whole again"},
		{withFields(timer(tracefmt.Note, 1, "enter"), ""), "1: enter"},
		{withFields(timer(tracefmt.Note, 0, tracefmt.LoopNote), `{"from":30,"to":60}`), "the global state after " +
			"seq 30 is reached again: the run is in a loop"},
		{withFields(event(tracefmt.Note, 1), `{"log":{"text":"became leader","line":4}}`), "1: became leader"},
		{withFields(event(tracefmt.Note, 0), ""), "a note"},
		{withFields(event(tracefmt.Crash, 3), ""), `\u001b[31mthree crashes`},
		{withFields(event(tracefmt.Crash, 9), ""), "no process crashes"},
		{withFields(event(tracefmt.State, 1), `{"x":"`+strings.Repeat("é", 100)+`"}`), "1 sets x = " + strings.Repeat("é", 39) + "…"},
	} {
		if got := replay.Sentence(original, tt.event); got != tt.want {
			t.Errorf("%v: %s\nwant %s", tt.event.Kind, got, tt.want)
		}
		unsent := ""
		if tt.event.Kind == tracefmt.Receive || tt.event.Kind == tracefmt.Lose {
			unsent = " (send not recorded)"
		}
		if got := replay.Sentence(run, tt.event); got != tt.want+unsent {
			t.Errorf("%v of a recording: %s\nwant %s", tt.event.Kind, got, tt.want+unsent)
		}
	}
	for _, kind := range tracefmt.Kinds() {
		if got := replay.Sentence(run, withFields(event(kind, 1), "")); strings.Contains(got, kind.String()+"(") || got == "" {
			t.Errorf("%v has no sentence", kind)
		}
	}
}

// TestSentenceLongNames: long names that differ only at their ends stay distinct.
func TestSentenceLongNames(t *testing.T) {
	run := newRun(2)
	common := strings.Repeat("election-", 6)
	run.Members[0].Name, run.Members[1].Name = common+"0", common+"1"
	e := event(tracefmt.State, 1)
	e.Payload = []byte(`{"elected":"` + common + `1"}`)
	want := common[:37] + "…-0 elects " + common[:37] + "…-1"
	if got := replay.Sentence(run, &e); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSentencesFindNamesOnce: the time of a sentence does not grow with the number of processes, whatever
// their names.
func TestSentencesFindNamesOnce(t *testing.T) {
	cost := func(processes int) float64 {
		run := newRun(processes)
		for i := range run.Members {
			run.Members[i].Name = fmt.Sprintf("%s%04d", strings.Repeat("election-", 6), i)
		}
		e, words := event(tracefmt.Halt, 1), replay.NewSentences(run)
		words.Of(&e)
		return testing.AllocsPerRun(20, func() { words.Of(&e) })
	}
	if few, many := cost(2), cost(500); many > few {
		t.Errorf("a sentence of one in 500 processes takes %v allocations, of one in two %v", many, few)
	}
}
