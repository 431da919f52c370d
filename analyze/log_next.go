package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Wanted is a list of what a recording lacks. If all of it were recorded, the property would be decided.
type Wanted struct {
	// Logs are the members without any log.
	Logs []tracefmt.ProcessID
	// Facts are wanted for the whole run: From and To are 0, and Anew is false.
	Facts []Need
	// Gaps are the stretches that lack events, at processes whose record is complete otherwise; they have no Fact.
	Gaps []Need
	// Inferred are events that are only inferred, each between From and To.
	Inferred []Need
	// OnlyViolation is set if the list can only show a violation: if none of it happened, the property is violated;
	// if some of it happened, the property stays unknown.
	OnlyViolation bool
	// Complete is the argument of --complete for a user who knows that the record of the facts is complete, "" if no
	// declaration helps, as in a gap.
	Complete string
}

// maxWanted is the greatest number of lists.
const maxWanted = 16

// logNext returns what to log next to decide a property that is unknown because of missing facts. Lists that
// decide it come first, then lists that can only show a violation. Both are sorted by length, and no list
// contains an earlier one.
func (r *Result) logNext() []Wanted {
	if r.Verdict != Unknown || len(r.Needs) == 0 {
		return nil
	}
	needs := slices.Concat(r.Needs, r.missingOf(r.lacking.sorted()), r.missingOf(r.owedNeeds.sorted()))
	logs, needs := r.splitByLog(needs)
	var convicting [][]Need
	for _, f := range r.held {
		if len(f.excuses) > 0 {
			_, excuses := r.splitByLog(f.excuses)
			needs = append(needs, excuses...)
			convicting = append(convicting, r.needLists(mergeNeeds(slices.Clone(excuses)))...)
		}
	}
	lists := appendShortestFirst(r.state.Run, nil, r.needLists(mergeNeeds(needs)))
	deciding := len(lists)
	if r.excused != nil {
		lists = appendShortestFirst(r.state.Run, lists, convicting)
	}
	var result []Wanted
	for i, list := range lists[:min(len(lists), maxWanted)] {
		w := newWanted(list)
		w.OnlyViolation, w.Logs = i >= deciding, logs
		w.Complete = r.declaration(w)
		result = append(result, w)
	}
	return result
}

// splitByLog splits needs: it returns the members without any record, and the needs of all other members.
func (r *Result) splitByLog(needs []Need) (logs []tracefmt.ProcessID, partly []Need) {
	for _, n := range needs {
		switch {
		case n.Process <= 0 || !r.state.Coverage().NothingRecorded(n.Process):
			partly = append(partly, n)
		case !slices.Contains(logs, n.Process):
			logs = append(logs, n.Process)
		}
	}
	slices.Sort(logs)
	return logs, partly
}

// appendShortestFirst appends the lists to result in ascending order of length. It omits lists that contain an earlier
// list.
func appendShortestFirst(run *tracefmt.Run, result, lists [][]Need) [][]Need {
	slices.SortFunc(lists, func(a, b []Need) int {
		return cmp.Or(cmp.Compare(recordCount(run, a), recordCount(run, b)),
			strings.Compare(newWanted(a).Text(run), newWanted(b).Text(run)))
	})
	for _, list := range lists {
		if !slices.ContainsFunc(result, func(shorter []Need) bool { return covers(list, shorter) }) {
			result = append(result, list)
		}
	}
	return result
}

// newWanted sorts the needs of a list into the fields of a Wanted: facts, gaps, and inferred events.
func newWanted(list []Need) (w Wanted) {
	for _, n := range list {
		switch {
		case n.Fact.Kind == 0:
			w.Gaps = append(w.Gaps, n)
		case n.From != 0 || n.To != 0:
			w.Inferred = append(w.Inferred, n)
		default:
			w.Facts = append(w.Facts, n)
		}
	}
	return w
}

// needLists returns lists that each satisfy all of the needs. A need for a restart gives a choice: either the
// recovery or the crash before it is recorded.
func (r *Result) needLists(needs []Need) [][]Need {
	type choice struct { // only needs of gaps name a process
		fact, fall Need
	}
	run := r.state.Run
	choices, processes := groupBy(inGaps(r.state.Coverage(), run, needs), func(n Need) (choice, tracefmt.ProcessID) {
		either := choice{fact: r.neededRecord(n, n.Fact)}
		if n.Anew {
			either.fall = r.neededRecord(n, crashFact)
		}
		return either, n.Process
	})
	lists := [][]Need{nil}
	for _, either := range choices {
		atProcesses := everyProcess(run, processes[either])
		var longer [][]Need
		for _, list := range lists {
			longer = append(longer, insert(list, atProcesses, either.fact))
			if either.fall != (Need{}) && len(lists) < maxWanted {
				longer = append(longer, insert(list, atProcesses, either.fall))
			}
		}
		lists = longer
	}
	return lists
}

// neededRecord returns what must be recorded to satisfy a need: the fact at any time, or the gap that may hide
// it, or the inferred event.
func (r *Result) neededRecord(n Need, fact tracefmt.Fact) Need {
	n.Fact = fact
	if !n.onlyInGaps(r.state.Coverage()) {
		return Need{Fact: fact}
	}
	for g := range r.state.Coverage().GapsBetween(n.Process, n.From, n.To) {
		if e, ok := r.state.InferredBetween(n.Process, g.From, g.To); ok {
			return Need{Process: n.Process, Fact: tracefmt.Fact{Kind: e.Kind}, From: e.Seq - 1, To: e.Seq + 1}
		}
	}
	return Need{Process: n.Process, From: n.From, To: n.To, Dropped: n.Dropped}
}

