package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"etrace/analyze"
	"etrace/analyze/lint"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Lint is the outcome of lint for the runs of some traces.
type Lint struct {
	Traces []string // the files' names
	Tool   string   // the program that looked, a name and a version
	Runs   []LintRun
	// Failures list the files that could not be examined, a line each with the reason.
	Failures []string
	// LeftOut lists in the same form the skipped parts of damaged traces.
	LeftOut []string
	// Output is where repaired runs were written, "" for nowhere.
	Output string
}

// LintRun is the outcome of lint for a run of a trace.
type LintRun struct {
	Trace string // the file's name
	*lint.RunReport
	// Repaired is the result of the repair, nil without --repair. Its run has the
	// number that it has where it was written.
	Repaired *lint.Repaired
}

// LintFormat is a form of report of lint.
type LintFormat = document.Format[*Lint, Style]

var lintFormats = text.NewRegistry("report format of lint", &lintGitHub, &lintJSON, &lintSARIF, &lintText)

// LintFormats returns the registry of the forms of report of lint.
func LintFormats() text.Registry[*LintFormat] { return lintFormats }

// Counts returns the number of findings in all runs, by severity.
func (r *Lint) Counts() lint.Counts {
	sum := lint.Counts{}
	for _, run := range r.Runs {
		sum.Add(run.Counts())
	}
	return sum
}

// Left returns the counts of findings after the repairs; without repairs, [Lint.Counts].
func (r *Lint) Left() lint.Counts {
	sum := lint.Counts{}
	for _, run := range r.Runs {
		if run.Repaired != nil {
			sum.Add(run.Repaired.Left.Counts())
		} else {
			sum.Add(run.Counts())
		}
	}
	return sum
}

// name returns the name of the run in the report.
func (r *Lint) name(run LintRun) string {
	return (&Report{Traces: r.Traces}).name(Run{Trace: run.Trace, RunReport: &analyze.RunReport{Run: run.Run}})
}

var lintText = LintFormat{
	Name:  "text",
	Doc:   "the findings of each rule, for people",
	Write: writeLintText,
}

// severityColors are those of a terminal (ECMA-48).
var severityColors = map[lint.Severity]analyze.Verdict{
	lint.Error: analyze.Violated, lint.Warning: analyze.Unknown, lint.Note: analyze.HoldsSoFar,
}

// writeLintText writes the findings of each run, and a line with their number.
func writeLintText(w io.Writer, r *Lint, s Style) error {
	b := bufio.NewWriter(w)
	for _, run := range r.Runs {
		if found := run.Counts().All(); found > 0 || !s.Quiet {
			r.writeRun(b, run, s)
		}
	}
	writeLines(b, "", missingLines((&Report{Failures: r.Failures, LeftOut: r.LeftOut}).unexaminedSorts()))
	fmt.Fprintf(b, "%s: %s\n", text.Counted(len(r.Runs), "run", "runs"), counted(r.Counts(), s))
	return b.Flush()
}

// writeRun writes a run with the findings of each rule.
func (r *Lint) writeRun(w io.Writer, run LintRun, s Style) {
	fmt.Fprintf(
		w, "%s: %s, %s: %s\n", r.name(run), text.Counted(len(run.Run.Members), "process", "processes"),
		text.Counted(run.Run.Events, "event", "events"), counted(run.Counts(), s),
	)
	if changes := run.Run.RepairedText(); changes != "" {
		fmt.Fprintf(w, "  on repaired data: %s\n", changes)
	}
	if run.Assumed != "" && run.Counts().All() > 0 && !s.Quiet {
		fmt.Fprintf(w, "  assumed: %s\n", harmless(run.Assumed))
	}
	for _, result := range run.Results {
		if result.Counts.All() == 0 {
			continue
		}
		expected := ""
		if result.Rule.Expected != "" {
			expected = "; expected " + result.Rule.Expected
		}
		fmt.Fprintf(w, "  %s: %s%s\n", result.Rule.Name, counted(result.Counts, s), expected)
		for i := range result.Findings {
			f := &result.Findings[i]
			severity := s.severity(f.Severity, string(f.Severity))
			fmt.Fprintf(w, "    %s: %s\n", severity, lintSentence(run.Run, f, result.Rule.Expected))
		}
		if more := result.Counts.All() - len(result.Findings); more > 0 {
			fmt.Fprintf(w, "    and %d more\n", more)
		}
	}
	if run.Repaired != nil {
		r.writeRepair(w, run, s)
	}
}

