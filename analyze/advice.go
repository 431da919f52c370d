package analyze

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Advice lists what would decide the unknown properties of a run.
type Advice struct {
	// Log describes what to log next. Of the first LogNext list of each open property, it is the most frequent one.
	// Decides counts the properties that it would decide, Open all that are undecided.
	Log     string `json:"log"`
	Decides int    `json:"decides"`
	Open    int    `json:"open"`
	// Complete are declarations of completeness that would decide an open property, and leave each decided property
	// decided. State is the most needed of these declarations; a declaration about crashes and restarts of some
	// processes is extended to all.
	Complete []string `json:"complete,omitempty"`
	State    string   `json:"state,omitempty"`
	// Lacks describes what to log next for each property whose open verdict counts; see [Result.Counts].
	Lacks map[string]string `json:"lacks,omitempty"`
}

const (
	// FewTries and ManyTries are the number of declarations that are tried for an advice, and for one on each property.
	FewTries, ManyTries = 3, 32
	// maxAdvised is the greatest number of events of a run that is examined again to try declarations.
	maxAdvised = 200_000
)

// Advise sets the report's Advice, if some property is undecided because of missing facts. It repeats the
// check of the run with at most that many declarations of completeness. It tries none for a nil recording, or
// a run of more than maxAdvised events.
func (report *RunReport) Advise(rec tracefmt.Recording, o Options, tries int) error {
	counts, declarations := make(map[string]int), make(map[string]int)
	a := &Advice{Lacks: make(map[string]string)}
	for _, r := range report.Results {
		if stayedOpen(r) {
			a.Open++
		}
		lists := r.LogNext
		if len(lists) == 0 || lists[0].OnlyViolation {
			continue
		}
		first := lists[0].Text(report.Run)
		counts[first]++
		if r.Counts {
			a.Lacks[r.Property.Name] = first
		}
		for _, w := range lists {
			if w.Complete != "" {
				declarations[w.Complete]++
			}
		}
	}
	if len(counts) == 0 {
		return nil
	}
	a.Log = byCount(counts)[0]
	a.Decides = counts[a.Log]
	report.Advice = a
	if rec == nil || report.Run.Events > maxAdvised {
		return nil
	}
	trying := byCount(declarations)
	for _, declaration := range trying[:min(len(trying), tries)] {
		ok, err := report.decides(rec, declaration, o)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		a.Complete = append(a.Complete, declaration)
		if a.State != "" { // that of most properties comes first
			continue
		}
		a.State = declaration
		short := ofAll(declaration)
		if short == "" {
			continue
		}
		ok = !strings.Contains(declaration, ":") // the same declaration in other words
		if !ok {
			ok, err = report.decides(rec, short, o)
			if err != nil {
				return err
			}
		}
		if ok {
			a.State = short
		}
	}
	return nil
}

// ofAll turns a declaration about crashes, halts, recoveries and starts of some processes into one about all
// processes. It returns "" for any other declaration.
func ofAll(declaration string) string {
	var kinds []string
	for item := range strings.SplitSeq(declaration, ",") {
		kind := strings.TrimSuffix(item[strings.LastIndexByte(item, ':')+1:], "=all")
		if !slices.Contains(lifeKinds, kind) {
			return ""
		}
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ",")
}

// lifeKinds are the kinds of events that start or stop a process. Users know whether a process crashed, so
// they can declare these.
var lifeKinds = []string{
	tracefmt.Crash.String(), tracefmt.Halt.String(), tracefmt.Recover.String(),
	tracefmt.Start.String(),
}

// byCount returns the keys by descending count.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
}

// decides reports whether a check of the run with the declaration added decides an open property, and leaves
// no decided one open. It is false if the recording refutes the declaration.
func (report *RunReport) decides(rec tracefmt.Recording, declaration string, o Options) (bool, error) {
	complete, err := tracefmt.ParseCompleteness(declaration)
	if err != nil {
		return false, err
	}
	declared, err := tracefmt.WithCompleteness(rec, complete)
	if err != nil {
		return false, nil // what is recorded refutes it
	}
	properties := make([]*Property, len(report.Results))
	for i, r := range report.Results {
		properties[i] = r.Property
	}
	// The record is weighed last: that takes further passes, and decides nothing.
	repeated, err := examine(declared, properties, o)
	if err != nil || !repeated.improves(report) {
		return false, err
	}
	err = repeated.weighRecord(declared, o, false)
	return repeated.improves(report), err
}

// improves reports whether the report decides an open property of another one, and leaves no decided one open.
func (report *RunReport) improves(before *RunReport) bool {
	decided := false
	for i, r := range report.Results {
		was, stays := stayedOpen(before.Results[i]), stayedOpen(r)
		if stays && !was {
			return false
		}
		decided = decided || was && !stays
	}
	return decided
}

// stayedOpen reports whether the verdict is unknown or pending.
func stayedOpen(r *Result) bool { return r.Verdict == Unknown || r.Verdict == Pending }
