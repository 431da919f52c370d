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

// Table is what an adversary achieves in the cells of a grid.
type Table struct {
	Measure  string
	Minimize bool
	// Fixed is what all cells have in common, Axes the names of the axes in which they differ.
	Fixed []sweep.Setting
	Axes  []string
	Rows  []Row
	// Unbounded says, a sentence each, why published bounds are not about the runs.
	Unbounded []string
	// Interrupted says how far the search came when its context ended, "" if it came to its end.
	Interrupted string

	title string
}

// Row is what an adversary achieves in a cell: the best of its searches, one for each
// process and each seed that the cell asks for.
type Row struct {
	// At is the value of each axis of the table, N the number of processes without clients.
	At []string
	N  int
	*Result
	// Searches is how many there were; Ordering: the adversary decided the order of the
	// ring in them.
	Searches int64
	Ordering bool
}

// Sweep searches in each cell of a plan. The adversary decides the order of the ring where
// the cell leaves it, see [sweep.Grid.Free]; MaxRuns bounds the runs of a cell. Progress
// counts in thousandths of a cell. If the context ends, the table has what was seen until then;
// it is an error if that is nothing.
func Sweep(ctx context.Context, p *sweep.Plan, o Options) (*Table, error) {
	blank := p.Blank()
	t := &Table{Minimize: o.Minimize, Fixed: blank.Fixed, Axes: blank.Axes, Unbounded: blank.Unbounded, title: blank.Title()}
	report := o.Progress
	for i, f := range p.Families {
		row := Row{At: blank.Cells[i].At, N: f.N, Searches: f.Runs(), Ordering: f.Free()}
		for run := range f.Runs() {
			if report != nil {
				o.Progress = func(done, of int) {
					report(1000*i+int((1000*run+1000*int64(done)/int64(of))/f.Runs()), 1000*len(p.Families))
				}
			}
			r, err := searchRun(ctx, f, run, o)
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
			doubt, err := ofSeeds(f)
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

// ofSeeds says for which seeds it is proven what a family comes to in which they draw something.
func ofSeeds(f *sweep.Family) (string, error) {
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

// cut is the table of a search that did not come to its end, of which some cells were searched
// whole. The error is that of a search without result.
func (t *Table) cut(ctx context.Context, searched, of int, err error) (*Table, error) {
	if len(t.Rows) == 0 || err != nil && ctx.Err() == nil {
		return nil, err
	}
	t.Interrupted = fmt.Sprintf("interrupted when %d of %s had been searched", searched, text.Counted(of, "cell", "cells"))
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

// join takes in a further search.
func (w *Row) join(r *Result) {
	if w.Result == nil {
		w.Result = r
		return
	}
	best, other := w.Result, r
	g := goal{minimize: r.Minimize}
	if g.better(outcome{r.Value, r.Endless}, outcome{best.Value, best.Endless}) {
		best, other = r, best
	}
	best.Proven = best.Proven && other.Proven
	best.Rings, best.Certified, best.Exhausted = best.Rings+other.Rings, best.Certified+other.Certified, best.Exhausted+other.Exhausted
	best.Runs += other.Runs
	best.Interrupted = best.Interrupted || other.Interrupted
	if best.AllRings += other.AllRings; best.AllRings == other.AllRings || other.AllRings == 0 {
		best.AllRings = 0 // one of them was too many to count
	}
	best.Doubt, best.Assumes = cmp.Or(best.Doubt, other.Doubt), bothAssume(best.Assumes, other.Assumes)
	w.Result = best
}

// Whole reports whether all cells were searched, and the values of all rows are proven.
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
func (t *Table) Recordings() (all []tracefmt.Recording) {
	for i := range t.Rows {
		all = append(all, t.Rows[i].Recording)
	}
	return all
}

// place names a row: "nodes 8, start all", "" for the only one.
func (t *Table) place(w *Row) (place string) {
	for i, axis := range t.Axes {
		if i > 0 {
			place += ", "
		}
		place += fmt.Sprintf("%s %s", axis, w.At[i])
	}
	return place
}
