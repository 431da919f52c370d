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
	Doc:   "one line per property, for people",
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

func writeText(w io.Writer, r *Report, s Style) error {
	b := bufio.NewWriter(w)
	for i, run := range r.Runs {
		if i > 0 {
			fmt.Fprintln(b)
		}
		writeRun(b, r, run, s)
	}
	return b.Flush()
}

func writeRun(w io.Writer, r *Report, run *analyze.RunReport, s Style) {
	fmt.Fprintln(w, heading(run))
	if run.Ending.Doubt != "" {
		fmt.Fprintf(w, "  note: %s\n", plain(run.Ending.Doubt))
	}
	for _, err := range run.UnknownTraits() {
		fmt.Fprintf(w, "  note: the run states an %s\n", plain(err.Error()))
	}
	width := 0
	shown, elsewhere := s.shown(run.Results)
	for _, p := range shown {
		width = max(width, utf8.RuneCountInString(plain(p.Property.Name)))
	}
	for _, p := range shown {
		room := strings.Repeat(" ", verdictWidth-len(p.Verdict)+2)
		beside := s.beside(room, detail(p), 2+width+2+verdictWidth+2)
		fmt.Fprintf(w, "  %-*s  %s%s\n", width, plain(p.Property.Name), paint(p.Verdict, s.Color), beside)
		for _, line := range r.explanation(p) {
			fmt.Fprintf(w, "      %s\n", line)
		}
	}
	if elsewhere > 0 {
		fmt.Fprintf(w, "  not applicable: %s; --json says why\n", text.Counted(elsewhere, "property", "properties"))
	}
}

// shown returns the results that get a line, and how many only one line for
// all of them.
func (s Style) shown(results []*analyze.Result) (shown []*analyze.Result, elsewhere int) {
	for _, p := range results {
		switch {
		case s.Quiet && outcomes[p.Verdict] < open:
		case s.Applicable && p.Verdict == analyze.NotApplicable:
			elsewhere++
		default:
			shown = append(shown, p)
		}
	}
	return shown, elsewhere
}

func heading(run *analyze.RunReport) string {
	r := run.Run
	var parts []string
	for _, s := range []string{r.Name, r.Algorithm} {
		if s != "" {
			parts = append(parts, plain(s))
		}
	}
	if r.Algorithm == "" && r.Source != "" {
		parts = append(parts, plain(r.Source))
	}
	parts = append(parts, text.Counted(len(r.Members), "process", "processes"), text.Counted(r.Events, "event", "events"))
	switch {
	case run.Ending.Looping():
		parts = append(parts, fmt.Sprintf("stopped at a proven loop (seq %d to %d)", run.Ending.LoopFrom, run.Ending.LoopTo))
	default:
		parts = append(parts, plain(string(r.End)))
	}
	return fmt.Sprintf("run %d: %s", r.Number, strings.Join(parts, ", "))
}

// verdictWidth is that of the longest verdict.
const verdictWidth = len(analyze.NotApplicable)

func paint(v analyze.Verdict, color bool) string {
	if !color {
		return string(v)
	}
	return "\x1b[" + colors[v] + "m" + string(v) + "\x1b[0m"
}

// detail is what follows the verdict: how often, where, why.
func detail(p *analyze.Result) string {
	var parts []string
	if p.Violations > 1 {
		parts = append(parts, fmt.Sprintf("%d violations, the first:", p.Violations))
	}
	if p.Explanation != "" {
		parts = append(parts, plain(p.Explanation))
	}
	if len(p.Witness) > 0 {
		parts = append(parts, "("+seqs(p.Witness)+")")
	}
	return strings.Join(parts, " ")
}

// beside puts the detail after the room in that column, or, where it does not
// fit, on lines of its own.
func (s Style) beside(room, detail string, column int) string {
	if detail == "" {
		return ""
	}
	if s.Width == 0 || column+utf8.RuneCountInString(detail) <= s.Width {
		return room + detail
	}
	const indent = "\n      "
	var b strings.Builder
	left := 0 // columns of the line
	for word := range strings.FieldsSeq(detail) {
		n := utf8.RuneCountInString(word)
		if left -= n + 1; left < 0 {
			b.WriteString(indent + word)
			left = s.Width - len(indent) + 1 - n
			continue
		}
		b.WriteString(" " + word)
	}
	return b.String()
}

func seqs(list []tracefmt.Seq) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = fmt.Sprint(s)
	}
	return "seq " + text.Some(words, 6)
}

// plain makes text from a trace harmless for a terminal: control characters
// and those that change the direction of writing become visible.
func plain(s string) string { return text.Printable(s) }
