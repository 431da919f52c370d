package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// importFlags are the flags of import.
type importFlags struct {
	from     string
	out      string
	json     bool
	strict   bool
	explain  bool
	suggest  bool
	follow   bool
	part     string
	join     bool
	files    string
	match    string
	order    bool
	piece    string
	joined   *interop.Joined // the parts with join, else nil
	complete completenessFlag
	stated   statedFlags
	options  func() map[string]string
}

// importCommand returns the command etrace import.
func (a *app) importCommand() *cobra.Command {
	f := &importFlags{}
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Append foreign recordings to a trace",
		Long: `Append the runs of other systems' recordings to a trace: all runs of all files, or
none. Gzip is unpacked; - is stdin.

A mapping reads a log: a ready one (etrace list maps), etrace's guess (--suggest
prints it), or your own (--map): docs/mappings.md. A ShiViz log needs --regex.
Several logs are one execution if each process writes its own. Tasks share the
work: docs/scale.md.`,
		Example: `  etrace import n1.log n2.log n3.log --suggest > raft.yaml
  etrace import n1.log n2.log n3.log --map raft.yaml -o raft.db
  etrace import service.log --regex '(?<host>\S*) (?<clock>{.*})\n(?<event>.*)' -o service.db`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("import: expected the name of a file, or - for stdin")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args = a.withoutRepeats(args)
			if f.suggest {
				out := outFile{path: tracefile.Stream}
				if cmd.Flags().Changed("output") {
					out.path = f.out
				}
				return a.suggestMap(cmd.Context(), f, out, args)
			}
			if f.part != "" {
				if !cmd.Flags().Changed("output") {
					return errors.New("--part writes no trace, expected --output FILE for the part")
				}
				return a.writePart(cmd.Context(), f, args)
			}
			// Each of these flags is a step of its own, which writes no trace.
			divided := f.files != "" || f.match != "" || f.order || f.piece != ""
			switch {
			case divided && !cmd.Flags().Changed("output"):
				return errors.New("--files, --match, --order and --piece write no trace, expected --output FILE for what they write")
			case f.match != "":
				return a.matchShares(f, args)
			case f.files != "":
				return a.writeShare(cmd.Context(), f, args)
			case f.order:
				return a.orderShares(cmd.Context(), f, args)
			case f.piece != "":
				return a.writePiece(f, args)
			}
			if f.join {
				if err := a.joinParts(cmd.Context(), f, args); err != nil {
					return err
				}
				defer f.joined.Close()
				args = f.joined.Files
			}
			return a.importFiles(cmd.Context(), f, args)
		},
	}
	readable := interop.Names(interop.Readable(a.Formats))
	cmd.Flags().StringVar(&f.from, "from", "", "the `FORMAT` (default: recognised); etrace list formats")
	f.out = defaultTrace
	outVar(cmd, &f.out, "output", "o", "append to this trace `FILE`; a new .jsonl; - is stdout")
	cmd.Flags().BoolVar(&f.follow, "follow", false, "import stdin until Ctrl-C")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "treat skipped lines and broken rules as errors")
	cmd.Flags().BoolVar(&f.explain, "explain-map", false, "print the events of each line, import nothing")
	cmd.Flags().BoolVar(&f.suggest, "suggest", false, "write a mapping for these files, import nothing")
	cmd.Flags().StringVar(&f.part, "part", "", "read part `I/N` of the logs")
	cmd.Flags().BoolVar(&f.join, "join", false, "import these parts")
	cmd.Flags().StringVar(&f.files, "files", "", "read files of share `I/N`")
	cmd.Flags().StringVar(&f.match, "match", "", "pair messages of group `I/N`")
	cmd.Flags().BoolVar(&f.order, "order", false, "order these shares")
	cmd.Flags().StringVar(&f.piece, "piece", "", "write piece `I/N`")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON, "+interop.JSONVersion)
	f.complete.flags(cmd, "declare the completeness of the log")
	f.stated.flags(cmd)
	f.options = optionFlags(cmd, interop.OptionsToRead, a.Formats)
	complete(cmd, "from", func() []string { return readable })
	groupFlags(cmd,
		flagGroup{title: "The log", flags: []string{"from", "map", "suggest", "explain-map", "strict", "follow"}},
		flagGroup{title: "Tasks", flags: []string{"part", "join", "files", "match", "order", "piece"}},
		flagGroup{title: "What the log contains", flags: []string{"complete", "crashed", "end"}},
		flagGroup{title: "The trace", flags: []string{"output", "json"}},
	)
	return cmd
}

