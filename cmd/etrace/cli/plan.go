package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/shard"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// planFlags are the flags of plan.
type planFlags struct {
	traceArgs
	propertyFlags
	stated   statedFlags
	maxSteps int64
	shards   int
	out      outFile
	job      string
	estimate bool
	json     bool
}

func (a *app) planCommand() *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan [TRACE...]",
		Short: "Split a check into shards for several machines",
		Long: `Split a check into shards, and write the plan. etrace check --plan PLAN --shard I
checks a shard on any machine; etrace merge writes the report. The traces must be at
the same paths, unchanged. Runs are divided by their events, one large run by the
keys of rules: etrace explain shards.`,
		Example: `  etrace plan run.db --except default --spec rules.txt --estimate
  etrace plan runs.db --except default --spec rules.txt --shards 64 -o rules-plan.json
  etrace plan runs.db --shards 64 -o large-plan.json --for slurm > job.sh`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.plan(cmd.Context(), f, args) },
	}
	f.traceArgs.flags(cmd, "all")
	f.salvageFlag(cmd)
	f.stated.flags(cmd)
	f.propertyFlags.flags(cmd, a.Properties)
	maxStepsFlag(cmd, &f.maxSteps)
	cmd.Flags().IntVar(&f.shards, "shards", 0, "split into `N` shards")
	f.out.same = true
	f.out.flags(cmd, "output", "o", tracefile.Stream, "write the plan to this `FILE`; - is stdout")
	cmd.Flags().StringVar(&f.job, "for", "", "print a job file for this `SCHEDULER`: "+joined(shard.Jobs().Names()))
	complete(cmd, "for", shard.Jobs().Names)
	cmd.Flags().BoolVar(&f.estimate, "estimate", false, "estimate the cost of shards from a sample")
	cmd.Flags().BoolVar(&f.json, "json", false, "with --estimate: print "+shard.EstimateFormat)
	groupFlags(cmd,
		flagGroup{title: "The plan", flags: []string{"shards", "output", "for", "force", "estimate", "json"}},
		flagGroup{title: "The check", replacement: "etrace check --help", flags: []string{
			"run", "only", "except", "rule", "spec", "allow-quadratic", "max-steps", "complete", "crashed", "end", "salvage",
		}},
	)
	return cmd
}

// plan splits the check of the traces into shards, and writes the plan. With --estimate it prints the expected cost instead.
func (a *app) plan(ctx context.Context, f *planFlags, args []string) error {
	switch {
	case f.estimate && (f.shards != 0 || f.out.path != tracefile.Stream || f.job != ""):
		return errors.New("--estimate: expected no --shards, --output or --for, since it writes no plan")
	case f.json && !f.estimate:
		return errors.New("--json goes with --estimate: a plan is JSON anyway")
	case f.estimate:
		f.shards = 1
	case f.shards == 0:
		return fmt.Errorf("plan: expected --shards N, the number of shards, 1 to %d", shard.MostShards)
	case f.shards < 0 || f.shards > shard.MostShards:
		return fmt.Errorf("--shards %d: expected a number of shards, 1 to %d", f.shards, shard.MostShards)
	}
	if err := checkMaxSteps(f.maxSteps); err != nil {
		return err
	}
	paths := tracePaths(args)
	if err := f.out.check(paths...); err != nil {
		return err
	}
	job, err := f.scheduler()
	if err != nil {
		return err
	}
	p := &shard.Plan{Tool: toolName, Shards: f.shards}
	p.Examined, err = f.examined(a)
	if err != nil {
		return err
	}
	if err := a.planTraces(ctx, f, p, paths); err != nil {
		return err
	}
	if f.estimate {
		return a.estimate(ctx, f, p)
	}
	// A plan is sealed last, since its id is the sum of all other fields.
	if err := p.Seal(); err != nil {
		return err
	}
	if err := a.write(f.out, p.WriteJSON, paths...); err != nil || f.out.path == tracefile.Stream {
		return err
	}
	if f.job == "" {
		if a.quiet {
			return nil
		}
		return a.print(func(w io.Writer) error { return p.WriteText(w, f.out.path) })
	}
	return a.print(func(w io.Writer) error { return job.Write(w, p, f.out.path) })
}

