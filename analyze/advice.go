package analyze

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Advice tells the user how to decide the unknown properties of a run.
type Advice struct {
	// Log is in words the first list of [Result.LogNext] of most properties. Decides counts these properties, and
	// Open all that stayed open.
	Log     string `json:"log"`
	Decides int    `json:"decides"`
	Open    int    `json:"open"`
	// Complete are declarations with which a check decided some property and opened none. State is the one of
	// most properties; where it is about the lives of processes, it is about all processes.
	Complete []string `json:"complete,omitempty"`
	State    string   `json:"state,omitempty"`
	// Lacks is the list of each property that counts, by its name; see [Result.Counts].
	Lacks map[string]string `json:"lacks,omitempty"`
}

const (
	// FewTries and ManyTries are the number of declarations that are tried for an advice, and for one on each property.
	FewTries, ManyTries = 3, 32
	// mostAdvised bounds the events of runs that are examined again to find what may be stated.
	mostAdvised = 200_000
)

// Advise finds what decides the open properties of the run, which was examined with these options. The check is repeated
// with at most that many declarations. A long run, and one without a recording, is not examined again.
func (report *RunReport) Advise(rec tracefmt.Recording, o Options, tries int) error {
	counts, declarations := make(map[string]int), make(map[string]int)
	a := &Advice{Lacks: make(map[string]string)}
	for _, r := range report.Results {
		if stayedOpen(r) {
			a.Open++
		}
		wanted := r.LogNext
		if len(wanted) == 0 || wanted[0].OnlyViolation {
			continue
		}
		first := wanted[0].Text(report.Run)
		counts[first]++
		if r.Counts {
			a.Lacks[r.Property.Name] = first
		}
		for _, w := range wanted {
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
	if rec == nil || report.Run.Events > mostAdvised {
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
		if short := ofAll(declaration); short != "" && short != declaration {
			ok, err := report.decides(rec, short, o)
			if err != nil {
				return err
			}
			if ok {
				a.State = short
			}
		}
	}
	return nil
}

// ofAll returns a declaration of crashes, halts, recoveries and starts for all processes, "" for any other declaration.
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

// lifeKinds are events of whole processes: people know whether a process crashed.
var lifeKinds = []string{tracefmt.Crash.String(), tracefmt.Halt.String(), tracefmt.Recover.String(), tracefmt.Start.String()}

// byCount returns the keys, the one with the greatest count first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
}

// decides reports whether adding the declaration to the run would decide an open property and leave no decided one open.
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
	repeated, err := Check(declared, properties, o)
	if err != nil {
		return false, err
	}
	decided := false
	for i, r := range repeated.Results {
		before, after := stayedOpen(report.Results[i]), stayedOpen(r)
		if after && !before {
			return false, nil
		}
		decided = decided || before && !after
	}
	return decided, nil
}

func stayedOpen(r *Result) bool { return r.Verdict == Unknown || r.Verdict == Pending }
