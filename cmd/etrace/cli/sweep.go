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

type sweepFlags struct {
	said  scenario.Scenario // what the flags say that are no axes
	given map[string]bool   // which keys they give
	grid  sweep.Grid
	file  string

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

func (a *app) sweepCommand() *cobra.Command {
	f := &sweepFlags{said: scenario.Scenario{Algorithms: a.Algorithms}, given: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "sweep [ALGORITHM,...]",
		Short: "Make all runs of a grid of scenarios, and say what they cost",
		Long: `Make all runs of a grid of scenarios and print a table: what they cost in the mean, at
least and at most. The flags are those of record; what is given several times, or as a
list or a range, is an axis of the grid, and each combination of values is a cell.

  --nodes 3..24    3..24..3 is 3, 6, ..., 24; 8,16,32 a list; algorithms and --order have lists, too
  --order ORDER    ` + enumeration(sweep.Orders()) + `
  --start, --down, --crash SYMBOL[@T]
                   ` + enumeration(sweep.Symbols()) + `

Rings are ordered among the ids; ranks are among all processes, and each, all and random
choose from those that are not down. A list such as --start lowest,3 is one value.

If nothing in a cell is drawn by the seed, its runs (every order, each process) are all
that there are: it is exhausted, and its mean is exact, a fraction. Else it has K of each
(--seeds), every run with a seed of its own from S on (--seed), and is a sample: its mean
has a 95 % confidence interval, its extremes are the smallest and the largest that were
seen.

With --maximize or --minimize an adversary decides when messages arrive and, where the
algorithm runs on a ring and neither --order nor --ids is given, or --order all, in which
order the processes are on it. Timeouts are long enough: no timer expires while a message
is on its way. Starts, crashes and whatever else the plan has after time 0 come at any
moment, in its order, and then no published bound is compared. What it finds is proven, for
such schedules, where it went through all orders and every schedule, or proved that the
schedule does not matter; else it is the largest that was seen, or the smallest. Exit
status: 3 if any is not proven, unless --allow-open. Where the orders of the ring are more than
--max-runs, the table says how many would be enough to go through all. Interrupted, it prints
what it has seen, saves that, and exits with 3.

With -o what each run comes to is kept in a file, an SQLite database: the same command goes
on where it was when it was interrupted or killed, and no run is made twice. With --shard I/N
this process makes every N-th run from the I-th on, I from 0, and etrace merge makes the
table of the files of all shards.

Interrupted without -o it prints the table of the runs that were made, says which cells are
not complete, and exits with 3.

With --check each run is checked, and --save keeps those that violate a property. Exit
status: 1 if a property is violated, 3 if something
stayed open, unless --allow-open.` + findingsHelp,
		Example: `  etrace sweep chang-roberts --nodes 2..8 --order all --start all --measure type.election
  etrace sweep bully --nodes 3..24 --start lowest --down highest
  etrace sweep chang-roberts,franklin --nodes 8,16,32 --order random --start all --format latex
  etrace sweep franklin --nodes 2..7 --start all --maximize messages --save worst.db
  etrace sweep bully --nodes 5 --start each --check single-leader,election-safety
  etrace sweep chang-roberts --nodes 7 --order all --start all -o orders.db
  etrace sweep chang-roberts --nodes 4 --order all --start all -o swept/0.db --shard 0/2` + findingsExamples,
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
	cmd.Flags().BoolVar(&f.findings.force, "force", false, "let --plot, --plane and --report replace files that etrace did not write")
	groupFlags(cmd,
		flagGroup{"The grid", append(keys, "scenario", "seeds", "split")}, flagGroup{"The adversary", searched},
		flagGroup{"What is measured", []string{"measure", "check", "allow-open"}}, flagGroup{"The table, laws and plots", append(findingsFlags[:len(findingsFlags):len(findingsFlags)], "force")}, flagGroup{"Results that are kept", []string{"output", "shard"}},
	)
	return cmd
}

func (f *sweepFlags) ownFlags(a *app, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "scenario", "", "read what all cells have in common from a YAML `FILE`; flags go before it")
	cmd.Flags().Var((*seedCount)(&f.seeds), "seeds", "where something is drawn, make `K` runs of each order and each process, every one with the next seed (default 100)")
	cmd.Flags().BoolVar(&f.grid.Split, "split", false, "make a row of each process that the symbol each stands for")
	names, _ := sweep.Measures()
	cmd.Flags().Var((*nameList)(&f.measures), "measure", "what is measured, of these `NAMES`: "+joined(names)+" (default "+joined(sweep.DefaultMeasures)+")")
	completeList(cmd, "measure", func() []string { return names })
	nameProperties(cmd, "check", a.Properties, &f.properties, "check each run for these `PROPERTIES`; etrace list properties")
	cmd.Flags().BoolVar(&f.allowOpen, "allow-open", false, "exit with 0 if no property is violated")
	f.formFlags.flags(cmd, "table", sweep.Formats().Names)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say how many cells and runs there are, and make none")
	outVar(cmd, &f.results, "output", "o", "", "keep what each run comes to in this `FILE`, and go on with what is there")
	cmd.Flags().StringVar(&f.share, "shard", "", "make only every N-th run from the I-th on, `I/N`, I from 0; etrace merge")
	outVar(cmd, &f.save, "save", "", "", "append to this `TRACE` the run of each cell that an adversary found, or those that violate a property, at most 10 of each cell")
	cmd.Flags().IntVar(&f.workers, "workers", 0, "make `N` runs at the same time (default: as many as there are processors)")
}

// keyFlags makes flags of the keys of scenarios and of the order of the ring, and
// returns their names.
func (f *sweepFlags) keyFlags(cmd *cobra.Command) (names []string) {
	for i := range scenario.Keys {
		key := &scenario.Keys[i]
		if key.Name == "algorithm" {
			continue // the argument
		}
		names = append(names, key.Name)
		cmd.Flags().Var(&axisFlag{key.Name, key, f}, key.Name, key.Doc)
		if key.Switch {
			cmd.Flags().Lookup(key.Name).NoOptDefVal = "on"
		}
	}
	orders, _ := sweep.Orders()
	cmd.Flags().Var(&axisFlag{sweep.OrderAxis, nil, f}, sweep.OrderAxis, "how the ids are ordered on the ring: "+joined(orders))
	completeList(cmd, sweep.OrderAxis, func() []string { return orders })
	symbols, _ := sweep.Symbols()
	for _, name := range []string{"start", "down", "crash"} {
		completeList(cmd, name, func() []string { return symbols })
	}
	return append(names, sweep.OrderAxis)
}

// seedCount is a number from 1, which may be given once.
type seedCount int64

func (c *seedCount) String() string { return "" }

func (c *seedCount) Type() string { return "K" }

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

// axisFlag is a key of the scenario as a flag, or the order, which is none.
type axisFlag struct {
	name string
	key  *scenario.Key
	f    *sweepFlags
}

func (k *axisFlag) String() string { return "" }

func (k *axisFlag) Type() string {
	if k.key == nil {
		return "ORDER"
	}
	return k.key.Arg
}

func (k *axisFlag) Set(text string) error {
	if k.key == nil || sweep.IsAxis(k.key) {
		return k.f.grid.Add(k.name, text)
	}
	k.f.given[k.name] = true
	return k.key.Set(&k.f.said, text)
}

// enumeration lists names, each with what it is.
func enumeration(names, docs []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString("\n                   ")
		}
		b.WriteString(name + ": " + docs[i])
	}
	return b.String()
}

