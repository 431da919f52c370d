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
