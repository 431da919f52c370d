package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// All returns the algorithms of mutual exclusion, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{
		&carvalhoRoucairolAlgorithm,
		&centralAlgorithm,
		&lamportAlgorithm,
		&maekawaAlgorithm,
		&naimiTrehelAlgorithm,
		&raymondAlgorithm,
		&ricartAgrawalaAlgorithm,
		&suzukiKasamiAlgorithm,
		&tokenRingAlgorithm,
	}
}

type (
	processSet  = sim.Set[tracefmt.ProcessID]
	processList = sim.List[tracefmt.ProcessID]
)

// stamp is when a request was made. Of two, the one with the lower clock is older, and of
// equal clocks the one of the lower id.
type stamp struct {
	clock int64
	id    tracefmt.ProcessID
}

// asks is the fields of a request.
type asks struct{ clock int64 }

// exactly is a bound on the messages of requests that are all made at one instant: so
// many and no others.
func exactly(messages, condition, source string) tracefmt.Bound {
	return tracefmt.Bound{Messages: messages, If: condition, Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent, Source: source}
}

// atMost is the same for at most so many.
func atMost(messages, condition, source string) tracefmt.Bound {
	b := exactly(messages, condition, source)
	b.Kind = ""
	return b
}
