package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"etrace/analyze/experiment/hunt"
	"etrace/analyze/property"
	"etrace/record/scenario"
	"etrace/tracefmt/tracefile"
)

// huntFlags are the flags of record --hunt.
type huntFlags struct {
	property string
	save     outFile
	options  hunt.Options
}

func (f *huntFlags) flags(cmd *cobra.Command, known property.Registry) {
	cmd.Flags().StringVar(&f.property, "hunt", "", "add faults until a run violates this `PROPERTY`")
	cmd.Flags().IntVar(&f.options.Plans, "hunt-runs", hunt.DefaultPlans, "try at most `N` plans")
	cmd.Flags().DurationVar(&f.options.Time, "hunt-time", 0, "search no longer than this `TIME`, such as 30s")
	cmd.Flags().StringSliceVar(
		&f.options.Faults, "hunt-faults", nil,
		"the `FAULTS` to try (default "+joined(hunt.Default())+"); etrace list faults",
	)
	f.save.flags(cmd, "hunt-save", "", "", "write the scenario that was found to this YAML `FILE`")
	complete(cmd, "hunt", known.Names)
	complete(cmd, "hunt-faults", hunt.Faults().Names)
}

// recordHunt searches for a run that violates the property, records it, and prints a report. The exit status is 1 if a
// violation was found.
func (a *app) recordHunt(ctx context.Context, f *recordFlags, s *scenario.Scenario) error {
	o := f.hunt.options
	switch {
	case o.Plans < 1:
		return fmt.Errorf("--hunt-runs %d: expected 1 or more", o.Plans)
	case o.Time < 0:
		return fmt.Errorf("--hunt-time %v: expected a time above 0", o.Time)
	case f.out == "-" && f.json:
		return errors.New("--hunt --json -o -: the report and the run would mix, expected a file")
	}
	if err := f.hunt.check(f.file); err != nil {
		return err
	}
	if err := tracefile.CheckTarget(f.out); err != nil {
		return err
	}
	properties, err := a.Properties.Named(f.hunt.property)
	if err != nil {
		return err
	}
	bar := a.progress("hunting", 0)
	o.Progress = func(done int) { bar.update(int64(done)) }
	found, err := hunt.Search(ctx, s, properties[0], o)
	bar.done()
	if err != nil {
		return err
	}
	lost := a.saveFinding(ctx, f, found) // the report is printed even if saving fails
	write := found.WriteText
	if f.json {
		write = found.WriteJSON
	}
	if err := cmp.Or(lost, a.reportRecorded(f, write)); err != nil || found.Scenario == nil {
		return err
	}
	return outcome(exitBad)
}

// check returns an error if the scenario of a violation could not be saved. It is called before the search.
func (f *huntFlags) check(scenario string) error {
	if f.save.path == "" {
		return nil
	}
	if _, err := formatOf(f.save.path, "yaml", false, []string{"yaml"}); err != nil {
		return err
	}
	return f.save.check(scenario)
}

// saveFinding appends the violating run to the trace, and writes its scenario if --hunt-save was given. It does nothing
// without a violation.
func (a *app) saveFinding(ctx context.Context, f *recordFlags, found *hunt.Finding) error {
	if found.Scenario == nil {
		return nil
	}
	if f.hunt.save.path != "" {
		text, err := found.Scenario.YAML()
		if err != nil {
			return err
		}
		err = a.write(f.hunt.save, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "# Written by etrace record --hunt %s\n%s", f.hunt.property, text)
			return err
		}, f.file)
		if err != nil {
			return err
		}
	}
	return a.saveRuns(ctx, f.out, found.Recording)
}
