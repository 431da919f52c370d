package property_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/growth"
	"etrace/replay"
	"etrace/tracefmt"
)

// The sizes of the runs of the table of costs.
const (
	fewEvents  = 10_000
	manyEvents = 1_000_000
)

// arguments are those of the properties that take one.
var arguments = map[string]string{"bounded-bypass": "1000000", "messages-at-most": "1000000*n", "termination-within": "1000000000"}

// costed is a property and the run that it is measured on.
type costed struct {
	*analyze.Property
	run *costRun
}

// costedProperties are all properties, each with its run.
func costedProperties(t testing.TB) []costed {
	var found []costed
	for _, p := range property.Builtin().All() {
		name := p.Name
		if argument := arguments[name]; p.Bind != nil {
			name = fmt.Sprintf("%s(%s)", name, argument)
		}
		bound, err := property.Builtin().Named(name)
		if err != nil {
			t.Fatal(err)
		}
		run := slices.IndexFunc(costRuns, func(c costRun) bool { return slices.Contains(strings.Fields(c.names), name) })
		found = append(found, costed{bound[0], &costRuns[max(0, run)]})
	}
	return found
}

// TestCostsAreOfSomething: what is measured is examined, and nothing is wrong.
func TestCostsAreOfSomething(t *testing.T) {
	asleep := map[string]bool{"message-complexity": true} // a scenario gives the bounds
	for _, p := range costedProperties(t) {
		report := checkCost(t, p.run.make(8, 2000), p.Property)
		r := report.Results[0]
		good := r.Verdict == analyze.HoldsSoFar || r.Verdict == analyze.Pending || r.Verdict == analyze.Satisfied
		if good == asleep[r.Property.Name] || r.Examined == 0 && good {
			t.Errorf("%s is %s on its run: %s; a run in costRuns should have what it is about", r.Property.Name, r.Verdict, r.Explanation)
		}
	}
}

func checkCost(t testing.TB, rec tracefmt.Recording, properties ...*analyze.Property) *analyze.RunReport {
	report, err := analyze.Check(rec, properties, analyze.Options{Named: true})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestCosts prints the table of costs of docs/performance.md. ETRACE_COSTS=1 has it
// done, or the numbers of processes, such as ETRACE_COSTS=8,5000; -run TestCosts/fifo
// measures some of the properties.
func TestCosts(t *testing.T) {
	asked := os.Getenv("ETRACE_COSTS")
	if asked == "" {
		t.Skip("checks hundreds of runs of a million events; ETRACE_COSTS=1 has it done")
	}
	if asked == "1" {
		asked = "8,64,512,2000"
	}
	var table costTable
	for _, field := range strings.Split(asked, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < groupSize {
			t.Fatalf("ETRACE_COSTS: %q is no number of processes, expected 1 or a list of numbers from %d", field, groupSize)
		}
		table.measure(t, n)
	}
	fmt.Println(table.markdown())
}

// cost is what the check of a property costs for an event.
type cost struct {
	few, many time.Duration // of the check of runs of fewEvents and manyEvents
	kept      uint64        // bytes that the monitor keeps at the end of the long run
}

// text formats the cost of an event, and the exponent of the time of a check in the number of events.
func (c cost) text() string {
	exponent := math.Log(float64(c.many)/float64(c.few)) / math.Log(manyEvents/fewEvents)
	return fmt.Sprintf("%d (%.2f)", c.many.Nanoseconds()/manyEvents, exponent)
}

// costTable has a row for each property, and one for none.
type costTable struct {
	sizes []int // processes
	rows  []string
	costs map[string][]cost // by row, then size
}

// measure adds the runs of n processes.
func (c *costTable) measure(t *testing.T, n int) {
	if c.costs == nil {
		c.costs = map[string][]cost{}
	}
	c.sizes = append(c.sizes, n)
	found := costedProperties(t)
	for i := range costRuns {
		run := &costRuns[i]
		few := sync.OnceValue(func() *tracefmt.Memory { return run.make(n, fewEvents) })
		many := sync.OnceValue(func() *tracefmt.Memory { return run.make(n, manyEvents) })
		if i == 0 {
			c.add(t, "(no property)", few, many)
		}
		for _, p := range found {
			if p.run == run {
				c.add(t, p.Name, few, many, p.Property)
			}
		}
	}
}

func (c *costTable) add(t *testing.T, row string, few, many func() *tracefmt.Memory, properties ...*analyze.Property) {
	t.Run(row, func(t *testing.T) {
		var measured cost
		measured.few, _ = checkTime(t, few(), 9, properties...)
		measured.many, measured.kept = checkTime(t, many(), 2, properties...)
		if len(c.costs[row]) == 0 {
			c.rows = append(c.rows, row)
		}
		c.costs[row] = append(c.costs[row], measured)
	})
}

// checkTime returns the least CPU time of several checks, and the memory at the end of the last.
func checkTime(t testing.TB, rec tracefmt.Recording, times int, properties ...*analyze.Property) (minimum time.Duration, kept uint64) {
	for range times {
		scale := newScale(t)
		from := growth.CPU(t)
		report := checkCost(t, rec, append([]*analyze.Property{scale.property()}, properties...)...)
		took := growth.CPU(t) - from - scale.took
		if minimum == 0 || took < minimum {
			minimum = took
		}
		kept = scale.kept
		for _, r := range report.Results {
			if r.Verdict == analyze.Violated || r.Verdict == analyze.Unknown {
				t.Errorf("%s with %d processes: %s: %s", r.Property.Name, len(rec.Run().Members), r.Verdict, r.Explanation)
			}
		}
	}
	return minimum, kept
}

// scale weighs the heap at the end of a check, before the other monitors let go of
// theirs.
type scale struct {
	t           testing.TB
	empty, kept uint64
	took        time.Duration
}

func newScale(t testing.TB) *scale { return &scale{t: t, empty: heap()} }

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func (w *scale) property() *analyze.Property {
	return &analyze.Property{Name: "scale", Kind: analyze.Safety, New: func(*tracefmt.Run) analyze.Monitor { return w }}
}

func (w *scale) Step(*analyze.Result, *replay.State, *tracefmt.Event) {}

func (w *scale) End(*analyze.Result, *replay.State, analyze.Ending) {
	from := growth.CPU(w.t)
	full := heap()
	w.kept = full - min(w.empty, full)
	w.took = growth.CPU(w.t) - from
}

// markdown is the table as in docs/performance.md.
func (c *costTable) markdown() string {
	var b strings.Builder
	b.WriteString("| property |")
	for _, n := range c.sizes {
		fmt.Fprintf(&b, " n = %d |", n)
	}
	fmt.Fprintf(&b, " MB kept at n = %d |\n|---|", c.sizes[len(c.sizes)-1])
	b.WriteString(strings.Repeat("---|", len(c.sizes)+1))
	slices.Sort(c.rows)
	for _, row := range c.rows {
		fmt.Fprintf(&b, "\n| %s |", row)
		for _, cost := range c.costs[row] {
			fmt.Fprintf(&b, " %s |", cost.text())
		}
		fmt.Fprintf(&b, " %.1f |", float64(c.costs[row][len(c.sizes)-1].kept)/(1<<20))
	}
	return b.String()
}
