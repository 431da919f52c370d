//go:build unix

package cli

import (
	"syscall"
	"time"
)

// computed returns how long the process has computed, whatever else the machine does.
func computed() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return time.Since(started)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
