package scenario

import (
	"slices"
	"strings"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// setPromises sets the traits, bounds and the like that the run states: those of the algorithm for its parameters,
// and those of the network.
func (b *builder) setPromises(c *sim.Config, a *algorithm.Algorithm, p *setup) {
	traits, bounds := a.Promises(p.values)
	if a.FIFO && b.scenario.Reorder {
		traits, bounds = nil, nil
	}
	traits = slices.DeleteFunc(traits, func(t string) bool { return slices.Contains(channelTraits, t) })
	traits = append(traits, b.scenario.networkTraits()...)
	if b.scenario.byzantine() {
		traits = slices.DeleteFunc(traits, func(t string) bool { return slices.Contains(honestTraits, t) })
		bounds = nil
	}
	if b.scenario.Anonymous {
		traits = append(traits, tracefmt.Anonymous)
	}
	slices.Sort(traits)
	b.run.Traits, b.run.Best, b.run.Bounds = traits, slices.Clone(a.Best), p.withGivenValues(bounds, c)
	b.promiseBest()
	b.run.Counters = c.Protocol.Counters()
	b.run.Basic, b.run.Token = slices.Clone(a.Basic), slices.Clone(a.Token)
}

// withGivenValues returns the bounds with the values of the names that a reader of the run cannot know: the number of
// edges, and the parameters. A word such as variant_isis has the value 1 if the parameter has this value,
// otherwise 0. It returns nil for nil. All runs of a setup on graphs of one size share the result.
func (p *setup) withGivenValues(bounds []tracefmt.Bound, c *sim.Config) []tracefmt.Bound {
	edges := edgesOf(c)
	switch {
	case bounds == nil:
		return nil
	// Sweeps make thousands of runs of one setup, so the last result is kept.
	case p.bounds != nil && p.edges == edges:
		return p.bounds
	}
	p.bounds, p.edges = slices.Clone(bounds), edges
	for i, b := range bounds {
		if b.Kind == tracefmt.OrderOf {
			continue
		}
		names := map[string]int64{}
		for _, name := range namesIn(b.Messages + " " + b.If) {
			param, word, _ := strings.Cut(name, "_")
			n, isNumber := p.values.Number(name)
			value, isParam := p.values[param]
			switch {
			case isNumber:
				names[name] = n
			case name == "edges":
				names[name] = edges
			case isParam && value == word:
				names[name] = 1
			case isParam:
				names[name] = 0
			}
		}
		if len(names) > 0 {
			p.bounds[i].Given = names
		}
	}
	return p.bounds
}

// namesIn returns the names and numbers in a formula of a [tracefmt.Bound].
func namesIn(formula string) []string {
	return strings.FieldsFunc(formula, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' })
}

// edgesOf returns the number of pairs of processes that may send to each other.
func edgesOf(c *sim.Config) int64 {
	n := int64(len(c.Members))
	if c.Edges == nil {
		return n * (n - 1) / 2
	}
	return int64(len(c.Edges))
}

// honestTraits are the traits that describe every process, or depend on every process. A run with a Byzantine process
// does not state them.
var honestTraits = []string{
	tracefmt.Answers, tracefmt.AsksUpward, tracefmt.CausalOrder, tracefmt.DecidesOnce, tracefmt.DropsSmaller,
	tracefmt.FIFOOrder, tracefmt.Guarded,
	tracefmt.OnRing, tracefmt.RequestOrder, tracefmt.TotalOrder,
}

// byzantine reports whether some process is Byzantine.
func (s *Scenario) byzantine() bool { return len(s.Silence)+len(s.Lies)+len(s.Forgeries) > 0 }

// dropTraits removes the traits that do not hold after a change of parameters. The bounds stay those of the
// first parameters.
func (b *builder) dropTraits(a *algorithm.Algorithm, values algorithm.Values) {
	traits, _ := a.Promises(values)
	waived := func(t string) bool { return slices.Contains(a.Traits, t) && !slices.Contains(traits, t) }
	b.run.Traits = slices.DeleteFunc(b.run.Traits, waived)
}

// channelTraits are the traits of the network.
var channelTraits = []string{tracefmt.FIFO, tracefmt.NoCreation, tracefmt.NoDuplicates, tracefmt.NoLoss, tracefmt.Reliable}

// networkTraits returns the traits of the network of a scenario, which never creates messages.
func (s *Scenario) networkTraits() (traits []string) {
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
