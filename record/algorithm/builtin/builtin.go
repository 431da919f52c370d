// Package builtin lists the algorithms that come with etrace, of all problems.
package builtin

import (
	"etrace/record/algorithm"
	"etrace/record/algorithm/election"
)

// Algorithms returns the registry of the algorithms that come with etrace.
func Algorithms() algorithm.Registry { return algorithms }

var algorithms = algorithm.NewRegistry(election.All()...)
