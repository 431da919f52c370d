package report

import (
	"io"

	"etrace/analyze/lint"
	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// LintVersion is the version mark of what lint finds, in JSON.
const LintVersion = "etrace.lint/1"

var lintJSON = LintFormat{
	Name:  "json",
	Doc:   "one JSON object for programs, version " + LintVersion,
	Write: writeLintJSON,
}

// writeLintJSON writes the report as one JSON object.
func writeLintJSON(w io.Writer, r *Lint, _ Style) error {
	out := append(document.Object{"format", LintVersion}, countsJSON(r.Counts())...)
	out = append(out, "output?", r.Output, "runs", document.List(r.Runs, func(run LintRun) document.Object {
		entry := append(headJSON(r.Traces, run.Trace, run.Run), "assumed?", run.Assumed)
		entry = append(entry, countsJSON(run.Counts())...)
		return append(entry, "rules", document.List(run.Results, run.ruleJSON), "repair?", run.repairJSON())
	}))
	return tracefmt.WriteJSON(w, append(out, unreadJSON(r.Failures, r.LeftOut)...))
}

func countsJSON(c lint.Counts) document.Object {
	return document.Object{"errors", c[lint.Error], "warnings", c[lint.Warning], "notes", c[lint.Note]}
}

// ruleJSON returns the findings of a rule.
func (run LintRun) ruleJSON(result *lint.Result) document.Object {
	rule := append(document.Object{"rule", result.Rule.Name}, countsJSON(result.Counts)...)
	return append(rule, "findings", document.List(result.Findings, func(f lint.Finding) document.Object {
		return document.Object{
			"severity", f.Severity,
			"found", f.Found,
			"expected?", f.Expected,
			"events", document.List(f.Events, run.placeJSON),
			"needs?", needs(run.Run, f.Excuses),
		}
	}))
}

func (run LintRun) placeJSON(p lint.Place) document.Object {
	return append(document.Object{
		"seq", p.Seq, "process?", run.Run.ProcessName(p.Process), "kind",
		p.Kind.String(),
	}, lineJSON(p.Origin)...)
}

// repairJSON returns the repaired run: its number, the changes, and the remaining findings.
func (run LintRun) repairJSON() document.Object {
	if run.Repaired == nil {
		return nil
	}
	return document.Object{
		"run", run.Repaired.Run().Number,
		"changes", document.List(run.Repaired.Changes, run.changeJSON),
		"left", countsJSON(run.Repaired.Left.Counts()),
	}
}

// changeJSON returns a change of a repair. A change of the header has no place.
func (run LintRun) changeJSON(c lint.Change) document.Object {
	change := document.Object{"rule", c.Rule.Name}
	if c.At.Seq != 0 {
		change = append(change, run.placeJSON(c.At)...)
	} else {
		change = append(change, lineJSON(c.At.Origin)...)
	}
	return append(change, "part", c.Part, "before", c.Before, "after", c.After)
}
