package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/experiment/sweep"
	"etrace/record/scenario"
)

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	stated scenario.Scenario // the keys that flags set, except axes
	given  map[string]bool   // the names of these keys
	grid   sweep.Grid
	file   string

	measures, properties []string
	seeds                int64
	workers              int
	formFlags
	dryRun    bool
	adversary adversaryFlags
	results   string
	share     string
	save      string
	allowOpen bool
	findings  findings
}

// sweepCommand returns the command etrace sweep.
func (a *app) sweepCommand() *cobra.Command {
	f := &sweepFlags{stated: scenario.Scenario{Algorithms: a.Algorithms}, given: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "sweep [ALGORITHM,...]",
		Short: "Run a grid of scenarios, and print a table of message counts",
		Long: `Run every combination of a grid of scenarios, and print a table of message counts:
mean, min and max. A key of the scenario with several values is an axis of the grid:
etrace explain grid.

  --nodes 3..24..3              a range with a step; 8,16,32 is a list
  --start lowest, --order all   symbols for processes and for orders of a ring

--maximize looks for the worst case: etrace explain adversary. --fit-formula looks
for a closed form: etrace explain fit-formula.

Exit status: 1 if a property is violated or a formula is wrong, 3 if something stayed open.`,
		Example: `  etrace sweep bully --nodes 3..24 --start lowest --down highest
  etrace sweep chang-roberts --nodes 2..7 --order all --start all --measure type.election --fit-formula
  etrace sweep franklin --nodes 2..7 --start all --maximize messages --save worst.db`,
		Args: atMost(1, "the names of algorithms, with commas"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.sweep(cmd.Context(), f, args) },
		ValidArgsFunction: func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			names := a.Algorithms.Names()
			for i := range names {
				names[i] = typed[:strings.LastIndex(typed, ",")+1] + names[i]
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	keys := f.keyFlags(cmd)
	f.ownFlags(a, cmd)
	searched := append(f.adversary.flags(cmd), "save")
	f.findings.flags(cmd)
	cmd.Flags().BoolVar(&f.findings.force, "force", false, "overwrite other programs' files")
	groupFlags(cmd,
		flagGroup{title: "The scenario", flags: keys[:len(keys)-1], replacement: "etrace record --help"},
		flagGroup{title: "The grid", flags: []string{sweep.OrderAxis, "scenario", "seeds", "split"}},
		flagGroup{title: "The adversary", flags: searched},
		flagGroup{title: "Measures", flags: []string{"measure", "check", "allow-open"}},
		flagGroup{title: "Table, formulas and plots", flags: append(findingsFlags[:len(findingsFlags):len(findingsFlags)], "force")},
		flagGroup{title: "Kept results", flags: []string{"output", "shard"}},
	)
	return cmd
}

// ownFlags adds the flags that are no keys of scenarios.
func (f *sweepFlags) ownFlags(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "scenario", "", "read what all cells share from a YAML `FILE`; flags override it")
	cmd.Flags().Var((*seedCount)(&f.seeds), "seeds", "runs of each random order and process (default 100)")
	cmd.Flags().BoolVar(&f.grid.Split, "split", false, "a row for each process in place of 'each'")
	names, _ := sweep.Measures()
	cmd.Flags().Var(
		(*nameList)(&f.measures), "measure",
		"what to measure, `NAMES` (default "+joined(sweep.DefaultMeasures)+"); etrace explain measure",
	)
	completeList(cmd, "measure", func() []string { return names })
	nameProperties(cmd, "check", a.Properties, &f.properties, "check each run for these `PROPERTIES`")
	cmd.Flags().BoolVar(&f.allowOpen, "allow-open", false, "exit with 0 if no property is violated")
	f.formFlags.flags(cmd, "table", sweep.Formats().Names)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the number of cells and runs, and make none")
	outVar(cmd, &f.results, "output", "o", "keep the results in this `FILE`, and continue from it")
	cmd.Flags().StringVar(&f.share, "shard", "", "make part `I/N` of the runs")
	outVar(cmd, &f.save, "save", "", "append extreme or violating runs to this `TRACE`")
	cmd.Flags().IntVar(&f.workers, "workers", 0, "make `N` runs in parallel (default: one for each processor)")
}

// keyFlags adds a flag for each key of scenarios and for the order of the ring, and returns their names.
func (f *sweepFlags) keyFlags(cmd *cobra.Command) (names []string) {
	for i := range scenario.Keys {
		key := &scenario.Keys[i]
		if key.Name == "algorithm" {
			continue // the algorithm is the argument, not a flag
		}
		names = append(names, key.Name)
		cmd.Flags().Var(&axisFlag{key.Name, key, f}, key.Name, key.Doc)
		if key.Switch {
			cmd.Flags().Lookup(key.Name).NoOptDefVal = "on"
		}
	}
	orders, _ := sweep.Orders()
	cmd.Flags().Var(&axisFlag{sweep.OrderAxis, nil, f}, sweep.OrderAxis, "order of the ids on the ring: "+joined(orders))
	completeList(cmd, sweep.OrderAxis, func() []string { return orders })
	symbols, _ := sweep.Symbols()
	for _, name := range []string{"start", "down", "crash"} {
		completeList(cmd, name, func() []string { return symbols })
	}
	return append(names, sweep.OrderAxis)
}

// seedCount is the value of --seeds, a number from 1 that may be given once.
type seedCount int64

func (c *seedCount) String() string { return "" }

func (c *seedCount) Type() string { return "K" }

// Set implements [pflag.Value].
func (c *seedCount) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n < 1:
		return errors.New("expected a number from 1")
	case *c != 0:
		return errors.New("given twice, expected once")
	}
	*c = seedCount(n)
	return nil
}

