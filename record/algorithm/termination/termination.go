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

// exactly returns a bound on the exact number of messages of a run, without the given types.
func exactly(messages, condition, source string, without ...string) tracefmt.Bound {
	return tracefmt.Bound{
		Messages: messages, If: condition, Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent, Without: without,
		Source: source,
	}
}

// mostWork is the greatest number of messages WORK that a start may cause. The waiting jobs are a variable,
// recorded at each change: k jobs take about k^2 bytes, and the work grows as a power of fan.
const mostWork = 10_000

// checkWork fails if fan is not less than the number of processes, if the work is too much for a recording, or if a
// start is later than 0.
func checkWork(v algorithm.Values, c *sim.Config) *algorithm.Unsuited {
	fan, _ := v.Number(fanParam)
	if fan >= int64(len(c.Members)) {
		return &algorithm.Unsuited{Param: fanParam, Reason: fmt.Sprintf("%d, expected less than the number of "+
			"processes, which is %d", fan, len(c.Members))}
	}
	if height, _ := v.Number(heightParam); tooMuch(fan, height) {
		return &algorithm.Unsuited{Param: heightParam, Reason: fmt.Sprintf("%d, expected so much work that a "+
			"start causes at most %d messages, fan + fan^2 + ... + fan^height", height, mostWork)}
	}
	for i, a := range c.Actions {
		if a.Kind == sim.StartProcess && (a.At > 0 || a.After > 0) {
			return &algorithm.Unsuited{Start: &c.Actions[i], Reason: "expected all starts at 0, since no " +
				"detector promises to see work that begins by itself later"}
		}
	}
	return nil
}

// tooMuch reports whether jobs of a height cause more messages than [mostWork].
func tooMuch(fan, height int64) bool {
	messages := int64(0)
	for jobs := fan; height > 0 && messages <= mostWork; height-- {
		messages += jobs
		jobs *= fan
	}
	return messages > mostWork
}
