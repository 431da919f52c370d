package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// defaultTrace is the trace of commands that are given none.
const defaultTrace = "trace.db"

// traceArgs are the TRACE argument and the --run flag of the reading commands.
type traceArgs struct {
	runs string
}

func (t *traceArgs) flags(cmd *cobra.Command, runs string) {
	cmd.Flags().StringVar(&t.runs, "run", runs, "which `RUNS`: a number, last, or all")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"db", "jsonl"}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// tracePath returns the TRACE argument or its default.
func tracePath(args []string) string {
	if len(args) == 0 {
		return defaultTrace
	}
	return args[0]
}

// A source is what a TRACE argument names: a database, or JSON Lines.
type source struct {
	path string
	// numbers are those of the picked runs.
	numbers []int
	db      *tracedb.DB
	texts   []*tracefmt.File // the runs, if it is no database
}

// open opens the trace and picks the runs.
func (t *traceArgs) open(path string) (s *source, err error) {
	s = &source{path: path}
	var all []int
	if isJSONLines(path) {
		s.texts, err = tracefmt.OpenFile(path)
		for _, f := range s.texts {
			all = append(all, f.Run().Number)
		}
	} else if s.db, err = tracedb.Open(path); err == nil {
		all, err = runNumbers(s.db)
	}
	if err == nil {
		s.numbers, err = t.pick(all, path)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// isJSONLines reports whether a file begins like the text form of a trace,
// whatever its name.
func isJSONLines(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // opening it as a database says why
	}
	defer f.Close()
	head := make([]byte, 8)
	n, _ := io.ReadFull(f, head)
	return bytes.HasPrefix(bytes.TrimLeft(head[:n], "\uFEFF \t\r\n"), []byte("{"))
}

func runNumbers(db *tracedb.DB) ([]int, error) {
	runs, err := db.Runs()
	var numbers []int
	for _, r := range runs {
		numbers = append(numbers, r.Number)
	}
	return numbers, err
}

// pick picks from the numbers of all runs.
func (t *traceArgs) pick(all []int, path string) ([]int, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the trace has no runs", path)
	}
	switch t.runs {
	case "all":
		return all, nil
	case "last":
		return all[len(all)-1:], nil
	}
	n, err := strconv.Atoi(t.runs)
	if err != nil {
		return nil, fmt.Errorf("--run %q: expected a number, last, or all", t.runs)
	}
	return []int{n}, nil // recording knows whether there is one
}

// recording returns the run of that number.
func (s *source) recording(number int) (tracefmt.Recording, error) {
	switch {
	case s.db != nil:
		return s.db.Recording(number)
	case number < 1 || number > len(s.texts):
		return nil, fmt.Errorf("%s: no run %d, the file has %d", s.path, number, len(s.texts))
	}
	return s.texts[number-1], nil
}

// Close closes what was opened.
func (s *source) Close() {
	if s.db != nil {
		s.db.Close()
	}
}

// each calls f for each picked run of the trace, watched.
func (t *traceArgs) each(ctx context.Context, a *app, what string, args []string, f func(rec tracefmt.Recording) error) error {
	s, err := t.open(tracePath(args))
	if err != nil {
		return err
	}
	defer s.Close()
	for _, n := range s.numbers {
		rec, err := s.recording(n)
		if err != nil {
			return err
		}
		if err := f(a.watch(ctx, what, rec)); err != nil {
			return err
		}
	}
	return nil
}

// watched is a recording that shows progress while it is read, and ends with
// an error when the context ends.
type watched struct {
	tracefmt.Recording
	ctx  context.Context
	what string
	a    *app
}

func (a *app) watch(ctx context.Context, what string, rec tracefmt.Recording) tracefmt.Recording {
	return &watched{rec, ctx, what, a}
}

// Events implements [tracefmt.Recording].
func (w *watched) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		bar := w.a.progress(w.what, w.Run().Events)
		defer bar.done()
		for e, err := range w.Recording.Events(from) {
			if err == nil && e.Seq%1024 == 0 {
				bar.at(int64(e.Seq))
				if w.ctx.Err() != nil {
					err = errors.New("interrupted while " + w.what)
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
