package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/record/scenario"
	"etrace/tracefmt"
)

// checkFlags are the flags of check.
type checkFlags struct {
	traceArgs
	propertyFlags
	reportFlags
	followFlags
	// stated has crashes and an end of the run that the user states and the log lacks.
	stated   statedFlags
	save     bool
	explain  bool
	maxSteps int64
	skew     skewFlag
	// plan is the file of a plan, shard the number of the shard to check, "-" for all shards with lines on stdin.
	plan  string
	shard string
}

// checkCommand returns the command check with its flags.
func (a *app) checkCommand() *cobra.Command {
	f := &checkFlags{}
	f.passing = true
	cmd := &cobra.Command{
		Use:   "check [TRACE...]",
		Short: "Decide the properties of recorded runs",
		Long: `Examine every run for every property that applies to it, and print a verdict for
each. A TRACE is a database, a log, a pattern such as 'runs/*.db', or - for stdin.
-q lists only violated and open properties. Some stricter properties run only if you name them.
Rules of your own (-e, --spec) run beside the properties: docs/language.md.

Exit status: 1 if a property is violated; 2 if a trace cannot be read; 3 if nothing
is violated, but a property that had to be decided is open; else 0
(etrace explain exit-status).`,
		Example: `  etrace check
  etrace check runs.db --only single-leader,agreement --explain
  etrace check runs.db -e 'at most 3*n - 1 send per run' --format junit > report.xml`,
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
	cmd.Flags().BoolVar(&f.save, "save", false, "store the verdicts in the trace (view verdicts)")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "show witnesses, what to log next, and why properties do not apply")
	maxStepsFlag(cmd, &f.maxSteps)
	f.skew.flag(cmd)
	cmd.Flags().StringVar(&f.plan, "plan", "", "check one shard of this `PLAN`; etrace explain shards")
	cmd.Flags().StringVar(&f.shard, "shard", "", "the `NUMBER` of the shard, from 0; - reads slices from stdin")
	groupFlags(cmd,
		flagGroup{title: "What to check", flags: []string{"run", "only", "except", "rule", "spec", "allow-quadratic", "max-steps"}},
		flagGroup{title: "What the log contains", flags: []string{"complete", "crashed", "end", "skew", "salvage", "map"}},
		flagGroup{title: "The report", flags: []string{"explain", "format", "json", "save", "strict", "allow-open"}},
		flagGroup{title: "Streams and shards", flags: []string{"follow", "fail-fast", "plan", "shard"}},
	)
	return cmd
}

// skewFlag is the flag --skew: the greatest possible difference of two clocks, nil if the user does not state it.
type skewFlag struct{ given *tracefmt.Time }

func (f *skewFlag) flag(cmd *cobra.Command) {
	cmd.Flags().Var(f, "skew", "clocks may differ by this `DURATION` (default: what the import found)")
}

func (f *skewFlag) String() string { return "" }

func (f *skewFlag) Type() string { return "DURATION" }

// Set implements [pflag.Value]. It fails for a negative duration.
func (f *skewFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return errors.New("expected a duration from 0 on, such as 5ms")
	}
	t := tracefmt.Time(d)
	f.given = &t
	return nil
}

// maxStepsFlag adds the flag that bounds the steps of searches, such as that of linearizability.
func maxStepsFlag(cmd *cobra.Command, n *int64) {
	cmd.Flags().Int64Var(n, "max-steps", analyze.DefaultMaxSteps, "a search ends as unknown after `N` steps")
}

// checkMaxSteps returns an error if the bound allows no step.
func checkMaxSteps(n int64) error {
	if n < 1 {
		return fmt.Errorf("--max-steps %d: expected a number of steps, from 1 on", n)
	}
	return nil
}

// check examines the traces that args name, prints the report, and saves the verdicts with --save. A violation
// decides the exit status, even if some trace cannot be read. Without a violation, the first of these failures is the
// result.
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
	interrupt := ctx
	if f.follow {
		defer a.keepPartialResult()()
		ctx, err = a.follow(ctx, f, args, properties)
		if err != nil {
			return err
		}
		defer a.following.past.close()
		defer a.following.end()
	}
	if err := a.refuseNames(args); err != nil {
		return err
	}
	executions := a.executions(tracePaths(args))
	c := &checking{app: a, checkFlags: f, properties: properties, report: &report.Report{Traces: executions, Joined: a.joined, Tool: toolName}}
	if err := c.checkAll(ctx); err != nil {
		return err
	}
	if f.follow {
		if interrupt.Err() != nil {
			a.note("ended with what had come")
		}
		a.following.finish(c.report)
	}
	if err := a.printReport(c.report, &f.reportFlags, f.explain); err != nil {
		return err
	}
	if f.save { // what was found is not lost if it cannot be saved
		c.saveVerdicts()
	}
	if len(c.failures) == 0 || c.report.Verdict() == analyze.Violated {
		for _, err := range c.failures { // a violation counts for more than a trace that cannot be read
			a.warn("%s", a.describe(err))
		}
		return f.status(c.report)
	}
	return c.lastFailure()
}

// refuseNames returns an error for an argument that names no file, but properties or an algorithm.
func (a *app) refuseNames(args []string) error {
	unknown := func(name string) bool { return !a.Properties.Has(name) }
	for _, arg := range args {
		switch {
		case !isMissing(arg): // a trace
		case !slices.ContainsFunc(strings.Split(arg, ","), unknown):
			return fmt.Errorf("%s: expected a trace; properties are examined by --only %[1]s", arg)
		case a.Algorithms.Has(arg):
			return fmt.Errorf("%s: expected a trace; etrace record %[1]s makes one of the algorithm", arg)
		}
	}
	return nil
}

// withTraits returns a recording whose header states the traits of its scenario. Old traces have a scenario, but lack
// the traits.
func (a *app) withTraits(rec tracefmt.Recording) tracefmt.Recording {
	run := rec.Run()
	described := scenario.Stated(run, a.Algorithms)
	if described == run {
		return rec
	}
	return tracefmt.Described(rec, described)
}
