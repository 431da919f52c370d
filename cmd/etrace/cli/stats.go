package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/trial"
)

// statsFlags are the flags of stats.
type statsFlags struct {
	traceArgs
	formFlags
	by, per []string
	path    bool
	latency bool
	budgets []string
	// allowOpen is true if open budgets, and options that apply to no run, leave the exit status 0.
	allowOpen bool
}

func (a *app) statsCommand() *cobra.Command {
	f := &statsFlags{}
	f.passing = true
	cmd := &cobra.Command{
		Use:   "stats [TRACE]",
		Short: "Count the messages of recorded runs",
		Long: `Count the messages of a run by type, process, link and fate, and measure its causal
depth, the longest chain of delivered messages. The total counts messages sent:
delivered, lost, to crashed and in flight add up to it. In a partial recording a
count is "at least", "at most" or "about" a number.

etrace explain operation: the counts of --per, such as messages per election.
etrace explain budget: the expressions of --budget. etrace explain bit-complexity.

Exit status: 1 if a budget is exceeded, 3 if unrecorded events could decide it.`,
		Example: `  etrace stats --by link --path
  etrace stats --per election --format markdown
  etrace stats --budget 'messages <= 3*n-1' --budget 'type["OK"] <= n*n'`,
		Args: a.oneTrace,
		RunE: func(cmd *cobra.Command, args []string) error { return a.stats(cmd.Context(), f, args) },
	}
	f.traceArgs.flags(cmd, "last")
	a.mapFlag(cmd)
	f.formFlags.flags(cmd, "report", a.StatsReports.Names)
	cmd.Flags().StringSliceVar(&f.by, "by", nil, "count by `GROUP`: link, phase, process, term, type, value.NAME")
	cmd.Flags().StringArrayVar(&f.per, "per", nil, "count for each `OPERATION`, such as election, return, enter")
	cmd.Flags().BoolVar(&f.path, "path", false, "list the messages of the longest chain")
	cmd.Flags().BoolVar(&f.latency, "latency", false, "the latencies of messages and operations")
	cmd.Flags().StringArrayVar(&f.budgets, "budget", nil, "an `EXPRESSION` that must be true")
	cmd.Flags().BoolVar(&f.allowOpen, "allow-open", false, "exit with 0 if only undecided budgets remain")
	complete(cmd, "by", complexity.Groupings().Names)
	return cmd
}

// detail returns the breakdowns that --by, --per and --path request. It fails for an unknown one.
func (f *statsFlags) detail() (d complexity.Detail, err error) {
	for _, name := range f.by {
		g, err := complexity.ParseGrouping(name)
		if err != nil {
			return d, fmt.Errorf("--by: %w", err)
		}
		d.By = append(d.By, g)
	}
	for _, text := range f.per {
		o, err := complexity.ParseOperation(text)
		if err != nil {
			return d, fmt.Errorf("--per: %w", err)
		}
		d.Per = append(d.Per, o)
	}
	d.Path, d.Latency = f.path, f.latency
	return d, nil
}

// count returns the counts of the selected runs. A stream is counted while it is read. If only its last run is wanted, it
// counts each run and keeps the last, because only the end of the stream shows which run is the last.
func (f *statsFlags) count(ctx context.Context, a *app, path string, d complexity.Detail) (counts []*complexity.Stats, err error) {
	s, err := f.open(ctx, a, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	last := s.Coming() && s.picked.Last()
	if last {
		s.picked.All = true
	}
	for n, err := range s.each() {
		if err != nil {
			return nil, err
		}
		rec, err := s.recording(ctx, a, "counting events", n)
		if err != nil {
			return nil, err
		}
		counted, err := trial.CountDetailed(rec, d, a.Algorithms)
		if err != nil {
			return nil, err
		}
		if last {
			counts = nil
		}
		counts = append(counts, counted)
	}
	return counts, nil
}

// stats counts the messages of the selected runs, and prints the report. The exit status is 1 if a budget is exceeded, and 3
// if one is open.
func (a *app) stats(ctx context.Context, f *statsFlags, args []string) error {
	format, err := a.StatsReports.Lookup(f.name())
	if err != nil {
		return err
	}
	var budgets []*complexity.Budget
	for _, text := range f.budgets {
		b, err := complexity.ParseBudget(text)
		if err != nil {
			return err
		}
		budgets = append(budgets, b)
	}
	detail, err := f.detail()
	if err != nil {
		return err
	}
	counted, err := f.count(ctx, a, tracePath(args), detail)
	if err != nil {
		return err
	}
	rep := &complexity.Report{}
	for _, s := range counted {
		if err := rep.Add(s, budgets); err != nil {
			return err
		}
	}
	// A name in a budget may be a type of message: only the counted runs show whether it exists.
	if err := rep.Misspelt(budgets); err != nil {
		return err
	}
	for _, remark := range rep.Remarks {
		a.note("%s", remark)
	}
	if err := a.print(func(w io.Writer) error { return format.Write(w, rep, complexity.Style{Quiet: a.quiet}) }); err != nil {
		return err
	}
	if len(rep.Exceeded) > 0 {
		return outcome(exitBad)
	}
	if (len(rep.Open) > 0 || rep.Absent()) && !f.allowOpen {
		return outcome(exitOpen)
	}
	return nil
}
