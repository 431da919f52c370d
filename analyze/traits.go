package analyze

import (
	"fmt"

	"etrace/tracefmt"
)

// unstated says why the traits of a run keep it from being examined for the
// property, "" if they do not.
func (p *Property) unstated(run *tracefmt.Run) string {
	for _, t := range p.Excluded {
		if run.States(t) {
			return fmt.Sprintf("the run states the trait %s", t)
		}
	}
	return missing(run, p.Presumed)
}

// missing says which of the traits a run does not state, "" if it states all.
func missing(run *tracefmt.Run, traits []string) string {
	for _, t := range traits {
		if !run.States(t) {
			return fmt.Sprintf("the run does not state the trait %s", t)
		}
	}
	return ""
}
