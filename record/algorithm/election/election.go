package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// All returns the election algorithms, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{
		&basuAlgorithm,
		&bullyAlgorithm,
		&bullyBuffaloAlgorithm,
		&bullyWikipediaAlgorithm,
		&changRobertsAlgorithm,
		&echoAlgorithm,
		&franklinAlgorithm,
		&gajreRaghaAlgorithm,
		&hirschbergSinclairAlgorithm,
		&itaiRodehAlgorithm,
		&jameiAlgorithm,
		&kordafshariAlgorithm,
		&leLannAlgorithm,
		&petersonAlgorithm,
		&ringAlgorithm,
		&ringModifiedAlgorithm,
		&thakurAlgorithm,
		&treeElectionAlgorithm,
	}
}

// onOff are the words of a parameter that is on or off.
var onOff = []string{"on", "off"}

// role is the role of a process in its own view.
type role uint8

const (
	follower role = iota
	leader
)

// Words implements [sim.Words].
func (role) Words() []string { return []string{"follower", "leader"} }

// declareRole declares the variable role.
func declareRole(pr *sim.Protocol) sim.Var[role] {
	return sim.Declare[role](pr, "role", "the role that the process believes that it has")
}

// named has the fields of a message that names a process.
type named struct{ id tracefmt.ProcessID }
