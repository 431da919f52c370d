package diff

import (
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// gaps holds the facts that one of two runs declares incomplete. A difference in these may come from missing
// events, so a second comparison leaves them out.
type gaps struct {
	coverage  [2]*tracefmt.Coverage
	runs      [2]*tracefmt.Run
	kinds     map[tracefmt.Kind]string // the kinds left out, with the reason
	processes map[string]string        // the processes left out, by name: they have gaps, or no events are recorded
	// variables caches the reason for leaving out a variable; "" for a compared variable.
	variables map[string]string
	// leftOut are the parts with an event that was left out, with the reason.
	leftOut map[string]string
}

// newGaps returns the facts that either run declares incomplete; nil if both are complete.
func newGaps(recs [2]tracefmt.Recording) *gaps {
	u := &gaps{
		kinds: map[tracefmt.Kind]string{}, processes: map[string]string{}, variables: map[string]string{},
		leftOut: map[string]string{},
	}
	for i, rec := range recs {
		u.runs[i] = rec.Run()
		u.coverage[i] = tracefmt.NewCoverage(rec.Run())
	}
	if u.coverage[0].Complete() && u.coverage[1].Complete() {
		return nil
	}
	for i, run := range u.runs {
		for p, m := range run.Members {
			if c := u.coverage[i]; len(c.Gaps(tracefmt.ProcessID(p+1))) > 0 ||
				!c.Complete() && c.NothingRecorded(tracefmt.ProcessID(p+1)) {
				u.processes[m.Name] = incompleteReason(u.processes[m.Name], i)
			}
		}
	}
	for _, k := range tracefmt.Kinds() {
		// Variables of state events are compared one by one, so the kind is never left out as a whole.
		if because := u.omissionReason(tracefmt.Fact{Kind: k}); k != tracefmt.State && because != "" {
			u.kinds[k] = because
		}
	}
	return u
}

// omissionReason returns the reason for leaving out a fact: the run that records it incompletely; "" if both record
// it.
func (u *gaps) omissionReason(f tracefmt.Fact) (because string) {
	for i, run := range u.runs {
		for p, m := range run.Members {
			if u.processes[m.Name] == "" && u.coverage[i].Declared(tracefmt.ProcessID(p+1), f) > tracefmt.All {
				because = incompleteReason(because, i)
				break
			}
		}
	}
	return because
}

// incompleteReason returns the text "not all recorded in A", or "in either" if before names the other run.
func incompleteReason(before string, run int) string {
	if before != "" && !strings.HasSuffix(before, label(run)) {
		return "not all recorded in either"
	}
	return "not all recorded in " + label(run)
}

// leavesOut reports whether an event is left out of the comparison.
func (u *gaps) leavesOut(run *tracefmt.Run, e *tracefmt.Event) bool {
	if u == nil {
		return false
	}
	name := run.ProcessName(e.Process)
	if because := u.processes[name]; because != "" && e.Process != 0 {
		u.leftOut["process "+name] = because
		return true
	}
	if because := u.kinds[e.Kind]; because != "" {
		u.leftOut[e.Kind.String()] = because
		return true
	}
	return e.Kind == tracefmt.State && u.noneRecorded(e)
}

// noneRecorded reports whether an event assigns variables, and the other run records no assignment of these.
func (u *gaps) noneRecorded(e *tracefmt.Event) bool {
	some := false
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsVariable(e.Kind, name, value) {
			continue
		}
		some = true
		if !u.field(e, name) {
			return false
		}
	}
	return some
}

// field reports whether a field of an event is a variable that is left out.
func (u *gaps) field(e *tracefmt.Event, field []byte) bool {
	if u == nil || !e.Kind.AssignsVariables() {
		return false
	}
	return u.variable(string(field))
}

// variable reports whether a variable is left out, and remembers that it was met.
func (u *gaps) variable(name string) bool {
	if u == nil {
		return false
	}
	because, known := u.variables[name]
	if !known {
		because = u.omissionReason(tracefmt.StateOf(name))
		u.variables[name] = because
	}
	if because != "" {
		u.leftOut[tracefmt.StateOf(name).String()] = because
	}
	return because != ""
}

// status reports whether the events that start or stop processes are left out.
func (u *gaps) status() bool {
	if u == nil {
		return false
	}
	kinds := []tracefmt.Kind{tracefmt.Crash, tracefmt.Recover, tracefmt.Halt, tracefmt.Start}
	return slices.ContainsFunc(kinds, func(k tracefmt.Kind) bool { return u.kinds[k] != "" })
}

// process reports whether a process is left out as a whole.
func (u *gaps) process(name string) bool { return u != nil && u.processes[name] != "" }

// ends reports whether the runs end differently. A recording that stops early does not show how its run
// ended, so it does not differ from any.
func (u *gaps) ends(runs [2]*tracefmt.Run) bool {
	if runs[0].End == runs[1].End {
		return false
	}
	stops := func(r *tracefmt.Run) bool { return r.End == tracefmt.Stopped || r.End == tracefmt.Open }
	return u == nil || !stops(runs[0]) && !stops(runs[1])
}

// omissions lists the parts that were left out.
func (u *gaps) omissions() (list []Omission) {
	if u == nil {
		return nil
	}
	for _, part := range slices.Sorted(maps.Keys(u.leftOut)) {
		list = append(list, Omission{part, u.leftOut[part]})
	}
	return list
}
