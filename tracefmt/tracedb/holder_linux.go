package tracedb

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// pendingByte is the beginning of SQLite's locks in a file: a byte for writers, and from two bytes later those
// of readers.
const pendingByte = 0x40000000

// readerOf returns the name of a process with a reader's lock on the file, "" if unknown. It reads the system's
// list of locks, since testing the locks through the file would release those of this process.
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
		if len(f) != 8 || f[1] != "POSIX" || f[3] != "READ" {
			continue
		}
		if isOwn := f[4] == strconv.Itoa(os.Getpid()); isOwn || !strings.HasSuffix(f[5], ":"+inode) {
			continue
		}
		if from, err := strconv.ParseInt(f[6], 10, 64); err == nil && from >= pendingByte {
			return describeProcess(f[4])
		}
	}
	return ""
}

// describeProcess names a process for messages.
func describeProcess(pid string) string {
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	if err != nil {
		return "process " + pid
	}
	return fmt.Sprintf("process %s (%s)", pid, strings.TrimSpace(string(name)))
}
