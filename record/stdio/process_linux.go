package stdio

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

// groupOf has a process join a process group, 0 for one of its own, of which it is the guard. A node dies with the thread
// that started it.
func groupOf(group int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	if group != 0 {
		attr.Pdeathsig = syscall.SIGKILL
	}
	return attr
}

// unread is how many bytes are in a pipe.
func unread(pipe *os.File) int64 {
	n := int32(0)
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n)))
	})
	return int64(n)
}

const seesWaiting = true

// waiting returns a text that changes whenever a thread of the process or of its children has run, and whether all of them
// sleep.
func (p *process) waiting() (runs string, all bool) {
	var b strings.Builder
	all = look(p.cmd.Process.Pid, &b)
	return b.String(), all
}

// look adds how often the threads of a process and of its children have run, and reports whether all of them sleep.
func look(pid int, b *strings.Builder) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(threads) == 0 {
		return false
	}
	for _, thread := range threads {
		status, err := os.ReadFile(thread + "/status")
		if err != nil || !bytes.Contains(status, []byte("\nState:\tS")) {
			return false
		}
		_, switches, _ := bytes.Cut(status, []byte("\nvoluntary_ctxt_switches:"))
		fmt.Fprint(b, thread, " ", string(switches))
		children, _ := os.ReadFile(thread + "/children")
		for child := range strings.FieldsSeq(string(children)) {
			n := 0
			if _, err := fmt.Sscan(child, &n); err == nil && !look(n, b) {
				return false
			}
		}
	}
	return true
}
