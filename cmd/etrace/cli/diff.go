package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"etrace/render"
	"etrace/render/view"
	"etrace/replay/diff"
	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/tracefile"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	options  diff.Options
	json     bool
	complete completenessFlag
	picture  outFile
}

// diffCommand returns the command etrace diff.
func (a *app) diffCommand() *cobra.Command {
	f := &diffFlags{}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two runs by causality",
		Long: `Compare two runs by causality: each process must take the same steps in the same
order, and each receive must match the corresponding send. Only --strict compares
times and the order of concurrent events. The report shows the first difference of
each process, the causally earliest ones first.

A and B are traces or JSON Lines files; trace.db#2 is run 2 (default: the last run).
Processes correspond by name. etrace explain diff lists the parts that --ignore takes.

Exit status: 0 if equal up to concurrency, 1 if they differ, 3 if only unrecorded parts differ.`,
		Example: `  etrace diff trace.db#1 trace.db#2
  etrace diff before.db after.jsonl --ignore timers,payload.instance
  etrace diff a.db b.db --strict --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("diff: expected two runs, such as trace.db#1 trace.db#2, found %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return tracefile.Extensions(), cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.diff(cmd.Context(), f, args) },
	}
	cmd.Flags().BoolVar(&f.options.Strict, "strict", false, "compare recorded order, times and fields of logs, too")
	cmd.Flags().StringSliceVar(&f.options.Ignore, "ignore", nil, "leave out these `PARTS`, such as timers,notes")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON, etrace.diff/1")
	f.complete.flags(cmd, "both logs have all these events: crash,halt, or all")
	f.picture.flags(cmd, "render", "", "", "draw both runs side by side to a `FILE`.svg, .png, .dot")
	completeList(cmd, "ignore", diff.Parts().Names)
	return cmd
}

// diff compares the two runs that args name, prints the report, and draws both runs if --render names a file. The exit
// status is 1 if the runs differ, and 3 if only unrecorded parts may differ.
func (a *app) diff(ctx context.Context, f *diffFlags, args []string) error {
	if args[0] == tracefile.Stream && args[1] == tracefile.Stream {
		return errors.New("diff: stdin can be read once, expected the name of a file beside -")
	}
	var recs [2]tracefmt.Recording
	for i, arg := range args {
		if _, err := strconv.Atoi(arg); err == nil && isMissing(arg) {
			return fmt.Errorf("diff: %s: expected a run of a trace, such as trace.db#%[1]s", arg)
		}
		rec, done, err := a.openRun(ctx, arg, f.complete)
		if err != nil {
			return err
		}
		// Both recordings stay open until the comparison ends.
		defer done()
		recs[i] = a.watch(ctx, "comparing events", rec)
		f.options.Names[i] = arg
	}
	f.options.Apart = f.picture.path != ""
	paths, err := runPaths(args)
	if err != nil {
		return err
	}
	format, err := f.pictureFormat(a, paths)
	if err != nil {
		return err
	}
	report, err := diff.Compare(recs[0], recs[1], f.options)
	if err != nil {
		return err
	}
	if f.picture.path != "" {
		if err := a.drawDiff(ctx, f.picture, format, recs, report, paths); err != nil {
			return err
		}
	}
	write := report.WriteText
	if f.json {
		write = report.WriteJSON
	}
	if err := a.print(write); err != nil {
		return err
	}
	switch {
	case report.Outcome == diff.Open:
		return outcome(exitOpen)
	case !report.Same:
		return outcome(exitBad)
	}
	return nil
}

// pictureFormat returns the format for the extension of the picture, "" without --render. It fails if the picture would
// overwrite one of the compared files, which are paths.
func (f *diffFlags) pictureFormat(a *app, paths []string) (string, error) {
	if f.picture.path == "" {
		return "", nil
	}
	ext, _ := atomicfile.Extension(f.picture.path)
	format, err := formatOf(f.picture.path, ext, false, a.Pictures.Names())
	if err != nil {
		return "", err
	}
	return format, f.picture.check(paths...)
}

// drawDiff draws both runs side by side. Events in both runs are faint.
func (a *app) drawDiff(
	ctx context.Context,
	file outFile,
	format string,
	recs [2]tracefmt.Recording,
	report *diff.Report,
	paths []string,
) error {
	var pictures [2]render.Picture
	for i, rec := range recs {
		pictures[i] = render.Picture{Recording: rec, Options: render.Options{
			Formats: a.Pictures, Format: format, Select: view.Selection{From: "1"}, Title: report.Names[i],
			Highlight: report.Apart[i], Faint: "in both runs",
		}}
	}
	title := report.Names[0] + " | " + report.Names[1]
	return a.write(file, func(w io.Writer) error { return render.RenderPair(ctx, w, title, pictures[0], pictures[1]) }, paths...)
}

// openRun opens one run by name: a file, or FILE#N for run N (default: the last run). The caller closes it with done.
func (a *app) openRun(ctx context.Context, name string, complete completenessFlag) (rec tracefmt.Recording, done func() error, err error) {
	path, number, err := splitRun(name)
	if err != nil {
		return nil, nil, err
	}
	args := traceArgs{runs: "last", complete: complete}
	if number > 0 {
		args.runs = strconv.Itoa(number)
	}
	s, err := args.open(ctx, a, path)
	if err != nil {
		return nil, nil, err
	}
	rec, err = s.Recording(s.numbers[0])
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return rec, s.Close, nil
}

// runPaths returns the files of runs that are named FILE or FILE#N.
func runPaths(names []string) (paths []string, err error) {
	for _, name := range names {
		path, _, err := splitRun(name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// splitRun splits the name of a run, FILE#N, into file and number; the number is 0 without #N. If a file with the whole name
// exists, the name is that of a file.
func splitRun(name string) (path string, number int, err error) {
	i := strings.LastIndexByte(name, '#')
	if i < 0 {
		return name, 0, nil
	}
	if _, err := os.Stat(name); err == nil {
		return name, 0, nil
	}
	number, err = strconv.Atoi(name[i+1:])
	if err != nil || number < 1 {
		return "", 0, fmt.Errorf("%s: expected the number of a run after #, such as trace.db#2", name)
	}
	return name[:i], number, nil
}
