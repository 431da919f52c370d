package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestRestart: a process that is down and takes a step is up again from there on, and
// has no leader; whatever else it had, it may have kept.
func TestRestart(t *testing.T) {
	state := tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"elected":"a","role":"leader","term":3,"votedFor":"a"}`)}
	crash, halt := tracefmt.Event{Kind: tracefmt.Crash}, tracefmt.Event{Kind: tracefmt.Halt}
	for _, tt := range []struct {
		name  string
		down  tracefmt.Event
		step  tracefmt.Event
		shows bool
	}{
		{"a send", crash, tracefmt.Event{Kind: tracefmt.Send, Peer: 2, Message: 1, Type: "A"}, true},
		{"a send after a halt", halt, tracefmt.Event{Kind: tracefmt.Send, Peer: 2, Message: 1, Type: "A"}, true},
		{"a receive", crash, tracefmt.Event{Kind: tracefmt.Receive, Peer: 2, Message: 1, Type: "A"}, true},
		{"a variable", crash, tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"x":1}`)}, true},
		{"an entry", crash, tracefmt.Event{Kind: tracefmt.Note, Type: "enter"}, true},
		{"a delivery", crash, tracefmt.Event{Kind: tracefmt.Note, Type: "deliver"}, true},
		{"a return", crash, tracefmt.Event{Kind: tracefmt.Return, Type: "read"}, true},
		{"a note about it", crash, tracefmt.Event{Kind: tracefmt.Note, Type: "restarting"}, false},
		{"the loss of a message to it", crash, tracefmt.Event{Kind: tracefmt.Lose, Peer: 2, Message: 1, Type: "A"}, false},
		{"another crash", crash, crash, false},
		{"a halt", crash, halt, false},
	} {
		s := replay.NewState(&tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
		for i, e := range []tracefmt.Event{state, tt.down, tt.step} {
			e.Seq, e.Process = tracefmt.Seq(i+1), 1
			if shows := s.ShowsRestart(&e); shows != (tt.shows && i == 2) {
				t.Errorf("%s: event %d shows a restart: %t", tt.name, i+1, shows)
			}
			s.Apply(&e)
		}
		if s.Live(1) != tt.shows || s.Restarted() != tt.shows || tt.shows && s.Process(1).Since != 3 {
			t.Errorf("%s: %+v, want it to be up: %t", tt.name, s.Process(1), tt.shows)
		}
		if _, role := s.Variable(1, "role"); role == tt.shows || s.Leads(1) || (s.Process(1).Elected == 0) != tt.shows {
			t.Errorf("%s: has a role: %t, leads: %t, has elected %d", tt.name, role, s.Leads(1), s.Process(1).Elected)
		}
		if term := s.Term(1); term != replay.NumberedTerm(3) {
			t.Errorf("%s: in %v", tt.name, term)
		}
	}
}

// TestNoRestartInSimulatedRuns: what the simulator records leaves nothing to guess.
func TestNoRestartInSimulatedRuns(t *testing.T) {
	files, err := filepath.Glob("../fixtures/scenarios/records/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		runs, err := tracefmt.ReadMemory(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range runs {
			s := replay.NewState(run.Run())
			for e := range run.Events(1) {
				if s.Apply(e); s.Restarted() {
					t.Errorf("%s: seq %d shows a restart", file, e.Seq)
				}
			}
		}
	}
}
