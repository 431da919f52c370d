package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

type exportFlags struct {
	traceArgs
	to  string
	out string
}

func (a *app) exportCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export [TRACE]",
		Short: "Write runs in another format",
		Long: `Write runs of a trace in another format. JSON Lines (jsonl) is lossless: what is
exported, imported and exported again is the same bytes.`,
		Example: `  etrace export > run.jsonl
  etrace export runs.db --run all -o runs.jsonl`,
		Args: atMost(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.export(cmd.Context(), f, args) },
	}
	f.flags(cmd, "last")
	cmd.Flags().StringVar(&f.to, "to", "jsonl", "the `FORMAT`: "+joined(writableFormats()))
	cmd.Flags().StringVarP(&f.out, "output", "o", "-", "the `FILE` to write, - for stdout")
	complete(cmd, "to", writableFormats)
	return cmd
}

func writableFormats() []string {
	var names []string
	for _, f := range interop.All() {
		if f.Write != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

func (a *app) export(ctx context.Context, f *exportFlags, args []string) error {
	format, err := interop.Lookup(f.to)
	if err != nil {
		return err
	}
	if format.Write == nil {
		return fmt.Errorf("format %s can only be read; these can be written: %s", f.to, joined(writableFormats()))
	}
	s, err := f.open(tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	var runs []tracefmt.Recording
	for _, n := range s.numbers {
		rec, err := s.recording(n)
		if err != nil {
			return err
		}
		runs = append(runs, a.watch(ctx, "exporting events", rec))
	}
	if f.out == "-" {
		// Streamed: a trace may be larger than memory.
		return format.Write(a.out, runs)
	}
	return a.writeFile(f.out, func(w io.Writer) error { return format.Write(w, runs) })
}
