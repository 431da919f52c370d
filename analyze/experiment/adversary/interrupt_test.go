package adversary_test

import (
	"context"
	"strings"
	"testing"

	"etrace/analyze/experiment/adversary"
	"etrace/analyze/experiment/sweep"
	"etrace/record/scenario"
)

// interruptedSweep searches the worst ring of Chang and Roberts in cells of 4 and n processes, and stops after
// the given number of thousandths of a cell.
func interruptedSweep(t *testing.T, n string, thousandths, maxRuns int) (*adversary.Table, error) {
	t.Helper()
	g := &sweep.Grid{Base: &scenario.Scenario{}, Free: true}
	for _, axis := range [][2]string{{"algorithm", "chang-roberts"}, {"nodes", "4," + n}, {"start", "all"}} {
		if err := g.Add(axis[0], axis[1]); err != nil {
			t.Fatal(err)
		}
	}
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return adversary.Sweep(ctx, p, adversary.Options{Measure: "type.election", MaxRuns: maxRuns, Workers: 1, Progress: func(done, _ int) {
		if done >= thousandths {
			cancel()
		}
	}})
}

// TestInterrupted: what was seen when the context ends is the result, beside the cells that were
// searched whole: 1 + 2 + 3 + 4 probes are proven, and of n processes no more than n(n+1)/2 seen. It is
// a whole run, so that its recording has the value.
func TestInterrupted(t *testing.T) {
	for _, tt := range []struct {
		n       string
		limit   int64
		maxRuns int
	}{{"8", 36, 10_000}, {"12", 78, 2000}} {
		table, err := interruptedSweep(t, tt.n, 1300, tt.maxRuns)
		if err != nil || len(table.Rows) != 2 {
			t.Fatalf("n = %s: %d rows, %v", tt.n, len(table.Rows), err)
		}
		first, second := &table.Rows[0], &table.Rows[1]
		if !first.Proven || first.Interrupted || first.Value != 10 {
			t.Errorf("n = 4: %d, %s, want 10, proven", first.Value, first.Known())
		}
		// The moment of the interrupt varies: the bounds are those of any complete run.
		if second.Known() != "largest seen, interrupted" || second.Value < 2*8-1 || second.Value > tt.limit || second.Recording == nil {
			t.Errorf("n = %s: %d, %s", tt.n, second.Value, second.Known())
		}
		if table.Whole() || table.Interrupted != "interrupted when 1 of 2 cells had been searched" {
			t.Errorf("n = %s: %q", tt.n, table.Interrupted)
		}
	}
}

// TestInterruptedAtOnce: what saw nothing has no result.
func TestInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := scenario.Parse("", []byte("algorithm: chang-roberts\nids: 1-9\nstart: all"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := adversary.Search(ctx, s, adversary.Options{Orders: true}); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("got %v", err)
	}
}

// TestEnough: for nine processes a proof visits 8! = 40320 orders of the ring. An interrupted search has no
// such line.
func TestEnough(t *testing.T) {
	for _, tt := range []struct {
		maxRuns int
		says    bool
	}{{100, true}, {1000, false}} {
		table, err := interruptedSweep(t, "5", 1<<30, tt.maxRuns)
		if tt.says {
			table, err = interruptedSweep(t, "9", 1<<30, tt.maxRuns)
		}
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := table.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "a proof goes through all orders of the ring: --max-runs 40320 or more"); got != tt.says {
			t.Errorf("--max-runs %d: says it: %v\n%s", tt.maxRuns, got, &b)
		}
	}
}
