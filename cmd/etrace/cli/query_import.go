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

// queryTarget is the database that a query reads.
type queryTarget struct {
	queryable
	// results is true for results of a sweep, false for a trace.
	results bool
	// imported is true if the database is a temporary copy, in folder, of a trace in another form.
	imported bool
	folder   string
}

// queryable is a database that executes SQL.
type queryable interface {
	Query(ctx context.Context, sql string, slow func()) (*tracedb.Rows, error)
	Close() error
}

// openQueried opens the database at path. It imports a trace in another form, or on stdin, into a temporary database, in one
// pass.
func (a *app) openQueried(ctx context.Context, path string) (q *queryTarget, err error) {
	q = new(queryTarget)
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
		q.queryable, err = asQueryable(tracedb.ReadResults(path))
	default:
		q.queryable, err = asQueryable(tracedb.Open(path))
	}
	if err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// asQueryable returns an opened file as a queryable. It returns a nil interface with an error, where a conversion would
// return a non-nil interface with a nil pointer.
func asQueryable[T queryable](file T, err error) (queryable, error) {
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Close closes the database, and removes it if it is temporary.
func (q *queryTarget) Close() {
	if q.queryable != nil {
		q.queryable.Close()
	}
	if q.imported {
		os.RemoveAll(q.folder)
	}
}

// withUserPath replaces the path of a temporary database in an error by the path that the user gave.
func withUserPath(path string, err error) error {
	var damage *tracedb.Error
	if errors.As(err, &damage) {
		damage.Path = path
	}
	return err
}

// importWhole imports a file of etrace runs, unchanged, into the database target.
func (a *app) importWhole(ctx context.Context, file, target string) error {
	w, err := tracedb.OpenAppend(target)
	if err != nil {
		return err
	}
	defer w.Discard()
	f := &importFlags{options: func() map[string]string { return nil }}
	files := []string{file}
	sink := &importSink{Sink: wholeRuns{w}, reading: a.inputProgress(files)}
	defer sink.reading.bar.done()
	if _, _, err := a.importNext(ctx, files, f, sink); err != nil {
		return interrupted(ctx, "reading the trace", err)
	}
	return w.Commit()
}

// wholeRuns is a sink that accepts complete runs only: a query on a slice would give wrong counts.
type wholeRuns struct{ tracefmt.Sink }

// Begin implements [tracefmt.Sink].
func (w wholeRuns) Begin(run *tracefmt.Run) error {
	if run.Slice {
		return tracefmt.ErrSlice
	}
	return w.Sink.Begin(run)
}
