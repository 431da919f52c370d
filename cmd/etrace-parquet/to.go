package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"etrace/cmd/etrace-parquet/parquetfile"
	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/text"
)

// toFlags are the flags of the command to.
type toFlags struct {
	input     string
	partition string
	folder    bool // --partition was given
	force     bool
}

func (p *program) toCommand() *cobra.Command {
	f := &toFlags{}
	cmd := &cobra.Command{
		Use:   "to FILE|FOLDER",
		Short: "Write JSON Lines of etrace as Parquet",
		Long: `Read runs in JSON Lines of etrace, from stdin or a file, and write them as Parquet: a FILE, or,
with --partition, a FOLDER with a file for each run, or for each run and each value of one more
column. - is stdout. After an error nothing is written.

The columns are ` + strings.Join(parquetfile.Columns(), ", ") + `.
Numbers are 64 bits wide, the others are texts, payload is a JSON object. A missing value is null.
Rows are in the order of run and seq, in row groups of 262,144, packed by zstd. The footer has the
headers and the ends of the runs as JSON, under the key etrace, with a sum of itself and one of the rows.`,
		Example: `  etrace export runs.db --run all | etrace-parquet to runs.parquet
  etrace-parquet to run.parquet --input run.jsonl
  etrace export runs.db --run all | etrace-parquet to events --partition run,process`,
		Args: oneArgument("the FILE or FOLDER to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.folder = cmd.Flags().Changed("partition")
			return p.to(cmd.Context(), f, args[0])
		},
	}
	cmd.Flags().StringVarP(&f.input, "input", "i", stream, "the JSON Lines `FILE` to read, - for stdin")
	keys := "write a folder by `COLUMNS`: run, or run and one of " + text.Or(parquetfile.Keys()) + ", such as run,type"
	cmd.Flags().StringVar(&f.partition, "partition", "", keys)
	cmd.Flags().BoolVar(&f.force, "force", false, "replace a FILE that is a trace already, or that etrace did not write")
	return cmd
}

// to writes the runs of the input as one Parquet file or, with --partition, as a folder of files.
func (p *program) to(ctx context.Context, f *toFlags, target string) error {
	if !f.folder {
		return p.toFile(ctx, f, target)
	}
	if err := parquetfile.CheckKeys(f.partition); err != nil {
		return fmt.Errorf("--partition: %w", err)
	}
	switch {
	case f.force:
		return errors.New("--force: a folder is not replaced, expected the name of a new one")
	case target == stream:
		return fmt.Errorf("--partition %s: expected the name of a new FOLDER, not stdout", f.partition)
	}
	return atomicfile.Folder(target, func(folder *atomicfile.NewFolder) error {
		create := func(name string) (io.WriteCloser, error) { return folder.Create(name) }
		to, err := parquetfile.NewFolder(create, f.partition)
		if err != nil {
			return err
		}
		if err := p.copy(ctx, to, f.input); err != nil {
			return err
		}
		return to.Close()
	})
}

// toFile writes all runs to one file, or to stdout. After an error there is no file.
func (p *program) toFile(ctx context.Context, f *toFlags, target string) error {
	to := p.out
	commit := func() error { return nil }
	if target != stream {
		file, err := atomicfile.Create(target, atomicfile.Options{Force: f.force, Trace: true, Inputs: []string{f.input}})
		if err != nil {
			return err
		}
		defer file.Discard()
		to = file
		commit = func() error {
			err := file.Commit()
			if lost := file.Lost(); lost != "" {
				p.say("%s: --force replaced %s", target, lost)
			}
			return err
		}
	}
	w := parquetfile.NewWriter(to)
	if err := p.copy(ctx, w, f.input); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return commit()
}

// wrongInputs maps the first bytes of other formats to the error text for them.
var wrongInputs = []struct{ magic, text string }{
	{parquetfile.Magic, "is Parquet already, expected JSON Lines of etrace"},
	{"SQLite format 3\x00", "is a database, expected JSON Lines: etrace export TRACE --run all | etrace-parquet to FILE"},
}

// copy writes the runs in the JSON Lines at path to a sink. It notes runs without an end.
func (p *program) copy(ctx context.Context, to tracefmt.Sink, path string) error {
	in, err := p.open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	r := bufio.NewReaderSize(in, 1<<16)
	head, _ := r.Peek(16) // shorter input has no magic
	for _, format := range wrongInputs {
		if bytes.HasPrefix(head, []byte(format.magic)) {
			return errors.New(path + ": " + format.text)
		}
	}
	lines := tracefmt.NewText(path, unseekable{}, 0).Stream(r)
	for {
		run, err := lines.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := tracefmt.Copy(to, cancellable{run, ctx}, nil); err != nil {
			return err
		}
		if copied := run.Run(); copied.End == tracefmt.Open && !copied.Slice {
			p.say("%s: run %d has no end: it was cut, or is still being recorded", path, copied.Number)
		}
	}
}

// unseekable is the source of a text that is read once, as a stream.
type unseekable struct{}

// ReadAt implements [io.ReaderAt].
func (unseekable) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// cancellable is a recording whose events end with an error when the context ends.
type cancellable struct {
	tracefmt.Recording
	ctx context.Context
}

// Events implements [tracefmt.Recording].
func (c cancellable) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return tracefmt.Until(c.ctx, c.Recording, from)
}

// open opens the file at path, or stdin. Reads fail when the context ends, even while they wait for another program.
func (p *program) open(ctx context.Context, path string) (io.ReadCloser, error) {
	in := p.in
	if path != stream {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { f.Close() })
		in = f
	}
	out, to := io.Pipe()
	context.AfterFunc(ctx, func() { to.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(to, in)
		to.CloseWithError(err)
	}()
	return out, nil
}
