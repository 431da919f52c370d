package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"etrace/record/algorithm"
	"etrace/replay/rerun/conform"
	"etrace/tracefmt"
	"etrace/tracefmt/textfile"
)

// anyAlgorithm is the value of --as that asks for all algorithms.
const anyAlgorithm = "any"

// asFlags are the flags of replay --as.
type asFlags struct {
	algorithm string
	params    []string
	alias     string
	maxSteps  int64
}

func (f *asFlags) flags(cmd *cobra.Command, known algorithm.Registry) {
	cmd.Flags().StringVar(&f.algorithm, "as", "", "compare the run with an `ALGORITHM`; any ranks all algorithms")
	cmd.Flags().StringArrayVar(&f.params, "param", nil, "a parameter `K=V` of the algorithm")
	cmd.Flags().StringVar(&f.alias, "alias", "", "a YAML `FILE` that maps the algorithm's names to the run's")
	cmd.Flags().Int64Var(&f.maxSteps, "max-steps", 0, "try at most `N` unrecorded steps (default "+conform.StepsAllowed+")")
	complete(cmd, "as", func() []string { return append(known.Names(), anyAlgorithm) })
}

// given returns the values of --param by the name of the parameter.
func (f *asFlags) given() (map[string]string, error) {
	given := map[string]string{}
	for _, text := range f.params {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--param %q: expected name=value", text)
		}
		given[name] = value
	}
	return given, nil
}

// aliases reads the file of --alias, if there is one.
func (f *asFlags) aliases() (conform.Aliases, error) {
	if f.alias == "" {
		return nil, nil
	}
	data, err := textfile.Read(f.alias, "aliases")
	if err != nil {
		return nil, err
	}
	return conform.ReadAliases(f.alias, data)
}

// replayAs compares the runs with an algorithm, or with all of them, and prints the report. The exit status is 1 if a run
// deviates, and 3 if a comparison is open.
func (a *app) replayAs(ctx context.Context, f *replayFlags, args []string) error {
	given, err := f.as.given()
	if err != nil {
		return err
	}
	aliases, err := f.as.aliases()
	if err != nil {
		return err
	}
	report := &conform.Report{File: tracePath(args), Ranked: f.as.algorithm == anyAlgorithm}
	err = f.each(ctx, a, "following the processes", args, func(rec tracefmt.Recording) (err error) {
		rec = aliases.Rename(rec)
		run := conform.RunConformance{Run: rec.Run(), Conformances: make([]*conform.Conformance, 1)}
		if report.Ranked {
			run.Conformances, err = conform.Rank(ctx, a.Algorithms, rec, given, f.as.maxSteps)
		} else {
			m := conform.Model{Known: a.Algorithms, Algorithm: f.as.algorithm, Params: given, MaxSteps: f.as.maxSteps}
			run.Conformances[0], err = conform.Decide(ctx, rec, m)
		}
		report.Runs = append(report.Runs, run)
		return err
	})
	if err != nil {
		return err
	}
	write := report.WriteText
	if f.json {
		write = report.WriteJSON
	}
	if err := a.print(write); err != nil {
		return err
	}
	switch {
	case report.Deviates():
		return outcome(exitBad)
	case report.Open():
		return outcome(exitOpen)
	}
	return nil
}
