// Package builtin lists the algorithms that come with etrace, of all problems.
package builtin

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/algorithm/broadcast"
	"etrace/record/algorithm/commit"
	"etrace/record/algorithm/consensus"
	"etrace/record/algorithm/election"
	"etrace/record/algorithm/mutex"
	"etrace/record/algorithm/raft"
	"etrace/record/algorithm/snapshot"
	"etrace/record/algorithm/termination"
	"etrace/record/algorithm/wave"
)

// Algorithms returns the registry of the algorithms that come with etrace.
func Algorithms() algorithm.Registry { return algorithms }

// Or returns the registry, or the registry of [Algorithms] for the zero one.
func Or(r algorithm.Registry) algorithm.Registry {
	if r.IsZero() {
		return algorithms
	}
	return r
}

var algorithms = algorithm.NewRegistry(slices.Concat(
	broadcast.All(), commit.All(), consensus.All(), election.All(), mutex.All(), raft.All(), snapshot.All(), termination.All(), wave.All(),
)...)
