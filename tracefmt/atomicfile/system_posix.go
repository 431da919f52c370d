//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package atomicfile

import (
	"os"
	"syscall"
)

// duplicate returns a new file for a descriptor, so that closing it keeps the descriptor open. name is for
// errors.
func duplicate(fd int, name string) (*os.File, error) {
	n, err := syscall.Dup(fd)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	syscall.CloseOnExec(n)
	return os.NewFile(uintptr(n), name), nil
}

// release does nothing here: an open file can be renamed, and the lock must last.
func release(*os.File) {}
