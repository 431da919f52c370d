package snapshot

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// All returns the algorithms of global snapshots, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{&chandyLamportAlgorithm, &laiYangAlgorithm}
}

// exactly returns a bound on the exact number of messages of one snapshot, without the given types.
func exactly(messages, condition, source string, without ...string) tracefmt.Bound {
	return tracefmt.Bound{
		Messages: messages, If: condition, Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent, Without: without,
		Source: source,
	}
}

// amounts has an amount for each channel of a process, by the process at the other end.
type amounts = sim.Map[tracefmt.ProcessID, int64]

// nothing returns the amount 0 for each channel of the process.
func nothing(p *sim.Process) amounts {
	return sim.MapOf(func(yield func(tracefmt.ProcessID, int64) bool) {
		for _, q := range p.Neighbours() {
			if !yield(q, 0) {
				return
			}
		}
	})
}

// add adds an amount to that of the channel to or from q.
func add(p *sim.Process, v sim.Var[amounts], q tracefmt.ProcessID, amount int64) {
	sim.Put(p, v, q, v.Get(p).Get(q)+amount)
}
