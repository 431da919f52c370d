package stepper

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/property"
	"etrace/replay"
	"etrace/tracefmt"
)

// TestColumnsStay: while one steps through a run, the headings stay where they are.
func TestColumnsStay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(records, "*.jsonl"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d records, %v", len(files), err)
	}
	for _, path := range append(files[:8], filepath.Join(records, "f1-chang-roberts-loop.jsonl")) {
		for _, columns := range []int{60, 80, 120} {
			s := newSession(t, load(t, path), columns, 30)
			headings := func() (list []string) {
				for line := range strings.Lines(s.frame()) {
					if strings.HasPrefix(line, " seq ") || strings.HasPrefix(line, " process ") {
						list = append(list, line)
					}
				}
				return list
			}
			first := headings()
			if len(first) != 2 {
				t.Fatalf("%d headings in\n%s", len(first), s.frame())
			}
			for s.m.cursor.Seq() < s.m.last {
				s.press("right")
				if diff := cmp.Diff(first, headings()); diff != "" {
					t.Fatalf("%s, %d columns, at %d: %s", filepath.Base(path), columns, s.m.cursor.Seq(), diff)
				}
			}
		}
	}
}

func notes(unit tracefmt.TimeUnit, times ...tracefmt.Time) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: unit, Members: []tracefmt.Member{{Name: "a"}}})
	for i, at := range times {
		m.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: at, Kind: tracefmt.Note, Process: 1})
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// TestTimes: all times of a run are whole, in one unit, with as many decimals as
// any of them needs, and below each other.
func TestTimes(t *testing.T) {
	const epoch = 1_700_000_000 * tracefmt.Unit
	for _, c := range []struct {
		unit  tracefmt.TimeUnit
		times []tracefmt.Time
		want  string
	}{
		{tracefmt.Delays, []tracefmt.Time{0, tracefmt.Unit, 12 * tracefmt.Unit}, "t: 0 1 12"},
		{tracefmt.Delays, []tracefmt.Time{0, tracefmt.Unit / 4, 12 * tracefmt.Unit}, "t: 0.00 0.25 12.00"},
		{tracefmt.Delays, []tracefmt.Time{1, 12_345_678_901}, "t: 0.000000001 12.345678901"},
		{tracefmt.Logical, []tracefmt.Time{1, 2, 10}, "t: 1 2 10"},
		{tracefmt.Nanoseconds, []tracefmt.Time{0, 6_000_000_000, 6_250_000_000}, "t/s: 0.00 6.00 6.25"},
		{tracefmt.Nanoseconds, []tracefmt.Time{epoch, epoch + 1_500_000, epoch + 20_000_000}, "t/ms: +0.0 +1.5 +20.0"},
		{tracefmt.Nanoseconds, []tracefmt.Time{epoch, epoch + 15, epoch - 3}, "t/ns: +0 +15 -3"},
		{tracefmt.Nanoseconds, []tracefmt.Time{epoch, epoch + 1_000_000_001}, "t/s: +0.000000000 +1.000000001"},
		{tracefmt.Nanoseconds, []tracefmt.Time{-1500}, "t/µs: -1.5"},
	} {
		l := measure(notes(c.unit, c.times...), 100)
		got := l.clock.heading() + ":"
		for _, at := range c.times {
			got += " " + l.clock.text(at)
			if width(l.clock.text(at)) > l.clock.width {
				t.Errorf("%s: wider than %d", l.clock.text(at), l.clock.width)
			}
		}
		if got != c.want {
			t.Errorf("%s %v: got %s, want %s", c.unit, c.times, got, c.want)
		}
	}
}

// TestTimeAsShown: a time after + is one as the screen has them.
func TestTimeAsShown(t *testing.T) {
	const epoch = 1_700_000_000 * tracefmt.Unit
	for _, typed := range [][]string{{"t", "+1.5", "enter"}, {"g", "t=+1.5", "enter"}, {"t", "1700000000.0015", "enter"}} {
		s := newSession(t, notes(tracefmt.Nanoseconds, epoch, epoch+1_500_000, epoch+20_000_000), 80, 24)
		for _, key := range typed {
			s.press(key)
		}
		if s.m.cursor.Seq() != 2 {
			t.Errorf("%q goes to %d, want 2", typed, s.m.cursor.Seq())
		}
	}
}

