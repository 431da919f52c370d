package diagram

import (
	"testing"

	"etrace/render/story"
	"etrace/render/view"
	"etrace/replay"
	"etrace/tracefmt"
)

// TestHiddenCrashIsInPlace: a hidden crash is drawn between the steps of its process before and after it. The heights of the steps of
// other processes do not move it.
func TestHiddenCrashIsInPlace(t *testing.T) {
	members := []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: members})
	const note, crash, recovers = tracefmt.Note, tracefmt.Crash, tracefmt.Recover
	write := func(p tracefmt.ProcessID, kind tracefmt.Kind) {
		seq := tracefmt.Seq(m.Len() + 1)
		e := tracefmt.Event{Seq: seq, Time: tracefmt.Time(seq) * tracefmt.Unit, Kind: kind, Process: p}
		if kind == note {
			e.Type = "n"
		}
		m.Write(&e)
	}
	for range 3 {
		write(2, note)
	}
	write(1, note) // in the row of the first note of b
	write(2, crash)
	for range 6 {
		write(1, note) // further down than the next note of b
	}
	write(2, recovers)
	write(2, note)
	m.Finish(tracefmt.Stopped)
	var hide []*replay.Pattern
	for _, kind := range []string{"crash", "recover"} {
		pattern, err := replay.ParsePattern(kind, m.Run())
		if err != nil {
			t.Fatal(err)
		}
		hide = append(hide, pattern)
	}
	s := sequenceOf(t, m, story.Options{View: view.View{Hide: hide}, Axis: story.Causal})
	last := len(s.story.Steps) - 1
	before, after := s.y[2], s.y[last]
	if s.y[3] >= before || s.y[last-1] <= after {
		t.Fatalf("notes of b at %g and %g, those of a at %g and %g", before, after, s.y[3], s.y[last-1])
	}
	for _, c := range s.lifeChanges()[2][1:] {
		if c.y < before || c.y > after {
			t.Errorf("life %d of b begins at %g, want between its notes at %g and %g", c.life, c.y, before, after)
		}
	}
}
