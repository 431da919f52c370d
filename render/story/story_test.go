package story_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/render/story"
	"etrace/render/view"
	"etrace/replay"
	"etrace/tracefmt"
)

// load reads a recording of render/testdata.
func load(t testing.TB, name string) *tracefmt.Memory {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := tracefmt.ReadMemory(f)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%s: %d runs, %v, expected one", name, len(runs), err)
	}
	return runs[0]
}

func read(t *testing.T, rec tracefmt.Recording, o story.Options) *story.Story {
	t.Helper()
	s, err := story.Read(t.Context(), rec, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// recording makes a run of processes a and b, which are in the ring the other
// way round.
func recording(events ...tracefmt.Event) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Delays,
		Members:  []tracefmt.Member{{Name: "a", Position: 2}, {Name: "b", Position: 1}},
	})
	for i, e := range events {
		e.Seq, e.Time = tracefmt.Seq(i+1), tracefmt.Time(i)*tracefmt.Unit
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	return m
}

func send(message tracefmt.MessageID) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Send, Process: 1, Peer: 2, Message: message, Type: "m"}
}

func arrive(kind tracefmt.Kind, message tracefmt.MessageID, payload string) tracefmt.Event {
	return tracefmt.Event{Kind: kind, Process: 2, Peer: 1, Message: message, Type: "m", Payload: []byte(payload)}
}

