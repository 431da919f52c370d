package complexity_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// passed hands a run to a sink as if it was recorded.
func passed(t testing.TB, m *tracefmt.Memory) *complexity.Outcome {
	t.Helper()
	sink := &complexity.Sink{Sink: &tracefmt.Memory{}}
	if err := tracefmt.Copy(sink, m, m.Run()); err != nil {
		t.Fatal(err)
	}
	return sink.Runs[0]
}

// TestOutcome: the outcome agrees with the counts of the whole run.
func TestOutcome(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const n = 3
		var events []tracefmt.Event
		process := rapid.Int32Range(1, n)
		for i := range rapid.IntRange(0, 20).Draw(rt, "events") {
			p := tracefmt.ProcessID(process.Draw(rt, "process"))
			event := rapid.SampledFrom([]tracefmt.Event{
				send(p, p%n+1, tracefmt.MessageID(i+1), "A"), state(p, `{"elected":3}`), state(p, `{"elected":"3"}`), state(p, `{"elected":null}`),
				state(p, `{"elected":9}`),
				{Kind: tracefmt.Crash, Process: p},
				{Kind: tracefmt.Recover, Process: p, Payload: []byte(`{"elected":3}`)},
				{Kind: tracefmt.Halt, Process: p},
				{Kind: tracefmt.SetTimer, Process: p, Type: "t"},
			}).Draw(rt, "event")
			events = append(events, event)
		}
		m := write(newRun(n), events...)
		s, o := count(t, m), passed(t, m)
		want := complexity.Outcome{
			Run: s.Run, Algorithm: s.Algorithm, Processes: s.Processes, Events: s.Events,
			Messages: s.Messages.Sent, End: s.End, Leader: s.Leader, Title: s.Algorithm,
		}
		if diff := cmp.Diff(want, *o); diff != "" {
			rt.Fatalf("the outcome (-counts +outcome):\n%s", diff)
		}
	})
}

// TestOutcomeKeepsNoMessages: what a run costs on its way does not depend on how
// many messages are on theirs.
func TestOutcomeKeepsNoMessages(t *testing.T) {
	allocations := func(messages int) float64 {
		run := newRun(100).Run()
		var e tracefmt.Event
		return testing.AllocsPerRun(2, func() {
			sink := &complexity.Sink{Sink: discard{}}
			if err := sink.Begin(run); err != nil {
				t.Fatal(err)
			}
			for i := range messages {
				e = send(tracefmt.ProcessID(i%100+1), tracefmt.ProcessID(i/100%100+1), tracefmt.MessageID(i+1), "A")
				e.Seq = tracefmt.Seq(i + 1)
				if err := sink.Write(&e); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	// The runtime allocates something of its own now and then, on a busy machine and under
	// the race detector more often: the least counts, of as many runs as that takes.
	few, many := allocations(100), allocations(10_000)
	for i := 0; i < 100 && many > few; i++ {
		many = min(many, allocations(10_000))
	}
	if many > few {
		t.Errorf("%v allocations for 100 messages on their way, %v for 10,000", few, many)
	}
}

// discard keeps nothing.
type discard struct{}

func (discard) Begin(*tracefmt.Run) error   { return nil }
func (discard) Write(*tracefmt.Event) error { return nil }
func (discard) Finish(tracefmt.End) error   { return nil }

// TestSummaryJSON: the line for programs has the keys of etrace.record/1.
func TestSummaryJSON(t *testing.T) {
	b, err := json.Marshal(passed(t, write(newRun(2), send(1, 2, 1, "A"), state(1, `{"elected":2}`), state(2, `{"elected":2}`))))
	if want := `{"run":1,"algorithm":"bully","processes":2,"events":3,"messages":1,"end":"quiescent","leader":2}`; err != nil ||
		string(b) != want {
		t.Errorf("got  %s, %v\nwant %s", b, err, want)
	}
}
