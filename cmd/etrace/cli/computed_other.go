//go:build !unix

package cli

import "time"

// computed returns how long the process has run: only Unix has the time that it has computed.
func computed() time.Duration { return time.Since(started) }
