package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/record/scenario"
	"etrace/tracefmt"
)

type checkFlags struct {
	traceArgs
	propertyFlags
	reportFlags
	followFlags
	stated   statedFlags
	save     bool
	explain  bool
	maxSteps int64
	skew     skewFlag
	// plan is the file of a plan of which one shard is checked.
	plan  string
	shard string
}

func (a *app) checkCommand() *cobra.Command {
	f := &checkFlags{}
	f.passing = true
	cmd := &cobra.Command{
		Use:   "check [TRACE...]",
		Short: "Decide the properties of recorded runs",
		Long: `Examine every run of the traces for every property that applies to it, and print
a verdict for each; of several runs, those of which nothing is violated or open
get a line each, and --run shows one in full. At the end the verdicts are counted and,
of several runs, those that are violated: "2 of 41 runs violated". With -q there are
only the runs and properties that are violated or open, and that end. A TRACE may be a pattern, such as 'runs/*.db', or -, for stdin. Stricter readings of a property are examined only when
named; etrace list properties marks them. Rules of your own are written in the
language of docs/language.md, in files (--spec) or on the command line (-e).
Rules are examined besides the properties. With --only no others are examined than
those it names. What is named, and each rule, has to apply to a run of each trace and to
be decided. Properties of the record itself, such as clocks, are examined for simulated
runs or by name; etrace lint judges recordings.

Exit status: 1 if a property is violated. 3 if none is, but something stayed open
(pending or unknown) that had to be decided: what was named; anything in a complete
recording; what the recording is fit to decide but for a gap, a member without a log, or a
bound; with --strict, anything. --allow-open makes 0 of that. 3 also where
nothing was examined: every verdict of a trace is vacuous or not applicable, or a run has
no event. Else 0. A damaged run, or a trace that
cannot be read, is named on stderr and makes it 2 unless a property is violated; the others
are examined all the same; with --salvage, which leaves out what is damaged, that counts as open.

With --follow stdin is examined as it comes, as in ./service | etrace check - --follow --map raft.yaml: each property is named on stderr when it is first violated, and the report
comes at the end of the stream, at Ctrl-C or, with --fail-fast, at the first violation.

With --plan and --shard one shard of a plan (etrace plan) is checked, and its summary,
of which etrace merge makes a report, is printed; the exit status is 0, or 2.`,
		Example: `  etrace check
  etrace check runs.db --run last --only single-leader,agreement --explain
  etrace check '*.db' -q
  etrace check -e 'at most 3*n - 1 send per run' --except default --explain
  etrace check runs.db --except default --spec rules.txt --format junit > report.xml
  etrace check --plan plan.json --shard 0 > 0.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.plan != "" {
				return a.checkShard(cmd.Context(), f, args)
			}
			return a.check(cmd.Context(), f, args)
		},
	}
	f.traceArgs.flags(cmd, "all")
	f.salvageFlag(cmd)
	f.stated.flags(cmd)
	f.propertyFlags.flags(cmd, a.Properties)
	f.reportFlags.flags(cmd, a)
	f.followFlags.flags(cmd)
	a.mapFlag(cmd)
	cmd.Flags().BoolVar(&f.save, "save", false, "keep the verdicts in the traces, as the view verdicts")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "say of each violation which events it takes, of what is unknown what to log next, and of what is not applicable, in text, why")
	maxStepsFlag(cmd, &f.maxSteps)
	f.skew.flag(cmd)
	cmd.Flags().StringVar(&f.plan, "plan", "", "check one shard of this `PLAN`, and print its summary; etrace plan")
	cmd.Flags().StringVar(&f.shard, "shard", "", "the `NUMBER` of the shard, from 0; -, those of stdin: lines NUMBER<tab>EVENT, sorted by shard and seq")
	return cmd
}

// skewFlag is by how much the clocks of a recording may differ.
type skewFlag struct{ given *tracefmt.Time }

func (f *skewFlag) flag(cmd *cobra.Command) {
	cmd.Flags().Var(f, "skew", "the clocks of different processes may differ by this `DURATION`, such as 5ms: what another order within it would change is unknown (default: what the import found)")
}

func (f *skewFlag) String() string { return "" }

func (f *skewFlag) Type() string { return "DURATION" }

func (f *skewFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return errors.New("expected a duration from 0 on, such as 5ms")
	}
	t := tracefmt.Time(d)
	f.given = &t
	return nil
}

// maxStepsFlag adds the bound of what searches.
func maxStepsFlag(cmd *cobra.Command, n *int64) {
	cmd.Flags().Int64Var(n, "max-steps", analyze.DefaultMaxSteps, "a property that searches is unknown after `N` steps in a run")
}

func checkMaxSteps(n int64) error {
	if n < 1 {
		return fmt.Errorf("--max-steps %d: expected a number of steps, from 1 on", n)
	}
	return nil
}

func (a *app) check(ctx context.Context, f *checkFlags, args []string) error {
	if err := checkMaxSteps(f.maxSteps); err != nil {
		return err
	}
	if err := f.lookupFormat(a); err != nil {
		return err
	}
	properties, err := f.lookup(a.Properties)
	if err != nil {
		return err
	}
	if f.followFlags.follow {
		return a.follow(ctx, f, args, properties)
	}
	executions := a.executions(traces(args))
	c := &checking{app: a, checkFlags: f, properties: properties, report: &report.Report{Traces: executions, Joined: a.joined, Tool: toolName}}
	if err := c.all(ctx); err != nil {
		return err
	}
	if err := a.printReport(c.report, &f.reportFlags, f.explain); err != nil {
		return err
	}
	if f.save { // what was found is not lost if it cannot be saved
		c.saveVerdicts()
	}
	if len(c.failures) == 0 || c.report.Verdict() == analyze.Violated {
		for _, err := range c.failures { // a violation counts for more than a trace that cannot be read
			a.warn("%s", describe(err))
		}
		return f.status(c.report)
	}
	return c.failed()
}

// stated is a recording whose run states what its scenario promises, also if it
// was recorded before runs stated anything.
func (a *app) stated(rec tracefmt.Recording) tracefmt.Recording {
	run := rec.Run()
	stated := scenario.Stated(run, a.Algorithms)
	if stated == run {
		return rec
	}
	return tracefmt.Described(rec, stated)
}
