package interop_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// drawRun draws the log of a run that could have been: the entries of each
// process are in their order, those of different processes in any, so that a
// receive may come before its send.
func drawRun(t *rapid.T) []interop.Entry {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
	processes := 1 + pick(4)
	logs := make([][]interop.Entry, processes)
	var open []interop.Entry
	for i := range 1 + pick(30) {
		p := pick(processes)
		name := fmt.Sprintf("n%d", p)
		kind := pick(3)
		if len(open) == 0 && kind == 1 {
			kind = 2
		}
		switch kind {
		case 0:
			e := named(send(name, fmt.Sprintf("n%d", pick(processes)), "M"), fmt.Sprint("m", i))
			logs[p] = append(logs[p], e)
			open = append(open, e)
		case 1:
			e := open[pick(len(open))] // perhaps again, a duplicate
			to := int(e.Peer[1] - '0')
			logs[to] = append(logs[to], named(receive(e.Peer, e.Process, "M"), e.Message))
		default:
			logs[p] = append(logs[p], keyed(step(name, "step"), fmt.Sprint("k", i)))
		}
	}
	var list []interop.Entry
	for tail := slices.Concat(logs...); len(list) < len(tail); {
		if p := pick(processes); len(logs[p]) > 0 {
			list = append(list, logs[p][0])
			logs[p] = logs[p][1:]
		}
	}
	for i := range list {
		list[i].Line = i + 1
	}
	return list
}

func addAll(list []interop.Entry) func(*interop.Builder) {
	return func(b *interop.Builder) {
		for _, e := range list {
			b.Add(e)
		}
	}
}

// Of a log that is complete: no event is lost, every receive finds its send, and
// the Lamport clock grows along happened-before (Lamport's clock condition).
func TestBuilderLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawRun(t)
		run, report, err := build(t, interop.Settings{Strict: true}, addAll(list))
		if err != nil {
			t.Fatal(err)
		}
		if run.Len() != len(list) {
			t.Fatalf("%d events of %d entries", run.Len(), len(list))
		}
		ends := 0
		for _, e := range list {
			if e.Kind == tracefmt.Receive {
				ends++
			}
		}
		if report.Receives != int64(ends) {
			t.Fatalf("%d receives of %d", report.Receives, ends)
		}
		clockCondition(t, run)
	})
}

func clockCondition(t fataler, run *tracefmt.Memory) {
	t.Helper()
	last := make(map[tracefmt.ProcessID]int64)
	for e := range run.Events(1) {
		for cause := range e.Causes() {
			if before := run.At(cause); e.Process != 0 && before.Lamport >= e.Lamport {
				t.Fatal(fmt.Sprintf("seq %d has clock %d, its cause seq %d has %d", e.Seq, e.Lamport, before.Seq, before.Lamport))
			}
		}
		if e.Process == 0 || e.Kind == tracefmt.Lose {
			continue
		}
		if e.Lamport <= last[e.Process] {
			t.Fatal(fmt.Sprintf("seq %d has clock %d, the event before it of its process has %d", e.Seq, e.Lamport, last[e.Process]))
		}
		last[e.Process] = e.Lamport
	}
}

// However the entries of the processes interleave in the file, the causality is
// the same, and the same entries give the same bytes each time.
func TestBuilderInterleaved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawRun(t)
		again := slices.Clone(list)
		slices.SortStableFunc(again, func(a, b interop.Entry) int { // one process after the other
			return int(a.Process[1]) - int(b.Process[1])
		})
		if first, second := clocksByLine(t, list), clocksByLine(t, again); first != second {
			t.Fatalf("Lamport clocks %s and %s", first, second)
		}
		got, _, err := importText(t, entries(addAll(list)), "", interop.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		same, _, _ := importText(t, entries(addAll(list)), "", interop.Settings{})
		if first, second := jsonLines(t, got), jsonLines(t, same); first != second {
			t.Fatalf("not the same bytes:\n%s\n%s", first, second)
		}
	})
}

