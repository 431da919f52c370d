package adversary

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"etrace/record/scenario"
	"etrace/tracefmt"
)

// TestPlay: the run of a model in which every message takes equally long is that of the
// simulator, message by message, and has the depth that counting its recording gives.
func TestPlay(t *testing.T) {
	for _, algorithm := range []string{"chang-roberts", "le-lann", "peterson", "franklin", "hirschberg-sinclair", "itai-rodeh", "echo"} {
		for _, start := range []string{"all", "[3, 1, 5]", "2"} {
			for _, more := range []string{"", "\ntopology: ring", "\ncoordinator: 5"} {
				s, err := scenario.Parse("test", fmt.Appendf(nil, "algorithm: %s\nids: 2,5,3,1,6,4\nstart: %s%s", algorithm, start, more))
				if err != nil {
					t.Fatal(err)
				}
				comparePlay(t, s)
			}
		}
	}
	s, err := scenario.Parse("test", []byte("algorithm: chang-roberts\nids: 2,5,3,1,6,4\ndown: [6, 1]\nstart: [3, 2]"))
	if err != nil {
		t.Fatal(err)
	}
	comparePlay(t, s)
}

func comparePlay(t *testing.T, s *scenario.Scenario) {
	t.Helper()
	f, m, h := played(t, s)
	rec, err := f.record(context.Background(), f.ring, nil)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for e := range rec.Events(1) {
		if e.Kind == tracefmt.Send {
			want = append(want, fmt.Sprint(e.Process, e.Peer, e.Type, string(e.Payload)))
		}
	}
	for _, x := range h.messages {
		c := m.w.contents[x.contentID]
		got = append(got, fmt.Sprint(x.sender, x.receiver, c.typ, c.payload))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s:\nplayed    %q\nsimulated %q", s.CommandLine(), got, want)
	}
	for _, name := range []string{"messages", "delivered", "depth", "bits", "bytes"} {
		g, err := newGoal(name, false, f)
		if err != nil {
			t.Fatal(err)
		}
		result, err := g.measured(rec)
		m.w.weights = nil // a world has one goal
		if weight := g.weigh(m, h); err != nil || result.value != weight {
			t.Errorf("%s: %s %d in the model, recorded %d (%v)", s.CommandLine(), name, weight, result.value, err)
		}
	}
}
