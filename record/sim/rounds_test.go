package sim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// rounds makes every process send A to its successor at the beginning of each round, for the given number of
// rounds; 0 means forever.
func rounds(n int, count int64, actions ...sim.Action) (*toy, sim.Config) {
	y := newToy()
	y.Round = func(p *sim.Process) {
		y.a.SendNext(p)
		if count > 0 && p.Round() >= count {
			y.flag.Set(p, true)
		}
	}
	y.InRounds = func(p *sim.Process) bool { return !y.flag.Get(p) }
	return y, y.config(n, actions...)
}

// inRounds returns the rounds and receives of a run: "1@0" is a round of 1 at 0, "<2@1" a receive.
func inRounds(t *testing.T, c sim.Config) (string, sim.Result) {
	t.Helper()
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	r, err := sim.Run(context.Background(), c, m)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for e := range m.Events(1) {
		switch {
		case e.Kind == tracefmt.Note && e.Type == sim.RoundNote:
			number, _ := e.Field("number")
			words = append(words, fmt.Sprintf("%d@%v#%s", e.Process, e.Time, number))
		case e.Kind == tracefmt.Receive:
			words = append(words, fmt.Sprintf("<%d@%v", e.Process, e.Time))
		}
	}
	return strings.Join(words, " "), r
}

// The messages of a round arrive before the next one; the processes take their steps in order; the run ends
// when no process participates any more.
func TestRounds(t *testing.T) {
	_, c := rounds(3, 3)
	got, r := inRounds(t, c)
	want := "1@0#1 2@0#1 3@0#1 <2@1 <3@1 <1@1 1@1#2 2@1#2 3@1#2 <2@2 <3@2 <1@2 1@2#3 2@2#3 3@2#3 <2@3 <3@3 <1@3"
	if got != want || r.End != tracefmt.Quiescent {
		t.Errorf("%s, %v\nwant %s", got, r.End, want)
	}
}

// A process that is down does not participate. A process that recovers participates in the next round, in its
// place.
func TestRoundsOfLiveProcesses(t *testing.T) {
	for want, actions := range map[string][]sim.Action{
		"1@0#1 2@0#1 1@1#2 1@2#3 2@2#3":       {crash(2, 0.5), recovers(2, 1.5)},
		"1@0#1 2@0#1 1@1#2 2@1#2 1@2#3 2@2#3": {crash(2, 0.5), recovers(2, 1)}, // faults come before rounds
		"2@0#1 1@1#2 2@1#2 1@2#3 2@2#3":       {crash(1, 0), recovers(1, 0.5)},
	} {
		_, c := rounds(2, 0, append(actions, crash(1, 1e6))...) // a fault to come: no search for loops
		c.Until = u(2)
		got, _ := inRounds(t, c)
		got = strings.Join(slices.DeleteFunc(strings.Fields(got), func(w string) bool { return w[0] == '<' }), " ")
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Rounds that all are alike are a loop; rounds that are counted never are.
func TestRoundsAndLoops(t *testing.T) {
	y, c := rounds(3, 0)
	c.MaxEvents = 1000
	l, r := run(t, c)
	if from, end, ok := loopOf(t, l, r); !ok || end-from != 9 { // a round: three notes, sends and receives
		t.Errorf("end %v, loop %d to %d, %v; want a loop of 9 events", r.End, from, end, ok)
	}
	y.Round = func(p *sim.Process) {
		if p.Round() > 0 {
			y.a.SendNext(p)
		}
	}
	if _, r := run(t, c); r.End != tracefmt.Deadline {
		t.Errorf("counted rounds end %v, want deadline", r.End)
	}
}

// The rounds may be longer.
func TestRoundLength(t *testing.T) {
	_, c := rounds(2, 2)
	c.RoundLength = u(2.5)
	got, _ := inRounds(t, c)
	if want := "1@0#1 2@0#1 <2@1 <1@1 1@2.5#2 2@2.5#2 <2@3.5 <1@3.5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// With a chooser, a round begins after all messages of the round before. The choice is only among the messages
// of a round.
func TestRoundsWithoutTime(t *testing.T) {
	for choice, want := range map[int]string{
		0: "1@0#1 2@0#1 3@0#1 <2@0 <3@0 <1@0 1@1#2 2@1#2 3@1#2 <2@1 <3@1 <1@1",
		2: "1@0#1 2@0#1 3@0#1 <1@0 <3@0 <2@0 1@1#2 2@1#2 3@1#2 <2@1 <3@1 <1@1",
	} {
		_, c := rounds(3, 2)
		c.Chooser = network.ScriptedChoices{choice, min(choice, 1)}
		if got, _ := inRounds(t, c); got != want {
			t.Errorf("choice %d: %s\nwant %s", choice, got, want)
		}
	}
}

// A round that has begun goes on for all processes before an action that comes later, whatever is chosen.
func TestRoundsBeforeLaterActions(t *testing.T) {
	want := "1@0#1 2@0#1 3@0#1"
	for choice := range 3 {
		_, c := rounds(3, 2, crash(3, 0.5))
		c.Chooser = network.ScriptedChoices{choice, choice, choice, choice}
		if got, _ := inRounds(t, c); !strings.HasPrefix(got, want) {
			t.Errorf("choice %d: %s\nwant it to begin with %s", choice, got, want)
		}
	}
}

// A host takes the rounds from a trace.
func TestRoundsAtAHost(t *testing.T) {
	_, c := rounds(3, 3, crash(2, 0.5), recovers(2, 1.2))
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	if _, err := sim.Run(t.Context(), c, m); err != nil {
		t.Fatal(err)
	}
	l, _ := run(t, c)
	if got, want := steps(hosted(t, c, m)), steps(l.lines); !slices.Equal(got, want) {
		t.Errorf("hosted\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
