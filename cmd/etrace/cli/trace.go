package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/tracefile"
)

// defaultTrace is the trace that commands read or write if none is named.
const defaultTrace = "trace.db"

// traceArgs are the options for opening the TRACE argument of a command that reads traces.
type traceArgs struct {
	runs     string
	complete completenessFlag
	// salvage: skip damaged parts, with a warning.
	salvage bool
	// sums: compare a run with its checksum before any of it is shown.
	sums bool
	// unvalidated: accept runs that are not well-formed.
	unvalidated bool
	// slices: accept slices of runs.
	slices bool
	// passing: read the runs of a stream while they come, by source.each.
	passing bool
}

func (t *traceArgs) flags(cmd *cobra.Command, runs string) {
	cmd.Flags().StringVar(&t.runs, "run", runs, "the `RUNS`: 1,3-5, last, all")
	t.complete.flags(cmd, "the log has all these events: crash,halt, or all")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return tracefile.Extensions(), cobra.ShellCompDirectiveFilterFileExt
	}
}

// salvageFlag adds the flag --salvage, which only some commands have.
func (t *traceArgs) salvageFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.salvage, "salvage", false, "read the undamaged part of a trace")
}

// tracePath returns the TRACE argument or its default.
func tracePath(args []string) string {
	if len(args) == 0 {
		return defaultTrace
	}
	return args[0]
}

// noStream returns an error if path is stdin, for a command that needs a database.
func noStream(path string) error {
	if path == tracefile.Stream {
		return errors.New("-: stdin is no database, expected the name of one")
	}
	return nil
}

// A source is an opened TRACE argument with its selected runs.
type source struct {
	*tracefile.Trace
	picked  tracefile.Runs
	numbers []int // nil if the runs are read while they come
	sums    bool
}

