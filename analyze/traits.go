package analyze

import (
	"fmt"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
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

// UnknownTraits returns an error for each trait that the run states and that
// neither etrace nor an examined property knows: a word of somebody else, or a
// slip of the pen, for which the error suggests the nearest.
func (r *RunReport) UnknownTraits() []error {
	known := tracefmt.Traits().Names()
	for _, result := range r.Results {
		p := result.Property
		known = slices.Concat(known, p.Required, p.Presumed, p.Excluded)
	}
	slices.Sort(known)
	var all []error
	for _, t := range r.Run.Traits {
		if !slices.Contains(known, t) {
			all = append(all, text.Unknown("trait", t, known))
		}
	}
	return all
}
