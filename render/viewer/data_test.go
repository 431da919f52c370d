package viewer

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"etrace/render/view"
	"etrace/tracefmt"
)

// TestPlaces: a page knows the places of its events, with and without gaps in their seqs.
func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		seqs  []tracefmt.Seq
		seq   tracefmt.Seq
		place int64
		held  bool
	}{
		{[]tracefmt.Seq{3, 4, 5}, 5, 2, true},
		{[]tracefmt.Seq{3, 4, 5}, 2, 0, false},
		{[]tracefmt.Seq{3, 4, 5}, 6, 0, false},
		{[]tracefmt.Seq{3, 5, 9}, 5, 1, true},
		{[]tracefmt.Seq{3, 5, 9}, 4, 0, false},
		{nil, 1, 0, false},
	} {
		var p places
		for i, seq := range test.seqs {
			p.add(seq, int64(i))
		}
		if place, held := p.place(test.seq); held != test.held || held && place != test.place {
			t.Errorf("%v: seq %d is at %d, %v, want %d, %v", test.seqs, test.seq, place, held, test.place, test.held)
		}
	}
}

// TestStateBefore: before the window a process has the variables since its last start, and is down after a crash.
func TestStateBefore(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.State, Process: 1, Payload: []byte(`{"x":1}`)},
		{Kind: tracefmt.Start, Process: 2, Payload: []byte(`{"y":2}`)},
		{Kind: tracefmt.Crash, Process: 1},
		{Kind: tracefmt.State, Process: 2, Payload: []byte(`{"y":3}`)},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		if err := rec.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	rec.Finish(tracefmt.Stopped)
	states, err := stateBefore(context.Background(), rec, 4)
	if err != nil || len(states) != 2 {
		t.Fatalf("states %v, error %v, want those of 2 processes", states, err)
	}
	if a, b := states[1], states[2]; !a.Down || string(a.Variables["x"]) != "1" || b.Down || string(b.Variables["y"]) != "2" {
		t.Errorf("states %+v and %+v, want x = 1 of a crashed process, and y = 2", a, b)
	}
}

// TestColumnOrder: columns follow the positions of the processes, as in pictures.
func TestColumnOrder(t *testing.T) {
	for _, c := range []struct{ positions, want []int }{
		{[]int{1, 2, 3}, nil}, {[]int{0, 0, 0}, nil}, {[]int{3, 1, 2}, []int{2, 3, 1}}, {[]int{2, 1, 1}, []int{2, 3, 1}},
	} {
		var members []tracefmt.Member
		for _, p := range c.positions {
			members = append(members, tracefmt.Member{Position: p})
		}
		if got := columnOrder(members); !slices.Equal(got, c.want) {
			t.Errorf("positions %v: order %v, want %v", c.positions, got, c.want)
		}
	}
}

// TestColumns: times are differences, and a send and the receive of its message have the places of each other, whatever else
// has the send as its cause. Only the network, process 0, is never hidden.
func TestColumns(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
	})
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Send, Time: 5, Process: 1, Peer: 2, Message: 1},
		{Kind: tracefmt.Note, Time: 6, Process: 2, Cause: 1},
		{Kind: tracefmt.Receive, Time: 9, Process: 2, Peer: 1, Message: 1, Cause: 1},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		rec.Write(&e)
	}
	rec.Finish(tracefmt.Stopped)
	d, err := data(context.Background(), rec, &view.View{Processes: []bool{false, true, false}}, nil)
	if err != nil || len(d.Chunks) != 1 {
		t.Fatalf("%d chunks, %v", len(d.Chunks), err)
	}
	packed, err := gzip.NewReader(bytes.NewReader(d.Chunks[0]))
	if err != nil {
		t.Fatal(err)
	}
	var got columns
	if err := json.NewDecoder(packed).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if want := []int64{5, 1, 3}; !slices.Equal(got.Time, want) {
		t.Errorf("times %v, want %v", got.Time, want)
	}
	if want := []int64{2, 0, -2}; !slices.Equal(got.Other, want) {
		t.Errorf("other ends %v, want %v", got.Other, want)
	}
	if want := []int{2}; !slices.Equal(d.HiddenProcesses, want) {
		t.Errorf("hidden %v, want %v", d.HiddenProcesses, want)
	}
}
