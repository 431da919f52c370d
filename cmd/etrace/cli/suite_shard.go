package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"etrace/analyze/experiment/suite"
	"etrace/analyze/shard"
)

// suiteShard runs the cases of one shard and writes its summary.
func (a *app) suiteShard(ctx context.Context, f *suiteFlags, suites []*suite.Suite, args []string) error {
	number, shards, err := shard.ParseShare(f.share)
	if err != nil {
		return fmt.Errorf("--shard %w", err)
	}
	assigned := suite.Share(suites, number, shards)
	cases := 0
	for _, s := range assigned {
		cases += len(s.Cases)
	}
	report, err := a.runSuites(ctx, f, assigned, cases)
	if err != nil {
		return err
	}
	lost := f.saveRuns(ctx, a, report)
	s, err := shard.OfCases(toolName, suite.Digest(suites), shards).Summary(number, suite.Save(suites, report))
	if err != nil {
		return err
	}
	return cmp.Or(lost, a.write(f.out, s.WriteJSON, args...))
}

// mergeSuites prints the report of the cases of all shards. The exit status is 1 if a value failed.
func (a *app) mergeSuites(f *mergeFlags, s *shard.Summary) error {
	format, err := a.SuiteReports.Lookup(f.name())
	if err != nil {
		return err
	}
	var lines [][]byte
	for _, part := range s.Parts {
		lines = append(lines, part.Found)
	}
	report, err := suite.Join(lines)
	if err != nil {
		return err
	}
	if err := a.print(func(w io.Writer) error {
		return format.Write(w, report, suite.Style{Color: a.color(), Quiet: a.quiet, All: f.all})
	}); err != nil {
		return err
	}
	if report.Status() == suite.Failed {
		return outcome(exitBad)
	}
	return nil
}
