package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"etrace/analyze/complexity"
	"etrace/tracefmt/tracefile"
)

type statsFlags struct {
	traceArgs
	json    bool
	budgets []string
	// allowOpen: a budget that is open is no reason for another exit status.
	allowOpen bool
}

func (a *app) statsCommand() *cobra.Command {
	f := &statsFlags{}
	f.passing = true
	cmd := &cobra.Command{
		Use:   "stats [TRACE]",
		Short: "Count the messages of recorded runs",
		Long: `Count the messages of a run by type, process, link and fate, and measure its
causal depth: the longest chain of delivered messages. The total is the number
of messages sent; delivered, lost, to crashed and in flight add up to it.

Where a run says that it does not tell everything, what may be more is "at least",
and what may be less "at most".

A budget is an expression that must be true of each run, or the exit status
is 1; 3 if what is not recorded decides it, unless --allow-open. Its words: ` + complexity.BudgetWords + `.`,
		Example: `  etrace stats
  etrace stats runs.db --run all --json
  etrace stats --budget 'messages <= 3*n-1' --budget 'type["OK"] <= n*n'`,
		Args: atMost(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.stats(cmd.Context(), f, args) },
	}
	f.flags(cmd, "last")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON for programs, "+complexity.JSONVersion)
	cmd.Flags().StringArrayVar(&f.budgets, "budget", nil, "an `EXPRESSION` that must be true, such as 'messages <= 3*n-1'")
	cmd.Flags().BoolVar(&f.allowOpen, "allow-open", false, "exit with 0 if no budget is exceeded")
	return cmd
}

// count counts the picked runs of a trace. Those of a stream are counted as they come, also where
// the last one is picked: only its end says that it is.
func (f *statsFlags) count(ctx context.Context, a *app, path string) (all []*complexity.Stats, err error) {
	s, err := f.open(a, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	last := s.Coming() && s.picked == (tracefile.Runs{})
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
		one, err := complexity.Count(rec)
		if err != nil {
			return nil, err
		}
		if last {
			all = nil
		}
		all = append(all, one)
	}
	return all, nil
}

func (a *app) stats(ctx context.Context, f *statsFlags, args []string) error {
	var budgets []*complexity.Budget
	for _, text := range f.budgets {
		b, err := complexity.ParseBudget(text)
		if err != nil {
			return err
		}
		budgets = append(budgets, b)
	}
	counted, err := f.count(ctx, a, tracePath(args))
	if err != nil {
		return err
	}
	rep := &complexity.Report{}
	for _, s := range counted {
		if err := rep.Add(s, budgets); err != nil {
			return err
		}
	}
	write := func(w io.Writer) error { return rep.WriteText(w, a.quiet) }
	if f.json {
		write = rep.WriteJSON
	}
	if err := a.print(write); err != nil {
		return err
	}
	for _, remark := range rep.Remarks {
		a.note("%s", remark)
	}
	if len(rep.Exceeded) > 0 {
		return outcome(exitBad)
	}
	if len(rep.Open) > 0 && !f.allowOpen {
		return outcome(exitOpen)
	}
	return nil
}
