package property_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/tracefmt"
)

// story makes a run of n events of five processes that never ends wrongly, of
// the events of one round after the other.
func story(n int, problem string, round func(i int, tell func(tracefmt.Event))) *tracefmt.Memory {
	run := tracefmt.Run{Completeness: recordedWhole, Problem: problem, TimeUnit: tracefmt.Delays}
	for i := range 5 {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint(i + 1), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	for i := 1; m.Len() < n; i++ {
		round(i, func(e tracefmt.Event) {
			e.Seq, e.Time = tracefmt.Seq(m.Len()+1), tracefmt.Time(m.Len())*1000
			_ = m.Write(&e) // a Memory takes every event
		})
	}
	m.Finish(tracefmt.Stopped)
	return m
}

func operationEvent(kind tracefmt.Kind, p tracefmt.ProcessID, name, payload string) tracefmt.Event {
	return tracefmt.Event{Kind: kind, Process: p, Type: name, Payload: []byte(payload)}
}

// stories are long runs, each for the properties that it is examined for.
var stories = []struct {
	problem, names string
	events         int
	round          func(i int, tell func(tracefmt.Event))
}{
	{"mutex", "mutual-exclusion no-starvation bounded-bypass(9) request-order-fairness", 1_000_000, func(i int, tell func(tracefmt.Event)) {
		p := tracefmt.ProcessID(i%5 + 1)
		for _, label := range []string{"request", "enter", "exit"} {
			tell(note(p, label, "{}"))
		}
	}},
	{
		"broadcast",
		"broadcast-validity broadcast-agreement broadcast-no-duplication broadcast-no-creation " +
			"broadcast-fifo-order broadcast-causal-order broadcast-total-order", 1_000_000,
		func(i int, tell func(tracefmt.Event)) {
			id := fmt.Sprintf(`{"m":%d}`, i)
			tell(note(tracefmt.ProcessID(i%5+1), "broadcast", id))
			for p := tracefmt.ProcessID(1); p <= 5; p++ {
				tell(note(p, "deliver", id))
			}
		},
	},
	{
		"", "raft-leader-append-only raft-leader-completeness raft-log-matching raft-state-machine-safety", 1_000_000,
		func(i int, tell func(tracefmt.Event)) {
			if i == 1 {
				tell(assign(1, `{"role":"leader","term":1}`))
			}
			for p := tracefmt.ProcessID(1); p <= 3; p++ {
				tell(assign(p, fmt.Sprintf(`{"log[%d]":{"term":1,"set":%d},"term":1}`, i, i)))
				tell(assign(p, fmt.Sprintf(`{"commit":%d}`, i)))
			}
		},
	},
	// Two clients that meet, then one alone.
	{"", "linearizability", 1_000_000, func(i int, tell func(tracefmt.Event)) {
		value := fmt.Sprintf(`{"value":%d}`, i)
		tell(operationEvent(tracefmt.Invoke, 1, "write", value))
		tell(operationEvent(tracefmt.Invoke, 2, "read", `{}`))
		tell(operationEvent(tracefmt.Return, 2, "read", value))
		tell(operationEvent(tracefmt.Return, 1, "write", `{}`))
		tell(operationEvent(tracefmt.Invoke, 3, "read", `{}`))
		tell(operationEvent(tracefmt.Return, 3, "read", value))
	}},
}

func BenchmarkProtocols(b *testing.B) {
	for _, s := range stories {
		m := story(s.events, s.problem, s.round)
		for _, name := range strings.Fields(s.names) {
			properties, err := property.Builtin().Named(name)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name, func(b *testing.B) { benchmarkCheck(b, m, properties) })
		}
	}
}

// TestStories: what is measured is examined.
func TestStories(t *testing.T) {
	for _, s := range stories {
		for _, r := range check(t, story(100, s.problem, s.round), true, strings.Fields(s.names)...).Results {
			if r.Verdict != analyze.HoldsSoFar && r.Verdict != analyze.Pending && r.Property.Name != "raft-leader-completeness" {
				t.Errorf("%s is %s: %s", r.Property.Name, r.Verdict, r.Explanation)
			}
		}
	}
}
