package sweep

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/tracefmt"
)

// Options set how a plan runs.
type Options struct {
	// Workers is the number of concurrent runs; 0 means one for each processor.
	Workers int
	// Progress, unless nil, is called with the number of finished runs, one call at a time.
	Progress func(done int64)
	// Store, unless nil, keeps the outcomes. Runs in the store are not made again.
	Store Store
	// Shard is the number of the share of the runs to make, and Of the number of shares. 0 of 0 means all runs.
	Shard, Of int
}

// Store keeps the outcomes of runs, by cell and number within the cell.
type Store interface {
	// Path names the store in errors.
	Path() string
	// Put adds the outcomes of n runs, all or none.
	Put(n int, row func(i int) (cell int, run int64, value string)) error
	// Each calls f with each outcome, in the order of cells and runs. It stops at the first error.
	Each(f func(cell int, run int64, value string) error) error
}

// outcome is the stored part of a run: the measures, the verdicts, and the end.
type outcome struct {
	cell     int
	run      int64
	end      tracefmt.End
	values   []int64
	has      []bool
	verdicts []analyze.Verdict
	bounds   []bound
}

// Run makes the runs of the plan. If the context ends, the table has the runs so far. Run fails without any run, if a
// scenario is invalid, or if the store fails. The runs before a failure are in the store.
func (p *Plan) Run(ctx context.Context, o Options) (*Table, error) {
	r := &running{plan: p, options: o, table: p.table(), done: newDoneSet(p)}
	if err := r.resume(ctx); err != nil {
		return nil, err
	}
	runErr := r.each(ctx)
	if err := r.store(); err != nil {
		return nil, err
	}
	if runErr != nil && (ctx.Err() == nil || r.finished == 0) {
		return nil, runErr
	}
	if r.finished < r.share() {
		r.table.Interrupted = true
	}
	p.finish(r.table)
	return r.table, nil
}

// running is the progress of a plan.
type running struct {
	plan     *Plan
	options  Options
	table    *Table
	done     *doneSet
	finished int64 // finished runs of the share

	unstored []outcome // outcomes that are not in the file yet
	storedAt time.Time // the time at which outcomes were stored last
}

// keepEvery is the longest time that outcomes wait before they are stored.
const keepEvery = 50 * time.Millisecond

// resume reads the stored outcomes into the table, and makes some of their runs again to verify them.
func (r *running) resume(ctx context.Context) error {
	if r.options.Store == nil {
		return nil
	}
	r.storedAt = time.Now()
	v := &verifier{maker: r.plan.maker(), cells: len(r.plan.Families)}
	return r.options.Store.Each(func(cell int, run int64, value string) error {
		o, err := r.plan.row(cell, run, value)
		if err == nil {
			err = v.verify(ctx, &o, value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.options.Store.Path(), err)
		}
		r.done.set(cell, run)
		if r.inShare(r.plan.number(cell, run)) {
			r.finished++
		}
		r.table.Cells[cell].add(&o)
		return nil
	})
}

// batchRuns is the number of runs that a worker makes at a time.
const batchRuns = 16

// each makes the missing runs, several at a time. It stops at the first error.
func (r *running) each(ctx context.Context) error {
	workCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	makers := sync.Pool{New: func() any { return r.plan.maker() }}
	count := r.share()
	trial.Workers{Number: r.options.Workers}.Each(workCtx, int((count+batchRuns-1)/batchRuns), func(i int) {
		m := makers.Get().(*maker)
		outcomes, err := r.batch(workCtx, m, int64(i)*batchRuns, min(int64(i+1)*batchRuns, count))
		makers.Put(m)
		mu.Lock()
		defer mu.Unlock()
		err = cmp.Or(r.add(outcomes), err)
		if err != nil {
			cancel(err)
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return context.Cause(workCtx)
}

// batch makes some of the runs of the share. With an error it also returns the runs before.
func (r *running) batch(ctx context.Context, m *maker, first, last int64) (outcomes []outcome, err error) {
	for k := first; k < last; k++ {
		cell, run := r.plan.locate(int64(r.options.Shard) + k*int64(max(r.options.Of, 1)))
		if r.done.has(cell, run) {
			continue
		}
		o, err := m.outcome(ctx, cell, run)
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// add adds outcomes to the table, and stores them if the last storing is long enough ago.
func (r *running) add(outcomes []outcome) error {
	for i := range outcomes {
		r.table.Cells[outcomes[i].cell].add(&outcomes[i])
	}
	r.finished += int64(len(outcomes))
	if r.options.Progress != nil {
		r.options.Progress(r.finished)
	}
	if r.options.Store == nil {
		return nil
	}
	r.unstored = append(r.unstored, outcomes...)
	if time.Since(r.storedAt) < keepEvery {
		return nil
	}
	return r.store()
}

// store stores the outcomes that are not stored yet.
func (r *running) store() error {
	if len(r.unstored) == 0 {
		return nil
	}
	err := r.options.Store.Put(len(r.unstored), func(i int) (int, int64, string) {
		o := &r.unstored[i]
		return o.cell, o.run, o.value()
	})
	r.unstored, r.storedAt = r.unstored[:0], time.Now()
	return err
}
