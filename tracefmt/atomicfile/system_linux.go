package atomicfile

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// Constants of Linux that package syscall lacks.
const (
	unnamed       = 0x400000 | syscall.O_DIRECTORY // O_TMPFILE
	atWorkingDir  = -100                           // AT_FDCWD
	followLink    = 0x400                          // AT_SYMLINK_FOLLOW
	lockOrFail    = 37                             // F_OFD_SETLK
	lockAndWait   = 38                             // F_OFD_SETLKW
	lockedAt      = 1 << 62                        // far from the bytes that SQLite locks
	ownDescriptor = "/proc/self/fd/"
	neverReplace  = 1 // RENAME_NOREPLACE
	exchangeBoth  = 2 // RENAME_EXCHANGE
)

// renameat2 are the numbers of that system call by architecture, which package syscall lacks.
var renameat2 = map[string]uintptr{
	"386": 353, "amd64": 316, "arm": 382, "arm64": 276, "loong64": 276, "ppc64": 357, "ppc64le": 357, "riscv64": 276, "s390x": 347,
}

// rename renames a file in a way that a flag says. The error is [errors.ErrUnsupported] where the system
// cannot do that.
func rename(from, to string, flag uintptr) error {
	number, known := renameat2[runtime.GOARCH]
	if !known {
		return errors.ErrUnsupported
	}
	old, err := syscall.BytePtrFromString(from)
	if err != nil {
		return err
	}
	place, err := syscall.BytePtrFromString(to)
	if err != nil {
		return err
	}
	here := atWorkingDir
	_, _, failed := syscall.Syscall6(number, uintptr(here), uintptr(unsafe.Pointer(old)), uintptr(here), uintptr(unsafe.Pointer(place)), flag, 0)
	switch failed {
	case 0:
		return nil
	case syscall.ENOSYS, syscall.EINVAL: // an old kernel, or a file system that cannot
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: failed}
}

// exchange gives two files each other's names, in one step.
func exchange(one, other string) error { return rename(one, other, exchangeBoth) }

// renameNew renames a folder to a name that nothing has.
func renameNew(from, to string) error {
	err := rename(from, to, neverReplace)
	if errors.Is(err, errors.ErrUnsupported) {
		err = os.Rename(from, to)
	}
	return err
}

// anonymous creates a file in a folder that has no name, and so is gone with
// the process, however that ends.
func anonymous(folder string) (*os.File, error) {
	if _, err := os.Stat(ownDescriptor); err != nil {
		return nil, err // it could not be given a name
	}
	f, err := os.OpenFile(folder, os.O_RDWR|unnamed, 0o666)
	if err == nil {
		_ = lock(f, true)
	}
	return f, err
}

// linkAnonymous gives such a file a name that nothing has.
func linkAnonymous(f *os.File, name string) error {
	from, err := syscall.BytePtrFromString(ownDescriptor + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return err
	}
	to, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	here := atWorkingDir
	_, _, failed := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(here), uintptr(unsafe.Pointer(from)), uintptr(here), uintptr(unsafe.Pointer(to)), followLink, 0)
	if failed != 0 {
		return &os.LinkError{Op: "link", Old: f.Name(), New: name, Err: failed}
	}
	return nil
}

// whereabouts returns the name that an open file has now; of one without a name,
// some name in its folder.
func whereabouts(f *os.File) (string, bool) {
	name, err := os.Readlink(ownDescriptor + strconv.Itoa(int(f.Fd())))
	return name, err == nil
}

// lock locks an open file until it is closed. The lock belongs to the open
// file, not to the process: SQLite's come and go beside it.
func lock(f *os.File, wait bool) error {
	command := lockOrFail
	if wait {
		command = lockAndWait
	}
	return syscall.FcntlFlock(f.Fd(), command, &syscall.Flock_t{Type: syscall.F_WRLCK, Start: lockedAt, Len: 1})
}
