package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a new file that is not in its place yet. Either [File.Replace] or
// [File.Place] puts it there; [File.Discard] may always be deferred.
type File struct {
	*os.File
	path string
	done bool
}

// Create begins a file for path in the same folder, since only from there can
// it be put in place in one step. Errors begin with path, and wrap what the
// operating system said.
func Create(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory, expected a file", path)
	}
	for {
		// Not os.CreateTemp, whose files only their owner may read, whatever the
		// umask says.
		f, err := os.OpenFile(beside(path), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil:
			return &File{File: f, path: path}, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("%s: cannot be written: %w", path, errors.Unwrap(err))
		}
	}
}

// beside returns a hidden name in the folder of path that is hardly taken.
func beside(path string) string {
	var random [6]byte
	rand.Read(random[:])
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".etrace-"+hex.EncodeToString(random[:]))
}

// Write writes to the file; its errors name the file that the user asked for.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, f.failed(err)
}

// failed says what went wrong with path, not with the name beside it.
func (f *File) failed(err error) error {
	var of *fs.PathError
	var between *os.LinkError
	switch {
	case errors.As(err, &of):
		err = of.Err
	case errors.As(err, &between):
		err = between.Err
	case err == nil:
		return nil
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

// Replace puts the file in place, instead of a file that is there. After an
// error there is what was there before.
func (f *File) Replace() error {
	err := f.File.Close()
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		f.Discard()
		return f.failed(err)
	}
	f.done = true
	return nil
}

// Place puts the file in place, safely on the disk, where nothing is yet: if
// something is, the error is [fs.ErrExist] and the file still lies beside it,
// to be discarded. It may have been written under its own name, see [os.File.Name],
// by others than this package.
func (f *File) Place() error {
	f.File.Close() // an error of writing shows when it is synced
	if err := sync(f.Name()); err != nil {
		return f.failed(err)
	}
	err := os.Link(f.Name(), f.path) // which never overwrites
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = f.placeWithoutLink()
	}
	if err != nil {
		return f.failed(err)
	}
	sync(filepath.Dir(f.path)) // best effort: not every system can
	return nil
}

// placeWithoutLink serves file systems without hard links: the name is taken
// with an empty file, so that no file of others is replaced.
func (f *File) placeWithoutLink() error {
	taken, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	taken.Close()
	if err := os.Rename(f.Name(), f.path); err != nil {
		os.Remove(f.path)
		return err
	}
	f.done = true
	return nil
}

// Discard removes what lies beside the name. After the file was put in place
// it changes nothing there.
func (f *File) Discard() error {
	if f.done {
		return nil
	}
	f.done = true
	f.File.Close()
	return f.failed(os.Remove(f.Name()))
}

func sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
