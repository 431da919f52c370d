package report

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// maxSteps is the number of events of an explanation that a report shows.
const maxSteps = 40

// explanation returns lines that explain a result, if explanations were requested: the events of a violation,
// with those of the witness marked; or what to log next, if the verdict is unknown.
func (r *Report) explanation(run Run, p *analyze.Result) []string {
	e := r.Explanations[p]
	switch {
	case e == nil:
		return wantedLines(run.Run, r.LogNext[p])
	case len(e.Steps) == 0:
		return []string{"because of no event: it is so in the initial state"}
	}
	lines := append([]string{heads(e)}, stepLines(p.Witness, e.Steps[:min(len(e.Steps), maxSteps)])...)
	if more := len(e.Steps) - maxSteps; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	if led := e.Led[max(0, len(e.Led)-maxLedLines):]; len(led) > 0 {
		head := text.Counted(e.LedCount, "event", "events") + " happened before some marked events, not before all"
		if e.LedCount > len(led) {
			head += fmt.Sprintf(", the last %d", len(led))
		}
		lines = append(append(lines, head+":"), stepLines(nil, led)...)
	}
	if len(p.Cut) > 0 {
		lines = append(lines, "it shows in the consistent cut after "+seqList(p.Cut))
	}
	return lines
}

// maxLedLines is the number of events before a witness that people see.
const maxLedLines = 12

// stepLines writes events, and marks the events of the witness.
func stepLines(witness []tracefmt.Seq, steps []explain.Step) (lines []string) {
	width := len(fmt.Sprint(steps[len(steps)-1].Seq))
	for _, s := range steps {
		line := fmt.Sprintf("%s seq %*d  %s", witnessMark(witness, s.Seq), width, s.Seq, harmless(s.Text))
		if !s.Origin.IsZero() {
			line += " (" + harmless(s.Origin.String()) + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// maxLists is the number of lists of events to log that people see.
const maxLists = 4

// wantedLines returns lines about what to log next, and which declarations of completeness would do instead.
func wantedLines(run *tracefmt.Run, wanted []analyze.Wanted) []string {
	if len(wanted) == 0 {
		return nil
	}
	at := slices.IndexFunc(wanted, func(w analyze.Wanted) bool { return w.OnlyViolation })
	if at < 0 {
		at = len(wanted)
	}
	deciding, convicting := wanted[:at], wanted[at:]
	lines := lists(run, "log next", deciding)
	if tells := deciding[0].Complete; tells != "" {
		subject := "this"
		if len(deciding) > 1 {
			subject = "the first"
		}
		lines = append(lines, fmt.Sprintf("if nothing of %s happened but what is recorded: --complete %s",
			subject, tells))
	}
	for _, n := range deciding[0].Inferred {
		lines = append(
			lines,
			fmt.Sprintf(`if the %s at seq %d did happen: "stated":true instead of "inferred" in its payload%s`, n.Fact, n.From+1, crashFlagHint(n)),
		)
	}
	if len(convicting) > 0 {
		lines = append(lines, lists(run, "a violation may show with less:", convicting)...)
	}
	return lines
}

// crashFlagHint returns the hint for a missing crash: the flag that declares it.
func crashFlagHint(n analyze.Need) string {
	if n.Fact.Kind != tracefmt.Crash {
		return ""
	}
	return ", or --crashed in its place"
}

// lists returns the lists of events to log, the shortest first, below a head. A single list follows the head in its
// line.
func lists(run *tracefmt.Run, head string, wanted []analyze.Wanted) []string {
	if len(wanted) == 1 {
		return []string{head + " " + wanted[0].Text(run)}
	}
	lines := []string{strings.TrimSuffix(head, ":") + ", the shortest list first:"}
	for _, w := range wanted[:min(len(wanted), maxLists)] {
		lines = append(lines, "  "+w.Text(run))
	}
	if more := len(wanted) - maxLists; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return lines
}

// heads returns the first line of an explanation: the size of the witness, and the events without which
// another violation shows.
func heads(e *explain.Explanation) string {
	head := "witness, "
	if e.Minimal && len(e.Steps) > 1 {
		head = "minimal witness, "
	}
	head += text.Counted(len(e.Steps), "event", "events")
	if len(e.Others) > 0 {
		head += fmt.Sprintf("; without %s another violation shows", missingEvents(e.Others))
	}
	if e.Note != "" {
		head += " (" + harmless(e.Note) + ")"
	}
	return head + ":"
}

// maxOthers is the number of named events without which another violation remains.
const maxOthers = 5

// missingEvents names the events without which another violation shows.
func missingEvents(list []tracefmt.Seq) string {
	if len(list) > maxOthers {
		return fmt.Sprintf("%d of them", len(list))
	}
	var names []string
	for _, seq := range list {
		names = append(names, fmt.Sprint(seq))
	}
	return "seq " + text.Or(names)
}

// witnessMark returns the mark of an event of the witness.
func witnessMark(witness []tracefmt.Seq, s tracefmt.Seq) string {
	if slices.Contains(witness, s) {
		return "*"
	}
	return " "
}
