package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
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
	cmd.Flags().StringVar(&t.runs, "run", runs, "which runs: a number, last, or all")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"db"}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// tracePath returns the TRACE argument or its default.
func tracePath(args []string) string {
	if len(args) == 0 {
		return defaultTrace
	}
	return args[0]
}

// open opens the trace and picks the runs.
func (t *traceArgs) open(args []string) (*tracedb.DB, []int, error) {
	path := tracePath(args)
	db, err := tracedb.Open(path)
	if err != nil {
		return nil, nil, err
	}
	numbers, err := t.pick(db, path)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, numbers, nil
}

func (t *traceArgs) pick(db *tracedb.DB, path string) ([]int, error) {
	all, err := db.Runs()
	if err != nil {
		return nil, err
	}
	numbers := make([]int, len(all))
	for i, r := range all {
		numbers[i] = r.Number
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("%s: the trace has no runs", path)
	}
	switch t.runs {
	case "all":
		return numbers, nil
	case "last":
		return numbers[len(numbers)-1:], nil
	}
	n, err := strconv.Atoi(t.runs)
	if err != nil {
		return nil, fmt.Errorf("--run %q: expected a number, last, or all", t.runs)
	}
	return []int{n}, nil // Recording knows whether there is one
}

// each calls f for each picked run of the trace, watched.
func (t *traceArgs) each(ctx context.Context, a *app, what string, args []string, f func(rec tracefmt.Recording) error) error {
	db, numbers, err := t.open(args)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, n := range numbers {
		rec, err := db.Recording(n)
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
