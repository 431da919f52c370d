package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// folder holds all files that a client may name. No path leaves it, nor does a symbolic link.
type folder struct{ *os.Root }

// readable returns an error unless the path is that of a regular file in the folder.
func (f folder) readable(path string) error {
	if err := local(path); err != nil {
		return err
	}
	info, err := f.Stat(path)
	switch {
	case err != nil:
		return placed(path, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: expected a regular file", path)
	}
	return f.sidecars(path)
}

// writable returns an error unless the path is that of a regular file in the folder, or of none in one of its folders.
func (f folder) writable(path string) error {
	if err := local(path); err != nil {
		return err
	}
	if _, err := f.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return f.readable(path)
	}
	if info, err := f.Stat(filepath.Dir(path)); err != nil {
		return placed(filepath.Dir(path), err)
	} else if !info.IsDir() {
		return fmt.Errorf("%s: expected a folder", filepath.Dir(path))
	}
	return f.sidecars(path)
}

// named returns an error if the name is that of a file which may not be read. It may be a word of etrace, too.
func (f folder) named(name string) error {
	if _, err := f.Lstat(name); errors.Is(err, fs.ErrNotExist) && name == filepath.Base(name) {
		return nil
	}
	return f.readable(name)
}

// sidecars returns an error if a file that SQLite opens beside a database is a link: it would be followed.
func (f folder) sidecars(path string) error {
	for _, suffix := range []string{"-journal", "-wal", "-shm"} {
		if info, err := f.Lstat(path + suffix); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s%s: expected a regular file or none", path, suffix)
		}
	}
	return nil
}

// local returns an error unless the path leads down from the folder.
func local(path string) error {
	switch {
	case strings.HasPrefix(path, "-"):
		return fmt.Errorf("%s: expected the name of a file", path)
	case !filepath.IsLocal(path):
		return fmt.Errorf("%s: expected a path below the folder of the server, without a leading /", path)
	}
	return nil
}

// placed puts the path before what the system says about it.
func placed(path string, err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		err = of.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
