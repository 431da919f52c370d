package diagram

import (
	"context"
	"slices"
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
		checkLaterIsLower(t, sequenceOf(t, rec, story.Options{}))
	})
}

func sequenceOf(t rapid.TB, rec tracefmt.Recording, o story.Options) *sequence {
	t.Helper()
	st, err := story.Read(context.Background(), rec, o)
	if err != nil {
		t.Fatal(err)
	}
	return newSequence(st, Layout{})
}

func checkLaterIsLower(t rapid.TB, s *sequence) {
	t.Helper()
	for i := range s.story.Steps {
		for j := range i {
			a, b := i, j
			if s.story.Steps[a].Time < s.story.Steps[b].Time {
				a, b = b, a
			}
			if s.schedule.slots[a].row >= 0 && s.schedule.slots[b].row >= 0 && s.story.Steps[a].Time > s.story.Steps[b].Time && s.y[a] <= s.y[b] {
				t.Fatalf("seq %d at %v has y = %.1f, seq %d at %v has %.1f, expected the later one lower",
					s.story.Steps[a].Seq, s.story.Steps[a].Time, s.y[a], s.story.Steps[b].Seq, s.story.Steps[b].Time, s.y[b])
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
	q := sequenceOf(t, rec, story.Options{Axis: story.Linear})
	if cause, apart, effect := q.y[0], q.y[1], q.y[2]; effect <= cause || apart >= cause {
		t.Errorf("cause at %.1f, its effect at %.1f, what is apart and earlier at %.1f, expected the effect below and "+
			"the other above", cause, effect, apart)
	}
}

// shakeClocks sets the clock of each process wrong by an amount of its own.
func shakeClocks(t *rapid.T, rec *tracefmt.Memory) *tracefmt.Memory {
	shaken := tracefmt.NewMemory(*rec.Run())
	wrong := make([]tracefmt.Time, len(rec.Run().Members)+1)
	for p := range wrong {
		wrong[p] = tracefmt.Time(rapid.IntRange(-4, 4).Draw(t, "wrong by")) * tracefmt.Unit
	}
	for e := range rec.Events(1) {
		changed := *e
		changed.Time += 10*tracefmt.Unit + wrong[e.Process]
		shaken.Write(&changed)
	}
	shaken.Finish(tracefmt.Stopped)
	return shaken
}

// TestRowsHaveTheirTime: a row with a label has the time of all its events, and no
// two times are written alike; on the causal axis there are no times.
func TestRowsHaveTheirTime(t *testing.T) {
	for _, name := range []string{"bully", "chang-roberts", "faults", "hostile", "loop", "two-leaders"} {
		for _, axis := range append(story.Axes().All(), story.Axis{}) {
			checkRows(t, sequenceOf(t, load(t, name), story.Options{Axis: axis}))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		rec := randomRun(t)
		if rapid.Bool().Draw(t, "wrong clocks") {
			rec = shakeClocks(t, rec)
		}
		axis := rapid.SampledFrom(append(story.Axes().All(), story.Axis{})).Draw(t, "axis")
		d := build(t, sequenceDiagram, rec, story.Options{Axis: axis})
		checkDownward(t, d)
		checkComplete(t, d, rec)
		checkInside(t, d)
		checkRows(t, sequenceOf(t, rec, story.Options{Axis: axis}))
	})
}

func checkRows(t rapid.TB, s *sequence) {
	t.Helper()
	read := make(map[string]tracefmt.Time)
	for i, label := range s.labels {
		b := &s.schedule.bands[i]
		if label != "" && s.story.Axis() == story.Causal {
			t.Fatalf("a causal level is labelled %s", label)
		}
		for _, j := range b.steps {
			st := &s.story.Steps[j]
			if label == "" || s.schedule.unit == lamport {
				continue
			}
			if first, ok := read[label]; ok && first != st.Time {
				t.Fatalf("seq %d at %v is labelled %s, as is what happens at %v", st.Seq, st.Time, label, first)
			}
			read[label] = st.Time
		}
	}
}

// On the causal axis a step is one level below the last of its causes, whatever the clocks show:
// 1 sends to 2, whose clock is six seconds late.
func TestCausalLevels(t *testing.T) {
	const s = tracefmt.Unit
	rec := notes(tracefmt.Nanoseconds,
		tracefmt.Event{Process: 1, Time: 7 * s, Type: "cause"}, tracefmt.Event{Process: 2, Time: 0, Type: "apart"},
		tracefmt.Event{Process: 2, Time: s, Type: "effect", Cause: 1}, tracefmt.Event{Process: 1, Time: 13 * s, Type: "apart, too"})
	q := sequenceOf(t, rec, story.Options{})
	if len(q.schedule.bands) != 2 || q.y[0] != q.y[1] || q.y[2] != q.y[3] || q.y[2] <= q.y[0] {
		t.Errorf("%d levels at %v, expected two", len(q.schedule.bands), q.y)
	}
	for _, n := range nodes(build(t, sequenceDiagram, rec, story.Options{})) {
		if n.Style == axisText {
			t.Errorf("a level is labelled %s", n.Text)
		}
	}
}

// The linear axis: of the waits 1, 1, 2 and 100 s the last is folded, and marked so;
// the others are drawn in proportion.
func TestLinearAxis(t *testing.T) {
	const s = tracefmt.Unit
	var events []tracefmt.Event
	for i, at := range []tracefmt.Time{0, 1, 2, 4, 104} {
		events = append(events, tracefmt.Event{Process: tracefmt.ProcessID(1 + i%2), Time: at * s, Type: "x"})
	}
	rec := notes(tracefmt.Nanoseconds, events...)
	q := sequenceOf(t, rec, story.Options{})
	first, two := q.y[1]-q.y[0], q.y[3]-q.y[2]
	if len(q.folds) != 1 || q.folds[0].time != 100*s || q.y[4]-q.y[3] < foldGap {
		t.Errorf("folds %v, expected one of 100 s", q.folds)
	}
	if d := two - 2*first; d > 0.01 || d < -0.01 {
		t.Errorf("1 s is %.2f high and 2 s %.2f", first, two)
	}
	said := false
	for _, n := range nodes(build(t, sequenceDiagram, rec, story.Options{})) {
		said = said || n.Text == "100.000 s pass"
	}
	if !said {
		t.Error("the picture does not say how long the fold is")
	}
}

// TestTicksOfImports: the ticks of an import without times are Lamport clocks. Each page names them C, also beside a note of
// no process, which lacks a clock.
func TestTicksOfImports(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{
		Source: "edn", Tool: "etrace 1", TimeUnit: tracefmt.Logical,
		Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}},
	})
	m.Write(&tracefmt.Event{Seq: 1, Time: 3 * tracefmt.Unit, Lamport: 3, Kind: tracefmt.Note, Process: 1, Type: "a"})
	m.Write(&tracefmt.Event{Seq: 2, Time: 3 * tracefmt.Unit, Kind: tracefmt.Note, Type: "stop"})
	m.Write(&tracefmt.Event{Seq: 3, Time: 4 * tracefmt.Unit, Lamport: 4, Kind: tracefmt.Note, Process: 1, Type: "b"})
	m.Finish(tracefmt.Stopped)
	texts := textsOf(build(t, sequenceDiagram, m, story.Options{}))
	if !slices.Contains(texts, "C = 3") || !slices.Contains(texts, "C = 4") {
		t.Errorf("no clocks among %q", texts)
	}
}