func clocksByLine(t fataler, list []interop.Entry) string {
	run, _, err := build(t, interop.Settings{}, addAll(list))
	if err != nil {
		t.Fatal(err)
	}
	clocks := make([]int64, len(list)+1)
	for e := range run.Events(1) {
		log, _ := e.Field(tracefmt.LogKey)
		line, _ := (&tracefmt.Event{Payload: log}).Field("line")
		var n int
		if _, err := fmt.Sscan(string(line), &n); err != nil {
			t.Fatal(err)
		}
		clocks[n] = e.Lamport
	}
	return fmt.Sprint(clocks)
}

// FuzzBuilder makes entries of bytes: whatever a reader passes, the Builder never
// panics, and what it hands over is well-formed.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte("\x05\x01\x02\x03\x00\x00\x06\x02\x01\x03\x00\x00"))
	f.Add([]byte{5, 1, 2, 1, 9, 1, 6, 2, 1, 1, 9, 2, 6, 2, 1, 1, 9, 4, 7, 2, 1, 1, 9, 8})
	f.Add([]byte{18, 1, 0, 0, 16, 255, 18, 2, 0, 0, 33, 31, 16, 0, 0, 0, 0, 0, 13, 1, 0, 5, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		add := func(b *interop.Builder) {
			if len(data) > 0 {
				b.FirstSeen, b.ByTime, b.SkipRepeats = data[0]&1 != 0, data[0]&2 != 0, data[0]&4 != 0
			}
			for n := 1; len(data) >= 6; n++ {
				e := fuzzEntry(data[:6], n)
				if data[5]&64 != 0 {
					b.Change(e)
				} else {
					b.Add(e)
				}
				data = data[6:]
			}
		}
		preview := func(*tracefmt.Run) tracefmt.Writer { return tracefmt.Discard{} }
		got, _, err := importText(t, entries(add), "", interop.Settings{Preview: preview})
		if err != nil {
			return
		}
		for _, run := range got.Runs {
			if err := tracefmt.Validate(run); err != nil {
				t.Fatal(err)
			}
			clockCondition(t, run)
		}
	})
}

// fuzzEntry makes an entry of six bytes: kind, process, peer, type, names, clocks.
func fuzzEntry(b []byte, line int) interop.Entry {
	names := []string{"", "n1", "n2", "n10", "\xff", "a b"}
	name := func(i byte) string { return names[int(i)%len(names)] }
	e := interop.Entry{
		Kind: tracefmt.Kind(b[0] % 20), Process: name(b[1]), Peer: name(b[2]), Type: name(b[3]), Line: line,
		Fields: []interop.Field{interop.Int("n", int64(b[3]))},
	}
	if b[4]&1 != 0 {
		e.Message = name(b[4] >> 1)
	}
	if b[4]&16 != 0 {
		e.Key = name(b[4] >> 5)
	}
	if b[5]&1 != 0 {
		e.After = []string{name(b[5] >> 1), name(b[5] >> 3)}
	}
	if b[5]&2 != 0 {
		e.Own = int64(b[5] >> 3)
	}
	if b[5]&4 != 0 {
		e.Clock = []interop.Tick{{Process: e.Process, Count: int64(b[5] >> 4)}, {Process: name(b[4]), Count: int64(b[3] >> 4)}}
	}
	if b[5]&8 != 0 {
		e.Time = time.Unix(int64(b[4]), 0)
	}
	return e
}

// TestRemarkOnExecution: the remarks of a report name the beginning of a new execution.
func TestRemarkOnExecution(t *testing.T) {
	r := interop.RunReport{Begins: "at line 7"}
	want := "a new execution begins at line 7; a mapping with split would decide"
	if got := r.Remarks(); len(got) != 1 || got[0] != want {
		t.Errorf("remarks %q, want %q", got, want)
	}
}
