//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// anonymous is for systems that have files without names.
func anonymous(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkAnonymous(*os.File, string) error { return errors.ErrUnsupported }

// whereabouts is for systems that know the name of an open file.
func whereabouts(*os.File) (string, bool) { return "", false }

// lock locks an open file until it is closed.
func lock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return syscall.Flock(int(f.Fd()), how)
}

// exchange is for systems that exchange two files in one step.
func exchange(string, string) error { return errors.ErrUnsupported }

// renameNew renames a folder. An empty folder that has just appeared is replaced here.
func renameNew(from, to string) error { return os.Rename(from, to) }
