package scenario

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/tracefmt"
)

// promise states in the run what the algorithm promises and, whatever the
// algorithm asks for, what the network does.
func (b *builder) promise(a *algorithm.Algorithm, values algorithm.Values) {
	traits, bounds := a.Promises(values)
	traits = slices.DeleteFunc(traits, func(t string) bool { return t == tracefmt.FIFO || t == tracefmt.Reliable })
	if !b.s.Reorder {
		traits = append(traits, tracefmt.FIFO)
	}
	if b.s.reliable() {
		traits = append(traits, tracefmt.Reliable)
	}
	if b.s.byzantine() {
		traits = slices.DeleteFunc(traits, func(t string) bool { return slices.Contains(honest, t) })
		bounds = nil
	}
	slices.Sort(traits)
	b.run.Traits, b.run.Bounds = traits, bounds
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

// reliable reports whether no message can get lost or doubled on its way.
func (s *Scenario) reliable() bool {
	disturbs := func(e Edit) bool { return e.Verb == "drop" || e.Verb == "duplicate" }
	return len(s.Drop) == 0 && s.Loss == 0 && s.Duplicate == 0 && len(s.Partitions) == 0 && !slices.ContainsFunc(s.Edits, disturbs)
}
