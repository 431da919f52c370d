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
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracefile"
)

// suiteFlags are the flags of suite.
type suiteFlags struct {
	cases string
	formFlags
	given bool // --format or --json was given
	out   outFile
	all   bool
	save  string
	share string // the shard, I/N, "" for all cases
}

func (a *app) suiteCommand() *cobra.Command {
	f := &suiteFlags{}
	cmd := &cobra.Command{
		Use:   "suite FILE...",
		Short: "Run scenarios with expected and published results",
		Long: `Run every case of suite files: scenarios with the expected message counts, times,
leaders and verdicts, and with the published ones. Measured, expected and published
values appear side by side; a value is ok, explained by a note, or failed.
etrace explain suite shows the form of a suite file.

Exit status: 1 if a value failed.`,
		Example: `  etrace suite fixtures/suites/*.yaml
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
	cmd.Flags().StringVar(&f.cases, "case", "", "run only the cases that match this `REGEX`")
	f.formFlags.flags(cmd, "report", a.SuiteReports.Names)
	f.out.flags(cmd, "output", "o", "-", "write the report to this `FILE`; its extension chooses the form")
	outVar(cmd, &f.save, "save", "", "append the runs of all cases to this `TRACE`")
	cmd.Flags().BoolVar(&f.all, "all", false, "show every value, also those that are ok")
	cmd.Flags().StringVar(&f.share, "shard", "", "run part `I/N` of the cases")
	return cmd
}

// suite runs the cases of the suite files, and writes the report or, with --shard, the summary of a part of the cases. The
// exit status is 1 if a value failed.
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
	lost := f.saveRuns(ctx, a, report) // the report is written even if saving fails
	err = a.write(f.out, func(w io.Writer) error {
		return format.Write(w, report, suite.Style{Color: f.out.path == tracefile.Stream && a.color(), Quiet: a.quiet, All: f.all})
	}, args...)
	err = cmp.Or(lost, err)
	if err == nil && report.Status() == suite.Failed {
		return outcome(exitBad)
	}
	return err
}

// runSuites runs the cases of the suites; cases is their number.
func (a *app) runSuites(ctx context.Context, f *suiteFlags, suites []*suite.Suite, cases int) (*suite.Report, error) {
	bar := a.progress("running cases", int64(cases))
	report, err := suite.Run(ctx, suites, suite.Options{
		Progress: func(done int) { bar.update(int64(done)) }, Keep: f.save != "",
	})
	bar.done()
	if ctx.Err() != nil {
		return nil, interrupted(ctx, "running cases", ctx.Err())
	}
	return report, err
}

// saveRuns appends the recorded runs of the cases to the trace of --save. A case that could not run has none.
func (f *suiteFlags) saveRuns(ctx context.Context, a *app, report *suite.Report) error {
	if f.save == "" {
		return nil
	}
	var runs []tracefmt.Recording
	for _, s := range report.Suites {
		for _, c := range s.Cases {
			if c.Recording != nil { // nil if the case could not run
				runs = append(runs, c.Recording)
			}
		}
	}
	return a.saveRuns(ctx, f.save, runs...)
}

// checkSave returns an error, before work starts, if the runs cannot be saved.
func (f *suiteFlags) checkSave() error {
	switch {
	case f.save == "":
		return nil
	case f.out.path == tracefile.Stream && f.save == tracefile.Stream:
		return errors.New("--save - and -o -: the runs and the report would mix, expected a file")
	}
	return tracefile.CheckTarget(f.save)
}

// load reads the suites, with the cases whose names match --case. It fails if no case matches.
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