// everyProcess returns the list, or AnyProcess alone if the list has all participants.
func everyProcess(run *tracefmt.Run, list []tracefmt.ProcessID) []tracefmt.ProcessID {
	for i := range run.Members {
		if p := tracefmt.ProcessID(i + 1); run.Part(p) != tracefmt.Bystander && !slices.Contains(list, p) {
			return list
		}
	}
	return []tracefmt.ProcessID{AnyProcess}
}

// insert adds needs to a copy of the list, for each of the processes unless a need names its own. The result
// is sorted, and has no need that another one includes.
func insert(list []Need, processes []tracefmt.ProcessID, more ...Need) []Need {
	for _, n := range more {
		at := processes
		if n.Process != 0 {
			at = []tracefmt.ProcessID{n.Process}
		}
		for _, p := range at {
			n.Process = p
			if !covers(list, []Need{n}) {
				list = append(slices.DeleteFunc(slices.Clone(list), func(old Need) bool { return includes(n, old) }), n)
			}
		}
	}
	return sortNeeds(slices.Clone(list))
}

// covers reports whether each need of second is included in one of list.
func covers(list, second []Need) bool {
	for _, o := range second {
		if !slices.ContainsFunc(list, func(n Need) bool { return includes(n, o) }) {
			return false
		}
	}
	return true
}

// includes reports whether a includes b: they are equal, or a is the same need of every process.
func includes(a, b Need) bool {
	return a.Fact == b.Fact && a.From == b.From && a.To == b.To && (a.Process == b.Process || a.Process == AnyProcess)
}

// recordCount returns the number of records in a list, counting a need of every process once for each.
func recordCount(run *tracefmt.Run, list []Need) (n int) {
	for _, need := range list {
		n++
		if need.Process == AnyProcess {
			n += len(run.Members) - 1
		}
	}
	return n
}

// Text describes what to record: "crash and halt of n2 and n3".
func (w Wanted) Text(run *tracefmt.Run) string {
	var result []string
	if len(w.Logs) > 0 {
		var missing, unclear []string
		declared := cmp.Or(run.Completeness, new(tracefmt.Completeness))
		for _, p := range w.Logs {
			name := placeText(run, p, "")
			if lines := declared.NotUnderstood[run.ProcessName(p)]; lines > 0 {
				unclear = append(unclear, fmt.Sprintf("the %s of %s", text.Counted(lines, "line", "lines"), name))
			} else {
				missing = append(missing, name)
			}
		}
		if len(unclear) > 0 {
			result = append(result, text.And(text.Few(unclear, 5))+" in a form that a mapping reads")
		}
		if len(missing) > 0 {
			result = append(result, "the logs of "+text.And(text.Few(missing, 5)))
		}
	}
	if len(w.Facts) > 0 {
		result = append(result, enumerate(run, w.Facts, text.And, "every process"))
	}
	for _, g := range w.Gaps {
		result = append(result, fmt.Sprintf("the %s of %s%s", missingEvents(g.Dropped),
			placeText(run, g.Process, ""), stretchText(g.From, g.To)))
	}
	for _, n := range w.Inferred {
		result = append(result, fmt.Sprintf("the %s of %s, which is only inferred at seq %d", factText(n.Fact),
			placeText(run, n.Process, ""), n.From+1))
	}
	return text.Some(result, 8)
}

// missingEvents returns "3 missing events"; without a number if n is 0.
func missingEvents(n int64) string {
	if n == 0 {
		return "missing events"
	}
	return text.Counted(n, "missing event", "missing events")
}

// plainWord matches words that need no quotes on a command line or in a declaration.
var plainWord = regexp.MustCompile(`^[\pL\d_.-]+$`)

// declaration returns the argument of --complete which states that the facts are recorded completely; "" if
// no declaration satisfies the list.
func (r *Result) declaration(w Wanted) string {
	var items []string
	for _, n := range w.Facts {
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
	if len(w.Logs)+len(w.Gaps)+len(w.Inferred) > 0 {
		return ""
	}
	if declaration := strings.Join(items, ","); r.suffices(declaration, w.Facts) {
		return declaration
	}
	return ""
}

// declaredFor returns the names in a declaration for the process. For AnyProcess these are "", and all
// processes that have their own declarations.
func (r *Result) declaredFor(p tracefmt.ProcessID) []string {
	names := []string{r.state.Run.ProcessName(p)}
	if tells := r.state.Run.Completeness; tells != nil && p == AnyProcess {
		names = append(names, slices.Sorted(maps.Keys(tells.Processes))...)
	}
	return names
}

// suffices reports whether the declaration would satisfy the whole list, and the recording does not refute
// it.
func (r *Result) suffices(declaration string, list []Need) bool {
	tells, err := tracefmt.ParseCompleteness(declaration)
	if err != nil {
		return false
	}
	run := *r.state.Run
	if run.Declare(tells) != nil {
		return false
	}
	run.Completeness.Gaps = nil // gaps of inferred events are declared, too
	for i := range run.Members {
		run.Completeness.Gaps = append(run.Completeness.Gaps, r.state.Coverage().Gaps(tracefmt.ProcessID(i+1))...)
	}
	c := tracefmt.NewCoverage(&run)
	return len(unrecorded(c, &run, list)) == 0 && !r.orphans.refutes(c)
}
