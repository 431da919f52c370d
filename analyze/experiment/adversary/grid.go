package adversary

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"etrace/analyze/experiment/sweep"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Table holds the results of the adversary for the cells of a grid.
type Table struct {
	Measure  string
	Minimize bool
	// Fixed lists the settings that all cells share, Axes the names of the axes in which they differ.
	Fixed []sweep.Setting
	Axes  []string
	Rows  []Row
	// Unbounded lists why published bounds do not apply to the runs, one sentence each.
	Unbounded []string
	// Interrupted describes the progress of the search when its context ended; it is "" for a complete search.
	Interrupted string

	title string
}

// Row is the best result in a cell: over its searches, one for each process and each seed of the cell.
type Row struct {
	// At is the value of each axis of the table, N the number of processes without clients.
	At []string
	N  int
	*Result
	// Searches is the number of searches. Ordering is true if the adversary also decided the order of the ring.
	Searches int64
	Ordering bool
}

// Sweep searches in each cell of a plan. The adversary decides the order of the ring if the cell leaves it
// open, see [sweep.Grid.Free]; MaxRuns limits the runs of a cell. Progress counts thousandths of a cell. If the
// context ends, the table has the results so far. Sweep fails without any result.
func Sweep(ctx context.Context, p *sweep.Plan, o Options) (*Table, error) {
	blank := p.Blank()
	t := &Table{
		Minimize: o.Minimize, Fixed: blank.Fixed, Axes: blank.Axes, Unbounded: blank.Unbounded,
		title: blank.Title(),
	}
	report := o.Progress
	for i, f := range p.Families {
		row := Row{At: blank.Cells[i].At, N: f.N, Searches: f.Runs(), Ordering: f.Free()}
		for run := range f.Runs() {
			if report != nil {
				o.Progress = func(done, total int) {
					report(1000*i+int((1000*run+1000*int64(done)/int64(total))/f.Runs()), 1000*len(p.Families))
				}
			}
			r, err := searchRun(ctx, f, run, o)
			// An interrupted search without result leaves the earlier searches of the cell valid.
			if err != nil && (ctx.Err() == nil || row.Result == nil) {
				return t.cut(ctx, i, len(p.Families), err)
			}
			if err == nil {
				row.join(r)
			}
			if ctx.Err() != nil && run < f.Runs()-1 {
				row.Proven, row.Result.Interrupted = false, true
				break
			}
		}
		if row.Proven && !f.Exhausted {
			doubt, err := seedDoubt(f)
			if err != nil {
				return nil, err
			}
			row.Proven, row.Doubt = false, doubt
		}
		if r := row.Result; r.Unbounded != "" {
			if line := sweep.NoBoundApplies(r.Scenario.Algorithm, r.Unbounded); !slices.Contains(t.Unbounded, line) {
				t.Unbounded = append(slices.Clip(t.Unbounded), line)
			}
		}
		t.Measure = row.Measure
		t.Rows = append(t.Rows, row)
		if row.Interrupted {
			return t.cut(ctx, i, len(p.Families), nil)
		}
	}
	return t, nil
}

// seedDoubt returns why the result of a family is not proven in general: its seeds draw part of the scenario.
func seedDoubt(f *sweep.Family) (string, error) {
	first, err := f.Scenario(0)
	if err != nil {
		return "", err
	}
	seeds, these := fmt.Sprintf("the seed %d draws", first.Seed), "that"
	if f.Runs() > 1 {
		seeds, these = fmt.Sprintf("the seeds %d to %d draw", first.Seed, first.Seed+f.Runs()-1), "these"
	}
	return fmt.Sprintf("%s some of the scenario, and for %s alone it is proven", seeds, these), nil
}

// cut returns the table of an interrupted search, in which some cells are complete. It fails with the given
// error if there is no result.
func (t *Table) cut(ctx context.Context, searched, total int, err error) (*Table, error) {
	if len(t.Rows) == 0 || err != nil && ctx.Err() == nil {
		return nil, err
	}
	t.Interrupted = fmt.Sprintf("interrupted when %d of %s had been searched", searched,
		text.Counted(total, "cell", "cells"))
	return t, nil
}

// searchRun searches among the schedules, and rings, of one run of a family.
func searchRun(ctx context.Context, f *sweep.Family, run int64, o Options) (*Result, error) {
	s, err := f.Scenario(run)
	if err != nil {
		return nil, err
	}
	o.Orders = f.Free()
	if o.MaxRuns == 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	o.MaxRuns = max(1, int(int64(o.MaxRuns)/f.Runs()))
	return Search(ctx, s, o)
}

// join adds the result of another search of the cell.
func (w *Row) join(r *Result) {
	if w.Result == nil {
		w.Result = r
		return
	}
	best, second := w.Result, r
	g := goal{minimize: r.Minimize}
	if g.better(outcome{r.Value, r.Endless}, outcome{best.Value, best.Endless}) {
		best, second = r, best
	}
	best.Proven = best.Proven && second.Proven
	best.Rings, best.Certified, best.Exhausted = best.Rings+second.Rings, best.Certified+second.Certified,
		best.Exhausted+second.Exhausted
	best.Runs += second.Runs
	best.Interrupted = best.Interrupted || second.Interrupted
	if best.AllRings += second.AllRings; best.AllRings == second.AllRings || second.AllRings == 0 {
		// There were too many to count.
		best.AllRings = 0
	}
	best.Doubt, best.Assumes = cmp.Or(best.Doubt, second.Doubt), bothAssume(best.Assumes, second.Assumes)
	w.Result = best
}

// Whole reports whether all cells were searched and all values are proven.
func (t *Table) Whole() bool {
	if t.Interrupted != "" {
		return false
	}
	for i := range t.Rows {
		if !t.Rows[i].Proven {
			return false
		}
	}
	return true
}

// Recordings returns the runs of the rows, in their order.
func (t *Table) Recordings() (recordings []tracefmt.Recording) {
	for i := range t.Rows {
		recordings = append(recordings, t.Rows[i].Recording)
	}
	return recordings
}

// place names a row: "nodes 8, start all", "" for the only row.
func (t *Table) place(w *Row) (place string) {
	for i, axis := range t.Axes {
		if i > 0 {
			place += ", "
		}
		place += fmt.Sprintf("%s %s", axis, w.At[i])
	}
	return place
}
