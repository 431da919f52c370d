package property_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// writers is a run in which n writes stay open, two of each value, and then
// something is read that none of them writes: to be sure of that, all orders must
// be tried.
func writers(n int) *tracefmt.Memory {
	return story(n+2, "", func(i int, tell func(tracefmt.Event)) {
		if i <= n {
			tell(operationEvent(tracefmt.Invoke, 1, "write", fmt.Sprintf(`{"value":%d,"op":%d}`, (i+1)/2, i)))
			return
		}
		tell(operationEvent(tracefmt.Invoke, 2, "read", `{}`))
		tell(operationEvent(tracefmt.Return, 2, "read", `{"value":0}`))
	})
}

// TestLinearizabilityMaxSteps: a search that would take ages ends undecided
// after a number of steps, which is the same on any machine.
func TestLinearizabilityMaxSteps(t *testing.T) {
	for _, test := range []struct {
		writers  int
		maxSteps int64
		want     analyze.Verdict
		explains string
	}{
		{6, 0, analyze.Violated, "returns 0"},
		{60, 0, analyze.Unknown, "the search takes more than 2000000 steps, which --max-steps raises"},
		{6, 100, analyze.Unknown, "the search takes more than 100 steps"},
		{6, 10_000, analyze.Violated, "returns 0"},
	} {
		if test.maxSteps == 0 && size.Now() == size.Quick && test.want == analyze.Unknown {
			continue // two million steps take half a second
		}
		r := checkHistory(t, writers(test.writers), test.maxSteps)
		if r.Verdict != test.want || !strings.Contains(r.Explanation, test.explains) {
			t.Errorf("%d writers, at most %d steps: %s: %s, want %s: %s", test.writers, test.maxSteps, r.Verdict,
				r.Explanation, test.want, test.explains)
		}
	}
}

// checkHistory examines a run for linearizability.
func checkHistory(t *testing.T, m *tracefmt.Memory, maxSteps int64) *analyze.Result {
	t.Helper()
	properties, err := property.Builtin().Named("linearizability")
	if err != nil {
		t.Fatal(err)
	}
	report, err := analyze.Check(m, properties, analyze.Options{MaxSteps: maxSteps})
	if err != nil {
		t.Fatal(err)
	}
	return report.Results[0]
}

// registerRun is a run of n events in which that many clients at a time read and write
// one register, each write a value of its own. An operation takes effect when half of
// its time is over.
func registerRun(n, clients int) *tracefmt.Memory {
	type call struct {
		name, result string
		effective    bool
	}
	calls, holds, written := make([]*call, clients), "null", 0
	r := rand.New(rand.NewPCG(1, uint64(clients)))
	return story(n, "", func(_ int, tell func(tracefmt.Event)) {
		i := r.IntN(clients)
		switch c := calls[i]; {
		case c == nil && r.IntN(2) == 0:
			calls[i] = &call{name: "read"}
			tell(operationEvent(tracefmt.Invoke, 1, "read", fmt.Sprintf(`{"op":%d}`, i)))
		case c == nil:
			written++
			calls[i] = &call{name: "write", result: fmt.Sprint(written)}
			tell(operationEvent(tracefmt.Invoke, 2, "write", fmt.Sprintf(`{"op":%d,"value":%d}`, i, written)))
		case !c.effective && c.name == "write":
			c.effective, holds = true, c.result
		case !c.effective:
			c.effective, c.result = true, holds
		default:
			calls[i] = nil
			p := map[string]tracefmt.ProcessID{"read": 1, "write": 2}[c.name]
			tell(operationEvent(tracefmt.Return, p, c.name, fmt.Sprintf(`{"op":%d,"value":%s}`, i, c.result)))
		}
	})
}

// BenchmarkRegister: the cost of an event depends neither on how many there are nor on
// how many clients there are at a time.
func BenchmarkRegister(b *testing.B) {
	properties, err := property.Builtin().Named("linearizability")
	if err != nil {
		b.Fatal(err)
	}
	for _, clients := range []int{8, 512} {
		for _, events := range []int{10_000, 100_000, 1_000_000} {
			m := registerRun(events, clients)
			b.Run(fmt.Sprintf("clients=%d/events=%d", clients, events), func(b *testing.B) { benchmarkCheck(b, m, properties) })
		}
	}
}