// optionFlags adds flags for the options of formats, and returns a function for the values that the user set. It
// panics if two formats have contradicting options, which is a mistake of the program that lists the formats.
func optionFlags(
	cmd *cobra.Command, options func(interop.Registry) ([]interop.SharedOption, error), known interop.Registry,
) func() map[string]string {
	formatOptions, err := options(known)
	if err != nil {
		panic(err)
	}
	for _, o := range formatOptions {
		usage := strings.Replace(o.Usage(), o.Arg, "`"+o.Arg+"`", 1)
		if o.Arg == "" {
			cmd.Flags().Bool(o.Name, o.Default == "true", o.Usage())
		} else {
			cmd.Flags().String(o.Name, o.Default, usage)
		}
		if o.Choices != nil {
			complete(cmd, o.Name, func() []string { return o.Choices })
		}
	}
	return func() map[string]string {
		given := make(map[string]string)
		for _, o := range formatOptions {
			if f := cmd.Flags().Lookup(o.Name); f.Changed {
				given[o.Name] = f.Value.String()
			}
		}
		return given
	}
}

// importFiles imports the files and appends their runs to the trace: all runs or none.
func (a *app) importFiles(ctx context.Context, f *importFlags, files []string) error {
	if f.explain {
		return a.explainMap(ctx, f, files)
	}
	if f.follow {
		if !slices.Equal(files, []string{tracefile.Stream}) {
			return errors.New("--follow reads stdin, expected the argument -")
		}
		// An interrupt ends only the input: the work on the received lines continues, and its runs are kept.
		defer a.keepPartialResult()()
		a.stdin = a.stdinUntil(ctx)
		ctx = context.WithoutCancel(ctx)
	}
	w, err := a.createRuns(f.out)
	if err != nil {
		return err
	}
	defer w.Discard()
	reading := a.inputProgress(files)
	sink := &importSink{Sink: w, reading: reading}
	summary := &interop.Summary{Output: f.out}
	for len(files) > 0 {
		rep, read, err := a.importNext(ctx, files, f, sink)
		switch {
		case ctx.Err() != nil:
			return errors.New("interrupted, nothing was imported")
		case err != nil:
			return err
		}
		summary.Files = append(summary.Files, interop.FileReport{File: filesText(files[:read]), Report: rep})
		files = files[read:]
	}
	reading.bar.done()
	if err := w.Commit(); err != nil {
		return err
	}
	if sink.first != nil {
		summary.First = sink.first.Number
	}
	if err := a.printImported(f, summary); err != nil {
		return err
	}
	return a.noteRepeated(summary)
}

// noteRepeated prints which of the imported runs the trace already contained.
func (a *app) noteRepeated(summary *interop.Summary) error {
	if summary.First == 0 || tracefile.IsText(summary.Output) || atomicfile.IsStream(summary.Output) {
		return nil
	}
	db, err := tracedb.Open(summary.Output)
	if err != nil {
		return err
	}
	defer db.Close()
	repeated, err := db.Repetitions(summary.First)
	for _, r := range repeated {
		a.note("%s: run %d is the same as run %d, event by event: was it imported before?", summary.Output, r.Run, r.Of)
	}
	return err
}

// explainMap prints the events that a mapping makes of each line. It imports nothing.
func (a *app) explainMap(ctx context.Context, f *importFlags, files []string) error {
	reading := a.inputProgress(files)
	defer reading.bar.done()
	for len(files) > 0 {
		rep, read, err := a.importNext(ctx, files, f, &importSink{Sink: tracefmt.Discard{}, reading: reading})
		if err != nil {
			return err
		}
		for _, note := range rep.Notes {
			a.note("%s", note)
		}
		for _, run := range rep.Runs {
			for _, remark := range run.Remarks() {
				a.note("%s", remark)
			}
		}
		files = files[read:]
	}
	return nil
}

