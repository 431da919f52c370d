package cli

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"etrace/analyze/lint"
	"etrace/analyze/report"
	"etrace/tracefmt/tracedb"
)

type lintFlags struct {
	traceArgs
	format string
	json   bool
	strict bool
	rules  []string
	except []string
}

func (a *app) lintCommand() *cobra.Command {
	f := &lintFlags{}
	f.unvalidated = true
	cmd := &cobra.Command{
		Use:   "lint [TRACE...]",
		Short: "Find what is wrong with recordings themselves",
		Long: `Examine recordings, not protocols: messages that are received and were never sent,
clocks that contradict each other, steps of processes that are down, events that are
missing. Of each rule the first ten findings are listed, with the fewest events that
show them, what was expected, and the lines of the log that they were imported from.
A TRACE may be a pattern, such as 'runs/*.db', or -, for stdin; runs in JSON Lines need
not be well-formed.

A finding is an error where the record contradicts itself or what the run says to tell, a
warning where it may be right, and a note where what is not recorded may explain it.

Exit status: 1 if there is an error or, with --strict, a warning; 2 if a trace cannot be
read; else 0.`,
		Example: `  etrace lint
  etrace lint '*.db' -q --strict
  etrace lint runs.db --except clock-skew --json
  etrace lint runs.db --rule receive-without-send,lamport-clocks --format sarif > lint.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.lint(cmd.Context(), f, args) },
	}
	f.traceArgs.flags(cmd, "all")
	f.salvageFlag(cmd)
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORM` of the report: "+joined(report.LintFormats().Names()))
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "warnings count as errors for the exit status")
	cmd.Flags().Var((*nameList)(&f.rules), "rule", "examine only these `RULES`; etrace list lint-rules")
	cmd.Flags().Var((*nameList)(&f.except), "except", "do not examine these `RULES`")
	complete(cmd, "format", report.LintFormats().Names)
	completeList(cmd, "rule", a.LintRules.Names)
	completeList(cmd, "except", a.LintRules.Names)
	return cmd
}

func (a *app) lint(ctx context.Context, f *lintFlags, args []string) error {
	if f.json {
		f.format = "json"
	}
	format, err := report.LintFormats().Lookup(f.format)
	if err != nil {
		return err
	}
	rules, err := f.picked(a.LintRules)
	if err != nil {
		return err
	}
	l := &linting{app: a, lintFlags: f, examined: rules, report: &report.Lint{Traces: traces(args), Tool: toolName}}
	if err := l.all(ctx); err != nil {
		return err
	}
	if err := a.print(func(w io.Writer) error {
		return format.Write(w, l.report, report.Style{Color: a.color(), Width: columns(a.out), Quiet: a.quiet})
	}); err != nil {
		return err
	}
	if len(l.failures) > 0 {
		return a.lastOf(l.failures)
	}
	if n := l.report.Counts(); n[lint.Error] > 0 || f.strict && n[lint.Warning] > 0 {
		return outcome(exitBad)
	}
	return nil
}

// picked are the rules to examine.
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

// linting is lint of several traces at work.
type linting struct {
	*app
	*lintFlags
	examined []*lint.Rule
	report   *report.Lint
	failures []error // of traces and of runs; they keep it from no other
}

// all examines the traces. It fails where there is nothing to report on.
func (l *linting) all(ctx context.Context) error {
	for _, path := range l.report.Traces {
		if err := l.trace(ctx, path); err != nil {
			if ctx.Err() != nil {
				return err
			}
			l.failures = append(l.failures, err)
		}
	}
	for _, err := range l.failures {
		l.report.Failures = append(l.report.Failures, oneLine(describe(err)))
	}
	if len(l.report.Runs) == 0 {
		return l.lastOf(l.failures)
	}
	return nil
}

// trace examines the runs of a trace. Those that are damaged do not keep it from the others.
func (l *linting) trace(ctx context.Context, path string) error {
	s, err := l.open(l.app, path)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, err := range s.Damage() {
		l.report.LeftOut = append(l.report.LeftOut, oneLine(describe(err)))
	}
	for _, n := range s.numbers {
		rec, err := s.recording(ctx, l.app, "reading events", n)
		var run *lint.RunReport
		if err == nil {
			run, err = lint.Run(rec, l.examined)
		}
		switch {
		case errors.Is(err, tracedb.ErrDamaged):
			l.failures = append(l.failures, err)
		case err != nil:
			return err
		default:
			l.report.Runs = append(l.report.Runs, report.LintRun{Trace: path, RunReport: run})
		}
	}
	return nil
}
