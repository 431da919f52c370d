package property_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// longRun makes a run of about this many events: the leader of n processes pings its followers forever.
// a quarter of the events sends, a quarter receives, a quarter state, payloads of 20 to 30 bytes.
func longRun(n, events int) *tracefmt.Memory {
	run := tracefmt.Run{Problem: "election", TimeUnit: tracefmt.Delays}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	leader := tracefmt.ProcessID(n)
	m := tracefmt.NewMemory(run)
	write := func(e tracefmt.Event) tracefmt.Seq {
		e.Seq, e.Time = tracefmt.Seq(m.Len()+1), tracefmt.Time(m.Len())*1000
		_ = m.Write(&e) // a Memory takes every event
		return e.Seq
	}
	for p := range n {
		write(tracefmt.Event{Kind: tracefmt.Start, Process: tracefmt.ProcessID(p + 1), Payload: []byte(`{"elected":null}`)})
	}
	write(tracefmt.Event{Kind: tracefmt.State, Process: leader, Payload: fmt.Appendf(nil, `{"elected":%d}`, n)})
	for id := tracefmt.MessageID(1); m.Len() < events; id++ {
		receiver := tracefmt.ProcessID(id%tracefmt.MessageID(n-1) + 1)
		payload := fmt.Appendf(nil, `{"round":%d,"leader":%d}`, id, n)
		sent := write(tracefmt.Event{Kind: tracefmt.Send, Process: leader, Peer: receiver, Type: "PING", Message: id, Payload: payload})
		write(tracefmt.Event{Kind: tracefmt.SetTimer, Process: leader, Type: "ping", Payload: []byte(`{"due":1000000}`)})
		write(tracefmt.Event{Kind: tracefmt.Receive, Process: receiver, Peer: leader, Type: "PING", Message: id, Cause: sent, Payload: payload})
		write(tracefmt.Event{Kind: tracefmt.State, Process: receiver, Payload: fmt.Appendf(nil, `{"elected":%d,"round":7}`, n)})
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// BenchmarkBare is the pass without properties, over the run on which most are measured: as it
// is declared, recorded whole, and undeclared.
func BenchmarkBare(b *testing.B) {
	size.Processes(b, func(b *testing.B, n int) { benchmarkBare(b, costRuns[0].make(n, manyEvents)) })
}

func benchmarkBare(b *testing.B, m *tracefmt.Memory) {
	b.Run("declared", func(b *testing.B) { benchmarkCheck(b, m, nil) })
	for _, d := range declarations {
		if d.name == "all" || d.name == "undeclared" {
			b.Run(d.name, func(b *testing.B) { benchmarkCheck(b, declaring(b, m, d.source, d.tells), nil) })
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	const events = 1_000_000
	b.Run("all", func(b *testing.B) {
		size.Processes(b, func(b *testing.B, n int) { benchmarkCheck(b, longRun(n, events), unbound()) })
	})
	m := longRun(16, events)
	for _, p := range unbound() {
		b.Run(p.Name, func(b *testing.B) { benchmarkCheck(b, m, []*analyze.Property{p}) })
	}
}

func benchmarkCheck(b *testing.B, m *tracefmt.Memory, properties []*analyze.Property) {
	var before, after runtime.MemStats
	b.ReportAllocs()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		report, err := analyze.Check(m, properties, analyze.Options{})
		if err != nil || report.Verdict == analyze.Violated {
			b.Fatal(report, err)
		}
	}
	runtime.ReadMemStats(&after)
	events := float64(b.N) * float64(m.Len())
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/events, "ns/event")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/events, "B/event")
}
