package record_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"etrace/record"
	"etrace/tracefmt"
)

// The receiver's clock passes the sender's (Lamport 1978, IR2); a receiver that
// is ahead just counts on; a loss and the environment leave all clocks alone.
func TestClocks(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{})
	r := record.New(m, 2)
	for range 5 {
		r.Local(0, tracefmt.State, 1, 0, "", []byte("{}"))
	}
	ahead := r.Send(1, 1, 2, "M", 0, nil)
	behind := r.Send(1, 2, 1, "M", 0, nil)
	r.Receive(2, ahead, nil)
	r.Receive(2, behind, nil)
	r.Environment(3, tracefmt.Partition, "", []byte(`{"groups":[]}`))
	lost := r.Send(3, 1, 2, "M", 4, nil)
	r.Lose(3, lost, "dropped")
	r.Local(4, tracefmt.State, 2, 0, "", []byte("{}"))
	var got []int64
	for e := range m.Events(6) {
		got = append(got, e.Lamport)
	}
	// send 6, send 1, receive max(1,6)+1, receive max(6,1)+1, none, send 8, lose 8+1, next of 2.
	if want := "[6 1 7 7 0 8 9 8]"; fmt.Sprint(got) != want {
		t.Errorf("clocks %v, want %s", got, want)
	}
	if lose := m.At(12); lose.Term != 4 || lose.Cause != lost.Seq || lose.Peer != 1 || string(lose.Payload) != `{"reason":"dropped"}` {
		t.Errorf("loss %+v", lose)
	}
}

type failing struct{ left int }

func (f *failing) Write(*tracefmt.Event) error {
	f.left--
	if f.left < 0 {
		return errors.New("full")
	}
	return nil
}

// The first error stays; what was not recorded is not counted.
func TestError(t *testing.T) {
	sink := &failing{left: 2}
	r := record.New(sink, 1)
	for range 5 {
		r.Local(0, tracefmt.State, 1, 0, "", []byte("{}"))
	}
	if r.Err() == nil || r.Seq() != 2 || sink.left != -1 {
		t.Errorf("error %v after seq %d, the sink was asked %d times in vain", r.Err(), r.Seq(), -sink.left)
	}
}

// TestUnknownProcess: what names a process that the run does not have is an error, which stays.
func TestUnknownProcess(t *testing.T) {
	known := record.Sent{Message: 1, Seq: 1, From: 1, To: 2}
	for name, write := range map[string]func(r *record.Recorder, p tracefmt.ProcessID){
		"local":            func(r *record.Recorder, p tracefmt.ProcessID) { r.Local(0, tracefmt.Start, p, 0, "", nil) },
		"suspected":        func(r *record.Recorder, p tracefmt.ProcessID) { r.Local(0, tracefmt.Suspect, 1, p-1, "", nil) },
		"sender":           func(r *record.Recorder, p tracefmt.ProcessID) { r.Send(0, p, 1, "M", 0, nil) },
		"receiver":         func(r *record.Recorder, p tracefmt.ProcessID) { r.Send(0, 1, p, "M", 0, nil) },
		"receive by":       func(r *record.Recorder, p tracefmt.ProcessID) { s := known; s.To = p; r.Receive(0, s, nil) },
		"receive from":     func(r *record.Recorder, p tracefmt.ProcessID) { s := known; s.From = p; r.Receive(0, s, nil) },
		"lost for":         func(r *record.Recorder, p tracefmt.ProcessID) { s := known; s.To = p; r.Lose(0, s, "dropped") },
		"term":             func(r *record.Recorder, p tracefmt.ProcessID) { r.SetTerm(p, 1) },
		"asked for a term": func(r *record.Recorder, p tracefmt.ProcessID) { r.Term(p) },
	} {
		for _, p := range []tracefmt.ProcessID{-1, 4} {
			m := tracefmt.NewMemory(tracefmt.Run{})
			r := record.New(m, 2)
			write(r, p)
			if err := r.Err(); err == nil || !strings.Contains(err.Error(), "expected one of 1 to 2") {
				t.Errorf("%s of process %d: error %v", name, p, err)
			}
			if r.Local(0, tracefmt.Start, 1, 0, "", nil); m.Len() != 0 {
				t.Errorf("%s of process %d: %d events are recorded after the error", name, p, m.Len())
			}
		}
	}
}