// planTraces assigns the runs of the traces to shards. If there is a single run, it splits the events of the run.
func (a *app) planTraces(ctx context.Context, f *planFlags, p *shard.Plan, paths []string) error {
	if len(paths) == 1 {
		if done, err := a.planEvents(ctx, f, p, paths[0]); done || err != nil {
			return err
		}
	}
	for _, path := range paths {
		t, err := a.planTrace(ctx, f, path)
		if err != nil {
			return err
		}
		p.Traces = append(p.Traces, t)
	}
	p.SplitRuns()
	return nil
}

// scheduler returns the scheduler for which --for requests a job file. It fails without -o, because the job reads the plan
// from a file.
func (f *planFlags) scheduler() (job shard.Job, err error) {
	if f.job == "" {
		return job, nil
	}
	if f.out.path == tracefile.Stream {
		return job, errors.New("--for: expected the plan in a file (-o FILE), since the job reads it from there")
	}
	return shard.Jobs().Lookup(f.job)
}

// examined returns the properties, rules and statements that the flags request, as the plan stores them.
func (f *planFlags) examined(a *app) (x shard.Examined, err error) {
	texts, err := f.sources() // once, since a pipe cannot be read again
	if err != nil {
		return x, err
	}
	f.ruleFlags = ruleFlags{texts: texts, quadratic: f.quadratic}
	properties, err := f.lookup(a.Properties)
	if err != nil {
		return x, err
	}
	x = shard.Examined{
		Rules: texts, Quadratic: f.quadratic, Names: f.names, Except: f.except, MaxSteps: f.maxSteps,
		Completeness: f.complete.completeness, End: f.stated.statement.End, Salvage: f.salvage,
	}
	for _, c := range f.stated.statement.Crashes {
		x.Crashed = append(x.Crashed, c.Process+"@"+c.Time)
	}
	for _, p := range properties {
		x.Properties = append(x.Properties, p.Name)
	}
	return x, nil
}

// planTrace returns a trace with its runs for a plan. It also lists damaged runs, because their shard reports the damage.
func (a *app) planTrace(ctx context.Context, f *planFlags, path string) (t shard.Trace, err error) {
	if path == tracefile.Stream {
		return t, errors.New("-: shards cannot read stdin, expected the name of a trace")
	}
	if !utf8.ValidString(path) {
		return t, fmt.Errorf("%q: the name is not UTF-8, which a plan cannot have", path)
	}
	s, err := f.open(ctx, a, path)
	if err != nil {
		return t, err
	}
	defer s.Close()
	t.Path = path
	for _, d := range s.Damage() {
		t.LeftOut = append(t.LeftOut, oneLine(describe(d)))
	}
	for _, n := range s.numbers {
		if ctx.Err() != nil {
			return t, interrupted(ctx, "planning", ctx.Err())
		}
		run, err := plannedRun(s, n)
		if err != nil {
			return t, err
		}
		t.Runs = append(t.Runs, run)
	}
	return t, nil
}

// plannedRun returns the number, digest and events of a run for a plan. A damaged run has no digest.
func plannedRun(s *source, number int) (run shard.Run, err error) {
	run.Number = number
	run.Digest, run.Events, err = s.Digest(number)
	if errors.Is(err, tracedb.ErrDamaged) {
		return run, nil
	}
	return run, err
}

// readPlan reads the plan at path. It fails if another version of etrace made the plan.
func (a *app) readPlan(ctx context.Context, path string) (*shard.Plan, error) {
	input, err := a.input(ctx, path)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	p, err := shard.ReadPlan(input, path)
	if err != nil {
		return nil, err
	}
	return p, p.CheckTool(path, toolName)
}

// plannedProperties returns the flags that select the properties and rules of a plan.
func plannedProperties(x *shard.Examined) propertyFlags {
	return propertyFlags{names: x.Names, except: x.Except, ruleFlags: ruleFlags{texts: x.Rules, quadratic: x.Quadratic}}
}

// planProperties returns the properties and rules of a plan. It fails if this etrace selects other properties by the same
// flags.
func (a *app) planProperties(x *shard.Examined) ([]*analyze.Property, error) {
	f := plannedProperties(x)
	properties, err := f.lookup(a.Properties)
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(properties, x.Properties, func(p *analyze.Property, name string) bool { return p.Name == name }) {
		return nil, errors.New("the plan examines other properties than this etrace knows, expected the same program")
	}
	return properties, nil
}