// suggestMap guesses a mapping from the lines of the files, and writes it to out. It never overwrites a file.
func (a *app) suggestMap(ctx context.Context, f *importFlags, out outFile, files []string) error {
	if _, err := formatOf(out.path, "yaml", true, []string{"yaml"}); err != nil {
		return err
	}
	// The user may have mended an earlier suggestion by hand.
	if _, err := os.Lstat(out.path); err == nil && out.path != tracefile.Stream && !atomicfile.IsStream(out.path) {
		return fmt.Errorf("%s: exists, expected a new name for the mapping", out.path)
	}
	if err := out.check(files...); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.options())) {
		return fmt.Errorf("import: --suggest guesses a mapping from the lines alone, so it does not go with --%s", name)
	}
	if f.from != "" || f.explain {
		excluded := "--from"
		if f.explain {
			excluded = "--explain-map"
		}
		return fmt.Errorf("import: --suggest guesses a mapping from the lines alone, so it does not go with %s", excluded)
	}
	reading := a.inputProgress(files)
	defer reading.bar.done()
	var inputs []*interop.Input
	for _, file := range files {
		input, err := a.openForeign(ctx, file, reading)
		if err != nil {
			return err
		}
		defer input.Close()
		inputs = append(inputs, input.Input)
	}
	format, ok := a.Formats.Find(func(f interop.Format) bool { return f.Suggest != nil })
	if !ok {
		return errors.New("no format can be guessed")
	}
	return a.write(out, func(w io.Writer) error { return format.Suggest(ctx, inputs, w) }, files...)
}

// filesText returns the names of the files of one execution: "a.log and 2 more files".
func filesText(files []string) string {
	if len(files) == 1 {
		return files[0]
	}
	return fmt.Sprintf("%s and %s", files[0], text.Counted(len(files)-1, "more file", "more files"))
}

// importNext imports the first file and the following files of the same execution, which end before the first file of
// another format. It returns the number of files read.
func (a *app) importNext(ctx context.Context, files []string, f *importFlags, sink *importSink) (rep interop.Report, read int, err error) {
	given := f.options()
	settings := interop.Settings{
		Strict: f.strict, Options: given, Tool: toolName, Completeness: f.complete.completeness, Stated: f.stated.statement,
	}
	if f.explain {
		settings.Explain = a.out
	}
	// Parts have their format and their files already.
	if f.joined != nil {
		settings.Copies = f.joined.Copies
		rep, err = interop.Import(ctx, f.joined.Format, interop.Join(f.joined.Inputs...), sink, settings)
		return rep, len(files), err
	}
	first, err := a.openForeign(ctx, files[0], sink.reading)
	if err != nil {
		return rep, 0, err
	}
	defer first.Close()
	format, err := interop.ToRead(a.Formats, f.from, given, first.Head())
	if err != nil {
		return rep, 0, fmt.Errorf("%s: %w", files[0], hintFormats(err))
	}
	inputs := []*interop.Input{first.Input}
	read = 1
	if format.Joins {
		for _, file := range files[1:] {
			if first := copyOf(files[:read], file); first != "" {
				a.noteCopy(file, first)
				settings.Copies = append(settings.Copies, file)
				read++
				continue
			}
			input, err := a.openForeign(ctx, file, sink.reading)
			if err != nil {
				return rep, 0, err
			}
			defer input.Close()
			if f.from == "" && interop.OfAnother(a.Formats, format, given, input.Head()) {
				break
			}
			inputs = append(inputs, input.Input)
			read++
		}
	}
	if a.following != nil {
		settings.Preview = a.following.preview
	}
	rep, err = interop.Import(ctx, format, interop.Join(inputs...), sink, settings)
	return rep, read, hintFormats(err)
}

// noteCopy notes a file that is not read.
func (a *app) noteCopy(file, original string) {
	a.note("%s: left out, for it has the same bytes as %s", file, original)
}

// foreign is an open file to import, and its closer.
type foreign struct {
	*interop.Input
	io.Closer
}

