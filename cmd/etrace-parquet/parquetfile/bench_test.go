package parquetfile_test

import (
	"bytes"
	"fmt"
	"testing"

	"etrace/cmd/etrace-parquet/parquetfile"
	"etrace/tracefmt"
)

// random is a run of n events of messages between 16 processes, with payloads that differ.
func random(n int) *tracefmt.Memory {
	run := tracefmt.Run{TimeUnit: tracefmt.Nanoseconds, Source: "recorded"}
	for i := range 16 {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprintf("node-%d", i), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	x := uint64(1)
	for i := 1; i <= n; i += 2 {
		x = x*6364136223846793005 + 1442695040888963407
		from, to := tracefmt.ProcessID(1+x>>33%16), tracefmt.ProcessID(1+x>>40%16)
		payload := fmt.Appendf(nil, `{"term":%d,"value":%d,"ok":%v}`, i/1000, x>>44, x>>63 == 1)
		e := tracefmt.Event{
			Seq: tracefmt.Seq(i), Time: tracefmt.Time(1_700_000_000_000_000_000 + int64(i)*1000 + int64(x>>54)), Kind: tracefmt.Send, Process: from, Peer: to,
			Type: [...]string{"APPEND", "VOTE", "PING"}[x>>60%3], Message: tracefmt.MessageID(i/2 + 1), Lamport: int64(i), Term: int64(i / 1000), Payload: payload,
		}
		_ = m.Write(&e) // memory takes everything
		e.Seq, e.Time, e.Cause, e.Kind, e.Process, e.Peer, e.Lamport = e.Seq+1, e.Time+500, e.Seq, tracefmt.Receive, to, from, e.Lamport+1
		_ = m.Write(&e)
	}
	_ = m.Finish(tracefmt.Stopped)
	return m
}

const benchEvents = 500_000

func write(tb testing.TB, runs ...tracefmt.Recording) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := parquetfile.NewWriter(&b)
	for _, run := range runs {
		if err := tracefmt.Copy(w, run, nil); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func BenchmarkWrite(b *testing.B) {
	run := random(benchEvents)
	b.ReportAllocs()
	for b.Loop() {
		size := len(write(b, run))
		b.ReportMetric(float64(size)/benchEvents, "B/event")
	}
	b.ReportMetric(benchEvents*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkRead(b *testing.B) {
	file := write(b, random(benchEvents))
	b.ReportAllocs()
	for b.Loop() {
		f, err := parquetfile.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range f.Runs()[0].Events(1) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != benchEvents {
			b.Fatal(n)
		}
	}
	b.ReportMetric(benchEvents*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
