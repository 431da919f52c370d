package stdio

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// guardScript waits for the end of its input, and then kills the processes with its argument in their
// environment, and its process group. It stops after three searches without a match, since the environment of a
// process that is just starting a program is empty for a moment. The guard is a separate process of sh, so that
// it is not killed together with etrace.
const guardScript = `read -r _
rounds=0 empty=0
while [ $rounds -lt 50 ] && [ $empty -lt 3 ]; do
  rounds=$((rounds + 1)) empty=$((empty + 1))
  for file in $(grep -aslF "$1" /proc/[0-9]*/environ); do
    file=${file#/proc/} empty=0
    kill -KILL "${file%/environ}"
  done
  sleep 0.02
done 2>/dev/null
kill -KILL 0`

// pause stops the process and its descendants, but not its guard; resume continues them.
func (p *process) pause()  { signalMarked(p.mark, syscall.SIGSTOP) }
func (p *process) resume() { signalMarked(p.mark, syscall.SIGCONT) }

// killMarked kills the processes that started with the variable in their environment. Like the guard, it
// searches until three searches in a row find none.
func killMarked(variable string) {
	const mostRounds, mostEmpty = 50, 2
	for round, empty := 0, 0; round < mostRounds && empty < mostEmpty; round++ {
		if signalMarked(variable, syscall.SIGKILL) {
			empty = 0
			continue
		}
		empty++
		time.Sleep(2 * time.Millisecond)
	}
}

// signalMarked sends a signal to these processes, and reports whether there are any.
func signalMarked(variable string, s syscall.Signal) (found bool) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if environ, err := os.ReadFile(file); err == nil && bytes.Contains(environ, []byte(variable+"\x00")) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
				found = syscall.Kill(pid, s) == nil || found
			}
		}
	}
	return found
}

// groupOf makes a process join a process group. With group 0 the process gets a new group and becomes
// its guard. A node dies with the thread that started it.
func groupOf(group int) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	if group != 0 {
		attr.Pdeathsig = syscall.SIGKILL
	}
	return attr
}

// unreadBytes returns the number of bytes in a pipe.
func unreadBytes(pipe *os.File) int64 {
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

// runCounts returns a text that changes whenever a thread of the process or of its children has run, and whether
// all these threads sleep.
func (p *process) runCounts() (runs string, complete bool) {
	var b strings.Builder
	complete = addThreads(p.cmd.Process.Pid, &b)
	return b.String(), complete
}

// addThreads appends the run counts of the threads of a process and its children, and reports whether all of
// them sleep.
func addThreads(pid int, b *strings.Builder) bool {
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
			if _, err := fmt.Sscan(child, &n); err == nil && !addThreads(n, b) {
				return false
			}
		}
	}
	return true
}

// reasonToAct returns the reason why the process may act without further input, "" without one.
func (p *process) reasonToAct() string { return reasonToActOf(p.cmd.Process.Pid) }

// reasonToActOf returns the reason why a process, or one of its children, may act without further input, otherwise
// "". Each thread must wait in a system call without a time limit. Interval timers of setitimer(2) are not
// detected.
func reasonToActOf(pid int) string {
	// A process waits as long as its input is silent only if no call of any thread ends by time.
	folder := fmt.Sprintf("/proc/%d/", pid)
	if timers, _ := os.ReadFile(folder + "timers"); len(timers) > 0 {
		return "has a timer of its own"
	}
	threads, err := filepath.Glob(folder + "task/*")
	if err != nil || len(threads) == 0 {
		return "cannot be looked at"
	}
	for _, thread := range threads {
		call, err := os.ReadFile(thread + "/syscall")
		if err != nil {
			return "cannot be looked at"
		}
		if string(call) == "running\n" {
			return "is running"
		}
		var number int64
		var arguments [6]uint64
		_, err = fmt.Sscanf(string(call), "%d %v %v %v %v %v %v", &number,
			&arguments[0], &arguments[1], &arguments[2], &arguments[3], &arguments[4], &arguments[5])
		if err != nil || !waitsForever(folder, number, &arguments) {
			return "waits with a time limit, as timers of its own do"
		}
		children, _ := os.ReadFile(thread + "/children")
		for child := range strings.FieldsSeq(string(children)) {
			if n, err := strconv.Atoi(child); err == nil {
				if reason := reasonToActOf(n); reason != "" {
					return reason
				}
			}
		}
	}
	return ""
}

// limit is the index of the argument that is the time limit of a system call, with the value for no limit.
type limit struct {
	argument int
	endless  uint64
}

// limits are the system calls that wait for several things.
var limits = map[int64]limit{
	syscall.SYS_FUTEX: {3, 0}, syscall.SYS_EPOLL_PWAIT: {3, math.MaxUint32}, syscall.SYS_PPOLL: {2, 0}, syscall.SYS_PSELECT6: {4, 0},
}

// waitsForever reports whether a system call waits without a time limit; folder is that of its process in /proc.
func waitsForever(folder string, number int64, arguments *[6]uint64) bool {
	switch number {
	case syscall.SYS_READ: // only of a pipe, since a timer can be read, too
		link, _ := os.Readlink(fmt.Sprint(folder, "fd/", arguments[0]))
		return strings.HasPrefix(link, "pipe:")
	case syscall.SYS_WAIT4, syscall.SYS_WAITID, syscall.SYS_RT_SIGSUSPEND:
		return true
	}
	limit, known := limits[number]
	if !known {
		limit, known = olderLimits[number]
	}
	if !known || arguments[limit.argument] != limit.endless && arguments[limit.argument] != math.MaxUint64 {
		return false
	}
	files, _ := filepath.Glob(folder + "fd/*")
	for _, file := range files {
		if link, _ := os.Readlink(file); strings.Contains(link, "timerfd") {
			return false
		}
	}
	return true
}
