package sweep_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/experiment/sweep"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/tracefmt/tracedb"
)

// shared is a grid with exhausted and sampled cells, and with verdicts of all kinds.
func shared(t *testing.T, more ...string) *sweep.Plan {
	t.Helper()
	g := axes(
		t,
		append(
			[]string{"algorithm", "chang-roberts", "nodes", "2..5", "order", "all", "start", "each", "delay", "1", "delay", "uniform(0.5,1.5)"},
			more...,
		)...,
	)
	g.Seeds, g.Measures = 3, []string{"messages", "time", "type.election"}
	var err error
	g.Properties, err = property.Builtin().Named("election-liveness", "messages-at-most(11)")
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func json(t *testing.T, table *sweep.Table) string {
	t.Helper()
	format, err := sweep.Formats().Lookup("json")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := format.Write(&b, table); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func results(t *testing.T, p *sweep.Plan, path string) *tracedb.Results {
	t.Helper()
	r, err := tracedb.OpenResults(path, p.About("test"), p.Cells())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestShards: for every split, and with a shard made twice, the table of the whole is
// that of an undivided run, for any number of workers.
func TestShards(t *testing.T) {
	p := shared(t)
	full, err := p.Run(context.Background(), sweep.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := json(t, full)
	for _, shards := range []int{1, 7, size.Pick(8, 16, 64)} {
		folder := t.TempDir()
		var parts []sweep.Store
		made := int64(0)
		for i := range shards + 1 {
			shard := i % shards // the first one twice
			r := results(t, p, filepath.Join(folder, fmt.Sprint(i)))
			table, err := p.Run(context.Background(), sweep.Options{Workers: 3, Store: r, Shard: shard, Of: shards})
			if err != nil {
				t.Fatal(err)
			}
			if i < shards {
				made += sumRuns(table)
			}
			if got := sumRuns(table); got != p.Share(shard, shards) {
				t.Errorf("shard %d of %d: %d runs, want %d", shard, shards, got, p.Share(shard, shards))
			}
			parts = append(parts, r)
		}
		if made != p.Runs {
			t.Errorf("%d shards make %d runs, want %d", shards, made, p.Runs)
		}
		merged, err := p.Merge(context.Background(), parts, results(t, p, filepath.Join(folder, "merged")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, json(t, merged)); diff != "" {
			t.Errorf("%d shards (-undivided +merged)\n%s", shards, diff)
		}
	}
}

func sumRuns(t *sweep.Table) (sum int64) {
	for _, c := range t.Cells {
		sum += c.Runs
	}
	return sum
}

// TestResume: a sweep that an interrupt ends goes on where it was, and makes no run
// twice.
func TestResume(t *testing.T) {
	p := shared(t)
	full, err := p.Run(context.Background(), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "results.db")
	for _, after := range []int64{1, 50, 200, p.Runs} {
		r := results(t, p, path)
		ctx, cancel := context.WithCancel(t.Context())
		first := int64(-1)
		table, err := p.Run(ctx, sweep.Options{Workers: 2, Store: r, Progress: func(done int64) {
			if first < 0 {
				first = done
			}
			if done >= after && after < p.Runs {
				cancel()
			}
		}})
		r.Close()
		cancel()
		if after < p.Runs {
			if err != nil || !table.Interrupted || table.Whole() {
				t.Errorf("after %d runs: not interrupted, %v", after, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		// The 200 runs of the third round are on disk, whatever the workers made beyond them.
		if first < 200 {
			t.Errorf("the last one began with %d runs, want at least 200", first)
		}
		if diff := cmp.Diff(json(t, full), json(t, table)); diff != "" {
			t.Errorf("(-undisturbed +resumed)\n%s", diff)
		}
	}
}

// TestMergeContradiction: a run that came to two different things.
func TestMergeContradiction(t *testing.T) {
	p := shared(t)
	folder := t.TempDir()
	a, b := results(t, p, filepath.Join(folder, "a")), results(t, p, filepath.Join(folder, "b"))
	for r, value := range map[*tracedb.Results]string{
		a: `[7,1000000000,3,"satisfied","satisfied"]`, b: `[8,1000000000,3,"satisfied","satisfied"]`,
	} {
		if err := r.Put(1, func(int) (int, int64, string) { return 4, 2, value }); err != nil {
			t.Fatal(err)
		}
	}
	_, err := p.Merge(context.Background(), []sweep.Store{a, b}, nil)
	if err == nil || !strings.Contains(err.Error(), "cell 4 run 2 came to ") {
		t.Errorf("got %v", err)
	}
}

// TestForeignValues: what no sweep writes is refused, with its place.
func TestForeignValues(t *testing.T) {
	p := shared(t)
	good := `[8,1000000000,null,"satisfied","satisfied"]`
	for _, tt := range []struct {
		cell  int
		run   int64
		value string
	}{
		{99, 0, good},
		{-1, 0, good},
		{0, 1 << 40, good},
		{0, -1, good},
		{0, 0, ""},
		{0, 0, "[]"},
		{0, 0, `[8,1000000000,null,"satisfied"]`},
		{0, 0, `[8,1000000000,null,"satisfied","good"]`},
		{0, 0, `[8.5,1000000000,null,"satisfied","satisfied"]`},
		{0, 0, `[8,1000000000,null,"satisfied","satisfied",1]`},
		{0, 0, good}, // the run comes to something else
	} {
		r := results(t, p, filepath.Join(t.TempDir(), "results.db"))
		if err := r.Put(1, func(int) (int, int64, string) { return tt.cell, tt.run, tt.value }); err != nil {
			t.Fatal(err)
		}
		_, err := p.Run(context.Background(), sweep.Options{Store: r})
		if err == nil || !strings.HasPrefix(err.Error(), r.Path()+": cell ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d %d %s: got %v", tt.cell, tt.run, tt.value, err)
		}
	}
}

// TestAbout: a description makes the same plan again, and the error for another plan names the difference.
func TestAbout(t *testing.T) {
	p := shared(t, "crash", "highest@3,1@7", "param", "mark-starter=on", "loss", "0,0.5")
	known := sweep.Known{Tool: "test", Properties: property.Builtin().Named}
	again, err := sweep.ReadAbout(p.About("test"), known)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.About("test"), again.About("test")); diff != "" || again.Runs != p.Runs {
		t.Errorf("%d runs, want %d (-want +got)\n%s", again.Runs, p.Runs, diff)
	}
	if err := again.Differs(p.About("test"), "test"); err != nil {
		t.Errorf("the same grid: %v", err)
	}
	for _, tt := range []struct{ about, want string }{
		{p.About("etrace 9"), "its tool: etrace 9, this one's: test"},
		{
			shared(t).About("test"),
			"its axes: algorithm, nodes, order, start, delay, this one's: algorithm, nodes, order, start, delay, crash, param mark-starter, loss",
		},
		{
			shared(t, "crash", "lowest@3", "param", "mark-starter=on", "loss", "0,0.5").About("test"),
			"its crash: lowest@3, this one's: highest@3,1@7",
		},
		{strings.Replace(p.About("test"), `"seeds":3`, `"seeds":4`, 1), "its seeds: 4, this one's: 3"},
		{"", "not results of this form, expected etrace.results/3"},
		{"{}", "not results of this form, expected etrace.results/3"},
	} {
		if err := p.Differs(tt.about, "test"); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.about, err, tt.want)
		}
	}
	if err := p.Differs(strings.Replace(p.About("test"), `"seeds":3`, `"seeds":2`, 1), "test"); err != nil {
		t.Errorf("results of fewer seeds are the first ones: %v", err)
	}
	if _, err := sweep.ReadAbout(p.About("etrace 9"), known); err == nil {
		t.Error("a file of another program is read")
	}
}

// TestMoreSeeds: results of fewer seeds are gone on with, and the table is that of all of them at once;
// no run is made again.
func TestMoreSeeds(t *testing.T) {
	plan := func(seeds int64) *sweep.Plan {
		g := axes(t, "algorithm", "chang-roberts,itai-rodeh", "nodes", "3,4", "order", "all", "start", "each,lowest", "delay", "uniform(0.5,1.5)")
		g.Seeds = seeds
		p, err := g.Plan()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	path := filepath.Join(t.TempDir(), "results.db")
	few, many := plan(2), plan(5)
	r := results(t, few, path)
	if _, err := few.Run(t.Context(), sweep.Options{Store: r}); err != nil {
		t.Fatal(err)
	}
	if err := many.Differs(r.About(), "test"); err != nil {
		t.Fatal(err)
	}
	if err := r.SetAbout(many.About("test")); err != nil {
		t.Fatal(err)
	}
	made, first := int64(0), int64(-1)
	got, err := many.Run(t.Context(), sweep.Options{Store: r, Workers: 1, Progress: func(done int64) {
		if first < 0 {
			first = done
		}
		made = done
	}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := many.Run(t.Context(), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(json(t, want), json(t, got)); diff != "" {
		t.Errorf("(-at once +gone on)\n%s", diff)
	}
	// Stored runs count as done before the first new run.
	if made != many.Runs || first <= few.Runs-1 {
		t.Errorf("%d runs of %d, from %d on; %d were there", made, many.Runs, first, few.Runs)
	}
	if few.Differs(r.About(), "test") == nil {
		t.Error("results of more seeds are taken for those of fewer")
	}
}

// TestUnending: the table counts the runs that never end and the runs that a limit ends, also if it reads them
// from a file. In token-ring-mutex the token circulates forever, even without requests. A transaction ends
// after 3 units.
func TestUnending(t *testing.T) {
	const forever = "2 of 2 runs would go on forever: what is measured is until the state repeats itself for the first time."
	for words, want := range map[string]string{
		"algorithm token-ring-mutex nodes 3,4 start 1": forever,
		"algorithm token-ring-mutex nodes 3,4 start 1 until 2": "2 of 2 runs ended at a limit " +
			"(until, max-events): what is measured is until then.",
		"algorithm two-phase-commit,token-ring-mutex nodes 3 start 1": "1 of 2 runs would go on " +
			"forever: what is measured is until the state repeats itself for the first time.",
		"algorithm two-phase-commit nodes 3,4 start 1 until 20":           "",
		"algorithm two-phase-commit nodes 3,4 start 1 max-events 1000000": "",
	} {
		p, err := axes(t, strings.Fields(words)...).Plan()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "swept.db")
		for range 2 { // the second time all is there
			r, err := tracedb.OpenResults(path, p.About("test"), p.Cells())
			if err != nil {
				t.Fatal(err)
			}
			table, err := p.Run(t.Context(), sweep.Options{Store: r})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(table.Unending(), " "); got != want {
				t.Errorf("%s: %q, want %q", words, got, want)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
