package property_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/property"
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
		r := checkHistory(t, writers(test.writers), test.maxSteps)
		if r.Verdict != test.want || !strings.Contains(r.Explanation, test.explains) {
			t.Errorf("%d writers, at most %d steps: %s: %s, want %s: %s", test.writers, test.maxSteps, r.Verdict, r.Explanation, test.want, test.explains)
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
