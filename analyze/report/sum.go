package report

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt/text"
)

// shortLine returns the line for a run among several that has no violated or open property.
func (r *Report) shortLine(run Run, s Style) string {
	var verdicts []analyze.Verdict
	for _, p := range run.Results {
		if p.Verdict != analyze.NotApplicable || !s.Applicable {
			verdicts = append(verdicts, p.Verdict)
		}
	}
	if len(verdicts) == 0 {
		verdicts = append(verdicts, run.Verdict)
	}
	return r.heading(run) + ": " + tally(verdicts, s.Color)
}

// lastLines returns the last lines of a report: the named properties that apply to no run, what was not examined,
// and the sum.
func (r *Report) lastLines(s Style) (lines []string) {
	if s.Quiet || len(r.Runs) > 1 {
		for _, v := range r.InVain() {
			lines = append(lines, r.title(v)+": "+harmless(v.Why))
		}
	}
	return slices.Concat(lines, missingLines(r.unexaminedSorts()), r.sum(s))
}

// sum returns the number of runs by verdict. If one of several runs is violated, the last line has the
// numbers of violated and open runs.
func (r *Report) sum(s Style) (lines []string) {
	verdicts := make([]analyze.Verdict, len(r.Runs))
	for i, run := range r.Runs {
		verdicts[i] = run.Verdict
	}
	sum := text.Counted(len(r.Runs), "run", "runs")
	if len(r.Runs) > 0 {
		sum += ": " + tally(verdicts, s.Color)
	}
	if violated := r.violatedOf(s); violated != "" {
		lines, sum = []string{sum}, violated
	}
	return append(append(lines, sum+r.unjudgedText()), r.openLines(s)...)
}

// violatedOf counts the runs with a violation and the runs with an open property: "2 of 41 runs
// violated, 3 open". It returns "" for a single run, and without a violated run.
func (r *Report) violatedOf(s Style) string {
	count := map[outcome]int{}
	for _, run := range r.Runs {
		count[outcomes[run.Verdict]]++
	}
	if len(r.Runs) == 1 || count[failed] == 0 {
		return ""
	}
	sum := fmt.Sprintf("%d of %d runs violated", count[failed], len(r.Runs))
	if s.Color {
		sum = colored(sum, analyze.Violated)
	}
	if n := count[open]; n > 0 {
		sum += fmt.Sprintf(", %d open", n)
	}
	return sum
}

// unjudgedText counts what the report does not judge, to follow its last line.
func (r *Report) unjudgedText() (sum string) {
	if n := len(r.InVain()); n > 0 {
		sum = "; " + text.Counted(n, "named property applies", "named properties apply") + " to no run"
	}
	for _, missing := range r.unexaminedSorts() {
		if n := len(missing.list); n > 0 {
			sum += fmt.Sprintf("; %d %s", n, missing.counted)
		}
	}
	return sum
}

// unexamined is a sort of thing that the report does not examine, and its name in texts.
type unexamined struct {
	list           []string
	title, counted string
}

// missingLines returns a line for each thing that was not examined.
func missingLines(list []unexamined) (lines []string) {
	for _, missing := range list {
		for _, fact := range missing.list {
			lines = append(lines, missing.title+": "+harmless(fact))
		}
	}
	return lines
}

// fileOf returns the trace that a line begins with; "" if it names none.
func (r *Report) fileOf(line string) string {
	for _, trace := range r.Traces {
		if strings.HasPrefix(line, r.traceName(trace)+": ") {
			return trace
		}
	}
	return ""
}

// unexaminedSorts returns what was not examined: files, skipped parts, and traces and runs without anything to
// examine.
func (r *Report) unexaminedSorts() []unexamined {
	return []unexamined{
		{r.Failures, "not examined", "could not be examined"},
		{r.LeftOut, "left out", "left out"},
		{r.Unexamined(), "nothing examined", "without anything to examine"},
	}
}

// tally counts verdicts, the worst first: "2 violated, 39 satisfied".
func tally(verdicts []analyze.Verdict, color bool) string {
	count := map[analyze.Verdict]int{}
	for _, v := range verdicts {
		count[v]++
	}
	var parts []string
	for _, v := range analyze.Verdicts {
		n := count[v.Verdict]
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", n, v.Verdict)
		if color {
			part = colored(part, v.Verdict)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
