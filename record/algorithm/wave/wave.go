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

// story has the notes of a wave.
type story struct{ start, decide sim.Label }

// declareStory declares the notes.
func declareStory(pr *sim.Protocol) story {
	return story{
		start:  pr.Label("start", "the process begins a wave"),
		decide: pr.Label("decide", "the process knows that all have taken part"),
	}
}
