package scenario

import (
	"slices"
	"strings"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// promise states in the run what the algorithm promises and, whatever the
// algorithm asks for, what the network does.
func (b *builder) promise(c *sim.Config, a *algorithm.Algorithm, values algorithm.Values) {
	traits, bounds := a.Promises(values)
	if a.FIFO && b.s.Reorder {
		traits, bounds = nil, nil
	}
	traits = slices.DeleteFunc(traits, func(t string) bool { return slices.Contains(ofChannels, t) })
	traits = append(traits, b.s.channels()...)
	if b.s.byzantine() {
		traits = slices.DeleteFunc(traits, func(t string) bool { return slices.Contains(honest, t) })
		bounds = nil
	}
	slices.Sort(traits)
	b.run.Traits, b.run.Best, b.run.Bounds = traits, slices.Clone(a.Best), given(bounds, c)
	b.run.Counters = c.Protocol.Counters()
}

// given states in the bounds what they say of the graph of this run: nobody who reads
// them knows the graph.
func given(bounds []tracefmt.Bound, c *sim.Config) []tracefmt.Bound {
	about := func(b tracefmt.Bound) bool {
		return b.Kind != tracefmt.OrderOf && (strings.Contains(b.Messages, "edges") || strings.Contains(b.If, "edges"))
	}
	if !slices.ContainsFunc(bounds, about) {
		return bounds
	}
	n := int64(len(c.Members))
	edges := n * (n - 1) / 2
	if c.Edges != nil {
		edges = int64(len(c.Edges))
	}
	bounds = slices.Clone(bounds)
	for i, b := range bounds {
		if about(b) {
			bounds[i].Given = map[string]int64{"edges": edges}
		}
	}
	return bounds
}

// honest are the traits that say what every process does: with a Byzantine one
// no run states them.
var honest = []string{tracefmt.Answers, tracefmt.AsksUpward, tracefmt.DropsSmaller, tracefmt.Guarded, tracefmt.OnRing}

// byzantine reports whether a process does what its algorithm does not.
func (s *Scenario) byzantine() bool { return len(s.Silence)+len(s.Lies)+len(s.Forgeries) > 0 }

// narrow takes back the traits that do not hold any more after a change of
// parameters. The bounds stay those of the parameters at the start.
func (b *builder) narrow(a *algorithm.Algorithm, values algorithm.Values) {
	traits, _ := a.Promises(values)
	waived := func(t string) bool { return slices.Contains(a.Traits, t) && !slices.Contains(traits, t) }
	b.run.Traits = slices.DeleteFunc(b.run.Traits, waived)
}

// ofChannels are the traits that say what the network does with messages.
var ofChannels = []string{tracefmt.FIFO, tracefmt.NoCreation, tracefmt.NoDuplicates, tracefmt.NoLoss, tracefmt.Reliable}

// channels are the traits of the network of a scenario, which never makes a message
// up.
func (s *Scenario) channels() (traits []string) {
	edited := func(verb string) bool {
		return slices.ContainsFunc(s.Edits, func(e Edit) bool { return e.Verb == verb })
	}
	loses := len(s.Drop) > 0 || s.Loss != 0 || len(s.Partitions) > 0 || edited("drop")
	duplicates := s.Duplicate != 0 || edited("duplicate")
	if !s.Reorder {
		traits = append(traits, tracefmt.FIFO)
	}
	switch {
	case !loses && !duplicates:
		return append(traits, tracefmt.Reliable)
	case !loses:
		traits = append(traits, tracefmt.NoLoss)
	case !duplicates:
		traits = append(traits, tracefmt.NoDuplicates)
	}
	return append(traits, tracefmt.NoCreation)
}
