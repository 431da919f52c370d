package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"etrace/analyze/experiment/sweep"
	"etrace/analyze/shard"
	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/tracedb"
)

// runSweep makes the runs of the plan, or of a shard of it, and returns the table. With -o it keeps the results in a
// file, and makes only the runs that the file lacks.
func (a *app) runSweep(ctx context.Context, f *sweepFlags, p *sweep.Plan) (*sweep.Table, error) {
	o := sweep.Options{Workers: f.workers}
	if f.share != "" {
		var err error
		o.Shard, o.Of, err = shard.ParseShare(f.share)
		if err != nil {
			return nil, fmt.Errorf("--shard %w", err)
		}
	}
	if f.results != "" {
		r, err := openResults(p, f.results)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		o.Store = r
	}
	a.noteRemarks(p)
	defer collectSeldom()()
	bar := a.progress("sweeping runs", p.Share(o.Shard, o.Of))
	done := int64(0)
	o.Progress = func(n int64) { done = n; bar.update(n) }
	table, err := p.Run(ctx, o)
	bar.done()
	cut := err == nil && table.Interrupted || ctx.Err() != nil && errors.Is(err, ctx.Err())
	if cut && f.results != "" {
		return nil, fmt.Errorf(
			"interrupted: %s has %d of %d runs, and the same command goes on with the others", f.results, done,
			p.Share(o.Shard, o.Of),
		)
	}
	return table, interrupted(ctx, "sweeping runs", err)
}

// collectSeldom makes garbage collection less frequent until the caller calls back. A sweep keeps only a few MB of
// each run; thousands of collections would take a twelfth of its time. A value of GOGC that the user has set is kept.
func collectSeldom() (back func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(500)
	return func() { debug.SetGCPercent(before) }
}

// openResults opens or creates the file of results of a plan. It fails if the file has results of another plan; a
// plan with fewer seeds is extended.
func openResults(p *sweep.Plan, path string) (*tracedb.Results, error) {
	if format, thing := atomicfile.Extension(path); thing != "" && format != "db" && isMissing(path) {
		return nil, fmt.Errorf("%s: the name is that of %s, expected the name of a database, such as r.db; --format prints a table", path, thing)
	}
	r, err := tracedb.OpenResults(path, p.About(toolName), p.Cells())
	if err != nil {
		return nil, err
	}
	err = p.Differs(r.About(), toolName)
	if err == nil && r.About() != p.About(toolName) { // the stored results are of fewer seeds
		err = r.SetAbout(p.About(toolName))
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// saveViolating executes the violating runs of the table again, and appends them to the trace of --save.
func (a *app) saveViolating(ctx context.Context, f *sweepFlags, p *sweep.Plan, t *sweep.Table) error {
	if f.save == "" {
		return nil
	}
	scenarios, err := p.Violating(t)
	if err != nil || scenarios == nil {
		return err
	}
	var runs []tracefmt.Recording
	for _, s := range scenarios {
		rec, err := rerun.Record(ctx, s)
		if err != nil {
			return interrupted(ctx, "saving runs", err)
		}
		runs = append(runs, rec)
	}
	return a.saveRuns(ctx, f.save, runs...)
}
