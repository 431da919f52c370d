package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/cmd/etrace-parquet/parquetfile"
	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
)

// mostFiles is the greatest number of files of a folder; all are open at the same time.
const mostFiles = 4096

func (p *program) catCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cat FILE|FOLDER",
		Short: "Write Parquet of etrace as JSON Lines",
		Long: `Read a FILE of runs that etrace-parquet wrote, or all files in a FOLDER whose names end in
.parquet, and write the runs to stdout as JSON Lines, as etrace reads them. - is stdin. All runs are
validated before the first line is written: damaged Parquet gives an error and no lines. Files of
other programs, whose footers have no key etrace, are refused.`,
		Example: `  etrace-parquet cat run.parquet | etrace check -
  etrace-parquet cat events > runs.jsonl`,
		Args: oneArgument("the FILE or FOLDER to read"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.cat(cmd.Context(), args[0]) },
	}
}

// cat writes the runs of the Parquet at path to stdout as JSON Lines. It reads and validates all runs before it writes the
// first line.
func (p *program) cat(ctx context.Context, path string) error {
	defer func() { os.Remove(p.temporary) }() // after the files are closed
	files, err := p.files(ctx, path)
	for _, f := range files {
		defer f.Close()
	}
	if err != nil {
		return err
	}
	runs, err := merged(path, files)
	if err != nil {
		return err
	}
	if p.summary != nil {
		var numbers []int64
		for _, rec := range runs {
			numbers = append(numbers, int64(rec.Run().Number))
		}
		if err := parquetfile.CheckSummary(p.summary, numbers); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for i, rec := range runs {
		runs[i] = cancellable{&validated{rec, path}, ctx}
		if err := tracefmt.Verify(ctx, runs[i]); err != nil {
			return err
		}
	}
	lines := tracefmt.NewEncoder(p.out)
	for _, rec := range runs {
		if err := lines.Encode(rec); err != nil {
			return err
		}
	}
	return nil
}

// files opens the Parquet files at path: a file, all files of a folder, or a temporary copy of a stream.
func (p *program) files(ctx context.Context, path string) (files []*os.File, err error) {
	if path == stream {
		return p.spooled(ctx, path)
	}
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		f, err := os.Open(path)
		return []*os.File{f}, err
	case !info.IsDir():
		return p.spooled(ctx, path)
	}
	folder := path + string(filepath.Separator) // path may be a symbolic link
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == filepath.Join(folder, parquetfile.Summary):
			p.summary, err = os.ReadFile(name)
			return err
		case !d.Type().IsRegular() || !strings.HasSuffix(name, ".parquet"):
			return nil
		case len(files) == mostFiles:
			return fmt.Errorf("%s: more than %d Parquet files, expected those of fewer runs", path, mostFiles)
		}
		f, err := os.Open(name)
		if err == nil {
			files = append(files, f)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no Parquet files in the folder, expected names that end in .parquet", path)
	}
	return files, err
}

// spooled copies a stream to a temporary file, because a Parquet file is read from its end.
func (p *program) spooled(ctx context.Context, path string) ([]*os.File, error) {
	in, err := p.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f, name, err := atomicfile.Temporary()
	p.temporary = name
	if err != nil {
		return nil, fmt.Errorf("%s: the stream cannot be kept: %w", path, err)
	}
	_, err = io.Copy(f, in)
	return []*os.File{f}, err
}

// merged returns the runs of the files in the order of their numbers. It fails if two files have a run with the same number.
func merged(path string, files []*os.File) ([]tracefmt.Recording, error) {
	var all []*parquetfile.File
	for _, f := range files {
		name := f.Name()
		if len(files) == 1 && !strings.HasPrefix(name, path) {
			name = path // errors name the stream, not its temporary copy
		}
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		file, err := parquetfile.Open(f, info.Size())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, file)
	}
	runs, err := parquetfile.Merge(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	number := func(rec tracefmt.Recording) int { return rec.Run().Number }
	slices.SortStableFunc(runs, func(a, b tracefmt.Recording) int { return cmp.Compare(number(a), number(b)) })
	for i, rec := range runs[min(1, len(runs)):] {
		if n := number(rec); n == number(runs[i]) {
			return nil, fmt.Errorf("%s: two files have a run %d, expected the files of one trace", path, n)
		}
	}
	return runs, nil
}

// validated is a run whose events are checked to be well-formed. The checksums only show damage; a program other than etrace
// may have written wrong events with right sums.
type validated struct {
	tracefmt.Recording
	path string
}

// Events implements [tracefmt.Recording].
func (v *validated) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		check := tracefmt.NewValidator(v.Run())
		for e, err := range v.Recording.Events(from) {
			if err != nil {
				err = fmt.Errorf("run %d: %w", v.Run().Number, err)
			} else {
				err = check.Check(e)
			}
			if err != nil {
				yield(nil, fmt.Errorf("%s: %w", v.path, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
