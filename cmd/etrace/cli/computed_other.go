//go:build !unix

package cli

import "time"

// cpuTime returns the time since the start of the process, because only Unix reports the time of the CPU.
func cpuTime() time.Duration { return time.Since(started) }
