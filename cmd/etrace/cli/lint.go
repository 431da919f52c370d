package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/analyze/lint"
	"etrace/analyze/report"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// lintFlags are the flags of lint.
type lintFlags struct {
	traceArgs
	formFlags
	strict bool
	repair bool
	output string
	rules  []string
	except []string
}

func (a *app) lintCommand() *cobra.Command {
	f := &lintFlags{}
	f.unvalidated, f.passing = true, true
	cmd := &cobra.Command{
		Use:   "lint [TRACE...]",
		Short: "Find errors in recordings",
		Long: `Examine recordings, not protocols: receives without a send, contradicting clocks,
steps of crashed processes, missing events. Each finding has its witness, what was
expected, and the lines of the log. Error: the recording contradicts itself.
Warning: suspicious, but possible. Note: unrecorded events may explain it.

--repair writes new runs without the contradictions; it invents nothing and lists each
change: etrace explain repair.

Exit status: 1 if there is an error, or with --strict a warning; 2 if a trace cannot be read.`,
		Example: `  etrace lint '*.db' -q --strict
  etrace lint runs.db --repair -o mended.db
  etrace lint runs.db --rule receive-without-send,lamport-clocks --format sarif > lint.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.lint(cmd.Context(), f, args) },
	}
	f.traceArgs.flags(cmd, "all")
	f.salvageFlag(cmd)
	a.mapFlag(cmd)
	f.formFlags.flags(cmd, "report", report.LintFormats().Names)
	cmd.Flags().BoolVar(&f.strict, "strict", false, "warnings count as errors")
	cmd.Flags().Var((*nameList)(&f.rules), "rule", "examine only these `RULES`; etrace list lint-rules")
	cmd.Flags().Var((*nameList)(&f.except), "except", "leave out these `RULES`")
	cmd.Flags().BoolVar(&f.repair, "repair", false, "write new runs without the contradictions")
	outVar(cmd, &f.output, "output", "o", "with --repair: append to this `FILE` (default TRACE.repaired.db)")
	completeList(cmd, "rule", a.LintRules.Names)
	completeList(cmd, "except", a.LintRules.Names)
	return cmd
}

// lint examines the traces that args name, writes repaired runs with --repair, and prints the report. The exit status
// is 1 if an error remains, or with --strict a warning.
func (a *app) lint(ctx context.Context, f *lintFlags, args []string) error {
	format, err := report.LintFormats().Lookup(f.name())
	if err != nil {
		return err
	}
	rules, err := f.picked(a.LintRules)
	if err != nil {
		return err
	}
	l := &linting{app: a, lintFlags: f, examined: rules, report: &report.Lint{Traces: a.executions(tracePaths(args)), Tool: toolName}}
	if err := l.begin(); err != nil {
		return err
	}
	defer l.discard()
	if err := l.lintAll(ctx); err != nil {
		return err
	}
	if err := l.commit(); err != nil {
		return err
	}
	if err := l.print(format); err != nil {
		return err
	}
	if len(l.failures) > 0 {
		return a.warnAllButLast(l.failures)
	}
	if n := l.report.Left(); n[lint.Error] > 0 || f.strict && n[lint.Warning] > 0 {
		return outcome(exitBad)
	}
	return nil
}

// print writes the report to stdout, or to stderr if the repaired runs go to stdout.
func (l *linting) print(format *report.LintFormat) error {
	write := func(w io.Writer) error {
		return format.Write(w, l.report, report.Style{Color: l.app.color(), Width: terminalWidth(l.app.out), Quiet: l.app.quiet})
	}
	if l.output == tracefile.Stream {
		return write(l.app.err)
	}
	return l.app.print(write)
}

// picked returns the rules to examine: those of --rule, or all, less those of --except.
func (f *lintFlags) picked(known lint.Registry) ([]*lint.Rule, error) {
	rules := known.All()
	if f.rules != nil {
		rules = nil
		for _, name := range f.rules {
			rule, err := known.Lookup(name)
			if err != nil {
				return nil, err
			}
			rules = append(rules, rule)
		}
	}
	for _, name := range f.except {
		rule, err := known.Lookup(name)
		if err != nil {
			return nil, err
		}
		rules = slices.DeleteFunc(rules, func(r *lint.Rule) bool { return r == rule })
	}
	if len(rules) == 0 {
		return nil, errors.New("--except leaves nothing to examine")
	}
	return rules, nil
}

// linting is one execution of lint on several traces.
type linting struct {
	app *app
	*lintFlags
	examined []*lint.Rule
	report   *report.Lint
	repaired tracefile.Writer // nil without --repair
	failures []error          // the errors of unreadable traces and runs
}

// begin opens the trace for repaired runs, if --repair was given. The default is TRACE.repaired.db beside a single
// trace.
func (l *linting) begin() (err error) {
	if !l.repair {
		return nil
	}
	if l.output == "" {
		if len(l.report.Traces) > 1 || l.report.Traces[0] == tracefile.Stream {
			return errors.New("--repair: expected -o FILE, for the runs of several traces or of stdin")
		}
		path := l.report.Traces[0]
		l.output = strings.TrimSuffix(path, filepath.Ext(path)) + ".repaired.db"
	}
	l.report.Output = l.output
	l.repaired, err = l.app.createRuns(l.output)
	return err
}

// discard removes repaired runs that were not committed.
func (l *linting) discard() {
	if l.repaired != nil {
		l.repaired.Discard()
	}
}

// commit keeps the repaired runs, unless some trace or run could not be read.
func (l *linting) commit() error {
	if l.repaired == nil {
		return nil
	}
	if len(l.failures) == 0 {
		return l.repaired.Commit()
	}
	l.report.Output = ""
	for i := range l.report.Runs {
		l.report.Runs[i].Repaired = nil
	}
	return nil
}

// repairRun repairs a run and writes it to the trace of repaired runs.
func (l *linting) repairRun(rec tracefmt.Recording) (*lint.Repaired, error) {
	repaired, err := lint.Repair(rec, l.examined)
	if err != nil {
		return nil, fmt.Errorf("run %d: %w", rec.Run().Number, err)
	}
	return repaired, tracefmt.Copy(l.repaired, repaired, repaired.Run())
}

// lintAll examines the traces. It returns an error if ctx has ended, or if no run could be examined.
func (l *linting) lintAll(ctx context.Context) error {
	for _, path := range l.report.Traces {
		if err := l.trace(ctx, path); err != nil {
			if ctx.Err() != nil {
				return err
			}
			l.failures = append(l.failures, err)
		}
	}
	for _, err := range l.failures {
		l.report.Failures = append(l.report.Failures, l.app.describe(err))
	}
	if len(l.report.Runs) == 0 {
		return l.app.warnAllButLast(l.failures)
	}
	return nil
}

// trace examines the runs of a trace. It skips damaged runs and continues.
func (l *linting) trace(ctx context.Context, path string) error {
	s, err := l.open(ctx, l.app, path)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, err := range s.Damage() {
		l.report.LeftOut = append(l.report.LeftOut, oneLine(describe(err)))
	}
	before := len(l.report.Runs)
	for n, err := range s.each() {
		if err == nil {
			err = l.lintRun(ctx, s, path, n)
		}
		switch {
		case errors.Is(err, tracedb.ErrDamaged):
			l.failures = append(l.failures, err)
		case err != nil:
			l.report.Runs = l.report.Runs[:before]
			return err
		}
	}
	return nil
}

// lintRun examines a run, repairs it with --repair, and adds its findings to the report.
func (l *linting) lintRun(ctx context.Context, s *source, path string, number int) error {
	rec, err := s.recording(ctx, l.app, "reading events", number)
	if err != nil {
		return err
	}
	run := report.LintRun{Trace: path}
	run.RunReport, err = lint.Run(rec, l.examined)
	if err != nil {
		return err
	}
	if l.repair {
		run.Repaired, err = l.repairRun(rec)
		if err != nil {
			return err
		}
	}
	l.report.Runs = append(l.report.Runs, run)
	return nil
}
