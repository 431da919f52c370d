package complexity_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/complexity"
	"etrace/analyze/spec"
	"etrace/replay"
	"etrace/tracefmt"
)

// TestReceivesOnly: a ring of three processes elects 3, and only arrivals are recorded, process by process. All
// four messages were sent, but it is unknown which belong to the election. In the order of the record, 1
// received its first message before it, and 3 and 2 received theirs after 1 reported the winner. The first
// message belongs to no election.
func TestReceivesOnly(t *testing.T) {
	m := newRun(3)
	run := m.Run()
	run.Source, run.Tool, run.Problem, run.TimeUnit = "map", "etrace test", "election", tracefmt.Logical
	run.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{
		Default: tracefmt.None, Kinds: map[string]tracefmt.Level{"receive": tracefmt.All, "state.elected": tracefmt.All},
	}}
	write(m,
		receive(3, 1, 1), state(1, `{"elected":3}`), receive(1, 2, 2), receive(1, 2, 3),
		state(2, `{"elected":3}`), receive(2, 3, 4), state(3, `{"elected":3}`),
	)
	s, err := complexity.CountDetailed(m, complexity.Detail{Per: []*spec.Operation{complexity.Elections()}})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	rep := &complexity.Report{}
	if err := rep.Add(s, nil); err != nil {
		t.Fatal(err)
	}
	if err := rep.WriteText(&out, complexity.Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"messages sent                     at least 4\n", "delivered                         4\n", "last delivery                     6 ticks\n",
		"elections, as far as is recorded\n", "about 3\n",
		"1 operation, each with about 3 messages; messages of none: about 1 before the first one, as far as is recorded\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestGuessedSends: where an import has guessed which of two sends a receive belongs to, both may have been of one
// message. A loss may have been of a copy.
func TestGuessedSends(t *testing.T) {
	for _, tt := range []struct {
		traits      []string
		lost        []tracefmt.Event
		near, exact []string
	}{
		{
			nil,
			nil,
			[]string{"messages.delivered", "messages.in_flight", "causal_depth", "last_delivery"},
			[]string{"messages.sent", "messages.lost", "suspicions"},
		},
		{
			nil,
			[]tracefmt.Event{lose(1, 2, 3, "dropped")},
			[]string{"messages.delivered", "messages.lost", "causal_depth", "last_delivery"},
			[]string{"messages.sent", "suspicions"},
		},
		{
			[]string{tracefmt.NoDuplicates},
			nil,
			[]string{"causal_depth"},
			[]string{"messages.sent", "messages.delivered", "messages.in_flight", "last_delivery"},
		},
	} {
		m := newRun(2)
		m.Run().Source, m.Run().Traits, m.Run().Completeness = "", tt.traits, &tracefmt.Completeness{
			Levels: tracefmt.Levels{Default: tracefmt.All},
		}
		guess := func(id tracefmt.MessageID) tracefmt.Event {
			return carrying(receive(1, 2, id), `{"log":{"guess":true}}`)
		}
		write(m, send(1, 2, 1, "A"), send(1, 2, 2, "A"), send(1, 2, 3, "A"))
		s := count(t, write(write(m, tt.lost...), guess(1), guess(2)))
		for _, key := range tt.near {
			if claim := said(s, key); claim != "not_known" {
				t.Errorf("%v: %s is %s", tt.traits, key, claim)
			}
		}
		for _, key := range tt.exact {
			if claim := said(s, key); claim != "exact" {
				t.Errorf("%v: %s is %s", tt.traits, key, claim)
			}
		}
	}
}

// TestOwnState: a counter with its own state has the same counts as a counter with a shared state. Process 1
// takes a step and starts again without a crash, so its elected leader is lost.
func TestOwnState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newRun(3)
		if rapid.Bool().Draw(t, "partial") {
			m.Run().Completeness = &tracefmt.Completeness{
				Levels: tracefmt.Levels{Default: tracefmt.All, Kinds: map[string]tracefmt.Level{"crash": tracefmt.Some}},
			}
		}
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			p := tracefmt.ProcessID(rapid.IntRange(1, 3).Draw(t, "process"))
			write(m, rapid.SampledFrom([]tracefmt.Event{
				{Kind: tracefmt.Start, Process: p},
				{Kind: tracefmt.Crash, Process: p},
				{Kind: tracefmt.Recover, Process: p},
				{Kind: tracefmt.Suspect, Process: p, Peer: 1},
				{Kind: tracefmt.Crash, Process: p, Payload: []byte(`{"inferred":true}`)},
				{Kind: tracefmt.Note, Process: p, Type: "enter"},
				state(p, `{"elected":2}`), state(p, `{"elected":3}`),
			}).Draw(t, "event"))
		}
		separate, shared := complexity.NewCounter(m.Run()), new(complexity.Counter)
		state := replay.NewState(m.Run())
		shared.Restart(m.Run(), state)
		for e := range m.Events(1) {
			state.Apply(e)
			for _, c := range []*complexity.Counter{separate, shared} {
				if err := c.Write(e); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, want := jsonOf(t, separate.Stats()), jsonOf(t, shared.Stats())
		if got != want {
			t.Fatalf("with its own state\n%s\nwant\n%s", got, want)
		}
	})
}

func jsonOf(t *rapid.T, s *complexity.Stats) string {
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
