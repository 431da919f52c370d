package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/experiment/orders"
	"etrace/analyze/property"
	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/tracefile"
)

// orderFlags are the flags of record --all-orders.
type orderFlags struct {
	all        bool
	maxRuns    int
	properties []string
}

func (f *orderFlags) flags(cmd *cobra.Command, known property.Registry) {
	cmd.Flags().BoolVar(&f.all, "all-orders", false, "explore every schedule, and check each run")
	cmd.Flags().IntVar(&f.maxRuns, "max-runs", orders.DefaultMaxRuns, "make at most `N` runs")
	nameProperties(cmd, "only", known, &f.properties, "examine only these `NAMES`; etrace list properties")
}

// recordOrders checks all schedules of the scenario, and records for each property a run with the worst verdict. The exit
// status is 1 for a violation, and 3 if a property is open or schedules are left.
func (a *app) recordOrders(ctx context.Context, f *recordFlags, s *scenario.Scenario) error {
	switch {
	case f.orders.maxRuns < 1:
		return fmt.Errorf("--max-runs %d: expected 1 or more", f.orders.maxRuns)
	case f.out == "-" && f.json:
		return errors.New("--all-orders --json -o -: the report and the runs would mix, expected a file")
	}
	choose, names := a.Properties.DefaultAnd, s.Breaks()
	if f.orders.properties != nil {
		choose, names = a.Properties.Named, f.orders.properties
	}
	properties, err := choose(names...)
	if err != nil {
		return err
	}
	if err := tracefile.CheckTarget(f.out); err != nil {
		return err
	}
	bar := a.progress("exploring orders", 0)
	report, err := orders.Explore(ctx, s, orders.Options{
		Properties: properties, Named: f.orders.properties != nil, MaxRuns: f.orders.maxRuns,
		Progress: func(runs int) { bar.update(int64(runs)) },
	})
	bar.done()
	if err != nil {
		return err
	}
	var witnesses []tracefmt.Recording
	for _, rec := range report.Witnesses {
		witnesses = append(witnesses, rec)
	}
	lost := a.saveRuns(ctx, f.out, witnesses...) // the report is printed even if saving fails
	write := report.WriteText
	if f.json {
		write = report.WriteJSON
	}
	if err := cmp.Or(lost, a.reportRecorded(f, write)); err != nil {
		return err
	}
	switch v := report.Verdict(); {
	case v == analyze.Violated:
		return outcome(exitBad)
	case v == analyze.Pending || v == analyze.Unknown || !report.Complete || report.Cut > 0:
		return outcome(exitOpen)
	}
	return nil
}

// reportRecorded prints a report on recorded runs. It goes to stderr if the runs themselves go to stdout.
func (a *app) reportRecorded(f *recordFlags, write func(io.Writer) error) error {
	switch {
	case f.out == "-":
		return write(a.err)
	case a.quiet && !f.json:
		return nil
	}
	return a.print(write)
}
