package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// Status says whether what was measured is what was expected.
type Status string

// The statuses; see the package comment.
const (
	OK        Status = "ok"
	Explained Status = "explained"
	Failed    Status = "failed"
)

// worse returns the worse of two statuses.
func worse(a, b Status) Status {
	badness := map[Status]int{OK: 0, Explained: 1, Failed: 2}
	if badness[b] > badness[a] {
		return b
	}
	return a
}

// Cell is one value of one case: expected, published and measured.
type Cell struct {
	Measure                       string
	Expected, Published, Measured Value
	Status                        Status
	// Detail says more about a value that failed, such as why a property is
	// violated.
	Detail string
}

// CaseReport is the outcome of a case.
type CaseReport struct {
	Case   *Case
	Status Status
	Cells  []Cell
	// Err says why there was no run to measure.
	Err error
	// Recording is the run, if [Options] asked to keep it.
	Recording *tracefmt.Memory
}

// SuiteReport is the outcome of a suite.
type SuiteReport struct {
	Suite *Suite
	Cases []*CaseReport
}

// Report is the outcome of several suites.
type Report struct {
	Suites []*SuiteReport
}

// Status is the worst status of all cases.
func (r *Report) Status() Status {
	status := OK
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			status = worse(status, c.Status)
		}
	}
	return status
}

// Options of a run of suites.
type Options struct {
	// Workers is how many cases may run at the same time; 0 means as many as
	// there are processors.
	Workers int
	// Progress, unless nil, is told how many cases are done, one call at a
	// time.
	Progress func(done int)
	// Keep the recordings of all runs in memory.
	Keep bool
}

// RunSuites runs all cases of the suites, several at a time, and reports them
// in the order of the suites, whatever the order in which they are done. The
// error is that of the context; a case that could not run has its own.
func RunSuites(ctx context.Context, suites []*Suite, o Options) (*Report, error) {
	report := &Report{}
	var all []*CaseReport
	for _, s := range suites {
		sr := &SuiteReport{Suite: s}
		for _, c := range s.Cases {
			sr.Cases = append(sr.Cases, &CaseReport{Case: c})
		}
		report.Suites = append(report.Suites, sr)
		all = append(all, sr.Cases...)
	}
	each(ctx, len(all), o, func(i int) { all[i].run(ctx, o.Keep) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return report, nil
}

// each calls do for 0 to n-1, several at a time, and returns when all are
// done, or those that have begun if the context ends.
func each(ctx context.Context, n int, o Options, do func(i int)) {
	next, done := make(chan int), make(chan struct{})
	workers := min(cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), n)
	var running sync.WaitGroup
	defer running.Wait()
	for range workers {
		running.Go(func() {
			for i := range next {
				do(i)
				done <- struct{}{}
			}
		})
	}
	defer close(next)
	for begun, ended := 0, 0; ended < n; {
		give, stop := next, ctx.Done()
		if begun == n || ctx.Err() != nil {
			give, stop = nil, nil // wait for those that have begun
		}
		if give == nil && begun == ended {
			return
		}
		select {
		case give <- begun:
			begun++
		case <-done:
			if ended++; o.Progress != nil {
				o.Progress(ended)
			}
		case <-stop:
		}
	}
}

// run makes the run of the case and looks at it.
func (r *CaseReport) run(ctx context.Context, keep bool) {
	o, err := r.Case.execute(ctx)
	if err != nil {
		r.Status, r.Err = Failed, err
		return
	}
	if keep {
		r.Recording = o.rec
	}
	r.Status = OK
	for _, x := range r.Case.expectations {
		cell := x.cell(o, r.Case.Note != "")
		r.Cells = append(r.Cells, cell)
		r.Status = worse(r.Status, cell.Status)
	}
}

// execute simulates the scenario in memory, checks the properties that are
// spoken of, and counts.
func (c *Case) execute(ctx context.Context) (*outcome, error) {
	rec, err := rerun.Record(ctx, c.Scenario)
	switch {
	case ctx.Err() != nil:
		return nil, errors.New("interrupted")
	case err != nil:
		return nil, err
	}
	o, err := examine(rec, c.properties, analyze.Options{Named: true})
	if err != nil {
		return nil, err
	}
	o.rec = rec
	return o, nil
}

// examine checks and counts a run that is over.
func examine(rec tracefmt.Recording, properties []*analyze.Property, options analyze.Options) (*outcome, error) {
	report, err := analyze.Check(rec, properties, options)
	if err != nil {
		return nil, fmt.Errorf("checking: %w", err)
	}
	stats, err := complexity.Count(rec)
	if err != nil {
		return nil, fmt.Errorf("counting: %w", err)
	}
	return &outcome{stats: stats, report: report}, nil
}

// cell measures and compares.
func (x *expectation) cell(o *outcome, noted bool) Cell {
	c := Cell{Measure: x.what.name, Expected: x.expected, Published: x.published, Measured: x.what.look(o), Status: OK}
	switch {
	case x.expected != "" && x.expected != c.Measured:
		c.Status = Failed
	case x.published == "" || x.published == c.Measured:
	case noted && x.expected != "":
		c.Status = Explained
	default:
		c.Status = Failed
	}
	if c.Status == Failed && x.what.detail != nil {
		c.Detail = x.what.detail(o)
	}
	return c
}
