package wave

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
)

// All returns the wave algorithms, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{
		&echoWaveAlgorithm,
		&treeWaveAlgorithm,
	}
}

// story is the notes of the events of a wave.
type story struct{ start, decide sim.Label }

func declareStory(pr *sim.Protocol) story {
	return story{
		start:  pr.Label("start", "the process begins a wave"),
		decide: pr.Label("decide", "the process knows that all have taken part"),
	}
}
