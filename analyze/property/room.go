package property

import (
	"fmt"

	"etrace/analyze"
)

// mostKept is how many things of one sort a monitor remembers that must
// remember them to the end.
const mostKept = 1 << 22

// roomFor reports whether a monitor may keep that many things, and leaves the
// property undecided if not.
func roomFor(r *analyze.Result, n int, things string) bool {
	if n > mostKept {
		r.Undecided(func() string { return fmt.Sprintf("the run has more than %d %s to remember", mostKept, things) })
	}
	return n <= mostKept
}
