package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/tracefile"
)

// exportFlags are the flags of export.
type exportFlags struct {
	traceArgs
	target  string
	given   bool // whether --to was
	redact  bool
	out     outFile
	options func() map[string]string
}

func (a *app) exportCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export [TRACE]",
		Short: "Write runs in another format",
		Long: `Write runs of a trace in another format. JSON Lines (jsonl) is lossless; etrace
explain FORMAT says what another format loses. etrace-parquet writes Parquet.
--salvage writes the undamaged runs and names the rest. --redact replaces names and
texts; the same text always gets the same replacement: docs/export.md.`,
		Example: `  etrace export runs.db --run all -o runs.jsonl
  etrace export --to csv -o events.csv
  etrace export --redact -o to-show.jsonl`,
		Args: atMost(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed("to")
			return a.export(cmd.Context(), f, args)
		},
	}
	f.flags(cmd, "last")
	f.salvageFlag(cmd)
	writable := interop.Names(interop.Writable(a.Formats))
	cmd.Flags().StringVar(&f.target, "to", "jsonl", "the `FORMAT`: "+joined(writable))
	cmd.Flags().BoolVar(&f.redact, "redact", false, "replace names, hosts and texts")
	f.out.flags(cmd, "output", "o", "-", "the `FILE` to write, - for stdout")
	f.options = optionFlags(cmd, interop.OptionsToWrite, a.Formats)
	complete(cmd, "to", func() []string { return writable })
	return cmd
}

// parquet is the format that etrace-parquet writes.
const parquet = "parquet"

// errParquet returns the error for a request of Parquet, with the commands that write it. asked is the file or flag that
// requests it, to the file to write.
func (f *exportFlags) errParquet(asked, trace, output string) error {
	flags := " --run " + scenario.ShellWord(f.runs)
	if f.redact {
		flags += " --redact"
	}
	way := fmt.Sprintf("etrace export %s%s | etrace-parquet to %s", scenario.ShellWord(trace), flags, output)
	return fmt.Errorf("%s: etrace-parquet writes Parquet: %s", asked, way)
}

// export writes the selected runs in the requested format, to a file or to stdout. It prints what the format omits.
func (a *app) export(ctx context.Context, f *exportFlags, args []string) error {
	format, err := f.format(a, tracePath(args))
	if err != nil {
		return err
	}
	f.out.trace = format.Returns == interop.Everything
	f.slices = true // the output names the slice, or a note on stderr does
	s, err := f.open(ctx, a, tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := f.out.check(tracePath(args)); err != nil {
		return err
	}
	var runs []tracefmt.Recording
	for _, n := range s.numbers {
		rec, err := s.recording(ctx, a, "exporting events", n)
		if err != nil {
			return err
		}
		if rec.Run().Slice && format.Returns != interop.Everything {
			a.note("%s: what is written is a slice of a run, which %s does not say", s.Path(), format.Name)
		}
		runs = append(runs, rec)
	}
	if f.redact {
		runs = interop.Redact(runs)
	}
	write := func(w io.Writer) error {
		left, err := interop.Export(format, w, runs, f.options())
		for _, omission := range left {
			a.note("%s", omission)
		}
		return err
	}
	if f.out.path == tracefile.Stream {
		return write(a.out) // streamed: a trace may be larger than memory
	}
	return a.write(f.out, write, tracePath(args))
}

// format returns the format that --to names or, without --to, the format for the extension of the output file. It fails if
// the two contradict each other.
func (f *exportFlags) format(a *app, trace string) (interop.Format, error) {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(f.out.path)), ".")
	switch {
	case ext == parquet:
		return interop.Format{}, f.errParquet(f.out.path, trace, scenario.ShellWord(f.out.path))
	case f.target == parquet:
		return interop.Format{}, f.errParquet("--to "+parquet, trace, "FILE")
	}
	if named, err := interop.ToWrite(a.Formats, f.target); f.given && err == nil && slices.Contains(named.Extensions, ext) {
		return named, nil
	}
	target, err := formatOf(f.out.path, f.target, f.given, interop.Names(interop.Writable(a.Formats)))
	if err != nil {
		return interop.Format{}, err
	}
	return interop.ToWrite(a.Formats, target)
}