// plan joins argument, flags and file to a grid.
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
	g.Base = &f.said
	if f.file != "" {
		loaded, err := scenario.Load(f.file)
		if err != nil {
			return nil, err
		}
		g.Base = scenario.Merge(loaded, &f.said, f.given)
	}
	g.Seeds, g.Measures, g.Free = f.seeds, f.measures, f.adversary.given()
	if f.properties != nil {
		var err error
		if g.Properties, err = a.Properties.Named(f.properties...); err != nil {
			return nil, err
		}
	}
	return g.Plan()
}

// noteRemarks says what is odd about a sweep that can be made.
func (a *app) noteRemarks(p *sweep.Plan) {
	for _, remark := range p.Remarks() {
		a.note("%s", remark)
	}
}

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
	defer a.keep()() // what was made when it is interrupted
	table, err := a.runSweep(ctx, f, p)
	if err != nil {
		return err
	}
	if table.Interrupted {
		ctx = context.WithoutCancel(ctx)
	}
	return a.concludeSweep(ctx, f, p, table, format)
}

// concludeSweep writes the table, and returns what it comes to. A shard has none.
func (a *app) concludeSweep(ctx context.Context, f *sweepFlags, p *sweep.Plan, t *sweep.Table, format *sweep.Format) error {
	lost := a.saveViolating(ctx, f, p, t) // the table is written even so
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

// printTable writes a table to stdout, and to stderr what it comes to if its form has no place
// for that.
func (a *app) printTable(t *sweep.Table, format *sweep.Format) error {
	if format.Bare {
		for _, line := range t.Findings() {
			a.note("%s", line)
		}
	}
	return a.print(func(w io.Writer) error { return format.Write(w, t) })
}

// status is the exit status by the verdicts.
func (f *sweepFlags) status(t *sweep.Table) error {
	switch {
	case t.Verdict() == analyze.Violated || t.Broken() || t.Refuted():
		return outcome(exitBad)
	case t.Interrupted || t.Undecided() || t.Open() && !f.allowOpen:
		return outcome(exitOpen)
	}
	return nil
}
