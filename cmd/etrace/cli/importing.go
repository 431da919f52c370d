package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

type importFlags struct {
	from    string
	out     string
	json    bool
	options interop.Options
}

func (a *app) importCommand() *cobra.Command {
	f := &importFlags{}
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Append foreign recordings to a trace",
		Long: `Read recordings of other systems and append their runs to a trace. The format is
recognised where possible; gzip is unpacked; - is stdin. Either all runs of all
files are there afterwards, or none.

A ShiViz log needs a regular expression with the named groups host, clock and
event, by --regex or in its first line; other named groups become fields.`,
		Example: `  etrace import run.jsonl
  etrace import service.log --regex '(?<host>\S*) (?<clock>{.*})\n(?<event>.*)' -o service.db
  etrace import runs.log --regex '...' --delimiter '^=== (?<trace>.*) ===$'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("import: expected the name of a file, or - for stdin")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.importFiles(cmd.Context(), f, args) },
	}
	cmd.Flags().StringVar(&f.from, "from", "", "the `FORMAT`; by default it is recognised: "+joined(readableFormats()))
	cmd.Flags().StringVarP(&f.out, "output", "o", defaultTrace, "a trace `FILE` to append to, a new .jsonl file, or - for JSON Lines")
	cmd.Flags().StringVar(&f.options.ShiViz.Regex, "regex", "", "ShiViz: `REGEX` with the named groups host, clock, event")
	cmd.Flags().StringVar(&f.options.ShiViz.Delimiter, "delimiter", "", "ShiViz: `REGEX` of the lines between executions")
	cmd.Flags().BoolVar(&f.options.Strict, "strict", false, "make errors of broken clock rules and skipped lines")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON for programs, etrace.import/1")
	complete(cmd, "from", readableFormats)
	return cmd
}

func readableFormats() []string {
	var names []string
	for _, f := range interop.All() {
		if f.Read != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

type importedFile struct {
	File string `json:"file"`
	interop.Report
}

func (a *app) importFiles(ctx context.Context, f *importFlags, files []string) error {
	w, err := a.createRuns(f.out)
	if err != nil {
		return err
	}
	defer w.Discard()
	sink := &importSink{runWriter: w, ctx: ctx, bar: a.progress("importing events", 0)}
	var reports []importedFile
	for _, file := range files {
		rep, err := a.importFile(file, f, sink)
		if err != nil {
			return err
		}
		reports = append(reports, importedFile{file, rep})
	}
	sink.bar.done()
	if err := w.Commit(); err != nil {
		return err
	}
	return a.printImported(f, reports, sink.first)
}

func (a *app) importFile(file string, f *importFlags, sink *importSink) (interop.Report, error) {
	r := a.in
	if file != "-" {
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return interop.Report{}, fmt.Errorf("%s: is a directory, expected a file", file)
		}
		opened, err := os.Open(file)
		if err != nil {
			return interop.Report{}, err
		}
		defer opened.Close()
		r = opened
	}
	in, err := interop.NewInput(file, r)
	if err != nil {
		return interop.Report{}, err
	}
	format, err := f.format(in)
	if err != nil {
		return interop.Report{}, fmt.Errorf("%s: %w", file, err)
	}
	sink.foreign = format.Name != "jsonl"
	return format.Read(in, sink, f.options)
}

// format is the one that was named, or that an option belongs to, or that is
// recognised.
func (f *importFlags) format(in *interop.Input) (interop.Format, error) {
	switch {
	case f.from != "":
		return interop.Lookup(f.from)
	case f.options.ShiViz.Regex != "":
		return interop.Lookup("shiviz")
	}
	return interop.Sniff(in.Head())
}

// importSink shows progress and stops at an interrupt.
type importSink struct {
	runWriter
	ctx   context.Context
	bar   *progress
	count int64
	first int // number of the first run
	// foreign runs name this etrace as the tool that made events of them;
	// etrace's own keep their recorder.
	foreign bool
}

func (s *importSink) Begin(run *tracefmt.Run) error {
	if s.foreign {
		run.Tool = toolName
	}
	err := s.runWriter.Begin(run)
	if s.first == 0 {
		s.first = run.Number
	}
	return err
}

func (s *importSink) Write(e *tracefmt.Event) error {
	if s.count++; s.count%10_000 == 0 {
		if s.ctx.Err() != nil {
			return fmt.Errorf("interrupted, nothing was imported")
		}
		s.bar.at(s.count)
	}
	return s.runWriter.Write(e)
}

func (a *app) printImported(f *importFlags, reports []importedFile, number int) error {
	out := a.out
	if f.out == "-" {
		out = a.err
	}
	if f.json {
		return tracefmt.WriteJSON(out, struct {
			Format string         `json:"format"`
			Output string         `json:"output"`
			Files  []importedFile `json:"files"`
		}{"etrace.import/1", f.out, reports})
	}
	for _, rep := range reports {
		for _, note := range rep.Notes {
			a.note("%s: %s", rep.File, note)
		}
		for i := range rep.Runs {
			run := &rep.Runs[i]
			if !a.quiet {
				fmt.Fprintf(out, "%s run %d: %s from %s, %s\n",
					f.out, number, orName(run.Name, rep.Format), text.Printable(rep.File), run.Counts())
			}
			for _, remark := range run.Remarks() {
				a.note("%s: %s", rep.File, remark)
			}
			number++
		}
	}
	return nil
}

func orName(name, format string) string {
	if name == "" {
		return format
	}
	return text.Printable(name)
}
