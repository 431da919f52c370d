package tracefile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/parquetfile"
	"etrace/tracefmt/tracedb"
)

// table are the runs of Parquet files, by ascending numbers.
type table struct {
	path  string
	runs  []tracefmt.Recording
	files []*os.File
	// lax: the events need not make well-formed runs.
	lax bool
}

// tableFile is an open file of a table, by the name that errors give it.
type tableFile struct {
	io.ReaderAt
	size int64
	name string
}

// mostTables is how many Parquet files of a folder are open at a time.
const mostTables = 4096

// isTable reports whether a file begins like Parquet.
func isTable(head []byte) bool { return bytes.HasPrefix(head, []byte(parquetfile.Magic)) }

// tables returns the Parquet files below a folder, by name, and one more than there may be if
// there are too many.
func tables(folder string) (files []string) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".parquet") {
			files = append(files, path)
		}
		if len(files) > mostTables {
			return fs.SkipAll
		}
		return nil // what cannot be read is no file of the run, whose parts are then missing
	})
	return files
}

// NoDatabase returns the files that must be imported before the trace at path can be asked in SQL:
// [Stream] itself, a pipe, JSON Lines or Parquet, or the Parquet files of a folder; nil for a
// database and for what is no trace.
func NoDatabase(path string) (files []string) {
	info, err := os.Stat(path)
	switch {
	case path == Stream:
		return []string{path}
	case err != nil:
		return nil
	case info.IsDir():
		return tables(path)
	case !info.Mode().IsRegular():
		return []string{path}
	}
	if head := headOf(path); isTable(head) || isText(head) && bytes.Contains(head, []byte(`"etrace/`)) {
		return []string{path}
	}
	return nil
}

// openTables opens Parquet files as one trace.
func openTables(t *Trace, paths []string, o Options) (*Trace, error) {
	if len(paths) > mostTables {
		return nil, fmt.Errorf("%s: more than %d Parquet files, expected those of fewer runs", t.path, mostTables)
	}
	var open []*os.File
	var files []tableFile
	var failed error
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			failed = err
			break
		}
		open = append(open, f)
		info, err := f.Stat()
		if err != nil {
			failed = err
			break
		}
		files = append(files, tableFile{f, info.Size(), path})
	}
	if failed == nil {
		t, failed = openTable(t, files, o)
	}
	if failed != nil {
		for _, f := range open {
			f.Close()
		}
		return nil, failed
	}
	t.table.files = open
	return t, nil
}

// openTable finds the runs of Parquet files. Those that turn out to be damaged are left out
// where what is sound is to be salvaged.
func openTable(t *Trace, files []tableFile, o Options) (*Trace, error) {
	t.tells, t.slices = o.Tells, o.Slices
	t.table = &table{path: t.path, lax: o.Unvalidated}
	err := t.table.find(files)
	if err != nil {
		_ = t.closeSpool() // nothing was written
		return nil, err
	}
	for _, rec := range t.table.runs {
		number := rec.Run().Number
		if o.Salvage {
			if err := tracefmt.Verify(context.Background(), t.table.validated(rec)); err != nil {
				t.damage = append(t.damage, err)
				continue
			}
		}
		t.numbers = append(t.numbers, number)
	}
	return t, nil
}

// find reads the footers.
func (t *table) find(files []tableFile) error {
	var all []*parquetfile.File
	for _, f := range files {
		file, err := parquetfile.Open(f, f.size)
		if err != nil {
			return &tracedb.Error{Path: f.name, Text: err.Error(), Kind: tracedb.ErrDamaged}
		}
		all = append(all, file)
	}
	var err error
	if t.runs, err = parquetfile.Merge(all); err != nil {
		return t.damaged(0, err)
	}
	number := func(rec tracefmt.Recording) int { return rec.Run().Number }
	slices.SortStableFunc(t.runs, func(a, b tracefmt.Recording) int { return cmp.Compare(number(a), number(b)) })
	for i, rec := range t.runs[min(1, len(t.runs)):] {
		if n := number(rec); n == number(t.runs[i]) {
			return fmt.Errorf("%s: two files have a run %d, expected the files of one trace", t.path, n)
		}
	}
	return nil
}

// run returns the run of that number.
func (t *table) run(path string, number int) (tracefmt.Recording, error) {
	i, ok := slices.BinarySearchFunc(t.runs, number, func(rec tracefmt.Recording, n int) int { return cmp.Compare(rec.Run().Number, n) })
	if !ok {
		return nil, fmt.Errorf("%s: no run %d, the file has %d", path, number, len(t.runs))
	}
	return t.runs[i], nil
}

// damaged is the error for a run in which something is wrong, 0 for the file.
func (t *table) damaged(number int, err error) error {
	var already *tracedb.Error
	if errors.As(err, &already) {
		return err
	}
	return &tracedb.Error{Path: t.path, Run: number, Text: err.Error(), Kind: tracedb.ErrDamaged}
}

func (t *table) close() error {
	var failed error
	for _, f := range t.files {
		failed = cmp.Or(failed, f.Close())
	}
	return failed
}

// validated is a run of which an error says where it is. A file of columns has no check sums over
// the events: whether they make a run is found out by who reads it from its beginning.
func (t *table) validated(rec tracefmt.Recording) tracefmt.Recording { return &tableRun{rec, t} }

type tableRun struct {
	tracefmt.Recording
	table *table
}

// Events implements [tracefmt.Recording].
func (r *tableRun) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		var valid *tracefmt.Validator
		if from <= 1 && !r.table.lax {
			valid = tracefmt.NewValidator(r.Run())
		}
		for e, err := range r.Recording.Events(from) {
			if err == nil && valid != nil {
				if flaw := valid.Examine(e); flaw != nil {
					err = &tracedb.Error{Path: r.table.path, Run: r.Run().Number, Seq: e.Seq, Text: flaw.Error(), Kind: tracedb.ErrDamaged}
				}
			}
			if err != nil {
				yield(nil, r.table.damaged(r.Run().Number, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
