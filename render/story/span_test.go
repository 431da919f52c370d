package story_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/render/story"
	"etrace/render/view"
	"etrace/replay"
	"etrace/tracefmt"
)

// between follows what goes on at a process from a note in to a note out.
type between struct{ since []tracefmt.Seq }

func (f *between) Step(_ *replay.State, e *tracefmt.Event) {
	switch e.Type {
	case "in":
		f.since[e.Process] = e.Seq
	case "out":
		f.since[e.Process] = 0
	}
}
func (f *between) Since(p tracefmt.ProcessID) tracefmt.Seq { return f.since[p] }
func (f *between) Local() bool                             { return true }

func follow(run *tracefmt.Run) story.Following {
	return &between{make([]tracefmt.Seq, len(run.Members)+1)}
}

// TestStretches: of a run in which a is in from 2 to 5 and from 7 on, and b from 3 to 6, each window
// has what is of it inside; a timer that is set is no step.
func TestStretches(t *testing.T) {
	note := func(p tracefmt.ProcessID, typ string) tracefmt.Event {
		return tracefmt.Event{Kind: tracefmt.Note, Process: p, Type: typ}
	}
	rec := recording(
		note(1, "wait"), note(1, "in"), note(2, "in"), tracefmt.Event{Kind: tracefmt.SetTimer, Process: 1, Type: "t"},
		note(1, "out"), note(2, "out"), note(1, "in"), note(2, "end"),
	)
	const open = -2 // for the number of the steps
	for _, c := range []struct {
		from, to tracefmt.Seq
		limit    int
		want     []story.Stretch
	}{
		{0, 0, 0, []story.Stretch{{0, 1, 1, 3}, {0, 2, 2, 4}, {0, 1, 5, open}}},
		{3, 5, 0, []story.Stretch{{0, 1, -1, 1}, {0, 2, 0, open}}},
		{6, 6, 0, []story.Stretch{{0, 2, -1, 0}}},
		{1, 1, 0, nil},
		{0, 0, 3, []story.Stretch{{0, 1, 1, open}, {0, 2, 2, open}}},
	} {
		part := view.View{From: c.from, To: c.to, MaxEvents: c.limit}
		s := read(t, rec, story.Options{View: part, Spans: []story.Span{{Name: "in", Follow: follow}}})
		got := slices.Clone(s.Stretches)
		for i := range got {
			if s.Open(&got[i]) {
				got[i].To = open
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d to %d, at most %d (-want +got):\n%s", c.from, c.to, c.limit, diff)
		}
	}
}

// TestSpanText: where the run may lack what shows a span, its name has a mark.
func TestSpanText(t *testing.T) {
	note := []tracefmt.Fact{{Kind: tracefmt.Note}}
	for level, want := range map[tracefmt.Level]string{tracefmt.All: "in", tracefmt.Some: "in, as far as is recorded"} {
		rec := tracefmt.NewMemory(tracefmt.Run{
			Members:      []tracefmt.Member{{Name: "a", Position: 1}},
			Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Default: level}},
		})
		rec.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Process: 1, Type: "in"})
		rec.Finish(tracefmt.Stopped)
		if got := read(t, rec, story.Options{Spans: []story.Span{{Name: "in", Facts: note, Follow: follow}}}).SpanText(0); got != want {
			t.Errorf("of a run that records %v: %q, want %q", level, got, want)
		}
	}
}
