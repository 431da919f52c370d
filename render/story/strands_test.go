package story

import (
	"context"
	"fmt"
	"testing"

	"etrace/tracefmt"
)

// ringRun is a ring of three, on which 1 and 3 begin something at once that goes
// round; 2 begins something, too, once it has sent on what it received.
func ringRun() *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Delays, Traits: []string{tracefmt.OnRing},
		Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}, {Name: "3", Position: 3}},
	})
	sends := make(map[tracefmt.MessageID]tracefmt.Event)
	add := func(time tracefmt.Time, kind tracefmt.Kind, p, q tracefmt.ProcessID, message tracefmt.MessageID) {
		e := tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Time: time * tracefmt.Unit, Kind: kind, Process: p, Peer: q, Message: message}
		if message > 0 {
			e.Type = "M"
		}
		if kind == tracefmt.Send {
			sends[message] = e
		}
		if kind == tracefmt.Receive {
			e.Cause = sends[message].Seq
		}
		m.Write(&e)
	}
	add(0, tracefmt.Send, 1, 2, 1)
	add(0, tracefmt.Send, 3, 1, 2)
	add(1, tracefmt.Receive, 2, 1, 1)
	add(1, tracefmt.Suspect, 2, 3, 0) // on the way to a successor
	add(1, tracefmt.Send, 2, 3, 3)
	add(1, tracefmt.Suspect, 2, 1, 0) // for itself
	add(1, tracefmt.Send, 2, 3, 4)
	add(1, tracefmt.Receive, 1, 3, 2)
	add(1, tracefmt.Send, 1, 2, 5)
	add(2, tracefmt.Receive, 3, 2, 3)
	add(3, tracefmt.Send, 3, 1, 6) // later: not what it received
	m.Finish(tracefmt.Stopped)
	return m
}

func TestStrands(t *testing.T) {
	rec := ringRun()
	s, err := Read(context.Background(), rec, Options{})
	if err != nil {
		t.Fatal(err)
	}
	begun := make(map[int64]tracefmt.ProcessID) // by seq
	for _, st := range s.Steps {
		if st.Kind == tracefmt.Send || st.Kind == tracefmt.Receive {
			begun[int64(st.Seq)] = s.Strands()[st.Strand-1]
		}
	}
	if got := fmt.Sprint(begun); got != "map[1:1 2:3 3:1 5:1 7:2 8:3 9:3 10:1 11:3]" {
		t.Errorf("who began the message, by event: %s", got)
	}
	rec.Run().Token = []string{"M"}
	s, err = Read(context.Background(), rec, Options{})
	if err != nil || s.Strands() != nil {
		t.Errorf("strands %v of a token that goes round, %v", s.Strands(), err)
	}
	rec.Run().Token, rec.Run().Traits = nil, nil
	s, err = Read(context.Background(), rec, Options{})
	if err != nil || s.Strands() != nil {
		t.Errorf("strands %v of a run that is not on a ring, %v", s.Strands(), err)
	}
}