// open opens the trace and selects the runs of --run. The caller closes it.
func (t *traceArgs) open(ctx context.Context, a *app, path string) (*source, error) {
	runs, err := tracefile.ParseRuns(t.runs)
	if err != nil {
		return nil, fmt.Errorf("--run %w", err)
	}
	o := tracefile.Options{
		Stdin: a.stdin, Salvage: t.salvage, Completeness: t.complete.completeness, Unvalidated: t.unvalidated,
		Slices: t.slices, Passing: t.passing,
	}
	trace, err := a.openTrace(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s := &source{Trace: trace, picked: runs, sums: t.sums}
	for _, d := range s.Damage() {
		a.warn("left out: %v", d)
	}
	if t.passing {
		return s, nil
	}
	s.numbers, err = s.Numbers(runs)
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openTrace opens a trace, or imports a log into a trace in memory.
func (a *app) openTrace(ctx context.Context, path string, o tracefile.Options) (*tracefile.Trace, error) {
	if a.mapping != "" || a.following != nil && a.following.log {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !a.isLog(path) {
			return nil, fmt.Errorf("%s: is a trace or empty, expected a log with --map", path)
		}
		return a.openLogs(ctx, path, o)
	}
	trace, err := tracefile.Open(path, o)
	if foreign := (*tracefile.ForeignError)(nil); errors.As(err, &foreign) && a.isLog(path) {
		logs, unread := a.openLogs(ctx, path, o)
		// A text that is named as a trace was meant as one, unless it is a log.
		if unread == nil || !errors.Is(unread, interop.ErrNotRecognised) || !namesTrace(path) {
			return logs, unread
		}
	}
	if info, unread := os.Stat(path); err != nil && unread == nil {
		switch {
		case info.IsDir() && !isParquet(err):
			return nil, fmt.Errorf("%w or logs, such as %s", err, filepath.Join(path, "*.log"))
		case info.Mode().IsRegular() && info.Size() == 0 && !namesTrace(path):
			return nil, fmt.Errorf("%w or a log", err)
		}
	}
	if err != nil {
		return nil, a.foreign(path, err)
	}
	return trace, nil
}

// namesTrace reports whether the extension of a file is that of a trace.
func namesTrace(path string) bool {
	return slices.Contains(tracefile.Extensions(), strings.TrimPrefix(filepath.Ext(path), "."))
}

// each yields the numbers of the selected runs; those of a stream, when they begin.
func (s *source) each() iter.Seq2[int, error] { return s.Each(s.picked) }

// foreign adds to the error for the log of another program the command that imports it. It returns any other error
// unchanged.
func (a *app) foreign(path string, err error) error {
	var foreign *tracefile.ForeignError
	if !errors.As(err, &foreign) {
		return err
	}
	input, unread := interop.NewInput(path, bytes.NewReader(foreign.Head))
	if unread != nil {
		return err
	}
	way := "etrace import " + path + " -o NEW.db"
	if path == tracefile.Stream {
		way = "etrace import - -o -, and a pipe from there"
	}
	format, unknown := interop.ToRead(a.Formats, "", nil, input.Head())
	if unknown != nil || format.Detect(input.Head()) == interop.Possible {
		return fmt.Errorf("%w; a log of another program becomes a trace by %s, with --map FILE or --from FORMAT", err, way)
	}
	return fmt.Errorf("%s: looks like a log of format %s, expected a trace, which it becomes by %s", path, format.Name, way)
}

// recording returns a run by its number, with progress and interrupts; see [watched].
func (s *source) recording(ctx context.Context, a *app, task string, number int) (tracefmt.Recording, error) {
	rec, err := s.verified(ctx, a, number)
	if err != nil {
		return nil, err
	}
	return a.watch(ctx, task, rec), nil
}

// verified returns a run by its number. With sums, it compares the run with its checksum. Runs in JSON Lines were already
// compared when the trace was opened.
func (s *source) verified(ctx context.Context, a *app, number int) (tracefmt.Recording, error) {
	rec, err := s.Recording(number)
	if err != nil || !s.sums || s.ReadThrough() {
		return rec, err
	}
	if err := tracefmt.Verify(ctx, a.watch(ctx, "comparing check sums", rec)); err != nil {
		return nil, err
	}
	return rec, nil
}

// each calls f for each selected run of the trace.
func (t *traceArgs) each(ctx context.Context, a *app, task string, args []string, f func(rec tracefmt.Recording) error) error {
	s, err := t.open(ctx, a, tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	for n, err := range s.each() {
		if err != nil {
			return err
		}
		rec, err := s.recording(ctx, a, task, n)
		if err != nil {
			return err
		}
		if err := f(rec); err != nil {
			return err
		}
	}
	return nil
}

// assume returns the recording with its declared completeness, or with an assumed one, which it prints.
func (a *app) assume(rec tracefmt.Recording) (tracefmt.Recording, error) {
	rec, assumed, err := tracefmt.Assume(rec)
	if assumed != "" {
		a.note("assumed: %s", assumed)
	}
	return rec, err
}

// interrupted returns err; if ctx has ended, it returns the error for an interrupted task instead.
func interrupted(ctx context.Context, task string, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted while " + task)
	}
	return err
}

// watched is a recording that shows the progress of reading. Its events end with an error when the context ends.
type watched struct {
	tracefmt.Recording
	ctx  context.Context
	task string
	a    *app
}

// watch returns the recording with progress and interrupts; see [watched].
func (a *app) watch(ctx context.Context, task string, rec tracefmt.Recording) tracefmt.Recording {
	return &watched{rec, ctx, task, a}
}

// Events implements [tracefmt.Recording].
func (w *watched) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		bar := w.a.progress(w.task, w.Run().Events)
		defer bar.done()
		read := 0
		for e, err := range w.Recording.Events(from) {
			read++
			if err == nil && read%1024 == 0 {
				bar.update(int64(e.Seq))
				err = interrupted(w.ctx, w.task, w.ctx.Err())
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
