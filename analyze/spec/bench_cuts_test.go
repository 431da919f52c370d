package spec_test

import (
	"fmt"
	"strconv"
	"testing"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// terms makes a run of five servers that lead for a term, one after the other:
// it sends that to all others, which follow it. talk: the messages arrive.
func terms(rounds int, talk bool) *tracefmt.Memory {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays}
	for i := range 5 {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	message := tracefmt.MessageID(0)
	write := func(e tracefmt.Event) tracefmt.Seq {
		e.Seq = tracefmt.Seq(m.Len() + 1)
		_ = m.Write(&e) // a Memory takes every event
		return e.Seq
	}
	for term := range rounds {
		leader := tracefmt.ProcessID(term%5 + 1)
		write(tracefmt.Event{Kind: tracefmt.State, Process: leader, Payload: fmt.Appendf(nil, `{"role":"leader","term":%d}`, term)})
		for q := tracefmt.ProcessID(1); q <= 5; q++ {
			if q == leader {
				continue
			}
			message++
			sent := write(tracefmt.Event{Kind: tracefmt.Send, Process: leader, Peer: q, Type: "APPEND", Message: message})
			if talk {
				write(tracefmt.Event{Kind: tracefmt.Receive, Process: q, Peer: leader, Type: "APPEND", Message: message, Cause: sent})
			}
			write(tracefmt.Event{Kind: tracefmt.State, Process: q, Payload: fmt.Appendf(nil, `{"role":"follower","term":%d}`, term)})
		}
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// BenchmarkCuts measures rules that relate processes in a cut, on a run and on one twice
// as long: an event costs the same.
func BenchmarkCuts(b *testing.B) {
	for _, test := range []struct{ name, rule string }{
		{"possibly", `never possibly leads(p) and leads(q) and term(p) == term(q) for p < q`},
		{"definitely", `never definitely leads(p) and leads(q) and term(p) == term(q) for p < q`},
		{"order", `never possibly leads(p) and not leads(q) and term(p) < term(q) and elected(p) == q for p != q`},
		{"three", `never possibly leads(p) and leads(q) and leads(r) and term(p) == term(q) and term(q) == term(r) for p < q and q < r`},
	} {
		properties, err := spec.Parse("test", test.rule, spec.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, rounds := range []int{8_000, 16_000} {
			for _, talk := range []bool{true, false} {
				m := terms(rounds, talk)
				b.Run(fmt.Sprintf("%s/events=%d/talk=%t", test.name, m.Len(), talk), func(b *testing.B) {
					for b.Loop() {
						report, err := analyze.Check(m, properties, analyze.Options{})
						if err != nil {
							b.Fatal(err)
						}
						if r := report.Results[0]; r.Verdict == analyze.Unknown {
							b.Log(r.Explanation)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m.Len()), "ns/event")
				})
			}
		}
	}
}
