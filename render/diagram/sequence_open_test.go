package diagram

import (
	"testing"

	"etrace/render/story"
	"etrace/tracefmt"
)

// TestOpenHeads: the head of a message in flight is nearer to the lifeline of its
// receiver than to any other, wherever the message was sent, and does not touch
// it, since it was not received.
func TestOpenHeads(t *testing.T) {
	const n = 6
	run := tracefmt.Run{Number: 1, TimeUnit: tracefmt.Delays}
	for p := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: string(rune('a' + p)), Position: p + 1})
	}
	m := tracefmt.NewMemory(run)
	seq := tracefmt.Seq(0)
	for from := tracefmt.ProcessID(1); from <= n; from++ {
		for to := tracefmt.ProcessID(1); to <= n; to++ {
			seq++
			m.Write(&tracefmt.Event{
				Seq: seq, Time: tracefmt.Time(from) * tracefmt.Unit, Kind: tracefmt.Send, Process: from, Peer: to,
				Type: "ASK", Message: tracefmt.MessageID(seq), Lamport: int64(to),
			})
		}
	}
	m.Finish(tracefmt.Stopped)
	st, err := story.Read(t.Context(), m, story.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newSequence(st, Layout{})
	s.plan = newPlan(s.x)
	s.drawMessages()
	heads := 0
	for _, p := range s.d.Layers[Lines].Paths {
		if p.Style != openLine {
			continue
		}
		step := &s.story.Steps[heads]
		heads++
		stroke := p.Strokes[0]
		x := stroke[len(stroke)-1].X
		if step.Process == step.Peer {
			continue // beside its own lifeline
		}
		nearest := 0
		for i := range s.x {
			if d := s.x[i] - x; d*d < (s.x[nearest]-x)*(s.x[nearest]-x) {
				nearest = i
			}
		}
		if nearest != s.story.Column[step.Peer] || x == s.x[nearest] {
			t.Errorf("%d to %d: the head is at %g, lifelines are at %v", step.Process, step.Peer, x, s.x)
		}
	}
	if heads != n*n {
		t.Errorf("%d heads, expected %d", heads, n*n)
	}
}

// TestOpenApart: two messages that are sent together to one receiver, and in flight at the end, have a line each.
func TestOpenApart(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{Number: 1, TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}})
	for i, typ := range []string{"LOCKED", "RELEASE"} {
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Unit, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: typ, Message: tracefmt.MessageID(i + 1),
		})
	}
	m.Finish(tracefmt.Stopped)
	st, err := story.Read(t.Context(), m, story.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newSequence(st, Layout{})
	s.plan = newPlan(s.x)
	s.drawMessages()
	var ends []float64
	for _, p := range s.d.Layers[Lines].Paths {
		if p.Style == openLine {
			stroke := p.Strokes[0]
			ends = append(ends, stroke[len(stroke)-1].X)
		}
	}
	const head = 8
	if len(ends) != 2 || ends[0]-ends[1] < head {
		t.Errorf("the arrows end at %v, want two ends, at least %d apart", ends, head)
	}
}
