package property_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/tracefmt"
)

// writers is a run in which n writes stay open, and then something is read
// that none of them writes: to be sure of that, all orders must be tried.
func writers(n int) *tracefmt.Memory {
	return story(n+2, "", func(i int, tell func(tracefmt.Event)) {
		if i <= n {
			tell(operationEvent(tracefmt.Invoke, 1, "write", fmt.Sprintf(`{"value":%d,"op":%d}`, i, i)))
			return
		}
		tell(operationEvent(tracefmt.Invoke, 2, "read", `{}`))
		tell(operationEvent(tracefmt.Return, 2, "read", `{"value":0}`))
	})
}

// TestLinearizabilityTimeLimit: a search that would take ages ends undecided,
// soon after its time.
func TestLinearizabilityTimeLimit(t *testing.T) {
	properties, err := property.Builtin().Named("linearizability")
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]analyze.Verdict{6: analyze.Violated, 60: analyze.Unknown} {
		start := time.Now()
		report, err := analyze.Check(writers(n), properties, analyze.Options{TimeLimit: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		r := report.Results[0]
		if r.Verdict != want || want == analyze.Unknown && !strings.Contains(r.Explanation, "the time is spent") {
			t.Errorf("%d writers: %s: %s, want %s", n, r.Verdict, r.Explanation, want)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%d writers took %v", n, took)
		}
	}
}
