package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"etrace/analyze/report"
	"etrace/analyze/shard"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// mergeFlags are the flags of merge.
type mergeFlags struct {
	reportFlags
	plan    string
	trace   string
	partial bool
	all     bool
	out     outFile

	findings findings
}

func (a *app) mergeCommand() *cobra.Command {
	f := &mergeFlags{}
	cmd := &cobra.Command{
		Use:   "merge FILE|FOLDER...",
		Short: "Join the summaries of shards into one report",
		Long: `Join the summaries of all shards (etrace check --plan, etrace suite --shard) into the
report of the whole, with its exit status. Files of results (etrace sweep -o) give
the table of the sweep. A FOLDER stands for its files; - is stdin. Order and
duplicates do not matter; a missing or foreign shard is an error, unless --partial.`,
		Example: `  etrace merge --plan plan.json found
  etrace merge tables-0.json tables-1.json
  etrace merge swept --fit-formula --plot mean.svg --report report.html`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.plan, "plan", "", "the `PLAN` of the summaries")
	f.reportFlags.flags(cmd, a)
	cmd.Flags().StringVar(&f.trace, "trace", "", "the present path of the `TRACE`")
	cmd.Flags().BoolVar(&f.partial, "partial", false, "write one summary of the present shards")
	cmd.Flags().BoolVar(&f.all, "all", false, "show every value of suites, also those that are ok")
	f.out.path = tracefile.Stream
	outVar(cmd, &f.out.path, "output", "o", "with --partial: write the summary to this `FILE`")
	f.findings.flags(cmd)
	cmd.Flags().BoolVar(&f.out.force, "force", false, "overwrite other programs' files")
	groupFlags(cmd, flagGroup{title: "Table, formulas and plots", flags: findingsFlags, replacement: "etrace sweep --help"})
	return cmd
}

// merge joins the summaries of shards, or the results of sweeps, in the files and folders that args name. It prints the
// whole report or, with --partial, writes one summary of the present shards.
func (a *app) merge(ctx context.Context, f *mergeFlags, args []string) error {
	if len(args) == 0 {
		return errors.New("merge: expected the files of summaries")
	}
	if files := resultFiles(args); len(files) > 0 && tracedb.IsResults(files[0]) {
		return a.mergeResults(ctx, f, files)
	}
	// Summaries of shards have no findings of sweeps, so these flags would have no effect.
	if f.findings.given() {
		return fmt.Errorf("%s: not results of a sweep, expected those (etrace sweep -o) with --%s", args[0], strings.Join(findingsFlags, ", --"))
	}
	if f.allowOpen && f.plan == "" {
		return errors.New("--allow-open goes with --plan or results of a sweep only")
	}
	if err := f.out.check(append(args, f.plan)...); err != nil {
		return err
	}
	p, err := a.mergedPlan(ctx, f)
	if err != nil {
		return err
	}
	summaries, err := a.summaries(ctx, p, args)
	if err != nil {
		return err
	}
	if err := p.CheckTool(args[0], toolName); err != nil {
		return err
	}
	s, err := shard.Join(p, summaries...)
	if err != nil {
		return err
	}
	if f.partial {
		return a.write(f.out, s.WriteJSON, append(args, f.plan)...)
	}
	if err := s.Whole(p); err != nil {
		return err
	}
	return a.mergeReport(ctx, f, p, s)
}

// mergedPlan returns the plan of --plan. Summaries of suites have no plan file: without --plan, it returns an empty plan,
// which reading the summaries fills in.
func (a *app) mergedPlan(ctx context.Context, f *mergeFlags) (*shard.Plan, error) {
	if f.plan == "" {
		return &shard.Plan{}, nil
	}
	if err := f.lookupFormat(a); err != nil {
		return nil, err
	}
	return a.readPlan(ctx, f.plan)
}

// mergeReport prints the report of all shards, and returns its exit status. The mode of the plan decides whether the shards
// have runs, events, or cases of suites.
func (a *app) mergeReport(ctx context.Context, f *mergeFlags, p *shard.Plan, s *shard.Summary) error {
	if p.Mode == shard.Cases {
		return a.mergeSuites(f, s)
	}
	properties, err := a.planProperties(&p.Examined)
	if err != nil {
		return err
	}
	var r *report.Report
	if p.Mode == shard.Events {
		r, err = a.mergeEvents(ctx, f, p, s, properties)
	} else {
		r, err = p.RunsReport(s, properties)
	}
	if err != nil {
		return err
	}
	return a.concludeMerge(f, r)
}

// concludeMerge prints the report, unless no run was examined, and returns its exit status or the last failure.
func (a *app) concludeMerge(f *mergeFlags, r *report.Report) error {
	if len(r.Runs) > 0 {
		if err := a.printReport(r, &f.reportFlags, false); err != nil {
			return err
		}
	}
	if len(r.Failures) == 0 {
		return f.status(r)
	}
	failures := make([]error, len(r.Failures))
	for i, failure := range r.Failures {
		failures[i] = errors.New(failure)
	}
	return a.warnAllButLast(failures)
}

// summaries reads the summaries in the files and folders that args name.
func (a *app) summaries(ctx context.Context, p *shard.Plan, args []string) (summaries []*shard.Summary, err error) {
	for _, arg := range args {
		files, err := summaryFiles(arg)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			input, err := a.input(ctx, file)
			if err != nil {
				return nil, err
			}
			some, err := p.ReadSummaries(input, file)
			input.Close()
			if err != nil {
				return nil, err
			}
			summaries = append(summaries, some...)
		}
	}
	return summaries, nil
}

// summaryFiles returns the file that an argument names, or the .json files of a folder. It fails for a folder without such
// files.
func summaryFiles(arg string) ([]string, error) {
	if info, err := os.Stat(arg); err != nil || !info.IsDir() {
		return []string{arg}, nil
	}
	entries, err := os.ReadDir(arg)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !e.IsDir() {
			files = append(files, filepath.Join(arg, e.Name()))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("%s: no file there is a summary of a shard, whose name ends in .json, or has results of a "+
			"sweep (etrace sweep -o)", arg)
	}
	return files, nil
}
