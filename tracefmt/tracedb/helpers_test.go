package tracedb

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

// election is a small run in which each kind of field is present somewhere
// and absent elsewhere.
func election() *tracefmt.Memory {
	seed := int64(7)
	m := tracefmt.NewMemory(tracefmt.Run{
		Name: "example", Algorithm: "bully", Problem: "election", Source: "simulated", Scenario: []byte(`{"algorithm":"bully"}`),
		Seed: &seed, TimeUnit: tracefmt.Delays, Tool: "etrace test",
		Members: []tracefmt.Member{
			{Name: "4", Position: 1},
			{Name: "p-2", Position: 2, Attributes: []byte(`{"rack":"a"}`)},
			{Name: "é", Position: 3},
		},
	})
	u := tracefmt.Unit
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Start, Process: 1, Lamport: 1},
		{Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "ELECTION", Message: 1, Lamport: 2, Term: 3, Payload: []byte(`{"from":4}`)},
		{Kind: tracefmt.Send, Process: 1, Peer: 3, Type: "ELECTION", Message: 2, Lamport: 3},
		{Kind: tracefmt.Send, Process: 1, Peer: 3, Message: 3, Lamport: 4},
		{Kind: tracefmt.Send, Process: 2, Peer: 1, Type: "OK", Message: 4, Lamport: 1, Payload: []byte(`{}`)},
		{Time: u, Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "ELECTION", Message: 1, Cause: 2, Lamport: 3, Term: 3},
		{
			Time: u, Kind: tracefmt.Lose, Process: 3, Peer: 1, Type: "ELECTION", Message: 2, Cause: 3,
			Payload: []byte(`{"reason":"receiver crashed"}`),
		},
		{Time: u, Kind: tracefmt.Lose, Process: 3, Peer: 1, Message: 3, Cause: 4, Payload: []byte(`{"reason":"dropped"}`)},
		{Time: 2 * u, Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "ELECTION", Message: 1, Cause: 2, Lamport: 4},
		{Time: 2 * u, Kind: tracefmt.Partition, Payload: []byte(`{"groups":[[1],[2]]}`)},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		m.Write(&e)
	}
	m.Finish(tracefmt.Quiescent)
	return m
}

// save appends recordings to the trace at path.
func save(path string, recordings ...*tracefmt.Memory) error {
	a, err := OpenAppend(path)
	if err != nil {
		return err
	}
	defer a.Discard()
	for _, r := range recordings {
		if err := tracefmt.Copy(a, r, nil); err != nil {
			return err
		}
	}
	return a.Commit()
}

// An Appender and a Live are sinks like any other.
var _, _ tracefmt.Sink = (*Appender)(nil), (*live)(nil)

func mustSave(t testing.TB, path string, recordings ...*tracefmt.Memory) {
	t.Helper()
	if err := save(path, recordings...); err != nil {
		t.Fatal(err)
	}
}

// collect copies what a recording yields.
func collect(r tracefmt.Recording, from tracefmt.Seq) (run tracefmt.Run, events []*tracefmt.Event, err error) {
	for e, err := range r.Events(from) {
		if err != nil {
			return *r.Run(), events, err
		}
		events = append(events, e.Clone())
	}
	return *r.Run(), events, nil
}

// load reads a run back.
func load(path string, number int) (run tracefmt.Run, events []*tracefmt.Event, err error) {
	db, err := Open(path)
	if err != nil {
		return run, nil, err
	}
	defer db.Close()
	r, err := db.Recording(number)
	if err != nil {
		return run, nil, err
	}
	return collect(r, 1)
}

// expectRun compares a run in the trace with the recording it came from.
func expectRun(t testing.TB, path string, number int, want *tracefmt.Memory) {
	t.Helper()
	run, events, err := load(path, number)
	if err != nil {
		t.Fatal(err)
	}
	wantRun, wantEvents, _ := collect(want, 1)
	wantRun.Number = number
	if diff := cmp.Diff(wantRun, run); diff != "" {
		t.Errorf("run %d (-want +got):\n%s", number, diff)
	}
	if diff := cmp.Diff(wantEvents, events); diff != "" {
		t.Errorf("events of run %d (-want +got):\n%s", number, diff)
	}
}

// expectFolder checks which files are in the folder of a test.
func expectFolder(t testing.TB, folder string, want ...string) {
	t.Helper()
	var got []string
	for _, pattern := range []string{"*", ".[a-z]*"} {
		names, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if base := filepath.Base(n); len(got) == 0 || got[len(got)-1] != base {
				got = append(got, base)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// pingPong is a run of n messages, each received at once.
func pingPong(n int) *tracefmt.Memory {
	m := tracefmt.NewMemory(
		tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}},
	)
	for i := range n {
		seq := tracefmt.Seq(2*i + 1)
		e := tracefmt.Event{
			Seq: seq, Time: tracefmt.Time(i) * tracefmt.Unit, Kind: tracefmt.Send, Process: 1, Peer: 2,
			Type: "PING", Message: tracefmt.MessageID(i + 1),
		}
		m.Write(&e)
		e.Seq, e.Kind, e.Process, e.Peer, e.Cause = seq+1, tracefmt.Receive, 2, 1, seq
		m.Write(&e)
	}
	m.Finish(tracefmt.Quiescent)
	return m
}
