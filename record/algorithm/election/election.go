// Package election holds the election algorithms that etrace simulates, one
// file each. The rules are those of the source texts, read as literally as they
// can be; where a text is silent or its readings differ, a parameter says which
// reading is taken.
//
// Process numbers stand for the processes in ascending order of their ids: a
// greater number is a better process. When a process sends to several others,
// it does so in ascending order.
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
