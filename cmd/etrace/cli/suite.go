package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"etrace/analyze/experiment/suite"
	"etrace/analyze/spec"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracefile"
)

type suiteFlags struct {
	cases string
	formFlags
	given bool // whether --format was
	out   outFile
	all   bool
	save  string
	share string // which shard of how many, "" for all
}

func (a *app) suiteCommand() *cobra.Command {
	f := &suiteFlags{}
	cmd := &cobra.Command{
		Use:   "suite FILE...",
		Short: "Run scenarios with expected and published results",
		Long: `Run every case of suite files: scenarios with what their runs must come to
(message counts, times, leaders, verdicts), and with what a source prints.
Measured, expected and published values stand side by side.

A value is ok, explained (measured as expected, but published otherwise, and the
case has a note that says why), or failed. Exit status: 1 if any failed.

A suite is a YAML file:

  suite: Worst case
  cases:
    - name: chang-roberts, n = ${n}
      for: {n: 3-32}
      scenario:
        algorithm: chang-roberts
        nodes: ${n}
        start: 1@0
      expect:
        messages: 3*n-1
        end: quiescent
        leader: ${n}
        elected: {1: "${n}"}
        verdicts: {election-safety: satisfied}
      published: {messages: 3*n-1}

Further measures are delivered, lost, to_crashed, in_flight, type.NAME, depth,
time, decided, suspicions, events, bytes and bits (of the messages sent, by
the declarations of the algorithm). Formulas have the variables of the case,
` + spec.FormulaWords + `, ids(a, b), and
bitreversal(a, b), the same ids ordered by the binary digits of their places, read backwards.

A case with several values (for: {n: 3-32, s: 1-100}) is many cases; for large grids without
expectations there is etrace sweep. With --shard I/N this process runs every N-th case from the I-th on, and writes a summary;
etrace merge makes of the summaries of all N the report of the whole. The exit status of
a shard is 0, or 2.`,
		Example: `  etrace suite fixtures/suites/*.yaml
  etrace suite tables.yaml --case basu --all
  etrace suite tables.yaml --format markdown -o tables.md
  etrace suite tables.yaml --case 'basu.*n = 6' --save basu.db
  etrace suite tables.yaml --shard 0/2 > tables-0.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("suite: expected the names of suite files")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed("format") || f.json
			return a.suite(cmd.Context(), f, args)
		},
	}
	cmd.Flags().StringVar(&f.cases, "case", "", "run only the cases whose name matches this `REGEX`")
	f.formFlags.flags(cmd, "report", a.SuiteReports.Names)
	f.out.flags(cmd, "output", "o", "-", "write the report to a `FILE`, whose extension says the form; - is stdout")
	outVar(cmd, &f.save, "save", "", "", "append the runs of all cases to this `TRACE`, in their order")
	cmd.Flags().BoolVar(&f.all, "all", false, "show every value, also those that are ok")
	cmd.Flags().StringVar(&f.share, "shard", "", "run only every N-th case from the I-th on, `I/N`, I from 0, and write a summary; etrace merge")
	return cmd
}

func (a *app) suite(ctx context.Context, f *suiteFlags, args []string) error {
	form, err := formatOf(f.out.path, f.name(), f.given, a.SuiteReports.Names())
	if err != nil {
		return err
	}
	format, err := a.SuiteReports.Lookup(form)
	if err != nil {
		return err
	}
	suites, err := f.load(a.known(), args)
	if err != nil {
		return err
	}
	if err := f.out.check(args...); err != nil {
		return err
	}
	if err := f.checkSave(); err != nil {
		return err
	}
	total := 0
	for _, s := range suites {
		total += len(s.Cases)
	}
	if f.share != "" {
		return a.suiteShard(ctx, f, suites, args)
	}
	report, err := a.runSuites(ctx, f, suites, total)
	if err != nil {
		return err
	}
	lost := f.saveRuns(ctx, a, report) // the report is written even so
	err = a.write(f.out, func(w io.Writer) error {
		return format.Write(w, report, suite.Style{Color: f.out.path == tracefile.Stream && a.color(), Quiet: a.quiet, All: f.all})
	}, args...)
	err = cmp.Or(lost, err)
	if err == nil && report.Status() == suite.Failed {
		return outcome(exitBad)
	}
	return err
}

// runSuites runs the cases, so many.
func (a *app) runSuites(ctx context.Context, f *suiteFlags, suites []*suite.Suite, cases int) (*suite.Report, error) {
	bar := a.progress("running cases", int64(cases))
	report, err := suite.Run(ctx, suites, suite.Options{
		Progress: func(done int) { bar.at(int64(done)) }, Keep: f.save != "",
	})
	bar.done()
	if ctx.Err() != nil {
		return nil, interrupted(ctx, "running cases", ctx.Err())
	}
	return report, err
}

// saveRuns appends the runs that were kept to a trace.
func (f *suiteFlags) saveRuns(ctx context.Context, a *app, report *suite.Report) error {
	if f.save == "" {
		return nil
	}
	var runs []tracefmt.Recording
	for _, s := range report.Suites {
		for _, c := range s.Cases {
			if c.Recording != nil { // else the case could not run
				runs = append(runs, c.Recording)
			}
		}
	}
	return a.saveRuns(ctx, f.save, runs...)
}

// checkSave says early why the runs cannot be saved.
func (f *suiteFlags) checkSave() error {
	switch {
	case f.save == "":
		return nil
	case f.out.path == tracefile.Stream && f.save == tracefile.Stream:
		return errors.New("--save - and -o -: the runs and the report would mix, expected a file")
	}
	return checkRuns(f.save)
}

// load reads the suites and leaves out the cases that are not wanted.
func (f *suiteFlags) load(known suite.Known, files []string) ([]*suite.Suite, error) {
	wanted, err := regexp.Compile(f.cases)
	if err != nil {
		return nil, fmt.Errorf("--case %q: no regular expression: %s", f.cases, text.PatternMistake(err))
	}
	var suites []*suite.Suite
	var names []string
	selected := 0
	for _, file := range files {
		s, err := suite.Load(file, known)
		if err != nil {
			return nil, err
		}
		for _, c := range s.Cases {
			names = append(names, c.Name)
		}
		suites = append(suites, s.Select(wanted))
		selected += len(suites[len(suites)-1].Cases)
	}
	if selected == 0 {
		return nil, fmt.Errorf("--case: %w", text.Unknown("case", f.cases, names))
	}
	return suites, nil
}
