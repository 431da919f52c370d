package analyze

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Advice is what to do about the properties of a run that are unknown.
type Advice struct {
	// Log is in words what to record the next time, the first list of [Result.LogNext] of most properties; it
	// decides so many of those that stayed open.
	Log     string `json:"log"`
	Decides int    `json:"decides"`
	Open    int    `json:"open"`
	// Complete are declarations for who knows that nothing happened but what is recorded: a check with one of them was
	// seen to decide something and to open nothing. State is such a one for most properties, of all processes if
	// it is about their lives alone.
	Complete []string `json:"complete,omitempty"`
	State    string   `json:"state,omitempty"`
	// Lacks is by property what to record of those that count; see [Result.Counts].
	Lacks map[string]string `json:"lacks,omitempty"`
}

const (
	// FewTries and ManyTries are how many declarations are tried for an advice, and for one on each property.
	FewTries, ManyTries = 3, 32
	// mostAdvised bounds the events of runs that are examined again to find what may be stated.
	mostAdvised = 200_000
)

// Advise finds what to do about what stayed open in the run of the recording, which was examined with these options. It tries
// at most so many declarations; none if the run is long, or there is no recording.
func (report *RunReport) Advise(rec tracefmt.Recording, o Options, tries int) error {
	counts, declarations := make(map[string]int), make(map[string]int)
	a := &Advice{Lacks: make(map[string]string)}
	for _, r := range report.Results {
		if stayedOpen(r) {
			a.Open++
		}
		wanted := r.LogNext
		if len(wanted) == 0 || wanted[0].Convicts {
			continue
		}
		first := wanted[0].Text(report.Run)
		if counts[first]++; r.Counts {
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
	a.Log = mostFrequent(counts)[0]
	a.Decides = counts[a.Log]
	report.Advice = a
	if rec == nil || report.Run.Events > mostAdvised {
		return nil
	}
	trying := mostFrequent(declarations)
	for _, declaration := range trying[:min(len(trying), tries)] {
		ok, err := report.decides(rec, declaration, o)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if a.Complete = append(a.Complete, declaration); a.State != "" {
			continue
		}
		a.State = declaration
		if short := ofAll(declaration); short != "" && short != declaration {
			if ok, err = report.decides(rec, short, o); err != nil {
				return err
			}
			if ok {
				a.State = short
			}
		}
	}
	return nil
}

// ofAll is what a declaration of crashes, halts, recoveries and starts becomes where it is of all processes, "" of another one.
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

// lifeKinds are the events of which it is known whether there were any.
var lifeKinds = []string{tracefmt.Crash.String(), tracefmt.Halt.String(), tracefmt.Recover.String(), tracefmt.Start.String()}

// most are the keys, the one with the greatest count first.
func mostFrequent(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
}

// decides reports whether a property is decided that was open, and none opened, if the run declares that, too.
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
	result, err := Check(declared, properties, o)
	if err != nil {
		return false, err
	}
	decided := false
	for i, r := range result.Results {
		before, after := stayedOpen(report.Results[i]), stayedOpen(r)
		if after && !before {
			return false, nil
		}
		decided = decided || before && !after
	}
	return decided, nil
}

func stayedOpen(r *Result) bool { return r.Verdict == Unknown || r.Verdict == Pending }
