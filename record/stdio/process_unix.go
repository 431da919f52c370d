//go:build unix

package stdio

import (
	"os"
	"syscall"
)

// killGroup kills all processes of a group.
func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// readNow reads the available bytes; again is true if more may follow later.
func readNow(fd uintptr, buffer []byte) (n int, again bool) {
	for {
		n, err := syscall.Read(int(fd), buffer)
		if err != syscall.EINTR {
			return n, err == syscall.EAGAIN
		}
	}
}

// writeNow writes as many bytes as fit without waiting.
func writeNow(f *os.File, b []byte) (n int) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		for {
			n, err = syscall.Write(int(fd), b)
			if err != syscall.EINTR {
				return
			}
		}
	})
	return n
}
