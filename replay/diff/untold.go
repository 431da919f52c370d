package diff

import (
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// untold is what one of two runs does not tell all of, as it says itself. What differs in
// that may be due to what is not recorded, so that it is left out where the runs differ.
type untold struct {
	coverage  [2]*tracefmt.Coverage
	runs      [2]*tracefmt.Run
	kinds     map[tracefmt.Kind]string // why they are left out
	processes map[string]string        // with gaps, or without a record, by name
	variables map[string]string        // "" for those that both tell
	// met are the parts of which some event was left out, with the reason.
	met map[string]string
}

// newUntold returns what is left out of the comparison of two runs, nil for nothing.
func newUntold(recs [2]tracefmt.Recording) *untold {
	u := &untold{kinds: map[tracefmt.Kind]string{}, processes: map[string]string{}, variables: map[string]string{}, met: map[string]string{}}
	for i, rec := range recs {
		u.runs[i] = rec.Run()
		u.coverage[i] = tracefmt.NewCoverage(rec.Run())
	}
	if u.coverage[0].Complete() && u.coverage[1].Complete() {
		return nil
	}
	for i, run := range u.runs {
		for p, m := range run.Members {
			if c := u.coverage[i]; len(c.Gaps(tracefmt.ProcessID(p+1))) > 0 || !c.Complete() && c.Untold(tracefmt.ProcessID(p+1)) {
				u.processes[m.Name] = why(u.processes[m.Name], i)
			}
		}
	}
	for _, k := range tracefmt.Kinds() {
		if because := u.lacks(tracefmt.Fact{Kind: k}); k != tracefmt.State && because != "" {
			u.kinds[k] = because
		}
	}
	return u
}

// lacks says which run does not tell all of a fact, "" for none.
func (u *untold) lacks(f tracefmt.Fact) (because string) {
	for i, run := range u.runs {
		for p, m := range run.Members {
			if u.processes[m.Name] == "" && u.coverage[i].Said(tracefmt.ProcessID(p+1), f) > tracefmt.All {
				because = why(because, i)
				break
			}
		}
	}
	return because
}

func why(before string, run int) string {
	if before != "" && !strings.HasSuffix(before, label(run)) {
		return "not all recorded in either"
	}
	return "not all recorded in " + label(run)
}

// leavesOut reports whether an event does not count.
func (u *untold) leavesOut(run *tracefmt.Run, e *tracefmt.Event) bool {
	if u == nil {
		return false
	}
	name := run.ProcessName(e.Process)
	if because := u.processes[name]; because != "" && e.Process != 0 {
		u.met["process "+name] = because
		return true
	}
	if because := u.kinds[e.Kind]; because != "" {
		u.met[e.Kind.String()] = because
		return true
	}
	return e.Kind == tracefmt.State && u.noneTold(e)
}

// noneTold reports whether an event assigns variables of which none is told.
func (u *untold) noneTold(e *tracefmt.Event) bool {
	some := false
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsVariable(e.Kind, name, value) {
			continue
		}
		if some = true; !u.field(e, name) {
			return false
		}
	}
	return some
}

// field reports whether a field of an event is a variable that does not count.
func (u *untold) field(e *tracefmt.Event, field []byte) bool {
	if u == nil || !e.Kind.AssignsVariables() {
		return false
	}
	return u.variable(string(field))
}

func (u *untold) variable(name string) bool {
	if u == nil {
		return false
	}
	because, known := u.variables[name]
	if !known {
		because = u.lacks(tracefmt.StateOf(name))
		u.variables[name] = because
	}
	if because != "" {
		u.met[tracefmt.StateOf(name).String()] = because
	}
	return because != ""
}

// status reports whether what says who is up does not count.
func (u *untold) status() bool {
	return u != nil && (u.kinds[tracefmt.Crash] != "" || u.kinds[tracefmt.Recover] != "" || u.kinds[tracefmt.Halt] != "" || u.kinds[tracefmt.Start] != "")
}

// process reports whether nothing of the process counts.
func (u *untold) process(name string) bool { return u != nil && u.processes[name] != "" }

// ends reports whether it is a difference that the runs end otherwise: a record that stops
// does not say how the run ended.
func (u *untold) ends(runs [2]*tracefmt.Run) bool {
	if runs[0].End == runs[1].End {
		return false
	}
	stops := func(r *tracefmt.Run) bool { return r.End == tracefmt.Stopped || r.End == tracefmt.Open }
	return u == nil || !stops(runs[0]) && !stops(runs[1])
}

// omissions lists what was left out.
func (u *untold) omissions() (list []Omission) {
	if u == nil {
		return nil
	}
	for _, part := range slices.Sorted(maps.Keys(u.met)) {
		list = append(list, Omission{part, u.met[part]})
	}
	return list
}