// openForeign opens a file to import. It fails for a folder, a trace and Parquet.
func (a *app) openForeign(ctx context.Context, file string, reading *inputProgress) (foreign, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		if err := tracedb.CheckFile(file); errors.Is(err, tracedb.ErrParquet) {
			return foreign{}, err
		}
		return foreign{}, fmt.Errorf("%s: is a directory, expected a file; %s are the files in it", file, filepath.Join(file, "*"))
	}
	// Lines of a log may look like the keys of a YAML file, so only the extension shows a file that was written for
	// etrace.
	isYAML := slices.Contains(atomicfile.Extensions("yaml"), strings.TrimPrefix(filepath.Ext(file), "."))
	if s, ok := sortOf(file); ok && isYAML && !slices.Contains(readBy["import"], s.description) {
		return foreign{}, fmt.Errorf("%s: expected a log", file)
	}
	r, err := a.input(ctx, file)
	if err != nil {
		return foreign{}, err
	}
	open := interop.NewInput
	if a.following != nil && a.mapping != "" {
		open = interop.NewLiveInput
	}
	input, err := open(file, reading.reader(r))
	if err == nil {
		err = refuseTrace(file, input.Head())
	}
	if err != nil {
		r.Close()
		return foreign{}, err
	}
	return foreign{input, r}, nil
}

// hintFormats adds a hint to the error for a file whose format was not recognised.
func hintFormats(err error) error {
	if !errors.Is(err, interop.ErrNotRecognised) {
		return err
	}
	return fmt.Errorf(
		"%w; a log of lines needs --map, a ready one (etrace list maps) or your own, which etrace import --suggest "+
			"drafts; a ShiViz log --regex; any other file --from, see etrace list formats",
		err,
	)
}

// refuseTrace returns an error for a file that is a trace, a database or Parquet, or a part of an import, by its
// first bytes.
func refuseTrace(file string, head []byte) error {
	switch {
	case bytes.HasPrefix(head, []byte(tracedb.ParquetMagic)):
		return tracedb.Parquet(file)
	case bytes.HasPrefix(head, []byte(`{"format":"etrace.import-part/`)):
		return fmt.Errorf("%s: is a part of an import, expected --join and all its parts", file)
	case bytes.HasPrefix(head, []byte(`{"format":"etrace.import-share/`)):
		return fmt.Errorf("%s: is a share of an import, expected --order and all its shares", file)
	case !bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return nil
	}
	db, err := tracedb.Open(file)
	if err != nil {
		return fmt.Errorf("%s: is a SQLite database, expected a log or JSON Lines", file)
	}
	db.Close()
	return fmt.Errorf(
		"%s: is an etrace trace already, which every command reads: etrace check %[1]s; to add its runs to another "+
			"one: etrace export %[1]s --run all | etrace import - -o OTHER.db",
		file,
	)
}

// importSink is a sink that remembers the first run, and shows the progress of writing after all files are read.
type importSink struct {
	tracefmt.Sink
	reading *inputProgress
	// count is the number of events written.
	count int64
	first *tracefmt.Run // nil before the first; its number is final after Commit
}

// Begin implements [tracefmt.Sink].
func (s *importSink) Begin(run *tracefmt.Run) error {
	if s.first == nil {
		s.first = run
	}
	return s.Sink.Begin(run)
}

// Write implements [tracefmt.Sink].
func (s *importSink) Write(e *tracefmt.Event) error {
	s.count++
	if s.count%10_000 == 0 && s.reading.open == 0 {
		s.reading.bar.setTask("writing events", 0)
		s.reading.bar.update(s.count)
	}
	return s.Sink.Write(e)
}

// printImported prints the summary of the import. It goes to stderr if the runs themselves go to stdout.
func (a *app) printImported(f *importFlags, summary *interop.Summary) error {
	out := a.out
	if f.out == "-" {
		out = a.err
	}
	switch {
	case f.json:
		return summary.WriteJSON(out)
	case a.quiet:
		out = io.Discard
	}
	return summary.WriteText(out, func(sentence string) { a.note("%s", sentence) })
}
