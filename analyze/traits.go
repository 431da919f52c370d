package analyze

import (
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// Traits returns the traits that the property reads, in no order.
func (p *Property) Traits() []string {
	traits := slices.Concat(p.Required, p.Presumed, p.Excluded, p.Mentioned)
	if p.NeedsBest {
		traits = append(traits, tracefmt.GreatestWins)
	}
	return traits
}

// unstatedReason returns why the traits of a run leave the property without a promise to check: the run states an
// excluded trait, or lacks a presumed one. It returns "" if neither is so.
func (p *Property) unstatedReason(run *tracefmt.Run) string {
	for _, t := range p.Excluded {
		if run.States(t) {
			return fmt.Sprintf("the run states the trait %s", t)
		}
	}
	return missing(run, p.Presumed)
}

// lackingDeclaration returns what the header must declare for the property and does not; "" for nothing.
func (p *Property) lackingDeclaration(run *tracefmt.Run) string {
	if p.NeedsBest && run.BestKeys() == nil {
		return fmt.Sprintf("the run does not say who is best: neither the trait %s nor \"best\" in its header",
			tracefmt.GreatestWins)
	}
	return missing(run, p.Required)
}

// missing returns the first trait that the run does not state, in words; "" if it states all.
func missing(run *tracefmt.Run, traits []string) string {
	for _, t := range traits {
		if !run.States(t) {
			return fmt.Sprintf("the run does not state the trait %s", t)
		}
	}
	return ""
}
