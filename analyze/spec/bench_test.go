package spec_test

import (
	"fmt"
	"strconv"
	"testing"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// longRun makes a run in which processes exchange messages, suspect one another
// and change their state, four events a round.
func longRun(rounds int) *tracefmt.Memory {
	run := tracefmt.Run{Problem: "election", TimeUnit: tracefmt.Delays}
	for i := range 16 {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	for i := range rounds {
		p, q := tracefmt.ProcessID(i%16+1), tracefmt.ProcessID(i%15+1)
		for _, e := range []tracefmt.Event{
			{Kind: tracefmt.Suspect, Process: p, Peer: q},
			{Kind: tracefmt.Send, Process: p, Peer: q, Type: "ELECTION", Message: tracefmt.MessageID(i + 1)},
			{Kind: tracefmt.Receive, Process: q, Peer: p, Type: "ELECTION", Message: tracefmt.MessageID(i + 1), Cause: tracefmt.Seq(4*i + 2)},
			{Kind: tracefmt.State, Process: p, Term: int64(i / 64), Payload: fmt.Appendf(nil, `{"elected":%d,"role":"leader"}`, i/64%16+1)},
		} {
			e.Seq, e.Time = tracefmt.Seq(m.Len()+1), tracefmt.Time(m.Len())*tracefmt.Unit
			_ = m.Write(&e) // a Memory takes every event
		}
	}
	m.Finish(tracefmt.Stopped)
	return complete(m)
}

// cheapRules are rules that allocate nothing for an event.
var cheapRules = []string{
	`unique process per term over state where elected == process`,
	`unique type among different process over send where type == "ELECTION"`,
	`each s: state(has elected) is or was preceded by state(elected = s.elected)`,
	`each r: receive was preceded by s: send(message = r.message)`,
	`each s: suspect leads to state(process = s.process, has elected) within 20 unless crash(process = s.process)`,
	`never send where not live(process) or type != "ELECTION"`,
	`at most 1000000 send per process`,
	`at most 1000000 send per process within 5`,
	`at least 1 send per process`,
	`exactly 1 send per message`,
	`eventually elected("1") == 1`,
	`never state where before(role) == "candidate" or before(elected(process)) == 99`,
	`never state where role.of == 1 or len(role) > 6`,
	`each s: suspect leads to t: send(process = s.process) leads to receive(message = t.message) within 20`,
	`each r: receive was preceded by s: send(message = r.message) was preceded by suspect(process = s.process)`,
	`each s: state was preceded by at least 1 distinct peer in send(process = s.process)`,
	`each receive was preceded by send`,
	"fluent leads(p) while live(p) and elected(p) == p\nnever count(leads) > 16",
	"fluent waits(p) from suspect to state(role == \"leader\")\nnever count(waits) > 1",
	`at end forall p in live(): elected(p) == best(live())`,
}

// TestNoAllocationPerEvent: a run that is longer by twenty thousand events takes hardly more allocations. The same
// holds for a run with complete facts for the rules.
func TestNoAllocationPerEvent(t *testing.T) {
	const rounds = 1_500
	for _, tells := range []string{"all", "all,timers=none,note=some"} {
		t.Run(tells, func(t *testing.T) {
			noAllocationPerEvent(t, rounds, telling(t, rounds, tells), telling(t, 2*rounds, tells))
		})
	}
}

// telling returns a long run that declares its completeness.
func telling(t *testing.T, rounds int, tells string) *tracefmt.Memory {
	t.Helper()
	m := longRun(rounds)
	var err error
	m.Run().Completeness, err = tracefmt.ParseCompleteness(tells)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func noAllocationPerEvent(t *testing.T, rounds int, short, long *tracefmt.Memory) {
	t.Helper()
	for _, rule := range cheapRules {
		properties, err := spec.Parse("test", rule, spec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		count := func(m *tracefmt.Memory) float64 {
			return testing.AllocsPerRun(1, func() {
				report, err := analyze.Check(m, properties, analyze.Options{})
				if err != nil || report.Verdict == analyze.Violated || report.Verdict == analyze.Vacuous {
					t.Fatal(rule, report.Results[0].Verdict, report.Results[0].Explanation, err)
				}
			})
		}
		if more := count(long) - count(short); more > float64(rounds)/100 {
			t.Errorf("%s: %v allocations more for %d events", rule, more, 4*rounds)
		}
	}
}

// BenchmarkForms measures each form over runs in memory.
func BenchmarkForms(b *testing.B) {
	for _, rounds := range []int{2_500, 25_000, 250_000} {
		m := longRun(rounds)
		b.Run(fmt.Sprint(m.Len()), func(b *testing.B) { benchmarkForms(b, m) })
	}
}

func benchmarkForms(b *testing.B, m *tracefmt.Memory) {
	for _, rule := range cheapRules {
		properties, err := spec.Parse("test", rule, spec.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(rule, func(b *testing.B) {
			for b.Loop() {
				if _, err := analyze.Check(m, properties, analyze.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m.Len()), "ns/event")
		})
	}
}
