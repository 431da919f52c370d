package property

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// family lists algorithms that share the rules which a property speaks of. Only
// their runs are examined unless the property is asked for by name: of a run
// that was recorded elsewhere, nobody knows whether it promises to keep them.
type family []string

var (
	// bullyFamily asks higher processes to take over with a message ELECTION.
	bullyFamily = family{"basu", "bully", "bully-buffalo", "bully-wikipedia", "gajre-ragha", "jamei", "kordafshari", "thakur"}
	// answeringFamily is the part of it in which who is asked always answers.
	answeringFamily = family{"basu", "bully", "bully-buffalo", "bully-wikipedia", "kordafshari", "thakur"}
	// holdingFamily is the part in which who is asked holds an election, too.
	holdingFamily = family{"bully", "bully-buffalo", "bully-wikipedia"}
	// ringFamily sends along a ring only.
	ringFamily = family{"chang-roberts", "ring", "ring-modified"}
	// forgetfulFamily has no rule for a process that recovers.
	forgetfulFamily = family{"chang-roberts", "jamei", "ring", "ring-modified"}
)

// String lists the algorithms for a text.
func (f family) String() string {
	last := len(f) - 1
	if last == 0 {
		return f[0]
	}
	return strings.Join(f[:last], ", ") + " or " + f[last]
}

func (f family) has(run *tracefmt.Run) bool { return slices.Contains(f, run.Algorithm) }

// assumes says why a run is not of the family, "" if it is.
func (f family) assumes(run *tracefmt.Run) string {
	switch {
	case f.has(run):
		return ""
	case run.Algorithm == "":
		return fmt.Sprintf("the run does not say which algorithm it is of, expected %v", f)
	}
	return fmt.Sprintf("the algorithm is %s, expected %v", run.Algorithm, f)
}
