package diagram

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/story"
	"etrace/tracefmt"
)

// TestLaterIsLower: where the clocks contradict no cause, whatever is later is
// lower, on every lifeline.
func TestLaterIsLower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := randomRun(t)
		unit := rapid.SampledFrom([]tracefmt.TimeUnit{tracefmt.Nanoseconds, tracefmt.Logical}).Draw(t, "clock")
		rec.Run().TimeUnit = unit
		st, err := story.Read(context.Background(), rec, story.Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkLaterIsLower(t, newSequence(st))
	})
}

func checkLaterIsLower(t rapid.TB, s *sequence) {
	t.Helper()
	for i := range s.Steps {
		for j := range i {
			a, b := i, j
			if s.Steps[a].Time < s.Steps[b].Time {
				a, b = b, a
			}
			if s.slots[a].row >= 0 && s.slots[b].row >= 0 && s.Steps[a].Time > s.Steps[b].Time && s.y[a] <= s.y[b] {
				t.Fatalf("seq %d at %v has y = %.1f, seq %d at %v has %.1f, expected the later one lower",
					s.Steps[a].Seq, s.Steps[a].Time, s.y[a], s.Steps[b].Seq, s.Steps[b].Time, s.y[b])
			}
		}
	}
}

// notes is a run of two processes, each event a note.
func notes(unit tracefmt.TimeUnit, events ...tracefmt.Event) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: unit, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
	for i := range events {
		e := events[i]
		e.Seq, e.Kind = tracefmt.Seq(i+1), tracefmt.Note
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// Two processes that are in a critical section one after the other are drawn
// so, and the axis has the time of each event.
func TestTimesAcrossLifelines(t *testing.T) {
	const s = tracefmt.Unit
	rec := notes(tracefmt.Nanoseconds,
		tracefmt.Event{Process: 1, Time: s, Type: "enter"}, tracefmt.Event{Process: 1, Time: 2 * s, Type: "exit"},
		tracefmt.Event{Process: 2, Time: 2*s + 3*s/10, Type: "enter"}, tracefmt.Event{Process: 2, Time: 9 * s, Type: "exit"})
	var times []string
	for _, n := range nodes(build(t, sequenceDiagram, rec, story.Options{})) {
		if n.Style == axisText {
			times = append(times, n.Text)
		}
	}
	if got := strings.Join(times, ", "); got != "+0 ns, +1.000 s, +1.300 s, +8.000 s" {
		t.Errorf("times %s", got)
	}
}

// A clock that is ahead does not draw an effect above its cause; what no cause
// orders is drawn by time, in whatever order it was recorded.
func TestCausalityBeforeClocks(t *testing.T) {
	const s = tracefmt.Unit
	rec := notes(tracefmt.Nanoseconds,
		tracefmt.Event{Process: 1, Time: 5 * s, Type: "cause"},
		tracefmt.Event{Process: 2, Time: s, Type: "apart"},
		tracefmt.Event{Process: 2, Time: 2 * s, Type: "effect", Cause: 1})
	st, err := story.Read(context.Background(), rec, story.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := newSequence(st)
	if cause, apart, effect := q.y[0], q.y[1], q.y[2]; effect <= cause || apart >= cause {
		t.Errorf("cause at %.1f, its effect at %.1f, what is apart and earlier at %.1f, expected the effect below and the other above", cause, effect, apart)
	}
}
