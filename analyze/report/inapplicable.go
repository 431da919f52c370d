package report

import (
	"fmt"
	"slices"

	"etrace/analyze"
)

// InVain is a property that the user named and that applies to no run of a trace.
type InVain struct {
	Trace, Property string
	// Why is the reason given for the first of these runs.
	Why string

	run int // the index of the run in the report
}

// InVain lists the named properties that apply to no run of a trace, in the order of the report. Each trace
// counts by itself, so that a log with other field names does not pass unnoticed.
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
		return fmt.Sprintf("%s applies to no run of %s", harmless(v.Property), harmless(v.Trace))
	}
	return harmless(v.Property) + " applies to no run"
}

// isInVain reports whether the property of a result applies to no run of the trace.
func isInVain(list []InVain, run Run, p *analyze.Result) bool {
	return slices.ContainsFunc(list, func(v InVain) bool {
		return v.Trace == run.Trace &&
			v.Property == p.Property.Name
	})
}

// firstInVain returns the entry whose reason is this result of this run; nil if none is.
func firstInVain(list []InVain, run int, p *analyze.Result) *InVain {
	for i := range list {
		if list[i].run == run && list[i].Property == p.Property.Name {
			return &list[i]
		}
	}
	return nil
}
