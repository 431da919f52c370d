package diagram

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// fanOut is a run in which every process sends a message to each other one, and
// all of them are lost on the way.
func fanOut(n int) *tracefmt.Memory {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint(i), Position: i})
	}
	m := tracefmt.NewMemory(run)
	var lost []tracefmt.Event
	for p := range n {
		for q := range n {
			if p == q {
				continue
			}
			e := tracefmt.Event{
				Seq: tracefmt.Seq(m.Len() + 1), Kind: tracefmt.Send, Type: "M", Process: tracefmt.ProcessID(p + 1), Peer: tracefmt.ProcessID(q + 1),
				Message: tracefmt.MessageID(m.Len() + 1),
			}
			m.Write(&e)
			e.Kind, e.Process, e.Peer, e.Cause, e.Payload = tracefmt.Lose, e.Peer, e.Process, e.Seq, []byte(`{"reason":"dropped"}`)
			lost = append(lost, e)
		}
	}
	for i := range lost {
		lost[i].Seq = tracefmt.Seq(m.Len() + 1)
		m.Write(&lost[i])
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// Each lost message has a stub of its own, which points at the receiver and ends
// in a cross that no other one covers.
func TestLossesAreApart(t *testing.T) {
	for n := 2; n <= 9; n++ {
		rec := fanOut(n)
		checkLosses(t, sequenceDrawn(t, rec), n*(n-1), true)
	}
	rapid.Check(t, func(t *rapid.T) {
		checkLosses(t, sequenceDrawn(t, randomRun(t)), -1, false)
	})
}

// sequenceDrawn is a sequence diagram with its messages drawn.
func sequenceDrawn(t rapid.TB, rec tracefmt.Recording) *sequence {
	t.Helper()
	s := sequenceOf(t, rec, story.Options{})
	s.lives = s.lifeChanges()
	s.plan = newPlan(s.x)
	s.drawMarks()
	s.drawMessages()
	return s
}

func checkLosses(t rapid.TB, s *sequence, want int, apart bool) {
	t.Helper()
	if want >= 0 && len(s.losses) != want {
		t.Fatalf("%d stubs, expected %d", len(s.losses), want)
	}
	for i, at := range s.losses {
		st := &s.story.Steps[i]
		from := s.at(st.Match)
		toward := s.x[s.story.Column[st.Process]] - from.X
		if toward != 0 && (math.Signbit(toward) != math.Signbit(at.X-from.X) || math.Abs(at.X-from.X) >= math.Abs(toward)) || at.Y <= from.Y {
			t.Fatalf("seq %d is lost at %v, from %v to a receiver at %.1f", st.Seq, at, from, s.x[s.story.Column[st.Process]])
		}
		for j, second := range s.losses {
			if apart && i < j && math.Abs(at.X-second.X) < 9 && math.Abs(at.Y-second.Y) < 9 {
				t.Fatalf("of %d processes seq %d and %d are lost at %v and %v", len(s.story.Order), st.Seq, s.story.Steps[j].Seq, at, second)
			}
		}
	}
}

// TestLossToHidden: a message that is lost at, or on the way to, a hidden process has a cross and no head. A message that arrives
// there has a head. Only messages with the same fate share a line.
func TestLossToHidden(t *testing.T) {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays}
	for i, name := range []string{"a", "b", "c", "d"} {
		run.Members = append(run.Members, tracefmt.Member{Name: name, Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	for receiver := tracefmt.ProcessID(2); receiver <= 4; receiver++ {
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(m.Len() + 1), Kind: tracefmt.Send, Type: "M", Process: 1, Peer: receiver,
			Message: tracefmt.MessageID(receiver),
		})
	}
	end := func(kind tracefmt.Kind, receiver tracefmt.ProcessID, reason string) {
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(m.Len() + 1), Kind: kind, Type: "M", Process: receiver, Peer: 1, Message: tracefmt.MessageID(receiver),
			Cause: tracefmt.Seq(receiver - 1), Payload: []byte(reason),
		})
	}
	end(tracefmt.Receive, 2, "")
	end(tracefmt.Lose, 3, `{"reason":"dropped"}`)
	end(tracefmt.Lose, 4, `{"reason":"receiver crashed"}`)
	m.Finish(tracefmt.Quiescent)
	o := story.Options{View: view.View{Processes: []bool{false, true, false, false, false}}}
	d := build(t, sequenceDiagram, m, o)
	for id, want := range map[string]struct {
		style *drawing.Style
		tip   string
	}{
		"m1": {borderLine, "M from a to b: sent at t = 0 (event 1), to a process that is not shown"},
		"m2": {lostBorderLine, "M from a to c: sent at t = 0 (event 2), lost on the way to a process that is not shown"},
		"m3": {lostBorderLine, "M from a to d: sent at t = 0 (event 3), lost since the receiver is down, a process that is not shown"},
	} {
		if p := pathOf(t, d, id); p.Style != want.style || p.Tip != want.tip {
			t.Errorf("%s: %s, %q; want %s, %q", id, p.Style.Name, p.Tip, want.style.Name, want.tip)
		}
	}
	crosses := 0
	for _, p := range d.Layers[Marks].Paths {
		if p.Style == crossMark {
			crosses++
		}
	}
	if crosses < 2 {
		t.Errorf("%d crosses, want those of two messages", crosses)
	}
}
