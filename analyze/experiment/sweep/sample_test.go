package sweep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/experiment/sweep"
	"etrace/fixtures/size"
)

// TestCoverage: of many samples with different seeds, at least 85 % of the 95 % intervals contain the mean of a
// large sample, also if a cell has several initiators or orders. The seeds are fixed, so the test is
// deterministic.
func TestCoverage(t *testing.T) {
	grids := []string{
		"algorithm itai-rodeh nodes 6 start each",                              // equal for each initiator, except for the draws
		"algorithm itai-rodeh nodes 4 order all start all",                     // anonymous: alike for each order
		"algorithm bully nodes 4 down highest start each delay exponential(3)", // initiators differ
		"algorithm chang-roberts nodes 5 start random order all",               // each order with initiators of its own
		"algorithm bully nodes 4 down highest start all delay exponential(3)",  // one scenario
	}
	for _, words := range grids[:size.Pick(1, 2, len(grids))] {
		fields := strings.Fields(words)
		mean, covered := sampled(t, fields, 1_000_000, 300), 0
		m, _ := mean.Mean().Float64()
		const windows = 60
		for i := range int64(windows) {
			s := sampled(t, fields, 10_000*i, 6)
			half, ok := s.Interval()
			at, _ := s.Mean().Float64()
			if ok && at-half <= m && m <= at+half {
				covered++
			}
		}
		t.Logf("%s: %d of %d intervals hold %.3f", words, covered, windows, m)
		if covered < windows*85/100 {
			t.Errorf("%s: %d of %d intervals hold the mean %.3f, want at least 85 %%", words, covered, windows, m)
		}
	}
}

// sampled returns the messages of the only cell of a grid, whose seeds begin with one.
func sampled(t *testing.T, words []string, seed, seeds int64) *sweep.Summary {
	t.Helper()
	g := axes(t, words...)
	g.Base.Seed, g.Seeds, g.Measures = seed, seeds, []string{"messages"}
	return table(t, g).Cells[0].Measure("messages")
}

// TestOwnSeeds: each run of a cell in which something is drawn has a seed of its own, the
// initiators one after another with each round of them; where nothing is drawn all have the first.
func TestOwnSeeds(t *testing.T) {
	var want []string
	for i, start := range []int{1, 2, 3, 1, 2, 3} {
		seed := ""
		if i > 0 {
			seed = fmt.Sprintf(" --seed %d", i)
		}
		want = append(want, fmt.Sprintf("itai-rodeh --ids 1-3 --start %d@0%s", start, seed))
	}
	g := axes(t, "algorithm", "itai-rodeh", "nodes", "3", "start", "each")
	g.Seeds = 2
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for run := range p.Families[0].Runs() {
		s, err := p.Families[0].Scenario(run)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s.CommandLine())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
