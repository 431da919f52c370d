package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// runWriter takes runs and keeps all of them or, if Commit is not reached,
// none.
type runWriter interface {
	tracefmt.Sink
	Commit() error
	Discard() error
}

// createRuns opens the place for new runs: a database, to which they are
// appended, a new file in JSON Lines (*.jsonl), or - for JSON Lines on stdout.
func (a *app) createRuns(path string) (runWriter, error) {
	if path == "-" {
		return &jsonlWriter{Encoder: tracefmt.NewEncoder(a.out)}, nil
	}
	if strings.HasSuffix(path, ".jsonl") {
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s: exists already; runs are appended to databases only, expected a new name", path)
		}
		f, err := createFile(path)
		if err != nil {
			return nil, err
		}
		return &jsonlWriter{Encoder: tracefmt.NewEncoder(f), file: f}, nil
	}
	return tracedb.OpenAppend(path)
}

type jsonlWriter struct {
	*tracefmt.Encoder
	file *newFile // nil for stdout
}

func (w *jsonlWriter) Commit() error {
	if w.file == nil {
		return nil
	}
	return w.file.Commit()
}

func (w *jsonlWriter) Discard() error {
	if w.file == nil {
		return nil
	}
	return w.file.Discard()
}

// newFile is a file that is written beside its name and put there when it is
// complete, so that no half-written one is ever seen.
type newFile struct {
	*os.File
	path string
	done bool
}

func createFile(path string) (*newFile, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory, expected a file", path)
	}
	for i := 0; ; i++ {
		// Not os.CreateTemp, which would ignore the umask of the user.
		temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.etrace-%d-%d", filepath.Base(path), os.Getpid(), i))
		f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil:
			return &newFile{File: f, path: path}, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("%s: cannot be written: %w", path, errors.Unwrap(err))
		}
	}
}

// Write writes to the file; its errors name the file that the user asked for.
func (f *newFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.path, errors.Unwrap(err))
	}
	return n, err
}

// Commit puts the file in place.
func (f *newFile) Commit() error {
	f.done = true
	err := f.Close()
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

// Discard removes the file, unless it was committed.
func (f *newFile) Discard() error {
	if f.done {
		return nil
	}
	f.done = true
	f.Close()
	return os.Remove(f.Name())
}

// writeFile writes a whole file, or stdout for "-".
func (a *app) writeFile(path string, write func(io.Writer) error) error {
	if path == "-" {
		var b bytes.Buffer // nothing on stdout when failing
		if err := write(&b); err != nil {
			return err
		}
		_, err := a.out.Write(b.Bytes())
		return err
	}
	f, err := createFile(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}