// axisFlag is the value of a flag that may have several values: a key of the scenario or, with key nil, the order of
// the ring.
type axisFlag struct {
	name string
	key  *scenario.Key
	f    *sweepFlags
}

func (k *axisFlag) String() string { return "" }

// Type returns the word for the value in the help.
func (k *axisFlag) Type() string {
	if k.key == nil {
		return "ORDER"
	}
	return k.key.Arg
}

// Set implements [pflag.Value]: it adds an axis to the grid, or sets a key that has one value for all cells.
func (k *axisFlag) Set(text string) error {
	if k.key == nil || sweep.IsAxis(k.key) {
		return k.f.grid.Add(k.name, text)
	}
	k.f.given[k.name] = true
	return k.key.Set(&k.f.stated, text)
}

// plan returns the plan of the grid of the argument, the flags and the file of --scenario.
func (f *sweepFlags) plan(a *app, args []string) (*sweep.Plan, error) {
	g := &f.grid
	if len(args) == 1 {
		axes := g.Axes
		g.Axes = nil
		if err := g.Add("algorithm", args[0]); err != nil {
			return nil, err
		}
		g.Axes = append(g.Axes, axes...)
	}
	g.Base = &f.stated
	if f.file != "" {
		loaded, err := scenario.Load(f.file)
		if err != nil {
			return nil, err
		}
		g.Base = scenario.Merge(loaded, &f.stated, f.given)
	}
	g.Seeds, g.Measures, g.Free = f.seeds, f.measures, f.adversary.given()
	if f.properties != nil {
		var err error
		g.Properties, err = a.Properties.Named(f.properties...)
		if err != nil {
			return nil, err
		}
	}
	return g.Plan()
}

// noteRemarks prints the remarks on a valid but unusual sweep.
func (a *app) noteRemarks(p *sweep.Plan) {
	for _, remark := range p.Remarks() {
		a.note("%s", remark)
	}
}

// sweep runs the grid and prints its table, or searches for extreme runs with --maximize and --minimize. With -o it
// keeps the results, and continues from earlier ones.
func (a *app) sweep(ctx context.Context, f *sweepFlags, args []string) error {
	format, err := sweep.Formats().Lookup(f.name())
	if err != nil {
		return err
	}
	if f.workers < 0 {
		return fmt.Errorf("--workers %d: expected 1 or more, or 0 for as many as there are processors", f.workers)
	}
	p, err := f.plan(a, args)
	if err != nil {
		return err
	}
	if err := f.findings.check(a, p, format, f.results, f.save); err != nil {
		return err
	}
	switch {
	case f.adversary.given():
		return a.sweepAdversary(ctx, f, p)
	case f.dryRun:
		a.noteRemarks(p)
		return a.print(p.WriteText)
	}
	defer a.keepPartialResult()() // an interrupt keeps the finished runs
	table, err := a.runSweep(ctx, f, p)
	if err != nil {
		return err
	}
	if table.Interrupted {
		ctx = context.WithoutCancel(ctx)
	}
	return a.concludeSweep(ctx, f, p, table, format)
}

// concludeSweep saves violating runs, writes formulas and plots, and prints the table. A shard has no table, so it
// prints a summary. It returns the exit status.
func (a *app) concludeSweep(ctx context.Context, f *sweepFlags, p *sweep.Plan, t *sweep.Table, format *sweep.Format) error {
	lost := a.saveViolating(ctx, f, p, t) // the table is written even if saving fails
	if err := f.findings.conclude(ctx, a, p, t); err != nil {
		return err
	}
	var err error
	switch {
	case f.share == "":
		err = a.printTable(t, format)
	case !a.quiet:
		err = a.print(func(w io.Writer) error { return t.WriteSum(w, f.results) })
	}
	return cmp.Or(err, lost, f.status(t))
}

// printTable prints a table. Formulas and verdicts go to stderr if the format has no place for them.
func (a *app) printTable(t *sweep.Table, format *sweep.Format) error {
	if format.Bare {
		for _, line := range t.Findings() {
			a.note("%s", line)
		}
	}
	return a.print(func(w io.Writer) error { return format.Write(w, t) })
}

// status returns the exit status of a table as an [outcome], nil for 0.
func (f *sweepFlags) status(t *sweep.Table) error {
	switch {
	case t.Verdict() == analyze.Violated || t.Broken() || t.Refuted():
		return outcome(exitBad)
	case t.Interrupted || t.Undecided() || t.Open() && !f.allowOpen:
		return outcome(exitOpen)
	}
	return nil
}
