package render_test

import (
	"context"
	"io"
	"testing"

	"etrace/render"
	"etrace/tracefmt"
)

// token makes a run in which a token goes round among n processes until there
// are that many events: the highest of pictures, in which nothing is beside
// anything else.
func token(n, events int) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{Algorithm: "token", TimeUnit: tracefmt.Delays, End: tracefmt.Stopped, Members: members(n)})
	for seq := tracefmt.Seq(1); int(seq) < events; seq += 2 {
		round := int(seq) / 2
		from, to := tracefmt.ProcessID(round%n+1), tracefmt.ProcessID((round+1)%n+1)
		e := tracefmt.Event{
			Seq: seq, Time: tracefmt.Time(round) * tracefmt.Unit, Kind: tracefmt.Send, Process: from, Peer: to, Type: "TOKEN",
			Message: tracefmt.MessageID(round + 1), Lamport: int64(seq), Payload: []byte(`{"round":5}`),
		}
		m.Write(&e)
		e.Seq, e.Time, e.Kind, e.Process, e.Peer, e.Cause, e.Lamport = seq+1, e.Time+tracefmt.Unit, tracefmt.Receive, to, from, seq, int64(seq)+1
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	return m
}

func benchmark(b *testing.B, rec tracefmt.Recording, o render.Options) {
	for b.Loop() {
		if err := render.Render(context.Background(), io.Discard, rec, o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSVG1000(b *testing.B)       { benchmark(b, storm(8, 1_000), render.Options{}) }
func BenchmarkSVG10000(b *testing.B)      { benchmark(b, storm(8, 10_000), render.Options{}) }
func BenchmarkSVGHigh10000(b *testing.B)  { benchmark(b, token(8, 10_000), render.Options{}) }
func BenchmarkSVGWide10000(b *testing.B)  { benchmark(b, storm(256, 10_000), render.Options{}) }
func BenchmarkSVGGreat10000(b *testing.B) { benchmark(b, token(256, 10_000), render.Options{}) }
func BenchmarkPNG1000(b *testing.B)       { benchmark(b, storm(8, 1_000), render.Options{Format: "png"}) }

func BenchmarkDOT10000(b *testing.B) { benchmark(b, storm(8, 10_000), render.Options{Format: "dot"}) }

func BenchmarkDOTGreat10000(b *testing.B) {
	benchmark(b, token(256, 10_000), render.Options{Format: "dot"})
}

func BenchmarkRing1000(b *testing.B) { benchmark(b, storm(8, 1_000), render.Options{Diagram: "ring"}) }
