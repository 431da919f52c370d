package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

type checkFlags struct {
	traceArgs
	propertyFlags
	format    string
	json      bool
	save      bool
	explain   bool
	allowOpen bool
	timeLimit time.Duration
}

func (a *app) checkCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check [TRACE]",
		Short: "Decide the properties of recorded runs",
		Long: `Examine every run of a trace for every property that applies to it, and print
a verdict for each. Stricter readings of a property are examined only when
named; etrace list properties marks them. Rules of your own are written in the
language of docs/language.md, in files (--spec) or on the command line (-e).
Where properties or rules are named, only these are examined.

Exit status: 1 if a property is violated, 3 if none is but something stayed
open (pending or unknown), unless --allow-open; else 0. A damaged run is named
on stderr and makes it 2, the others are examined all the same; with --salvage, which
leaves out what is damaged, that counts as open.`,
		Example: `  etrace check
  etrace check runs.db --run last --property single-leader,agreement --explain
  etrace check -e 'at most 3*n - 1 send per run' --explain
  etrace check runs.db --spec rules.txt --format junit > report.xml`,
		Args: atMost(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), f, args) },
	}
	f.traceArgs.flags(cmd, "all")
	f.salvageFlag(cmd)
	f.propertyFlags.flags(cmd, a.Properties)
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORM` of the report: "+joined(a.Reports.Names()))
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	cmd.Flags().BoolVar(&f.save, "save", false, "keep the verdicts in the trace, as the view verdicts")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "tell of each violation which events it takes, in words")
	cmd.Flags().DurationVar(&f.timeLimit, "time-limit", analyze.DefaultTimeLimit, "how `LONG` a property may search in each run before it is unknown")
	cmd.Flags().BoolVar(&f.allowOpen, "allow-open", false, "exit with 0 if no property is violated")
	complete(cmd, "format", a.Reports.Names)
	return cmd
}

func (a *app) check(ctx context.Context, f *checkFlags, args []string) error {
	if f.json {
		f.format = "json"
	}
	if f.timeLimit <= 0 {
		return fmt.Errorf("--time-limit %q: expected a time above zero, such as %v", f.timeLimit, analyze.DefaultTimeLimit)
	}
	format, err := a.Reports.Lookup(f.format)
	if err != nil {
		return err
	}
	properties, err := f.lookup(a.Properties)
	if err != nil {
		return err
	}
	rep := &report.Report{Trace: tracePath(args), Tool: toolName}
	if f.save {
		if err := noStream(rep.Trace); err != nil {
			return fmt.Errorf("--save: %w", err)
		}
		if err := tracedb.CheckFile(rep.Trace); err != nil {
			return err
		}
	}
	s, err := f.open(a, rep.Trace)
	if err != nil {
		return err
	}
	defer s.Close()
	damage, err := a.checkRuns(ctx, f, s, properties, rep)
	if err != nil {
		return err
	}
	err = a.writeFile("-", func(w io.Writer) error {
		return format.Write(w, rep, report.Style{Color: a.color(), Width: a.width(), Quiet: a.quiet, Applicable: !f.named(), AllowOpen: f.allowOpen})
	})
	if err == nil && f.save { // what was found is not lost if it cannot be saved
		if err = tracedb.SaveVerdicts(rep.Trace, verdictRows(rep)); err != nil {
			err = fmt.Errorf("the verdicts were not saved: %w", err)
		}
	}
	switch {
	case err == nil && damage == nil:
		return f.status(rep, len(s.damage) > 0)
	case err == nil:
		return damage
	case damage != nil:
		a.warn("%v", damage)
	}
	return err
}

// checkRuns examines the runs and adds them to the report. Those that are
// damaged do not keep it from the others: damage is the last of them, the ones before
// are said. If all are damaged the error is that of the first.
func (a *app) checkRuns(ctx context.Context, f *checkFlags, s *source, properties []*analyze.Property, rep *report.Report) (damage, err error) {
	for _, n := range s.numbers {
		switch err := a.checkRun(ctx, f, s, n, properties, rep); {
		case errors.Is(err, tracedb.ErrDamaged):
			if damage != nil {
				a.warn("%v", damage)
			}
			damage = err
		case err != nil:
			return nil, err
		}
	}
	if len(rep.Runs) == 0 {
		return nil, damage
	}
	return damage, nil
}

func (a *app) checkRun(ctx context.Context, f *checkFlags, s *source, number int, properties []*analyze.Property, rep *report.Report) error {
	rec, err := s.recording(ctx, a, "checking events", number)
	if err != nil {
		return err
	}
	rec = a.stated(rec)
	run, err := analyze.Check(rec, properties, analyze.Options{Named: f.named(), TimeLimit: f.timeLimit})
	if err != nil {
		return err
	}
	rep.Runs = append(rep.Runs, run)
	if f.explain {
		return rep.Explain(ctx, rec, run)
	}
	return nil
}

// status is what the report comes to. A property that was named and that applies
// to no run was not examined, which is not the same as fine; nor was what was
// left out of a damaged trace.
func (f *checkFlags) status(rep *report.Report, leftOut bool) error {
	switch v := rep.Verdict(); {
	case v == analyze.Violated:
		return outcome(exitBad)
	case f.allowOpen:
		return nil
	case leftOut || v == analyze.Pending || v == analyze.Unknown || f.named() && len(rep.Inapplicable()) > 0:
		return outcome(exitOpen)
	}
	return nil
}

// stated is a recording whose run states what its scenario promises, also if it
// was recorded before runs stated anything.
func (a *app) stated(rec tracefmt.Recording) tracefmt.Recording {
	return &statedRecording{rec, scenario.Stated(rec.Run(), a.Algorithms)}
}

type statedRecording struct {
	tracefmt.Recording
	run *tracefmt.Run
}

// Run implements [tracefmt.Recording].
func (s *statedRecording) Run() *tracefmt.Run { return s.run }

func verdictRows(rep *report.Report) []tracedb.Verdict {
	now := time.Now().UTC().Format(time.RFC3339)
	var rows []tracedb.Verdict
	for _, run := range rep.Runs {
		for _, r := range run.Results {
			rows = append(rows, tracedb.Verdict{
				Run: run.Run.Number, Property: r.Property.Name, Verdict: string(r.Verdict), Witness: r.WitnessJSON(),
				Explanation: r.Explanation, CheckedAt: now, Tool: toolName,
			})
		}
	}
	return rows
}
