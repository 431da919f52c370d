package sweep_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"etrace/analyze/experiment/sweep"
)

// interruptedSweep runs Le Lann's algorithm on all 1, 2, 6, 24, 120 and 720 rings of 2 to 7 processes, and
// stops after the given number of runs.
func interruptedSweep(t *testing.T, runs int64) (*sweep.Table, error) {
	t.Helper()
	g := axes(t, "algorithm", "le-lann", "nodes", "2..7", "order", "all", "start", "all")
	g.Measures = []string{"messages"}
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if runs == 0 {
		cancel()
	}
	return p.Run(ctx, sweep.Options{Workers: 1, Progress: func(done int64) {
		if done >= runs {
			cancel()
		}
	}})
}

// TestInterrupted: 1 + 2 + 6 + 24 = 33 runs are the first four cells. The table has the same rows for them as a
// complete sweep, and names the missing runs of the others. Formulas use only complete cells.
func TestInterrupted(t *testing.T) {
	table, err := interruptedSweep(t, 60)
	if err != nil {
		t.Fatal(err)
	}
	if table.Whole() {
		t.Error("the table says that it is whole")
	}
	want := "interrupted: 4 of 6 cells are complete; begun, with the runs that were made: nodes 6; without a run: nodes 7"
	if got := table.Unfinished(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i, n := range []int64{2, 3, 4, 5} {
		c := &table.Cells[i]
		if m := c.Measure("messages"); !c.Exact() || m.Min != n*n || m.Max != n*n {
			t.Errorf("n = %d: exact %v, %d to %d messages, want %d", n, c.Exact(), m.Min, m.Max, n*n)
		}
	}
	// The context is asked between runs, so at least the runs before the limit were made.
	if c := &table.Cells[4]; c.Whole() || c.Runs < 60-33 {
		t.Errorf("n = 6: %d of %d runs", c.Runs, c.Of)
	}
	if s := table.NumericSequences("messages", sweep.Mean); len(s) != 1 || len(s[0].Points) != 4 {
		t.Errorf("formulas are about %v, want the 4 cells that are complete", s)
	}
	var b strings.Builder
	f, _ := sweep.Formats().Lookup("text")
	if err := f.Write(&b, table); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "\n6      ") || strings.Contains(got, "\n7") || !strings.Contains(got, "\n"+want+"\n") {
		t.Errorf("got\n%swant a row of 6, none of 7, and %q", got, want)
	}
}

// TestInterruptedAtOnce: without a run there is no table.
func TestInterruptedAtOnce(t *testing.T) {
	if table, err := interruptedSweep(t, 0); table != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", table, err)
	}
}

// TestInterruptedAtTheEnd: of a sweep whose last run is made nothing is missing.
func TestInterruptedAtTheEnd(t *testing.T) {
	table, err := interruptedSweep(t, 1+2+6+24+120+720)
	if err != nil || !table.Whole() || table.Interrupted || table.Unfinished() != "" {
		t.Errorf("got %v, %v", table, err)
	}
}
