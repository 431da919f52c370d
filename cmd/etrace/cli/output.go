package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracefile"
)

// createRuns opens a trace for new runs, or stdout for "-"; see [tracefile.Create].
func (a *app) createRuns(path string) (tracefile.Writer, error) {
	if path == tracefile.Stream {
		return tracefile.NewWriter(a.out), nil
	}
	return tracefile.Create(path)
}

// saveRuns appends recorded runs to a trace, and sets their numbers to those in the trace.
func (a *app) saveRuns(ctx context.Context, path string, runs ...tracefmt.Recording) error {
	w, err := a.createRuns(path)
	if err != nil {
		return err
	}
	defer w.Discard()
	saved := make([]tracefmt.Run, len(runs)) // copies, since the numbers of the runs may change until all are written
	for i, rec := range runs {
		if ctx.Err() != nil {
			return interrupted(ctx, "saving runs", ctx.Err())
		}
		saved[i] = *rec.Run()
		saved[i].Tool = toolName
		if err := tracefmt.Copy(w, rec, &saved[i]); err != nil {
			return err
		}
	}
	if err := w.Commit(); err != nil {
		return err
	}
	for i, rec := range runs {
		rec.Run().Number = saved[i].Number
	}
	return nil
}

// outFile is a file that a command writes. It is written as a whole or not at all.
type outFile struct {
	path  string
	force bool
	trace bool // the content is a whole trace
	same  bool // a file with the same content may exist already
}

// flags adds a flag for the name of the file, with a one-letter form unless short is "", and the flag --force.
func (f *outFile) flags(cmd *cobra.Command, name, short, byDefault, usage string) {
	f.path = byDefault
	outVar(cmd, &f.path, name, short, usage)
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite other programs' files")
}

// outVar adds a flag for the name of a file that a command writes. The present value of path is the default.
func outVar(cmd *cobra.Command, path *string, name, short, usage string) {
	cmd.Flags().VarP((*outName)(path), name, short, usage)
}

// outName is the value of a flag that names an output. All names of stdout, such as /dev/stdout, become [tracefile.Stream].
type outName string

func (n *outName) String() string { return string(*n) }

func (n *outName) Type() string { return "string" }

// Set implements [pflag.Value].
func (n *outName) Set(path string) error {
	if fd, ok := atomicfile.Descriptor(path); ok && fd == 1 {
		path = tracefile.Stream
	}
	*n = outName(path)
	return nil
}

// check returns an error if the file cannot be written, or is one of the inputs. Commands call it before they start work.
func (f *outFile) check(inputs ...string) error {
	if f.path == "" || f.path == tracefile.Stream {
		return nil
	}
	return atomicfile.Check(f.path, f.options(inputs))
}

// options returns the rules for replacing an existing file.
func (f *outFile) options(inputs []string) atomicfile.Options {
	return atomicfile.Options{Force: f.force, Trace: f.trace, Same: f.same, Inputs: inputs}
}

// write calls write to make the content of the file, or of stdout for "-". It fails if the file is one of the inputs.
func (a *app) write(f outFile, write func(io.Writer) error, inputs ...string) error {
	if f.path == tracefile.Stream {
		return a.print(write)
	}
	files := fileSet{a: a, inputs: inputs}
	defer files.discard()
	if err := files.add(f, write); err != nil {
		return err
	}
	return files.commit()
}

// fileSet is a set of output files, such as the pages of a picture. They get their names together, when all are complete.
type fileSet struct {
	a *app
	// inputs are files that must not be overwritten.
	inputs []string
	paths  []string
	files  []*atomicfile.File
}

// add writes the content of a file of the set to a temporary file.
func (s *fileSet) add(f outFile, write func(io.Writer) error) error {
	target, err := atomicfile.Create(f.path, f.options(s.inputs))
	if err != nil {
		return err
	}
	s.files, s.paths = append(s.files, target), append(s.paths, f.path)
	return write(target)
}

// commit gives the files their names. If that fails for one of them, the error lists the files that have their names.
func (s *fileSet) commit() error {
	placed, err := atomicfile.CommitAll(s.files...)
	for i, target := range s.files {
		if lost := target.Lost(); lost != "" {
			s.a.note("%s: --force replaced %s", s.paths[i], lost)
		}
	}
	if placed > 0 && err != nil {
		return fmt.Errorf("%w; only these files are new: %s", err, text.And(s.paths[:placed]))
	}
	return err
}

// discard removes the temporary files that were not committed.
func (s *fileSet) discard() {
	for _, target := range s.files {
		target.Discard()
	}
}

// formatOf returns the format of the output file at path: the format for its extension, or else format. given is true if the
// user chose format; then it fails if the extension contradicts it. Without a format it fails if the name has no extension.
// known are the formats that can be written.
func formatOf(path, format string, given bool, known []string) (string, error) {
	ext, thing := atomicfile.Extension(path)
	said := text.Or(known)
	found := slices.Contains(known, ext)
	switch {
	case path == tracefile.Stream || atomicfile.IsStream(path):
		return format, nil
	case found && given && ext != format:
		return "", fmt.Errorf("%s: the name says %s, but %s is to be written; expected one format", path, ext, format)
	case found:
		return ext, nil
	case thing != "" && given && slices.Contains(known, format):
		// The user chose the format, so only the name can be wrong.
		expected := strings.Join(atomicfile.Extensions(format), " or .")
		return "", fmt.Errorf("%s: the name is that of %s, expected that of %s: .%s", path, thing, format, expected)
	case thing != "":
		return "", fmt.Errorf("%s: the name is that of %s, expected %s", path, thing, said)
	case ext == "" && !given && (format == "" || slices.Contains(known, path)):
		return "", fmt.Errorf("%s: a name without an extension, expected that of %s", path, said)
	case ext != "" && !given:
		return "", fmt.Errorf("%s: %w", path, text.Unknown("format", ext, known))
	}
	return format, nil
}
