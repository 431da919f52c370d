package termination

import (
	"fmt"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// All returns the algorithms of termination detection, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{&dijkstraScholtenAlgorithm, &safraAlgorithm}
}

// exactly is a bound on the messages of a run: so many and no others, without those of
// some types.
func exactly(messages, condition, source string, without ...string) tracefmt.Bound {
	return tracefmt.Bound{Messages: messages, If: condition, Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent, Without: without, Source: source}
}

// suits refuses more receivers than there are other processes, and work that begins later
// than at 0.
func suits(v algorithm.Values, c *sim.Config) *algorithm.Unsuited {
	if fan, _ := v.Number(fanParam); fan >= int64(len(c.Members)) {
		return &algorithm.Unsuited{Param: fanParam, Reason: fmt.Sprintf("%d, expected less than the number of processes, which is %d", fan, len(c.Members))}
	}
	for i, a := range c.Actions {
		if a.Kind == sim.StartProcess && (a.At > 0 || a.After > 0) {
			return &algorithm.Unsuited{Start: &c.Actions[i], Reason: "expected all starts at 0, since no detector promises to see work that begins by itself later"}
		}
	}
	return nil
}
