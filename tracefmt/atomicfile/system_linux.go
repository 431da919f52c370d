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

// renameat2 are the numbers of this system call by architecture, which package syscall lacks.
var renameat2 = map[string]uintptr{
	"386": 353, "amd64": 316, "arm": 382, "arm64": 276, "loong64": 276, "ppc64": 357, "ppc64le": 357, "riscv64": 276, "s390x": 347,
}

// rename renames a file with flags. It returns [errors.ErrUnsupported] if the system cannot do that.
func rename(oldName, newName string, flag uintptr) error {
	number, known := renameat2[runtime.GOARCH]
	if !known {
		return errors.ErrUnsupported
	}
	old, err := syscall.BytePtrFromString(oldName)
	if err != nil {
		return err
	}
	place, err := syscall.BytePtrFromString(newName)
	if err != nil {
		return err
	}
	workingDir := atWorkingDir
	_, _, failed := syscall.Syscall6(
		number, uintptr(workingDir), uintptr(unsafe.Pointer(old)), uintptr(workingDir),
		uintptr(unsafe.Pointer(place)), flag, 0,
	)
	switch failed {
	case 0:
		return nil
	case syscall.ENOSYS, syscall.EINVAL: // an old kernel, or a file system without support
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: oldName, New: newName, Err: failed}
}

// exchange atomically exchanges the names of two files.
func exchange(first, second string) error { return rename(first, second, exchangeBoth) }

// renameNew renames a folder to an unused name.
func renameNew(oldName, newName string) error {
	err := rename(oldName, newName, neverReplace)
	if errors.Is(err, errors.ErrUnsupported) {
		err = os.Rename(oldName, newName)
	}
	return err
}

// anonymous creates a file without a name in a folder. It disappears with the process, for any reason.
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

// linkAnonymous gives such a file an unused name.
func linkAnonymous(f *os.File, name string) error {
	from, err := syscall.BytePtrFromString(ownDescriptor + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return err
	}
	target, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	workingDir := atWorkingDir
	_, _, failed := syscall.Syscall6(
		syscall.SYS_LINKAT, uintptr(workingDir), uintptr(unsafe.Pointer(from)), uintptr(workingDir),
		uintptr(unsafe.Pointer(target)), followLink, 0,
	)
	if failed != 0 {
		return &os.LinkError{Op: "link", Old: f.Name(), New: name, Err: failed}
	}
	return nil
}

// whereabouts returns the present name of an open file; for a file without a name, some name in its folder.
func whereabouts(f *os.File) (string, bool) {
	name, err := os.Readlink(ownDescriptor + strconv.Itoa(int(f.Fd())))
	return name, err == nil
}

// lock locks an open file until it is closed. The lock belongs to the open file and not to the process, so it
// is independent of SQLite's locks.
func lock(f *os.File, wait bool) error {
	command := lockOrFail
	if wait {
		command = lockAndWait
	}
	return syscall.FcntlFlock(f.Fd(), command, &syscall.Flock_t{Type: syscall.F_WRLCK, Start: lockedAt, Len: 1})
}
