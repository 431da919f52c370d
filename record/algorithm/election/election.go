package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
)

// All returns the election algorithms, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{
		&basuAlgorithm,
		&bullyAlgorithm,
		&bullyBuffaloAlgorithm,
		&bullyWikipediaAlgorithm,
		&changRobertsAlgorithm,
		&gajreRaghaAlgorithm,
		&jameiAlgorithm,
		&kordafshariAlgorithm,
		&ringAlgorithm,
		&ringModifiedAlgorithm,
		&thakurAlgorithm,
	}
}

// onOff is the words of a switch.
var onOff = []string{"on", "off"}

// The words of role, in the order of their numbers.
const (
	follower = iota
	leader
)

func declareRole(pr *sim.Protocol) sim.Word {
	return pr.Word("role", "what the process holds itself for", "follower", "leader")
}
