package story_test

import (
	"slices"
	"testing"

	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// TestCut: a sends 1 to b (seq 1), b sends 2 to a (2), b takes 1 (3), a takes 2 (4), and b sends 3 to a (5),
// which does not arrive. Each cut has its consistency, and how the messages cross it.
func TestCut(t *testing.T) {
	const noCrossing, channel, backward = story.NoCrossing, story.InChannel, story.Backward
	message := func(kind tracefmt.Kind, p, peer tracefmt.ProcessID, message tracefmt.MessageID, cause tracefmt.Seq) tracefmt.Event {
		return tracefmt.Event{Kind: kind, Process: p, Peer: peer, Message: message, Type: "m", Cause: cause}
	}
	events := []tracefmt.Event{
		message(tracefmt.Send, 1, 2, 1, 0), message(tracefmt.Send, 2, 1, 2, 0),
		message(tracefmt.Receive, 2, 1, 1, 1), message(tracefmt.Receive, 1, 2, 2, 2),
		message(tracefmt.Send, 2, 1, 3, 0),
	}
	for _, c := range []struct {
		cut        story.Cut
		basic      []string
		text       string
		a, b, open story.Crossing // of messages 1, 2 and 3
	}{
		{story.Cut{0, 0, 0}, nil, "consistent cut", noCrossing, noCrossing, noCrossing},
		{story.Cut{0, 4, 5}, nil, "consistent cut", noCrossing, noCrossing, channel},
		{story.Cut{0, 1, 2}, nil, "consistent cut", channel, channel, noCrossing},
		{story.Cut{0, 1, 3}, nil, "consistent cut", noCrossing, channel, noCrossing},
		{story.Cut{0, 0, 3}, nil, "inconsistent cut", backward, channel, noCrossing},
		{story.Cut{0, 4, 0}, nil, "inconsistent cut", channel, backward, noCrossing},
		{story.Cut{0, 4}, nil, "inconsistent cut", channel, backward, noCrossing},
		{story.Cut{0, 0, 3}, []string{"other"}, "consistent cut for other", noCrossing, noCrossing, noCrossing},
		{story.Cut{0, 0, 3}, []string{"other", "m"}, "inconsistent cut for the basic messages", backward, channel, noCrossing},
		{story.Cut{0, 1, story.Nowhere}, nil, "cut, not of all processes", noCrossing, noCrossing, noCrossing},
	} {
		rec := recording(events...)
		rec.Run().Basic, rec.Run().Completeness = c.basic, &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
		s := read(t, rec, story.Options{Cut: c.cut})
		if got := s.CutText(); got != c.text {
			t.Errorf("%v, basic %v: %s, want %s", c.cut, c.basic, got, c.text)
		}
		got := []story.Crossing{s.Crossing(2), s.Crossing(3), s.Crossing(4)}
		if want := []story.Crossing{c.a, c.b, c.open}; !slices.Equal(got, want) {
			t.Errorf("%v, basic %v: the messages cross %v, want %v", c.cut, c.basic, got, want)
		}
	}
}

// TestCutOfAPart: a message that crosses the cut outside of the window makes it inconsistent all the same, and one
// that arrives after the window, perhaps in the cut, is not said to be in its channel.
func TestCutOfAPart(t *testing.T) {
	rec := recording(
		tracefmt.Event{Kind: tracefmt.Send, Process: 1, Peer: 2, Message: 1, Type: "m"},
		tracefmt.Event{Kind: tracefmt.Note, Process: 2, Type: "n"},
		tracefmt.Event{Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: 1, Type: "m", Cause: 1},
	)
	if s := read(t, rec, story.Options{View: view.View{From: 2, To: 2}, Cut: story.Cut{0, 0, 3}}); s.CutText() != "inconsistent cut" {
		t.Errorf("%s, want an inconsistent one", s.CutText())
	}
	if s := read(t, rec, story.Options{View: view.View{To: 1}, Cut: story.Cut{0, 1, 3}}); s.Crossing(0) != story.NoCrossing {
		t.Errorf("the message crosses the cut as %v, want not", s.Crossing(0))
	}
}

// TestCutOfAPartialRecording: what is not recorded may cross it.
func TestCutOfAPartialRecording(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{
		Members:      []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
		Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.Some}},
	})
	rec.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Process: 1, Type: "in"})
	rec.Finish(tracefmt.Stopped)
	if s := read(t, rec, story.Options{Cut: story.Cut{0, 1, 0}}); s.CutText() != "cut, consistent as far as is recorded" {
		t.Errorf("%s, want that it is consistent as far as is recorded", s.CutText())
	}
}
