package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

var textFormat = Format{
	Name:  "text",
	Doc:   "a line for each property; with several runs, one line for each run without a finding",
	Write: writeText,
}

// colors of the verdicts on a terminal (ECMA-48): what is wrong red, what is
// open yellow, what is well green, the rest dim.
var colors = map[analyze.Verdict]string{
	analyze.Violated:      "31;1",
	analyze.Unknown:       "33",
	analyze.Pending:       "33",
	analyze.HoldsSoFar:    "36",
	analyze.Satisfied:     "32",
	analyze.Vacuous:       "2",
	analyze.NotApplicable: "2",
}

// writeText writes a run in full if it has a violated or open property, or if it is the only one. Any other
// run gets one line.
func writeText(w io.Writer, r *Report, s Style) error {
	b := bufio.NewWriter(w)
	begun, wasFull := false, false
	for _, run := range r.Runs {
		fine := outcomes[run.Verdict] < open
		full := !fine || len(r.Runs) == 1
		if fine && s.Quiet && len(run.Remarks) == 0 {
			continue
		}
		// Runs in full are separated by empty lines, runs of one line are not.
		if begun && (full || wasFull) {
			fmt.Fprintln(b)
		}
		begun, wasFull = true, full
		if full {
			writeRun(b, r, run, s)
		} else {
			fmt.Fprintln(b, r.shortLine(run, s))
			writeLines(b, "  ", run.remarks())
		}
	}
	if begun {
		fmt.Fprintln(b)
	}
	writeLines(b, "", r.lastLines(s))
	return b.Flush()
}

// writeRun writes a run with a line for each property.
func writeRun(w io.Writer, r *Report, run Run, s Style) {
	fmt.Fprintln(w, r.heading(run))
	writeLines(w, "  ", run.notes(s))
	width := 0
	shown, inapplicable := s.split(run.Results)
	for _, p := range shown {
		width = max(width, utf8.RuneCountInString(harmless(p.Property.Name)))
	}
	for _, p := range shown {
		room := strings.Repeat(" ", verdictWidth-len(p.Verdict)+2)
		beside := s.placeDetail(room, run.detail(p), 2+width+2+verdictWidth+2)
		fmt.Fprintf(w, "  %-*s  %s%s\n", width, harmless(p.Property.Name), paint(p.Verdict, s.Color), beside)
		writeLines(w, "      ", r.explanation(run, p))
	}
	if len(inapplicable) > 0 && !s.Quiet {
		writeInapplicable(w, inapplicable, s)
	}
}

// writeInapplicable writes the number of properties that do not apply. If the style has Reasons, it lists them
// by reason.
func writeInapplicable(w io.Writer, inapplicable []*analyze.Result, s Style) {
	line := "  " + notApplicable(inapplicable)
	if !s.Reasons {
		fmt.Fprintln(w, line+"; --explain says why")
		return
	}
	fmt.Fprintln(w, line)
	const indent = "      "
	var reasons []string
	names := make(map[string][]string) // by reason
	for _, p := range inapplicable {
		if names[p.Explanation] == nil {
			reasons = append(reasons, p.Explanation)
		}
		names[p.Explanation] = append(names[p.Explanation], harmless(p.Property.Name))
	}
	for _, reason := range reasons {
		entry := s.placeDetail(indent, strings.Join(names[reason], ", ")+": "+harmless(reason), len(indent))
		fmt.Fprintln(w, strings.TrimPrefix(entry, "\n"))
	}
}

// split returns the results that get a line, and the results that are only counted because they do not apply.
func (s Style) split(results []*analyze.Result) (shown, inapplicable []*analyze.Result) {
	for _, p := range results {
		switch {
		case s.Quiet && outcomes[p.Verdict] < open:
		case s.Applicable && !p.Named && p.Verdict == analyze.NotApplicable:
			inapplicable = append(inapplicable, p)
		default:
			shown = append(shown, p)
		}
	}
	return shown, inapplicable
}

// heading returns the name of a run, its algorithm or source, its size and its end.
func (r *Report) heading(outcome Run) string {
	run := outcome.Run
	var parts []string
	for _, s := range []string{run.Name, run.Titled(run.Algorithm)} {
		if s != "" {
			parts = append(parts, harmless(s))
		}
	}
	if run.Algorithm == "" && run.Source != "" {
		parts = append(parts, harmless(run.Source))
	}
	parts = append(parts, text.Counted(len(run.Members), "process", "processes"),
		text.Counted(run.Events, "event", "events"))
	switch {
	case outcome.Ending.Looping():
		parts = append(parts, fmt.Sprintf("stopped at a proven loop (%s)", outcome.Ending.Loop()))
	default:
		parts = append(parts, harmless(string(run.End)))
	}
	return r.name(outcome) + ": " + strings.Join(parts, ", ")
}

// remarks returns the remarks on the run itself, a line each.
func (run Run) remarks() []string {
	notes := make([]string, len(run.Remarks))
	for i, remark := range run.Remarks {
		notes[i] = "note: " + harmless(remark)
	}
	return notes
}

// notes returns the remarks, and the assumed completeness.
func (run Run) notes(s Style) []string {
	notes := run.remarks()
	if assumed := run.assumed(s); assumed != "" {
		notes = append(notes, assumed)
	}
	return notes
}

func notApplicable(inapplicable []*analyze.Result) string {
	return "not applicable: " + text.Counted(len(inapplicable), "property", "properties")
}

func writeLines(w io.Writer, indent string, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(w, indent+line)
	}
}

// verdictWidth is the length of the longest verdict.
const verdictWidth = len(analyze.NotApplicable)

// paint returns the verdict, in its colour if color is set.
func paint(v analyze.Verdict, color bool) string {
	if !color {
		return string(v)
	}
	return colored(string(v), v)
}

func colored(s string, like analyze.Verdict) string {
	return "\x1b[" + colors[like] + "m" + s + "\x1b[0m"
}

// detail returns the text after the verdict: the number of violations, the explanation, and the place.
func (run Run) detail(p *analyze.Result) string {
	var parts []string
	if p.Violations > 1 {
		parts = append(parts, fmt.Sprintf("%d violations, the first:", p.Violations))
	}
	if p.Explanation != "" {
		parts = append(parts, harmless(p.Explanation))
	}
	if len(p.Witness) > 0 {
		where := seqList(p.Witness)
		if places := run.places(p.Witness); places != "" {
			where += "; " + places
		}
		parts = append(parts, "("+where+")")
	}
	return strings.Join(parts, " ")
}

// placeDetail returns the detail for the column, after the room. If it does not fit, it returns it on lines of its
// own.
func (s Style) placeDetail(room, detail string, column int) string {
	if detail == "" {
		return ""
	}
	if s.Width == 0 || column+utf8.RuneCountInString(detail) <= s.Width {
		return room + detail
	}
	const indent = "\n      "
	var b strings.Builder
	columnsLeft := 0 // columns of the line
	for word := range strings.FieldsSeq(detail) {
		n := utf8.RuneCountInString(word)
		if columnsLeft -= n + 1; columnsLeft < 0 {
			b.WriteString(indent + word)
			columnsLeft = s.Width - len(indent) + 1 - n
			continue
		}
		b.WriteString(" " + word)
	}
	return b.String()
}

// seqList lists seqs for a text, the first six of many.
func seqList(list []tracefmt.Seq) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = fmt.Sprint(s)
	}
	return "seq " + text.Some(words, 6)
}

// harmless makes text from a trace harmless for a terminal: control characters and direction marks become
// visible.
func harmless(s string) string { return text.Printable(s) }
