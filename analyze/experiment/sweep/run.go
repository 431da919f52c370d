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

// Options say how a plan is run.
type Options struct {
	// Workers is how many runs are made at the same time; 0 is as many as there are
	// processors.
	Workers int
	// Progress, unless nil, is called with how many runs are done, one call at a time.
	Progress func(done int64)
	// Store, unless nil, keeps what each run came to; runs that it has are not made
	// again.
	Store Store
	// Shard is a share of the runs, of so many: only these are made. 0 of 0 are all.
	Shard, Of int
}

// Store keeps what runs came to, each known by its cell and its number there.
type Store interface {
	// Path names it in errors.
	Path() string
	// Put adds what n runs came to, all of them or none.
	Put(n int, row func(i int) (cell int, run int64, value string)) error
	// Each calls f with what each run came to, in the order of cells and runs. It ends
	// with the first error.
	Each(f func(cell int, run int64, value string) error) error
}

// outcome is what is kept of a run: the measures, the verdicts, and how it ended.
type outcome struct {
	cell     int
	run      int64
	end      tracefmt.End
	values   []int64
	has      []bool
	verdicts []analyze.Verdict
	bounds   []bound
}

// Run makes the runs of the plan. If the context ends, the table has what was made until then;
// it is an error if that is nothing. Else the error is one of a scenario or of the store. What
// was made before it is in the store.
func (p *Plan) Run(ctx context.Context, o Options) (*Table, error) {
	r := &running{plan: p, options: o, table: p.table(), done: newDone(p)}
	if err := r.resume(ctx); err != nil {
		return nil, err
	}
	ended := r.each(ctx)
	if err := r.keep(); err != nil {
		return nil, err
	}
	if ended != nil && (ctx.Err() == nil || r.counted == 0) {
		return nil, ended
	}
	if r.counted < r.share() {
		r.table.Interrupted = true
	}
	p.conclude(r.table)
	return r.table, nil
}

// running is a plan while it is run.
type running struct {
	plan    *Plan
	options Options
	table   *Table
	done    *done
	counted int64

	unkept []outcome
	kept   time.Time
}

// keepEvery is how long what runs came to may wait for the store.
const keepEvery = 50 * time.Millisecond

// resume takes in what the store has.
func (r *running) resume(ctx context.Context) error {
	if r.options.Store == nil {
		return nil
	}
	r.kept = time.Now()
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
		if r.mine(r.plan.number(cell, run)) {
			r.counted++
		}
		r.table.Cells[cell].add(&o)
		return nil
	})
}

// batchRuns is how many runs a worker makes at a time.
const batchRuns = 16

// each makes the runs that are to be made, several at a time. It ends at the first
// error.
func (r *running) each(ctx context.Context) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	makers := sync.Pool{New: func() any { return r.plan.maker() }}
	count := r.share()
	trial.Workers{Number: r.options.Workers}.Each(within, int((count+batchRuns-1)/batchRuns), func(i int) {
		m := makers.Get().(*maker)
		outcomes, err := r.batch(within, m, int64(i)*batchRuns, min(int64(i+1)*batchRuns, count))
		makers.Put(m)
		mu.Lock()
		defer mu.Unlock()
		if err = cmp.Or(r.take(outcomes), err); err != nil {
			cancel(err)
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return context.Cause(within)
}

// batch makes some of the runs of the share. With an error it returns those before
// it.
func (r *running) batch(ctx context.Context, m *maker, first, last int64) (all []outcome, err error) {
	for k := first; k < last; k++ {
		cell, run := r.plan.locate(int64(r.options.Shard) + k*int64(max(r.options.Of, 1)))
		if r.done.has(cell, run) {
			continue
		}
		o, err := m.outcome(ctx, cell, run)
		if err != nil {
			return all, err
		}
		all = append(all, o)
	}
	return all, nil
}

// take takes in what runs came to.
func (r *running) take(outcomes []outcome) error {
	for i := range outcomes {
		r.table.Cells[outcomes[i].cell].add(&outcomes[i])
	}
	r.counted += int64(len(outcomes))
	if r.options.Progress != nil {
		r.options.Progress(r.counted)
	}
	if r.options.Store == nil {
		return nil
	}
	r.unkept = append(r.unkept, outcomes...)
	if time.Since(r.kept) < keepEvery {
		return nil
	}
	return r.keep()
}

// keep puts what was made into the store.
func (r *running) keep() error {
	if len(r.unkept) == 0 {
		return nil
	}
	err := r.options.Store.Put(len(r.unkept), func(i int) (int, int64, string) {
		o := &r.unkept[i]
		return o.cell, o.run, o.value()
	})
	r.unkept, r.kept = r.unkept[:0], time.Now()
	return err
}
