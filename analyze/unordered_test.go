package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
)

// TestDefinitelyUnless: what would undo that intervals overlap in every order is a change within one of them.
func TestDefinitelyUnless(t *testing.T) {
	role := tracefmt.StateOf("role")
	w := causal.Witness{Intervals: []causal.Interval{{Process: 1, From: 3, To: 9}, {Process: 2, From: 4}}}
	got := DefinitelyUnless(w, func(p tracefmt.ProcessID) []Need { return Needs(p, 0, 0, role) })
	want := []Need{{Process: 1, Fact: role, From: 3, To: 9}, {Process: 2, Fact: role, From: 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEdgesMissing: where all sends are recorded, and of a message that is on its way the receive may not be, that
// receive may have ordered two processes. Where neither a message on its way nor a send may be missing, none may
// have.
func TestEdgesMissing(t *testing.T) {
	receive, state := tracefmt.Fact{Kind: tracefmt.Receive}, tracefmt.Fact{Kind: tracefmt.State}
	for name, tt := range map[string]struct {
		sends int
		want  []tracefmt.Fact
	}{
		"on its way": {1, []tracefmt.Fact{receive, state}},
		"no message": {0, []tracefmt.Fact{state}},
	} {
		rec := tracefmt.NewMemory(tracefmt.Run{
			Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
			Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{
				Default: tracefmt.All, Kinds: map[string]tracefmt.Level{"receive": tracefmt.None},
			}},
		})
		events := []tracefmt.Event{{Kind: tracefmt.Start}, {Kind: tracefmt.State, Cause: 1, Payload: []byte(`{"x":1}`)}}
		for i := range tt.sends {
			events = append(events, tracefmt.Event{Kind: tracefmt.Send, Peer: 2, Type: "M", Message: tracefmt.MessageID(i + 1)})
		}
		s, edges := replay.NewState(rec.Run()), new(Edges)
		for i, e := range events {
			e.Seq, e.Process = tracefmt.Seq(i+1), 1
			if e.Kind == tracefmt.State {
				e.Process = 2
			}
			s.Apply(&e)
			edges.Step(&e)
		}
		if diff := cmp.Diff(tt.want, edges.Missing(s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
