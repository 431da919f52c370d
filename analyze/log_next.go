package analyze

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// A Wanted list are facts that a recording lacks, of whole processes and not of stretches:
// if all of them were recorded, it would be known of one finding of a property, or of the
// property as a whole, what it comes to.
type Wanted struct {
	// Facts have no From and To, and none is anew.
	Facts []Need
	// Tells is what --tells says for who knows that nothing of the facts happened but what
	// is recorded, "" where that is not for it to say, as in a gap.
	Tells string
}

// maxWanted is how many lists there are at most.
const maxWanted = 16

// LogNext returns what to record the next time for a property that is unknown since the
// recording lacks something: the shortest list first, none that has all of a shorter one.
func (r *Result) LogNext() []Wanted {
	if r.Verdict != Unknown || len(r.Needs) == 0 {
		return nil
	}
	run := r.state.Run
	lists := wanted(run, r.Needs)
	if r.excused != nil {
		for _, f := range r.held {
			if len(f.excuses) > 0 {
				lists = append(lists, wanted(run, tidy(slices.Clone(f.excuses)))...)
			}
		}
	}
	slices.SortFunc(lists, func(a, b []Need) int {
		return cmp.Or(cmp.Compare(size(run, a), size(run, b)), strings.Compare(wantedText(run, a), wantedText(run, b)))
	})
	var all []Wanted
	for _, list := range lists {
		longer := func(w Wanted) bool { return covers(list, w.Facts) }
		if len(all) < maxWanted && !slices.ContainsFunc(all, longer) {
			all = append(all, Wanted{list, r.tellsAll(list)})
		}
	}
	return all
}

// wanted returns the lists of facts that would tell all of the needs: of what happens anew,
// either it or all by which the process may have gone down before.
func wanted(run *tracefmt.Run, needs []Need) [][]Need {
	type choice struct {
		fact tracefmt.Fact
		anew bool
	}
	choices, processes := grouped(needs, func(n Need) (choice, tracefmt.ProcessID) {
		return choice{n.Fact, n.Anew}, n.Process
	})
	lists := [][]Need{nil}
	for _, c := range choices {
		at := everyProcess(run, processes[c])
		var longer [][]Need
		for _, list := range lists {
			longer = append(longer, with(list, at, c.fact))
			if c.anew && len(lists) < maxWanted {
				longer = append(longer, with(list, at, falls...))
			}
		}
		lists = longer
	}
	return lists
}

// everyProcess returns the processes, or AnyProcess if they are all that take part.
func everyProcess(run *tracefmt.Run, list []tracefmt.ProcessID) []tracefmt.ProcessID {
	for i := range run.Members {
		if p := tracefmt.ProcessID(i + 1); run.Part(p) != tracefmt.StandsBy && !slices.Contains(list, p) {
			return list
		}
	}
	return []tracefmt.ProcessID{AnyProcess}
}

// with returns the list with the facts of more processes, sorted, without those that it
// includes.
func with(list []Need, processes []tracefmt.ProcessID, facts ...tracefmt.Fact) []Need {
	for _, p := range processes {
		for _, n := range Needs(p, 0, 0, facts...) {
			if !covers(list, []Need{n}) {
				list = append(slices.DeleteFunc(slices.Clone(list), func(old Need) bool { return includes(n, old) }), n)
			}
		}
	}
	return tidy(slices.Clone(list))
}

// covers reports whether the list has all of the facts of another.
func covers(list, facts []Need) bool {
	for _, f := range facts {
		if !slices.ContainsFunc(list, func(n Need) bool { return includes(n, f) }) {
			return false
		}
	}
	return true
}

// includes reports whether a is b, or that of every process.
func includes(a, b Need) bool {
	return a.Fact == b.Fact && (a.Process == b.Process || a.Process == AnyProcess)
}

// size is how much there is to be logged.
func size(run *tracefmt.Run, list []Need) (n int) {
	for _, need := range list {
		n++
		if need.Process == AnyProcess {
			n += len(run.Members) - 1
		}
	}
	return n
}

// Text says for people what to log: "crash and halt of n2 and n3".
func (w Wanted) Text(run *tracefmt.Run) string { return wantedText(run, w.Facts) }

func wantedText(run *tracefmt.Run, list []Need) string {
	return enumerated(run, list, text.And, "every process")
}

// plainWord is what needs no quotes on a command line, and no care in a declaration.
var plainWord = regexp.MustCompile(`^[\pL\d_.-]+$`)

// tellsAll is the declaration that the facts are recorded whole, "" if that does not help.
func (r *Result) tellsAll(list []Need) string {
	var items []string
	for _, n := range list {
		for _, process := range r.declaredFor(n.Process) {
			if !plainWord.MatchString(process + n.Fact.String()) {
				return ""
			}
			if process != "" {
				process += ":"
			}
			items = append(items, process+n.Fact.String()+"=all")
		}
	}
	if declaration := strings.Join(items, ","); r.suffices(declaration, list) {
		return declaration
	}
	return ""
}

// declaredFor names those of whom something must be said so that it is said of the
// process: for every process also those of whom the run says something of their own.
func (r *Result) declaredFor(p tracefmt.ProcessID) []string {
	names := []string{r.state.Run.ProcessName(p)}
	if tells := r.state.Run.Tells; tells != nil && p == AnyProcess {
		names = append(names, slices.Sorted(maps.Keys(tells.Processes))...)
	}
	return names
}

// suffices reports whether nothing of the list would be missing if the run declared that,
// too.
func (r *Result) suffices(declaration string, list []Need) bool {
	tells, err := tracefmt.ParseTells(declaration)
	if err != nil {
		return false
	}
	run := *r.state.Run
	if run.Declare(tells) != nil {
		return false
	}
	run.Tells.Gaps = nil // those of inferred events are gaps, too
	for i := range run.Members {
		run.Tells.Gaps = append(run.Tells.Gaps, r.state.Coverage().Gaps(tracefmt.ProcessID(i+1))...)
	}
	return len(unrecorded(tracefmt.NewCoverage(&run), &run, list)) == 0
}
