package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"etrace/analyze/complexity"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

type statsFlags struct {
	traceArgs
	json    bool
	budgets []string
}

func (a *app) statsCommand() *cobra.Command {
	f := &statsFlags{}
	cmd := &cobra.Command{
		Use:   "stats [TRACE]",
		Short: "Count the messages of recorded runs",
		Long: `Count the messages of a run by type, process, link and fate, and measure its
causal depth: the longest chain of delivered messages. The total is the number
of messages sent; delivered, lost, to crashed and in flight add up to it.

A budget is an expression that must be true of each run, or the exit status
is 1. Its words: ` + complexity.BudgetWords + `.`,
		Example: `  etrace stats
  etrace stats runs.db --run all --json
  etrace stats --budget 'messages <= 3*n-1' --budget 'type["OK"] <= n*n'`,
		Args: atMost(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.stats(cmd.Context(), f, args) },
	}
	f.flags(cmd, "last")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON for programs, etrace.stats/1")
	cmd.Flags().StringArrayVar(&f.budgets, "budget", nil, "an `EXPRESSION` that must be true, such as 'messages <= 3*n-1'")
	return cmd
}

type statsReport struct {
	Format   string              `json:"format"`
	Runs     []*complexity.Stats `json:"runs"`
	Exceeded []exceeded          `json:"exceeded,omitempty"`
}

// exceeded is a budget that a run did not keep.
type exceeded struct {
	Run    int    `json:"run"`
	Budget string `json:"budget"`
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
	rep := statsReport{Format: "etrace.stats/1"}
	err := f.each(ctx, a, "counting events", args, func(rec tracefmt.Recording) error {
		s, err := complexity.Count(rec)
		if err != nil {
			return err
		}
		rep.Runs = append(rep.Runs, s)
		for _, b := range budgets {
			kept, err := b.Kept(s)
			if err != nil {
				return err
			}
			if !kept {
				rep.Exceeded = append(rep.Exceeded, exceeded{s.Run, b.String()})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.json {
		err = tracefmt.WriteJSON(a.out, rep)
	} else {
		err = a.writeFile("-", rep.text)
	}
	if err == nil && len(rep.Exceeded) > 0 {
		return outcome(exitBad)
	}
	return err
}

func (rep *statsReport) text(w io.Writer) error {
	for i, s := range rep.Runs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		statsText(w, s)
	}
	for _, x := range rep.Exceeded {
		fmt.Fprintf(w, "run %d: budget exceeded: %s\n", x.Run, text.Printable(x.Budget))
	}
	return nil
}

func statsText(out io.Writer, s *complexity.Stats) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	m := s.Messages
	fmt.Fprintf(w, "run %d: %s, %d processes, %d events, %s\n", s.Run, text.Printable(s.Algorithm), s.Processes, s.Events, s.End)
	fmt.Fprintf(w, "  messages sent\t%d\n", m.Sent)
	for _, t := range slices.Sorted(maps.Keys(m.ByType)) {
		fmt.Fprintf(w, "    %s\t%d\n", text.Printable(t), m.ByType[t])
	}
	fmt.Fprintf(w, "  delivered\t%d\n  to crashed\t%d\n  lost\t%d\n  in flight\t%d\n", m.Delivered, m.ToCrashed, m.Lost, m.InFlight)
	fmt.Fprintf(w, "  causal depth\t%d\n", s.CausalDepth)
	if s.LastDelivery != nil {
		fmt.Fprintf(w, "  last delivery\t%g\n", *s.LastDelivery)
	}
	if s.LastDecision != nil {
		fmt.Fprintf(w, "  last decision\t%g\n", *s.LastDecision)
	}
	fmt.Fprintf(w, "  suspicions\t%d\n", s.Suspicions)
	leader := "none that all live processes agree on"
	if s.Leader != nil {
		leader = text.Printable(string(s.Leader))
	}
	if s.Elected != nil {
		fmt.Fprintf(w, "  leader\t%s\n", leader)
	}
	fmt.Fprintln(w, "  process\tsent\treceived")
	const most = 20
	for i, p := range s.ByProcess {
		if i == most {
			fmt.Fprintf(w, "    %d more\t(--json)\n", len(s.ByProcess)-most)
			break
		}
		fmt.Fprintf(w, "    %s\t%d\t%d\n", text.Printable(p.Process), p.Sent, p.Received)
	}
	w.Flush()
}
