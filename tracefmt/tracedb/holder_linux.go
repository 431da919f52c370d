package tracedb

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// pendingByte is where SQLite's locks on a file begin: a byte of its own for
// writers, and from two bytes on those that readers hold.
const pendingByte = 0x40000000

// readerOf names a process that holds a lock on the file as readers do, "" if
// that is not known. The system is asked by its list of locks: a look by way of
// the file itself would give up the locks of this process.
func readerOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	locks, err := os.ReadFile("/proc/locks")
	if !ok || err != nil {
		return ""
	}
	inode := strconv.FormatUint(stat.Ino, 10)
	for line := range strings.Lines(string(locks)) {
		// 1: POSIX  ADVISORY  READ  4711 fe:01:1234 1073741826 1073742335
		f := strings.Fields(line)
		if len(f) != 8 || f[1] != "POSIX" || f[3] != "READ" || f[4] == strconv.Itoa(os.Getpid()) || !strings.HasSuffix(f[5], ":"+inode) {
			continue
		}
		if from, err := strconv.ParseInt(f[6], 10, 64); err == nil && from >= pendingByte {
			return process(f[4])
		}
	}
	return ""
}

func process(pid string) string {
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	if err != nil {
		return "process " + pid
	}
	return fmt.Sprintf("process %s (%s)", pid, strings.TrimSpace(string(name)))
}
