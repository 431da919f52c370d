package report

import (
	"fmt"
	"slices"

	"etrace/analyze"
)

// InVain is a property that was named and that applies to no run of a trace, so that
// it was not examined there.
type InVain struct {
	Trace, Property string
	// Why is the reason given for the first of these runs.
	Why string

	run int // of the report
}

// InVain lists, in the order of the report, the requested properties that apply to no run of a trace.
// Each trace counts by itself: otherwise a log that spells a field in another way would pass.
func (r *Report) InVain() (list []InVain) {
	type key struct{ trace, property string }
	applies := map[key]bool{}
	for i, run := range r.Runs {
		for _, p := range run.Results {
			if !p.Named {
				continue
			}
			k := key{run.Trace, p.Property.Name}
			if _, seen := applies[k]; !seen {
				list = append(list, InVain{k.trace, k.property, p.Explanation, i})
			}
			applies[k] = applies[k] || p.Verdict != analyze.NotApplicable
		}
	}
	return slices.DeleteFunc(list, func(v InVain) bool { return applies[key{v.Trace, v.Property}] })
}

// title names the property that applies to no run.
func (r *Report) title(v InVain) string {
	if len(r.Traces) > 1 {
		return fmt.Sprintf("%s applies to no run of %s", plain(v.Property), plain(v.Trace))
	}
	return plain(v.Property) + " applies to no run"
}

// isInVain reports whether a result of a run is one of a property that applies to no
// run of the trace.
func isInVain(list []InVain, run Run, p *analyze.Result) bool {
	return slices.ContainsFunc(list, func(v InVain) bool { return v.Trace == run.Trace && v.Property == p.Property.Name })
}

// firstInVain is the entry that this result of that run of the report is the reason of, nil
// for none.
func firstInVain(list []InVain, run int, p *analyze.Result) *InVain {
	for i := range list {
		if list[i].run == run && list[i].Property == p.Property.Name {
			return &list[i]
		}
	}
	return nil
}
