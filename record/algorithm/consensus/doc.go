// Package consensus holds the algorithms by which processes agree on a value, one file each. A process
// proposes its own id, so that a run shows whose proposal was decided. A start makes it propose, unless the
// algorithm defines it otherwise.
//
// When a process sends to several others, it does so in ascending order. It sends itself no message: its own
// part takes effect in the same step, after the sends.
package consensus

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// All returns the consensus algorithms, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{&floodsetAlgorithm, &paxosAlgorithm, &pbftAlgorithm}
}

// decision has the proposal and the decision of a process.
type decision struct {
	proposed, decided sim.Var[tracefmt.ProcessID]
}

// declareDecision declares the variables.
func declareDecision(pr *sim.Protocol) decision {
	return decision{
		proposed: sim.Declare[tracefmt.ProcessID](pr, "proposed", "the value that the process proposes, its own id; null before it does"),
		decided:  sim.Declare[tracefmt.ProcessID](pr, "decided", "the value that it has decided; null before"),
	}
}