// TestFates: a message has the greatest fate of its events, as everywhere in
// etrace; it is received again only if it was received before; and what comes after the window is mentioned, but
// changes nothing.
func TestFates(t *testing.T) {
	rec := recording(
		send(1), send(2), send(3), send(4),
		arrive(tracefmt.Receive, 1, ""),
		arrive(tracefmt.Lose, 2, `{"reason":"dropped"}`), // one copy
		arrive(tracefmt.Receive, 2, ""),                  // the other
		arrive(tracefmt.Receive, 1, ""),
		arrive(tracefmt.Lose, 3, `{"reason":"receiver crashed"}`),
		arrive(tracefmt.Receive, 4, ""), // after the window
	)
	type row struct {
		Fate         tracefmt.Fate
		Match        int
		Again, Later bool
	}
	want := []row{
		{tracefmt.Delivered, 4, false, false},
		{tracefmt.Delivered, 6, false, false},
		{tracefmt.ReceiverCrashed, 8, false, false},
		{tracefmt.InFlight, -1, false, true},
		{tracefmt.Delivered, 0, false, false},
		{tracefmt.Lost, 1, false, false},
		{tracefmt.Delivered, 1, false, false},
		{tracefmt.Delivered, 0, true, false},
		{tracefmt.ReceiverCrashed, 2, false, false},
	}
	var got []row
	for _, st := range read(t, rec, story.Options{View: view.View{To: 9}}).Steps {
		got = append(got, row{st.Fate, st.Match, st.Again, st.Later})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSpans: b starts late, crashes, recovers and halts; a is up all the time.
func TestSpans(t *testing.T) {
	event := func(kind tracefmt.Kind) tracefmt.Event { return tracefmt.Event{Kind: kind, Process: 2} }
	rec := recording(send(1), event(tracefmt.Start), event(tracefmt.Crash), event(tracefmt.Recover), event(tracefmt.Halt))
	want := [][]story.LifeSpan{nil, {{-1, story.Up}}, {{-1, story.Unborn}, {1, story.Up}, {2, story.Down}, {3, story.Up}, {4, story.Gone}}}
	s := read(t, rec, story.Options{})
	spans := s.LifeSpans()
	if diff := cmp.Diff(want, spans); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for step, want := range []story.Life{story.Unborn, story.Up, story.Down, story.Up, story.Gone} {
		if got := story.LifeAt(spans[2], step); got != want {
			t.Errorf("at step %d: %d, want %d", step, got, want)
		}
	}
	if diff := cmp.Diff([]tracefmt.ProcessID{2, 1}, s.Order); diff != "" {
		t.Errorf("the order of the ring (-want +got):\n%s", diff)
	}
}

// TestLivesOfLogs: logs do not name the killed process. A process is up from its first event,
// and between its last step and a second start it went down; a step of a process that
// is down shows that it is up.
func TestLivesOfLogs(t *testing.T) {
	event := func(kind tracefmt.Kind) tracefmt.Event { return tracefmt.Event{Kind: kind, Process: 2} }
	type spans = []story.LifeSpan
	for name, tt := range map[string]struct {
		events []tracefmt.Event
		want   spans
	}{
		"started twice": {
			[]tracefmt.Event{event(tracefmt.Start), send(1), event(tracefmt.State), send(2), event(tracefmt.Start)},
			spans{{-1, story.Up}, {2, story.Silent}, {4, story.Up}},
		},
		"started twice in a row": {
			[]tracefmt.Event{send(1), event(tracefmt.Start), send(2), event(tracefmt.Start)},
			spans{{-1, story.Unborn}, {1, story.Silent}, {3, story.Up}},
		},
		"started in the middle of the log": {
			[]tracefmt.Event{send(1), event(tracefmt.State), send(2), event(tracefmt.Start)},
			spans{{-1, story.Up}, {1, story.Silent}, {3, story.Up}},
		},
		"lost before it starts": {
			[]tracefmt.Event{send(1), arrive(tracefmt.Lose, 1, ""), event(tracefmt.Start)},
			spans{{-1, story.Unborn}, {2, story.Up}},
		},
		"crashes in the middle of the log at first": {
			[]tracefmt.Event{send(1), event(tracefmt.Crash)},
			spans{{-1, story.Up}, {1, story.Down}},
		},
		"starts after others are down": {
			[]tracefmt.Event{{Kind: tracefmt.Crash, Process: 1}, event(tracefmt.Start)},
			spans{{-1, story.Up}},
		},
		"recovers at first": {
			[]tracefmt.Event{send(1), event(tracefmt.Recover)},
			spans{{-1, story.Down}, {1, story.Up}},
		},
		"up again without a word": {
			[]tracefmt.Event{event(tracefmt.Start), send(1), event(tracefmt.Crash), send(2), event(tracefmt.State)},
			spans{{-1, story.Up}, {2, story.Down}, {4, story.Up}},
		},
	} {
		s := read(t, recording(tt.events...), story.Options{})
		if diff := cmp.Diff(tt.want, s.LifeSpans()[2]); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	s := read(t, recording(send(1), event(tracefmt.State), send(2), event(tracefmt.Start)), story.Options{View: view.View{From: 3}})
	if diff := cmp.Diff(spans{{-1, story.Silent}, {1, story.Up}}, s.LifeSpans()[2]); diff != "" {
		t.Errorf("in a part of the run: -want +got:\n%s", diff)
	}
}

// TestConditions: at the borders of every window the processes are as in the state of the run.
func TestConditions(t *testing.T) {
	for _, name := range []string{"bully", "chang-roberts", "faults", "hostile", "two-leaders"} {
		rec := load(t, name)
		state := replay.NewState(rec.Run())
		for e, err := range rec.Events(1) {
			if err != nil {
				t.Fatal(err)
			}
			state.Apply(e)
			s := read(t, rec, story.Options{View: view.View{To: e.Seq}})
			for _, p := range s.Order {
				got, want := s.After[p], state.Process(p)
				elected := want.Elected
				if got.Down {
					elected = 0 // what it had is lost
				}
				if got.Down != (want.Status == replay.Crashed) || got.Halted != (want.Status == replay.Halted) || got.Leader != max(elected, 0) {
					t.Fatalf("%s, event %d: process %d is %+v, expected the state %+v", name, e.Seq, p, got, want)
				}
			}
		}
	}
}

// TestNames: long names lose their common beginning in pictures, also where they are values.
func TestNames(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Delays,
		Members:  []tracefmt.Member{{Name: "election-service-0"}, {Name: "election-service-1"}},
	})
	m.Write(&tracefmt.Event{
		Seq: 1, Process: 1, Kind: tracefmt.State,
		Payload: []byte(`{"elected":"election-service-1","guest":"election-service-0"}`),
	})
	m.Finish(tracefmt.Stopped)
	s := read(t, m, story.Options{})
	got := []string{s.Name(1), s.Name(2), s.Steps[0].Elected, s.Steps[0].Text, s.After[1].Elected, s.Name(0), s.Name(9)}
	want := []string{"0", "1", "1", "guest = 0", "1", "?", "?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestUnfinished: the drawing of a simulated run that goes on has the reason why it ends there; of a part that
// was asked for, of a run that is over and of a log, which just ends, it does not.
func TestUnfinished(t *testing.T) {
	loop := tracefmt.Event{Kind: tracefmt.Note, Type: tracefmt.LoopNote, Payload: []byte(`{"from":1,"to":2}`)}
	for _, c := range []struct {
		source string
		end    tracefmt.End
		last   tracefmt.Event
		to     tracefmt.Seq
		want   string
	}{
		{tracefmt.Simulated, tracefmt.Deadline, send(2), 0, "cut off at t = 1, and goes on"},
		{tracefmt.Simulated, tracefmt.Stopped, send(2), 0, "cut off at t = 1, and goes on"},
		{tracefmt.Simulated, tracefmt.Stopped, loop, 0, "proven to repeat forever"},
		{tracefmt.Simulated, tracefmt.Stopped, loop, 1, "proven to repeat forever"},
		{tracefmt.Simulated, tracefmt.Stopped, send(2), 1, ""},
		{tracefmt.Simulated, tracefmt.Quiescent, send(2), 0, ""},
		{"log", tracefmt.Stopped, send(2), 0, ""},
	} {
		rec := recording(send(1), c.last)
		rec.Run().Source = c.source
		rec.Finish(c.end)
		summary := read(t, rec, story.Options{View: view.View{To: c.to}}).Summary()
		for _, words := range []string{"cut off at t = 1, and goes on", "proven to repeat forever"} {
			if has := strings.Contains(summary, words); has != (words == c.want) {
				t.Errorf("%+v: %q, want %q", c, summary, c.want)
			}
		}
	}
}