// TestBegin: a session begins at the first message, or at the given position.
func TestBegin(t *testing.T) {
	for _, c := range []struct {
		rec  tracefmt.Recording
		at   *replay.Position
		want tracefmt.Seq
	}{
		{load(t, filepath.Join(records, "lecture-bully.jsonl")), nil, 11},
		{load(t, filepath.Join(records, "lecture-bully.jsonl")), &replay.Position{}, 0},
		{load(t, filepath.Join(records, "lecture-bully.jsonl")), &replay.Position{End: true}, 57},
		{notes(tracefmt.Logical, 1, 2), nil, 0},
	} {
		m, err := newModel(c.rec, Options{At: c.at})
		if err == nil {
			err = m.begin()
		}
		if err != nil || m.cursor.Seq() != c.want {
			t.Errorf("%v: begins at %d, %v, want %d", c.at, m.cursor.Seq(), err, c.want)
		}
	}
}

// TestFindGoesRound: a search continues from the start of the run, with a note.
func TestFindGoesRound(t *testing.T) {
	s := newSession(t, load(t, filepath.Join(records, "lecture-bully.jsonl")), 80, 24)
	for _, step := range []struct {
		keys []string
		seq  tracefmt.Seq
		note string
	}{
		{[]string{"end", "g", "suspect", "enter"}, 9, "no match after this one: on from the beginning"},
		{[]string{"n"}, 9, "no other event matches"},
		{[]string{"g", "send ELECTION", "enter"}, 11, ""},
		{[]string{"n"}, 12, ""},
		{[]string{"N", "N"}, 24, "no match before this one: on from the end"},
		{[]string{"g", "halt", "enter"}, 24, "no event matches"},
		{[]string{"/", "crash", "enter"}, 8, "no match after this one: on from the beginning"},
		{[]string{","}, 8, "this is the first event of the process"},
	} {
		for _, key := range step.keys {
			s.press(key)
		}
		if s.m.cursor.Seq() != step.seq || s.m.note != step.note {
			t.Errorf("%q: at %d, %q, want %d, %q", step.keys, s.m.cursor.Seq(), s.m.note, step.seq, step.note)
		}
	}
}

// TestRootFirst: the first violation that v shows is the loop, not what follows
// from it; then come the others, in the order in which they are complete.
func TestRootFirst(t *testing.T) {
	s := newSession(t, load(t, filepath.Join(records, "f1-chang-roberts-loop.jsonl")), 120, 30)
	var err error
	s.m.options.Properties, err = property.Builtin().Named("eventual-leader", "ring-no-orphan", "election-liveness")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 6 {
		s.press("v")
		got = append(got, fmt.Sprintf("%d %s", s.m.cursor.Seq(), s.m.shown().Property.Name))
	}
	// The global state after 25 recurs after 35; 2 passes on what 4 sent, which is down since 23; 0 has
	// no leader at the end. An event that two witnesses share is shown once.
	want := []string{
		"25 election-liveness", "35 election-liveness", "23 ring-no-orphan", "1 eventual-leader",
		"36 eventual-leader", "25 election-liveness",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	s.press("V")
	if s.m.cursor.Seq() != 36 {
		t.Errorf("back to %d, want 36", s.m.cursor.Seq())
	}
}

// TestNamesApart: names with a common beginning remain different on lifelines, in the table and in flight.
func TestNamesApart(t *testing.T) {
	run := tracefmt.Run{Number: 1, TimeUnit: tracefmt.Delays}
	for i := range 8 {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint("leader-election-service-", i)})
	}
	m := tracefmt.NewMemory(run)
	m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 8, Message: 1, Type: "PING"})
	m.Finish(tracefmt.Stopped)
	s := newSession(t, m, 80, 24)
	s.press("right")
	for _, want := range []string{" leade…-0 leade…-1", " leader-election-…-0 ", " leader-election…-0→leader-election…-7 PING"} {
		if !strings.Contains(s.frame(), want) {
			t.Errorf("expected %s in\n%s", want, s.frame())
		}
	}
}

// TestUpAgain: where a process takes a step or starts after a crash it is up, before that it is down, also for a cursor
// that comes later.
func TestUpAgain(t *testing.T) {
	for _, again := range []tracefmt.Kind{tracefmt.State, tracefmt.Start} {
		m := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}}})
		for i, kind := range []tracefmt.Kind{tracefmt.Start, tracefmt.Crash, again, tracefmt.State} {
			m.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: kind, Process: 1})
		}
		m.Finish(tracefmt.Stopped)
		s := newSession(t, m, 60, 20)
		for _, step := range []string{"first", "later"} {
			events, err := s.m.cursor.Around(1, 4)
			if err != nil {
				t.Fatal(err)
			}
			var got []bool
			for _, down := range newLifelines(s.m.screen, m.Run(), 4, 0, s.m.layout).down(events, s.m.cursor) {
				got = append(got, down[0])
			}
			if diff := cmp.Diff([]bool{false, true, false, false}, got); diff != "" {
				t.Errorf("%s, a %s again: %s", step, again, diff)
			}
			for range 4 {
				s.press("right")
			}
		}
	}
}
