package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"etrace/analyze/experiment/adversary"
	"etrace/analyze/experiment/sweep"
	"etrace/tracefmt/tracefile"
)

// adversaryFlags are the flags of a search for extreme runs: sweep --maximize and --minimize.
type adversaryFlags struct {
	maximize, minimize string
	maxRuns            int
}

// flags adds the flags, and returns their names.
func (f *adversaryFlags) flags(cmd *cobra.Command) (names []string) {
	measures := append(adversary.Measures(), "type.X")
	cmd.Flags().Var((*measureFlag)(&f.maximize), "maximize", "find the ring order and schedule with the greatest `MEASURE`")
	cmd.Flags().Var((*measureFlag)(&f.minimize), "minimize", "find the ring order and schedule with the least `MEASURE`")
	cmd.Flags().IntVar(&f.maxRuns, "max-runs", adversary.DefaultMaxRuns, "make at most `N` runs for each cell")
	for _, name := range []string{"maximize", "minimize"} {
		complete(cmd, name, func() []string { return measures })
	}
	return []string{"maximize", "minimize", "max-runs"}
}

// measureFlag is the value of a flag that names a measure. It must not be empty.
type measureFlag string

func (m *measureFlag) String() string { return string(*m) }

func (m *measureFlag) Type() string { return "MEASURE" }

// Set implements [pflag.Value].
func (m *measureFlag) Set(name string) error {
	if name == "" {
		return errors.New("expected the name of a measure")
	}
	*m = measureFlag(name)
	return nil
}

// given reports whether the user requests a search.
func (f *adversaryFlags) given() bool { return cmp.Or(f.maximize, f.minimize) != "" }

// sweepAdversary searches each cell for the run with the greatest or the least value of a measure, and prints the
// results. The exit status is 1 if a published bound is broken, and 3 if a result is not proven.
func (a *app) sweepAdversary(ctx context.Context, f *sweepFlags, p *sweep.Plan) error {
	o := adversary.Options{
		Measure: cmp.Or(f.adversary.maximize, f.adversary.minimize), Minimize: f.adversary.minimize != "",
		MaxRuns: f.adversary.maxRuns, Workers: f.workers,
	}
	switch {
	case f.name() != "text" && f.name() != "json":
		return fmt.Errorf("--format %s: what an adversary finds has the forms text and json", f.format)
	case o.MaxRuns < 1:
		return fmt.Errorf("--max-runs %d: expected 1 or more", o.MaxRuns)
	}
	if f.save != "" {
		if err := tracefile.CheckTarget(f.save); err != nil {
			return err
		}
	}
	defer a.keepPartialResult()() // an interrupt keeps the best results so far
	bar := a.progress("searching, in thousandths of a cell", int64(1000*len(p.Families)))
	o.Progress = func(done, _ int) { bar.update(int64(done)) }
	t, err := adversary.Sweep(ctx, p, o)
	bar.done()
	if err != nil {
		return interrupted(ctx, "searching", err)
	}
	a.noteRemarks(p)
	var lost error
	if f.save != "" {
		lost = a.saveRuns(context.WithoutCancel(ctx), f.save, t.Recordings()...) // the results are printed even if saving fails
	}
	write := t.WriteText
	if f.name() == "json" {
		write = t.WriteJSON
	}
	if err := cmp.Or(lost, a.print(write)); err != nil {
		return err
	}
	switch {
	case t.Broken():
		return outcome(exitBad)
	case t.Interrupted != "" || !t.Whole() && !f.allowOpen:
		return outcome(exitOpen)
	}
	return nil
}
