package story

import (
	"slices"
	"testing"

	"etrace/render/view"
	"etrace/replay"
	"etrace/tracefmt"
)

// TestHiddenLives: a process is down, and up again, by events that are not shown, too.
func TestHiddenLives(t *testing.T) {
	write := func(kinds ...tracefmt.Kind) *tracefmt.Memory { // notes are of a, all else of b
		m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}})
		for i, kind := range kinds {
			e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit, Kind: kind, Process: 2}
			if kind == tracefmt.Note {
				e.Process, e.Type = 1, "x"
			}
			m.Write(&e)
		}
		m.Finish(tracefmt.Stopped)
		return m
	}
	const note, crash, recovers, halt = tracefmt.Note, tracefmt.Crash, tracefmt.Recover, tracefmt.Halt
	for _, c := range []struct {
		rec  *tracefmt.Memory
		want []LifeSpan
	}{
		{write(crash, note), []LifeSpan{{-1, Down}}},
		{write(note, crash), []LifeSpan{{-1, Up}, {0, Down}}},
		{write(note, crash, note, recovers, note), []LifeSpan{{-1, Up}, {0, Down}, {1, Up}}},
		{write(note, crash, recovers, note, halt), []LifeSpan{{-1, Up}, {0, Up}, {1, Gone}}},
	} {
		// The events of b are outside of the causal past of the last note of a.
		var last tracefmt.Seq
		for e := range c.rec.Events(1) {
			if e.Kind == note {
				last = e.Seq
			}
		}
		past, err := replay.PastOf(t.Context(), c.rec, last)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(t.Context(), c.rec, Options{View: view.View{Past: past}})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.LifeSpans()[2]; !slices.Equal(got, c.want) {
			t.Errorf("%d events: lives %v, want %v", c.rec.Len(), got, c.want)
		}
	}
}

// TestLives: the life of a process follows from all its events, also from the events that a view leaves out or folds,
// and from events after the window. A process without a recorded crash, or with an inferred crash, goes down at some
// time after its latest event.
func TestLives(t *testing.T) {
	const start, crash, state, recovers = tracefmt.Start, tracefmt.Crash, tracefmt.State, tracefmt.Recover
	type (
		events = []tracefmt.Event
		spans  = []LifeSpan
	)
	fold := []view.Fold{{From: 2, To: 3}}
	a := tracefmt.Event{Kind: tracefmt.Note, Process: 1, Type: "x"}
	b := func(kind tracefmt.Kind) tracefmt.Event { return tracefmt.Event{Kind: kind, Process: 2} }
	inferred := tracefmt.Event{Kind: crash, Process: 2, Payload: []byte(`{"inferred":true}`)}
	complete := &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
	for _, c := range []struct {
		name     string
		complete *tracefmt.Completeness
		events   events
		view     view.View
		hide     string
		want     spans
	}{
		{"starts after the window", complete, events{a, b(start)}, view.View{To: 1}, "", spans{{-1, Unborn}}},
		{"recovers after the window", complete, events{a, b(recovers)}, view.View{To: 1}, "", spans{{-1, Down}}},
		{"acts after the window", nil, events{a, b(state), b(start)}, view.View{To: 1}, "", spans{{-1, Up}}},
		{"starts again after the window", nil, events{b(state), a, b(start)}, view.View{To: 2}, "", spans{{-1, Up}, {0, Silent}}},
		{"crashes after the window", nil, events{b(state), a, b(crash), b(start)}, view.View{To: 2}, "", spans{{-1, Up}}},
		{"starts hidden", complete, events{a, b(start), a}, view.View{}, "start", spans{{-1, Unborn}, {0, Up}}},
		{"starts again hidden", nil, events{b(state), a, b(start), a}, view.View{}, "start", spans{{-1, Up}, {0, Silent}, {1, Up}}},
		{"crashes folded", complete, events{b(state), a, b(crash), b(recovers)}, view.View{Folds: fold}, "", spans{{-1, Up}, {1, Down}, {2, Up}}},
		{"crash inferred", nil, events{b(state), a, inferred, b(recovers)}, view.View{}, "", spans{{-1, Up}, {0, Silent}, {3, Up}}},
		{"crash inferred after it", nil, events{b(state), a, inferred, b(recovers)}, view.View{To: 2}, "", spans{{-1, Up}, {0, Silent}}},
		{"crash inferred before it", nil, events{b(state), inferred, a, b(recovers)}, view.View{From: 3}, "", spans{{-1, Silent}, {1, Up}}},
	} {
		run := tracefmt.Run{
			TimeUnit: tracefmt.Logical, Completeness: c.complete,
			Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
		}
		m := tracefmt.NewMemory(run)
		for i, e := range c.events {
			e.Seq, e.Time = tracefmt.Seq(i+1), tracefmt.Time(i)*tracefmt.Unit
			m.Write(&e)
		}
		m.Finish(tracefmt.Stopped)
		if c.hide != "" {
			pattern, err := replay.ParsePattern(c.hide, m.Run())
			if err != nil {
				t.Fatal(err)
			}
			c.view.Hide = append(c.view.Hide, pattern)
		}
		s, err := Read(t.Context(), m, Options{View: c.view})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.LifeSpans()[2]; !slices.Equal(got, c.want) {
			t.Errorf("%s: lives %v, want %v", c.name, got, c.want)
		}
	}
}
