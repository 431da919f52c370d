package diagram

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/story"
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
		for j, other := range s.losses {
			if apart && i < j && math.Abs(at.X-other.X) < 9 && math.Abs(at.Y-other.Y) < 9 {
				t.Fatalf("of %d processes seq %d and %d are lost at %v and %v", len(s.story.Order), st.Seq, s.story.Steps[j].Seq, at, other)
			}
		}
	}
}
