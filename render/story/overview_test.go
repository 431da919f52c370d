package story_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// TestOverviewCounts: the stretches of an overview have all messages of the window, each at its place, and intervals are those of
// the crashes.
func TestOverviewCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}})
		var times []tracefmt.Time // of sends, by seq; -1 for others
		now, down := tracefmt.Time(0), false
		for seq := range rapid.IntRange(1, 80).Draw(t, "events") {
			now += tracefmt.Time(rapid.Int64Range(0, 1<<rapid.IntRange(0, 30).Draw(t, "bits")).Draw(t, "passes"))
			e := tracefmt.Event{Seq: tracefmt.Seq(seq + 1), Time: now, Kind: tracefmt.Send, Process: 1, Peer: 2}
			e.Message = tracefmt.MessageID(seq + 1)
			at := now
			if rapid.IntRange(0, 4).Draw(t, "life") == 0 {
				e = tracefmt.Event{Seq: e.Seq, Time: now, Kind: tracefmt.Crash, Process: 2}
				if down {
					e.Kind = tracefmt.Recover
				}
				down, at = !down, -1
			}
			rec.Write(&e)
			times = append(times, at)
		}
		rec.Finish(tracefmt.Stopped)
		from := rapid.IntRange(1, len(times)).Draw(t, "from")
		part := view.View{From: tracefmt.Seq(from), Kinds: []tracefmt.Kind{}}
		s, err := story.Read(t.Context(), rec, story.Options{View: part, Overview: true})
		if err != nil {
			t.Fatal(err)
		}
		o := s.Overview()
		want := map[int64]int64{}
		for _, at := range times[from-1:] {
			if at >= 0 {
				want[(int64(at)-o.First)/o.Stretch]++
			}
		}
		for i, n := range o.Messages {
			if want[int64(i)] != n {
				t.Fatalf("stretch %d of %d from %d: %d messages, want %d", i, o.Stretch, o.First, n, want[int64(i)])
			}
			delete(want, int64(i))
		}
		if len(want) > 0 || len(o.Messages) > 600 {
			t.Fatalf("%d stretches; not counted: %v", len(o.Messages), want)
		}
		for _, i := range o.Down {
			if i.Process != 2 || i.From < o.First || i.To > o.Last || i.From > i.To {
				t.Fatalf("down %+v, in a window from %d to %d", i, o.First, o.Last)
			}
		}
	})
}

// TestOverviewOfDowntime: a process is down from its crash until any event shows that it is up again. If the crash is inferred, or
// missing before a second start, it went down at some time after its latest event.
func TestOverviewOfDowntime(t *testing.T) {
	event := func(kind tracefmt.Kind) tracefmt.Event { return tracefmt.Event{Kind: kind, Process: 2} }
	const state, crash, recovers, start = tracefmt.State, tracefmt.Crash, tracefmt.Recover, tracefmt.Start
	const unit = int64(tracefmt.Unit)
	inferred := event(crash)
	inferred.Payload = []byte(`{"inferred":true}`)
	for _, tt := range []struct {
		name   string
		events []tracefmt.Event
		want   []story.Interval
	}{
		{
			"recorded",
			[]tracefmt.Event{event(state), send(1), event(crash), send(2), event(recovers)},
			[]story.Interval{{2, 2 * unit, 4 * unit, false}},
		},
		{"acts again", []tracefmt.Event{event(crash), send(1), event(state), send(2)}, []story.Interval{{2, 0, 2 * unit, false}}},
		{"inferred", []tracefmt.Event{event(state), send(1), inferred, event(recovers)}, []story.Interval{{2, 0, 3 * unit, true}}},
		{"starts twice", []tracefmt.Event{event(state), send(1), event(start)}, []story.Interval{{2, 0, 2 * unit, true}}},
		{"starts", []tracefmt.Event{send(1), event(start)}, nil},
	} {
		s := read(t, recording(tt.events...), story.Options{Overview: true})
		if diff := cmp.Diff(tt.want, s.Overview().Down); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
}
