package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// folder is the folder with all files that a client may name. Neither a path nor a symbolic link can leave it.
type folder struct{ *os.Root }

// checkReadable returns an error unless the path names a regular file in the folder.
func (f folder) checkReadable(path string) error {
	if err := checkLocal(path); err != nil {
		return err
	}
	info, err := f.Stat(path)
	switch {
	case err != nil:
		return pathError(path, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: expected a regular file", path)
	}
	return f.checkSidecars(path)
}

// checkWritable returns an error unless the path names a regular file in the folder, or a new file in an existing folder below
// it.
func (f folder) checkWritable(path string) error {
	if err := checkLocal(path); err != nil {
		return err
	}
	if _, err := f.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return f.checkReadable(path)
	}
	if info, err := f.Stat(filepath.Dir(path)); err != nil {
		return pathError(filepath.Dir(path), err)
	} else if !info.IsDir() {
		return fmt.Errorf("%s: expected a folder", filepath.Dir(path))
	}
	return f.checkSidecars(path)
}

// checkName returns an error if the name is that of a file that may not be read. A name without a file may be a word of etrace.
func (f folder) checkName(name string) error {
	if _, err := f.Lstat(name); errors.Is(err, fs.ErrNotExist) && name == filepath.Base(name) {
		return nil
	}
	return f.checkReadable(name)
}

// checkSidecars returns an error if a file that SQLite opens beside a database is a link, because SQLite would follow it.
func (f folder) checkSidecars(path string) error {
	for _, suffix := range []string{"-journal", "-wal", "-shm"} {
		if info, err := f.Lstat(path + suffix); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s%s: expected a regular file or none", path, suffix)
		}
	}
	return nil
}

// checkLocal returns an error unless the path is relative and stays below the folder.
func checkLocal(path string) error {
	switch {
	case strings.HasPrefix(path, "-"):
		return fmt.Errorf("%s: expected the name of a file", path)
	case !filepath.IsLocal(path):
		return fmt.Errorf("%s: expected a path below the folder of the server, without a leading /", path)
	}
	return nil
}

// pathError returns an error with the path in front of the error of the system.
func pathError(path string, err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		err = of.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
