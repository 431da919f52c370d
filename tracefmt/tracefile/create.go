package tracefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
	"etrace/tracefmt/tracedb"
)

// Writer takes runs and keeps all of them or, if Commit is not reached, none.
// Discard gives them up; after Commit it does nothing, so that it can be
// deferred.
type Writer interface {
	tracefmt.Sink
	Commit() error
	Discard() error
}

// Create opens the place for new runs: a database, to which they are appended
// and which need not exist; a new file in JSON Lines, if path ends in .jsonl; or
// stdout, if path is [Stream].
func Create(path string) (Writer, error) {
	switch {
	case path == Stream:
		return NewWriter(os.Stdout), nil
	case strings.HasSuffix(path, ".jsonl"):
		return createText(path)
	}
	return tracedb.OpenAppend(path)
}

// NewWriter returns a writer of JSON Lines to a stream. The runs are there as
// they are finished: Discard cannot take them back.
func NewWriter(w io.Writer) Writer { return stream{tracefmt.NewEncoder(w)} }

type stream struct{ *tracefmt.Encoder }

func (stream) Commit() error { return nil }

func (stream) Discard() error { return nil }

// newText is a new file in JSON Lines.
type newText struct {
	*tracefmt.Encoder
	path string
	file *atomicfile.File
}

func createText(path string) (*newText, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, taken(path)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	return &newText{tracefmt.NewEncoder(f), path, f}, nil
}

func taken(path string) error {
	return fmt.Errorf("%s: exists already; runs are appended to databases only, expected a new name", path)
}

// Commit implements [Writer].
func (t *newText) Commit() error {
	defer t.file.Discard()
	err := t.file.Place()
	if errors.Is(err, fs.ErrExist) {
		return taken(t.path)
	}
	return err
}

// Discard implements [Writer].
func (t *newText) Discard() error { return t.file.Discard() }
