package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// queried is a database that is asked in SQL.
type queried struct {
	asked
	// results: it has those of a sweep, and is no trace.
	results bool
	// imported: it was made of a trace in another form, in a folder that goes with it.
	imported bool
	folder   string
}

// asked answers in SQL.
type asked interface {
	Query(ctx context.Context, sql string) (*tracedb.Rows, error)
	Close() error
}

// openQueried opens the database at path. A trace in another form, also one on stdin, becomes one
// for as long as it is asked: in one pass, as import makes it.
func (a *app) openQueried(ctx context.Context, path string) (q *queried, err error) {
	q = new(queried)
	if tracefile.NoDatabase(path) {
		q.imported = true
		q.folder, err = os.MkdirTemp("", "etrace-")
		if err != nil {
			return nil, err
		}
		from := path
		path = filepath.Join(q.folder, defaultTrace)
		err = a.importWhole(ctx, from, path)
	}
	q.results = tracedb.IsResults(path)
	switch {
	case err != nil:
	case q.results:
		q.asked, err = opened(tracedb.ReadResults(path))
	default:
		q.asked, err = opened(tracedb.Open(path))
	}
	if err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// opened is the opened trace, nil with an error.
func opened[T asked](file T, err error) (asked, error) {
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Close closes the database, and removes it if it was made for this.
func (q *queried) Close() {
	if q.asked != nil {
		q.asked.Close()
	}
	if q.imported {
		os.RemoveAll(q.folder)
	}
}

// askedAs is an error of a query of a trace, which is called as the user does.
func askedAs(path string, err error) error {
	var damage *tracedb.Error
	if errors.As(err, &damage) {
		damage.Path = path
	}
	return err
}

// importWhole imports a file of runs of etrace.
func (a *app) importWhole(ctx context.Context, file, target string) error {
	w, err := tracedb.OpenAppend(target)
	if err != nil {
		return err
	}
	defer w.Discard()
	f := &importFlags{options: func() map[string]string { return nil }}
	files := []string{file}
	sink := &importSink{Sink: wholeRuns{w}, intake: a.intake(files)}
	defer sink.intake.bar.done()
	if _, _, err := a.importNext(ctx, files, f, sink); err != nil {
		return interrupted(ctx, "reading the trace", err)
	}
	return w.Commit()
}

// wholeRuns is a sink that keeps runs unchanged, so that queries describe the original runs.
type wholeRuns struct{ tracefmt.Sink }

// Begin implements [tracefmt.Sink].
func (w wholeRuns) Begin(run *tracefmt.Run) error {
	if run.Slice {
		return tracefmt.ErrSlice
	}
	return w.Sink.Begin(run)
}
