//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"os"
)

// anonymous is for systems that have files without names.
func anonymous(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkAnonymous(*os.File, string) error { return errors.ErrUnsupported }

// whereabouts returns false: this system has no name for an open file.
func whereabouts(*os.File) (string, bool) { return "", false }

// lock always fails here, so nothing is swept.
func lock(*os.File, bool) error { return errors.ErrUnsupported }

func duplicate(_ int, name string) (*os.File, error) {
	return nil, &os.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}

// release closes the file: an open one gets no other name here.
func release(f *os.File) { f.Close() }

// exchange is for systems that exchange two files in one step.
func exchange(string, string) error { return errors.ErrUnsupported }

// renameNew renames a folder. An empty folder that has just appeared is replaced here.
func renameNew(from, to string) error { return os.Rename(from, to) }
