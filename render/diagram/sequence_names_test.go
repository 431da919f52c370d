package diagram

import (
	"math"
	"testing"

	"etrace/render/story"
	"etrace/tracefmt"
)

// TestNames: in a high picture every event has the name of its process in the
// row of headers above it, and no name of a row is without an event below; the
// first and the last row name all processes.
func TestNames(t *testing.T) {
	const n, rounds = 40, 400
	m := tracefmt.NewMemory(tracefmt.Run{Name: "token", Algorithm: "token", TimeUnit: tracefmt.Delays, End: tracefmt.Stopped})
	for p := range n {
		m.Run().Members = append(m.Run().Members, tracefmt.Member{Name: "p" + string(rune('A'+p)), Position: p + 1})
	}
	for i := range rounds {
		seq, from := tracefmt.Seq(2*i+1), i%n
		e := tracefmt.Event{
			Seq: seq, Time: tracefmt.Time(i) * tracefmt.Unit, Kind: tracefmt.Send, Process: tracefmt.ProcessID(from + 1),
			Peer: tracefmt.ProcessID((from+1)%n + 1), Type: "TOKEN", Message: tracefmt.MessageID(i + 1), Lamport: int64(seq),
		}
		m.Write(&e)
		e.Seq, e.Kind, e.Process, e.Peer, e.Cause = seq+1, tracefmt.Receive, e.Peer, e.Process, seq
		e.Time, e.Lamport = e.Time+tracefmt.Unit, e.Lamport+1
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	st, err := story.Read(t.Context(), m, story.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := newSequence(st, Layout{})
	rows := s.named()
	names := 0
	for row := range rows {
		from, to := s.headers[row], math.Inf(1)
		if row+1 < len(rows) {
			to = s.headers[row+1]
		}
		for column, named := range rows[row] {
			events := 0
			for i := range s.story.Steps {
				if s.story.Column[s.story.Steps[i].Process] == column && from < s.y[i] && s.y[i] < to {
					events++
				}
			}
			edge := row == 0 || row == len(rows)-1
			if named != (edge || events > 0) {
				t.Errorf("row %d of %d names column %d: %v, with %d events below", row, len(rows), column, named, events)
			}
			if named {
				names++
			}
		}
	}
	if len(rows) < 10 || names > len(rows)*n*3/4 {
		t.Errorf("%d rows have %d names, want less than three quarters of all", len(rows), names)
	}
}
