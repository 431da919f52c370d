package replay_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"etrace/fixtures/size"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// traffic is a run of n processes that send to each other, receive, change
// variables and set timers.
func traffic(b testing.TB, n, events int, write func(*tracefmt.Event) error) {
	b.Helper()
	for i := range events {
		round := i / 4
		p := tracefmt.ProcessID(round%n + 1)
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(round) * tracefmt.Unit, Lamport: int64(i + 1), Process: p}
		message := tracefmt.MessageID(round + 1)
		switch i % 4 {
		case 0:
			e.Kind, e.Peer, e.Message, e.Type = tracefmt.Send, p%tracefmt.ProcessID(n)+1, message, "TOKEN"
			e.Payload = payload(`{"id":%d,"hops":%d,"text":"a payload of a usual size"}`, round, i)
		case 1:
			e.Kind, e.Process, e.Peer, e.Message, e.Type, e.Cause = tracefmt.Receive, p%tracefmt.ProcessID(n)+1, p, message, "TOKEN", e.Seq-1
		case 2:
			e.Kind, e.Payload = tracefmt.State, payload(`{"elected":%d,"round":%d}`, round%n+1, round)
		case 3:
			e.Kind, e.Type, e.Payload = tracefmt.SetTimer, "answer", payload(`{"due":%d}`, i)
		}
		if err := write(&e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	size.Processes(b, func(b *testing.B, n int) {
		mem := tracefmt.NewMemory(*newRun(n))
		traffic(b, n, 100_000, mem.Write)
		b.ReportAllocs()
		s := replay.NewState(mem.Run())
		for i := 0; b.Loop(); i++ {
			s.Apply(mem.At(tracefmt.Seq(i%mem.Len() + 1)))
		}
	})
}

// trafficDB is a trace with such a run.
func trafficDB(b *testing.B, n, events int) tracefmt.Recording {
	b.Helper()
	path := filepath.Join(b.TempDir(), "trace.db")
	w, err := tracedb.OpenAppend(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Begin(newRun(n)); err != nil {
		b.Fatal(err)
	}
	traffic(b, n, events, w.Write)
	if err := w.Finish(tracefmt.Stopped); err != nil {
		b.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		b.Fatal(err)
	}
	db, err := tracedb.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	rec, err := db.Recording(1)
	if err != nil {
		b.Fatal(err)
	}
	return rec
}

// BenchmarkCursor measures moves in a run of a million events that is read
// from the database: the first pass, and what follows it.
func BenchmarkCursor(b *testing.B) { size.Processes(b, benchmarkCursor) }

func benchmarkCursor(b *testing.B, n int) {
	const events = 1_000_000
	rec := trafficDB(b, n, events)
	b.Run("pass of the state alone", func(b *testing.B) {
		for b.Loop() {
			s := replay.NewState(rec.Run())
			for e, err := range rec.Events(1) {
				if err != nil {
					b.Fatal(err)
				}
				s.Apply(e)
			}
		}
	})
	b.Run("first pass", func(b *testing.B) {
		for b.Loop() {
			if err := replay.NewCursor(rec).SeekEnd(); err != nil {
				b.Fatal(err)
			}
		}
	})
	c := replay.NewCursor(rec)
	if err := c.SeekEnd(); err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, move := range []struct {
		name string
		do   func() error
	}{
		{"seek", func() error { return c.Seek(tracefmt.Seq(random.Int64N(events) + 1)) }},
		{"back", func() error { _, err := c.Back(); return err }},
		{"time", func() error { return c.SeekTime(tracefmt.Time(random.Int64N(events/4)) * tracefmt.Unit) }},
	} {
		b.Run(move.name, func(b *testing.B) {
			if err := c.Seek(events / 2); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := move.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
