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

// checking is one execution of check on several traces.
type checking struct {
	app *app
	*checkFlags
	properties []*analyze.Property
	report     *report.Report
	// failures are the errors of traces and runs that could not be read. The other traces and runs are still examined.
	failures []error
}

// tracePaths returns the files that the arguments name, each once. An argument is a file or a pattern. A pattern
// without a match is kept as a name, so that opening it reports the missing file.
func tracePaths(args []string) (paths []string) {
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

// checkAll examines the traces. It returns an error if ctx has ended, or if no run could be examined.
func (c *checking) checkAll(ctx context.Context) error {
	for _, path := range c.report.Traces {
		if err := c.trace(ctx, path); err != nil {
			if ctx.Err() != nil {
				return err
			}
			c.failures = append(c.failures, err)
		}
	}
	for _, err := range c.failures {
		c.report.Failures = append(c.report.Failures, c.app.describe(err))
	}
	if len(c.report.Runs) == 0 {
		return c.lastFailure()
	}
	return nil
}

// lastFailure prints all failures except the last, and returns the last.
func (c *checking) lastFailure() error { return c.app.warnAllButLast(c.failures) }

// warnAllButLast prints all failures except the last as warnings, and returns the last, nil for an empty list.
func (a *app) warnAllButLast(failures []error) error {
	if len(failures) == 0 {
		return nil
	}
	last := len(failures) - 1
	for _, err := range failures[:last] {
		a.warn("%s", a.describe(err))
	}
	return failures[last]
}

// trace examines the runs of a trace and adds them to the report. It skips damaged runs and continues. After any other
// error the report has no run of the trace, since verdicts of half a trace would look like those of a whole one.
func (c *checking) trace(ctx context.Context, path string) error {
	if c.save {
		if err := checkSavable(path); err != nil {
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

// checkSavable returns an error if the verdicts cannot be stored in the trace at path.
func checkSavable(path string) error {
	if err := noStream(path); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	return tracedb.CheckFile(path)
}

// run examines one run: it returns the verdicts, the origin of each witness, advice on open properties and, with
// --explain, explanations of the violations.
func (c *checking) run(ctx context.Context, s *source, number int) (run report.Run, err error) {
	rec, err := s.recording(ctx, c.app, "checking events", number)
	if err != nil {
		return run, err
	}
	rec, err = c.withStated(rec)
	if err != nil {
		return run, fmt.Errorf("%s: run %d: %w", s.Path(), number, err)
	}
	rec = c.app.withTraits(rec)
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

// advise adds to the results what to log next to decide the open properties. The search takes time, so without
// --explain only the first run with open properties gets advice.
func (c *checking) advise(rec tracefmt.Recording, run *analyze.RunReport, o analyze.Options) error {
	switch {
	case c.explain:
		return run.Advise(rec, o, analyze.ManyTries)
	case slices.ContainsFunc(c.report.Runs, func(r report.Run) bool { return r.Advice != nil }):
		return nil
	}
	return run.Advise(rec, o, analyze.FewTries)
}

// withStated returns the recording with the crashes and the end that the user states. Explanations name events by
// seq, so with --explain the stated crashes get seqs, as in an import.
func (c *checking) withStated(rec tracefmt.Recording) (tracefmt.Recording, error) {
	stated := c.checkFlags.stated.statement
	if !c.explain || len(stated.Crashes) == 0 {
		return stated.Over(rec)
	}
	kept := tracefmt.NewMemory(*rec.Run())
	if err := stated.Write(kept, rec); err != nil {
		return nil, err
	}
	return kept, nil
}

// saveVerdicts stores the verdicts in their traces. An interrupt waits for it, because an abandoned transaction would
// leave its journal beside the trace.
func (c *checking) saveVerdicts() {
	defer c.app.keepPartialResult()()
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

// verdictRows returns the verdicts of a trace as rows of its table verdicts.
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