// maxChanges is the number of changes by a rule that people see.
const maxChanges = 10

// writeRepair lists what a repair has changed, and what it has left.
func (r *Lint) writeRepair(w io.Writer, run LintRun, s Style) {
	changes := run.Repaired.Changes
	if len(changes) == 0 {
		fmt.Fprintf(w, "  nothing repaired, written to %s as run %d\n", harmless(r.Output), run.Repaired.Run().Number)
		return
	}
	fmt.Fprintf(
		w, "  repaired, written to %s as run %d with %s:\n", harmless(r.Output), run.Repaired.Run().Number,
		text.Counted(len(changes), "change", "changes"),
	)
	listed := make(map[*lint.Rule]int)
	for _, c := range changes {
		switch listed[c.Rule]++; {
		case listed[c.Rule] < maxChanges+1:
			fmt.Fprintf(w, "    %s: %s\n", c.Rule.Name, harmless(changeText(c)))
		case listed[c.Rule] == maxChanges+1:
			fmt.Fprintf(w, "    %s: and more, see --json\n", c.Rule.Name)
		}
	}
	fmt.Fprintf(w, "  left: %s\n", leftText(run.Repaired.Left, s))
}

// changeText describes a change of a repair: the part, the place, and the values before and after.
func changeText(c lint.Change) string {
	where := "the header"
	if c.At.Seq != 0 {
		where = fmt.Sprintf("seq %d", c.At.Seq)
		if !c.At.Origin.IsZero() {
			where += " from " + c.At.Origin.String()
		}
	}
	return fmt.Sprintf("%s of %s: %s -> %s", c.Part, where, text.Short(c.Before, 120), text.Short(c.After, 120))
}

// leftText names the rules that still have findings in a repaired run.
func leftText(left *lint.RunReport, s Style) string {
	var parts []string
	for _, result := range left.Results {
		if result.Counts.All() > 0 {
			parts = append(parts, result.Rule.Name+" "+counted(result.Counts, s))
		}
	}
	if parts == nil {
		return "nothing found"
	}
	return strings.Join(parts, "; ")
}

// severity returns the words in the colour of the severity.
func (s Style) severity(severity lint.Severity, words string) string {
	if !s.Color {
		return words
	}
	return colored(words, severityColors[severity])
}

// counted returns "2 errors, 1 note", or "nothing found".
func counted(c lint.Counts, s Style) string {
	var parts []string
	for _, severity := range lint.Severities() {
		if n := c[severity]; n > 0 {
			parts = append(parts, s.severity(severity, text.Counted(n, string(severity), string(severity)+"s")))
		}
	}
	if parts == nil {
		return "nothing found"
	}
	return strings.Join(parts, ", ")
}

// lintSentence describes a finding with its place. It adds what was expected, unless the heading has already
// written the same.
func lintSentence(run *tracefmt.Run, f *lint.Finding, written string) string {
	words := harmless(f.Found)
	if f.Expected != written {
		words += "; expected " + harmless(f.Expected)
	}
	if f.Excuses != nil {
		words += "; what is not recorded may explain it: " + harmless(analyze.NeedsText(run, f.Excuses))
	}
	if places := lintPlaces(f); places != "" {
		words += " (" + places + ")"
	}
	return words
}

// lintPlaces lists the events with the lines of the log that they are from.
func lintPlaces(f *lint.Finding) string {
	var places []string
	for _, p := range f.Events {
		place := fmt.Sprintf("seq %d", p.Seq)
		if !p.Origin.IsZero() {
			place += " from " + harmless(p.Origin.String())
		}
		places = append(places, place)
	}
	return strings.Join(places, ", ")
}
