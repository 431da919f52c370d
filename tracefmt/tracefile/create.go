package tracefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/tracedb"
)

// Writer takes runs and keeps all of them or, without Commit, none. Discard drops them; after Commit it does
// nothing, so it can be deferred.
type Writer interface {
	tracefmt.Sink
	Commit() error
	Discard() error
}

// Create opens the place for new runs: a new or existing database, where they are appended; a new
// file in JSON Lines, if path ends in .jsonl or .ndjson; or stdout, if path is [Stream]. Devices and pipes also
// get JSON Lines. It refuses a new file with the name of another format, see [CheckName].
func Create(path string) (Writer, error) {
	switch {
	case path == Stream:
		return NewWriter(os.Stdout), nil
	case atomicfile.IsStream(path):
		return createText(path, atomicfile.Options{})
	case IsText(path):
		return createText(path, atomicfile.Options{New: true})
	}
	if err := CheckName(path); err != nil {
		return nil, err
	}
	return tracedb.OpenAppend(path)
}

// CheckTarget returns the error that [Create] would have for path now, before long work is done.
func CheckTarget(path string) error {
	switch {
	case path == Stream || atomicfile.IsStream(path):
		return nil
	case IsText(path):
		return withHint(path, atomicfile.Check(path, atomicfile.Options{New: true}))
	}
	w, err := Create(path)
	if err != nil {
		return err
	}
	return w.Discard()
}

// IsText reports whether a new trace of this name is in JSON Lines.
func IsText(path string) bool {
	format, _ := atomicfile.Extension(path)
	return format == jsonLines
}

// The formats of traces, as [atomicfile.Extension] calls them.
const (
	jsonLines = "jsonl"
	database  = "db"
)

// Extensions returns the extensions of the names of traces, without dots.
func Extensions() []string {
	return slices.Concat(atomicfile.Extensions(database), atomicfile.Extensions(jsonLines))
}

// CheckName rejects the name of a new trace with the extension of another format, such as a picture; a name
// without a known extension is that of a database. It accepts existing files.
func CheckName(path string) error {
	format, thing := atomicfile.Extension(path)
	if thing == "" || format == jsonLines || format == database {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("%s: the name is that of %s, expected that of a trace: .db, or .jsonl for JSON Lines", path, thing)
}

// NewWriter returns a writer of JSON Lines to a stream. Finished runs are written at once, so Discard cannot
// remove them.
func NewWriter(w io.Writer) Writer { return toStream{tracefmt.NewEncoder(w)} }

// toStream is the writer to a stream, which cannot be undone.
type toStream struct{ *tracefmt.Encoder }

func (toStream) Commit() error { return nil }

func (toStream) Discard() error { return nil }

// newText is a new file in JSON Lines.
type newText struct {
	*tracefmt.Encoder
	path string
	file *atomicfile.File
}

// createText creates a new file in JSON Lines.
func createText(path string, o atomicfile.Options) (*newText, error) {
	f, err := atomicfile.Create(path, o)
	if err != nil {
		return nil, withHint(path, err)
	}
	return &newText{tracefmt.NewEncoder(f), path, f}, nil
}

// withHint adds advice to the error for an existing file.
func withHint(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: exists already; runs are appended to databases only, expected a new name", path)
	}
	return err
}

// Commit implements [Writer].
func (t *newText) Commit() error {
	defer t.file.Discard()
	info, _ := t.file.Stat()
	err := withHint(t.path, t.file.Commit())
	if err == nil || info == nil || !info.Mode().IsRegular() || info.Size() == 0 || atomicfile.IsStream(t.path) {
		return err
	}
	kept, lost := t.file.Keep(t.path)
	if lost != nil {
		return fmt.Errorf("%w; what was recorded is lost, since it cannot be kept either: %w", err, lost)
	}
	return &tracedb.KeptError{Err: err, Kept: kept}
}

// Discard implements [Writer].
func (t *newText) Discard() error { return t.file.Discard() }
