package render_test

import (
	"os"
	"path/filepath"
	"testing"

	"etrace/tracefmt"
)

// load reads a recording of testdata.
func load(t testing.TB, name string) *tracefmt.Memory {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := tracefmt.ReadMemory(f)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%s: %d runs, %v, expected one", name, len(runs), err)
	}
	m := runs[0]
	if err := tracefmt.Validate(m); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

// recordings are the runs of testdata.
var recordings = []string{"bully", "chang-roberts", "faults", "hostile", "operations", "partial"}

// storm makes a run in which n processes gossip until there are that many
// events: every message is answered by one to another process.
func storm(n, events int) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{Algorithm: "gossip", TimeUnit: tracefmt.Delays, End: tracefmt.Stopped, Members: members(n)})
	lamport := make([]int64, n+1)
	seq, message := tracefmt.Seq(0), tracefmt.MessageID(0)
	write := func(e tracefmt.Event) tracefmt.Seq {
		seq++
		e.Seq = seq
		m.Write(&e)
		return seq
	}
	type flight struct {
		send tracefmt.Event
		at   tracefmt.Seq
	}
	var now, next []flight
	send := func(at tracefmt.Time, from, to int) {
		message++
		lamport[from]++
		e := tracefmt.Event{
			Time: at, Kind: tracefmt.Send, Process: tracefmt.ProcessID(from), Peer: tracefmt.ProcessID(to),
			Type: [...]string{"RUMOUR", "ACK", "PULL"}[int(message)%3], Message: message, Lamport: lamport[from], Payload: []byte(`{"id":5}`),
		}
		next = append(next, flight{e, write(e)})
	}
	for p := 1; p <= n; p++ {
		send(0, p, p%n+1)
	}
	for at := tracefmt.Unit; int(seq) < events; at += tracefmt.Unit {
		now, next = next, now[:0]
		for i, f := range now {
			to := int(f.send.Peer)
			lamport[to] = max(lamport[to], f.send.Lamport) + 1
			e := f.send
			e.Kind, e.Process, e.Peer, e.Cause, e.Time, e.Lamport = tracefmt.Receive, f.send.Peer, f.send.Process, f.at, at, lamport[to]
			write(e)
			if i%9 == 0 {
				write(tracefmt.Event{
					Time: at, Kind: tracefmt.State, Process: e.Process, Lamport: lamport[to],
					Payload: []byte(`{"elected":3,"round":17}`),
				})
			}
			send(at, to, (to+i*7+int(at/tracefmt.Unit))%n+1)
		}
	}
	m.Finish(tracefmt.Stopped)
	return m
}

func members(n int) []tracefmt.Member {
	list := make([]tracefmt.Member, n)
	for i := range list {
		list[i] = tracefmt.Member{Name: string(rune('A'+i%26)) + string(rune('0'+i/26)), Position: i + 1}
	}
	return list
}
