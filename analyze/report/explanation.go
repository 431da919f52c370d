package report

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/tracefmt"
)

// longest is how many steps of an explanation people are shown.
const longest = 40

// explanation says in lines of text why a property is violated, if that was
// asked for. The events of the witness are marked.
func (r *Report) explanation(p *analyze.Result) []string {
	e := r.Explanations[p]
	switch {
	case e == nil:
		return nil
	case len(e.Steps) == 0:
		return []string{"because of no event: it is so in the initial state"}
	}
	lines := []string{heads(e)}
	last := min(len(e.Steps), longest)
	width := len(fmt.Sprint(e.Steps[last-1].Seq))
	for _, s := range e.Steps[:last] {
		lines = append(lines, fmt.Sprintf("%s seq %*d  %s", sign(p.Witness, s.Seq), width, s.Seq, plain(s.Text)))
	}
	if more := len(e.Steps) - last; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	if len(p.Cut) > 0 {
		lines = append(lines, "it shows in the consistent cut after "+seqs(p.Cut))
	}
	return lines
}

func heads(e *explain.Explanation) string {
	what := fmt.Sprintf("because of %d events", len(e.Steps))
	switch {
	case len(e.Steps) == 1:
		what = "because of 1 event"
	case e.Minimal:
		what += ", none of which can be left out"
	}
	if e.Note != "" {
		what += " (" + plain(e.Note) + ")"
	}
	return what + ":"
}

func sign(witness []tracefmt.Seq, s tracefmt.Seq) string {
	if slices.Contains(witness, s) {
		return "*"
	}
	return " "
}
