package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrGone is the error for a file that was removed or replaced while it was written to.
var ErrGone = errors.New("the file is gone")

// refused is an error of a given kind, in a line that states what was expected.
type refused struct {
	text string
	kind error
}

func (r *refused) Error() string { return r.text }

// Unwrap returns the kind.
func (r *refused) Unwrap() error { return r.kind }

// Held is an existing file that is written in place, such as a database.
type Held struct {
	path string
	info fs.FileInfo
}

// Hold notes the identity of the file at path, which the caller is going to write to. It also removes the
// remains of killed programs in its folder. It fails like [Writable].
func Hold(path string) (*Held, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = Writable(path)
	}
	if err != nil {
		return nil, inPath(path, err)
	}
	sweep(filepath.Dir(path))
	return &Held{path, info}, nil
}

// Check returns [ErrGone] if the path leads to another file than at [Hold]: data written since then is or would
// be lost.
func (h *Held) Check() error {
	info, err := os.Stat(h.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &refused{h.path + ": was removed while it was written to; expected it to stay until the end", ErrGone}
	case err != nil:
		return inPath(h.path, err)
	case !os.SameFile(info, h.info):
		return &refused{h.path + ": was replaced by another file while it was written to; expected it to stay until the end", ErrGone}
	}
	return nil
}

// Writable returns an error if an existing file may not be written to. Its mode also counts for a user whom the
// system lets write to any file. The error begins with path.
func Writable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return inPath(path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0) // changes nothing
	switch {
	case err == nil:
		f.Close()
	case !errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: cannot be written: %w", path, systemError(err))
	}
	if err != nil || info.Mode().Perm()&0o222 == 0 {
		return &refused{path + ": is read-only; expected a file that may be written", fs.ErrPermission}
	}
	return nil
}
