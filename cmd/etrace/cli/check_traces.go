package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// checking is a check of several traces at work.
type checking struct {
	app *app
	*checkFlags
	properties []*analyze.Property
	report     *report.Report
	failures   []error // of traces and of runs; they keep it from no other
}

// traces are the files that the arguments name, each once. A pattern that no file
// fits is a name, which then does not exist.
func traces(args []string) (paths []string) {
	if len(args) == 0 {
		return []string{defaultTrace}
	}
	for _, arg := range args {
		fit := []string{arg}
		if _, err := os.Lstat(arg); err != nil {
			if found, err := filepath.Glob(arg); err == nil && len(found) > 0 {
				fit = found
			}
		}
		for _, path := range fit {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// all examines the traces. It fails where there is nothing to report on.
func (c *checking) all(ctx context.Context) error {
	for _, path := range c.report.Traces {
		if err := c.trace(ctx, path); err != nil {
			if ctx.Err() != nil {
				return err
			}
			c.failures = append(c.failures, err)
		}
	}
	for _, err := range c.failures {
		c.report.Failures = append(c.report.Failures, oneLine(describe(err)))
	}
	if len(c.report.Runs) == 0 {
		return c.failed()
	}
	return nil
}

// failed prints all failures except the last and returns the last.
func (c *checking) failed() error { return c.app.lastOf(c.failures) }

// lastOf prints all failures except the last and returns the last.
func (a *app) lastOf(failures []error) error {
	if len(failures) == 0 {
		return nil
	}
	last := len(failures) - 1
	for _, err := range failures[:last] {
		a.warn("%s", describe(err))
	}
	return failures[last]
}

// trace examines the runs of a trace and adds them to the report. It skips damaged runs and continues.
func (c *checking) trace(ctx context.Context, path string) error {
	if c.save {
		if err := savable(path); err != nil {
			return err
		}
	}
	s, err := c.open(ctx, c.app, path)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, err := range s.Damage() {
		c.report.LeftOut = append(c.report.LeftOut, oneLine(describe(err)))
	}
	before := len(c.report.Runs)
	for n, err := range s.each() {
		if err != nil {
			c.report.Runs = c.report.Runs[:before]
			return err
		}
		run, err := c.run(ctx, s, n)
		switch {
		case errors.Is(err, tracedb.ErrDamaged):
			c.failures = append(c.failures, err)
		case err != nil:
			c.report.Runs = c.report.Runs[:before]
			return err
		default:
			run.Trace = path
			c.report.Add(run)
		}
	}
	return nil
}

func savable(path string) error {
	if err := noStream(path); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	return tracedb.CheckFile(path)
}

func (c *checking) run(ctx context.Context, s *source, number int) (run report.Run, err error) {
	rec, err := s.recording(ctx, c.app, "checking events", number)
	if err != nil {
		return run, err
	}
	rec, err = c.withStated(rec)
	if err != nil {
		return run, fmt.Errorf("%s: run %d: %w", s.Path(), number, err)
	}
	rec = c.app.stated(rec)
	o := analyze.Options{MaxSteps: c.maxSteps, Skew: c.skew.given}
	live := o
	if c.app.following != nil {
		live.Broken = func(r *analyze.Result) { c.app.following.report(number, r) }
	}
	run.RunReport, err = analyze.Check(rec, c.properties, live)
	if err != nil {
		return run, err
	}
	if err := c.advise(rec, run.RunReport, o); err != nil {
		return run, err
	}
	run.Origins, err = report.Origins(rec, run.RunReport)
	if err != nil {
		return run, err
	}
	if c.explain {
		err = c.report.Explain(ctx, rec, run.RunReport)
	}
	return run, err
}

// advise looks for advice on the first run with open properties. With --explain each run has advice.
func (c *checking) advise(rec tracefmt.Recording, run *analyze.RunReport, o analyze.Options) error {
	switch {
	case c.explain:
		return run.Advise(rec, o, analyze.ManyTries)
	case slices.ContainsFunc(c.report.Runs, func(r report.Run) bool { return r.Advice != nil }):
		return nil
	}
	return run.Advise(rec, o, analyze.FewTries)
}

// withStated returns the recording with the facts that the user states. Explanations of violations use seqs,
// so stated crashes get seqs, as on import.
func (c *checking) withStated(rec tracefmt.Recording) (tracefmt.Recording, error) {
	said := c.checkFlags.stated.statement
	if !c.explain || len(said.Crashes) == 0 {
		return said.Over(rec)
	}
	stated := tracefmt.NewMemory(*rec.Run())
	if err := said.Write(stated, rec); err != nil {
		return nil, err
	}
	return stated, nil
}

// saveVerdicts keeps the verdicts in their traces. An interrupt waits for it: an abandoned transaction would leave its
// journal beside the trace.
func (c *checking) saveVerdicts() {
	defer c.app.keep()()
	for _, path := range c.report.Traces {
		rows := verdictRows(c.report, path)
		if len(rows) == 0 {
			continue
		}
		if err := tracedb.SaveVerdicts(path, rows); err != nil {
			c.failures = append(c.failures, fmt.Errorf("the verdicts were not saved: %w", err))
		}
	}
}

func verdictRows(rep *report.Report, trace string) []tracedb.Verdict {
	now := time.Now().UTC().Format(time.RFC3339)
	var rows []tracedb.Verdict
	for _, run := range rep.Runs {
		if run.Trace != trace {
			continue
		}
		for _, r := range run.Results {
			rows = append(rows, tracedb.Verdict{
				Run: run.Run.Number, Property: r.Property.Name, Verdict: string(r.Verdict), Witness: r.WitnessJSON(),
				Explanation: r.Explanation, CheckedAt: now, Tool: toolName,
			})
		}
	}
	return rows
}
