//go:build unix

package cli

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that the process has used. Other work of the machine does not change it.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return time.Since(started)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
