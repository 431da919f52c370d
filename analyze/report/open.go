package report

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt/text"
)

// failsCheck reports whether a result is open and makes the check fail.
func (s Style) failsCheck(p *analyze.Result) bool {
	return outcomes[p.Verdict] == open && !s.AllowOpen && (p.Counts || s.Strict)
}

// Open reports whether some open result makes the check fail.
func (r *Report) Open(s Style) bool {
	return slices.ContainsFunc(r.Runs, func(run Run) bool { return slices.ContainsFunc(run.Results, s.failsCheck) })
}

// openLines names the open properties, the facts that decide most of them, and the reason for exit status 3.
func (r *Report) openLines(s Style) (lines []string) {
	var names []string
	var advice *analyze.Advice
	for _, run := range r.Runs {
		names = appendOpen(names, run)
		if advice == nil {
			advice = run.Advice
		}
	}
	// The report of its run has shown a single open property already.
	if len(names) > 1 || advice != nil {
		lines = append(lines, "open: "+text.Some(names, 6)+adviceText(advice))
	}
	if reasons := r.openReasons(s); reasons != "" && r.Verdict() != analyze.Violated && len(r.Unexamined()) == 0 {
		lines = append(lines, "exit status 3: "+reasons+"; --allow-open makes it 0")
	}
	return lines
}

// appendOpen appends the names of the open properties of a run, each once.
func appendOpen(names []string, run Run) []string {
	for _, p := range run.Results {
		if name := harmless(p.Property.Name); outcomes[p.Verdict] == open && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// longestDeclaration is the greatest length of a declaration in the last line, in bytes. A longer one is not practical;
// check --explain and the JSON report have it.
const longestDeclaration = 60

// adviceText describes what to log next, to follow the list of open properties.
func adviceText(a *analyze.Advice) string {
	if a == nil {
		return ""
	}
	advice := "; log next " + harmless(a.Log)
	if a.Open > 1 {
		advice = fmt.Sprintf("; to decide %d of %d, log next %s", a.Decides, a.Open, harmless(a.Log))
	}
	if a.State != "" && len(a.State) <= longestDeclaration {
		advice += ", or add --complete " + harmless(a.State) + " if none is missing"
	}
	return advice
}

// openReasons explains why the check failed: for each reason the open properties that count.
func (r *Report) openReasons(s Style) string {
	var reasons []string
	names := make(map[string][]string) // by reason
	for _, run := range r.Runs {
		for _, p := range run.Results {
			if !s.failsCheck(p) {
				continue
			}
			reason, name := reasonToDecide(run, p), harmless(p.Property.Name)
			if names[reason] == nil {
				reasons = append(reasons, reason)
			}
			if !slices.Contains(names[reason], name) {
				names[reason] = append(names[reason], name)
			}
		}
	}
	for i, reason := range reasons {
		reasons[i] = text.And(text.Few(names[reason], 6)) + " stayed open, " + reason
	}
	return strings.Join(reasons, "; ")
}

// reasonToDecide explains why an open result makes the check fail.
func reasonToDecide(run Run, p *analyze.Result) string {
	switch {
	case p.Named:
		return "and what is named has to be decided"
	case !p.Counts:
		return "and --strict was given"
	case p.Skew > 0:
		return "since it rests on clocks that may differ"
	case run.Run.DeclaresAll():
		return "and the recording is complete"
	case run.Advice != nil && run.Advice.Lacks[p.Property.Name] != "":
		return "since the recording lacks only " + harmless(run.Advice.Lacks[p.Property.Name])
	}
	return "which the recording is fit to decide"
}
