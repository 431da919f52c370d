package report

import (
	"io"

	"etrace/analyze/lint"
	"etrace/tracefmt"
)

// LintVersion is the version mark of what lint finds, in JSON.
const LintVersion = "etrace.lint/1"

var lintJSON = LintFormat{
	Name:  "json",
	Doc:   "one JSON object for programs, version " + LintVersion,
	Write: writeLintJSON,
}

type jsonLint struct {
	Format string `json:"format"`
	jsonCounts
	Output string        `json:"output,omitempty"` // of repairs
	Runs   []jsonLintRun `json:"runs"`
	jsonUnread
}

type jsonCounts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

type jsonLintRun struct {
	jsonHead
	Assumed string `json:"assumed,omitempty"`
	jsonCounts
	Rules  []jsonLintRule `json:"rules"`
	Repair *jsonRepair    `json:"repair,omitempty"`
}

// jsonRepair is what a repair has made of a run: the run that it is now, and what is left.
type jsonRepair struct {
	Run     int          `json:"run"`
	Changes []jsonChange `json:"changes"`
	Left    jsonCounts   `json:"left"`
}

// jsonChange has no place where it is of the header.
type jsonChange struct {
	Rule    string       `json:"rule"`
	Seq     tracefmt.Seq `json:"seq,omitempty"`
	Process string       `json:"process,omitempty"`
	Kind    string       `json:"kind,omitempty"`
	jsonLine
	Part   string `json:"part"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type jsonLintRule struct {
	Rule string `json:"rule"`
	jsonCounts
	Findings []jsonFinding `json:"findings"`
}

type jsonFinding struct {
	Severity lint.Severity `json:"severity"`
	Found    string        `json:"found"`
	Expected string        `json:"expected,omitempty"`
	Events   []jsonPlace   `json:"events"`
	Needs    []jsonNeed    `json:"needs,omitempty"`
}

type jsonPlace struct {
	Seq     tracefmt.Seq `json:"seq"`
	Process string       `json:"process,omitempty"`
	Kind    string       `json:"kind"`
	jsonLine
}

func countsJSON(c lint.Counts) jsonCounts {
	return jsonCounts{c[lint.Error], c[lint.Warning], c[lint.Note]}
}

func repairJSON(run LintRun) *jsonRepair {
	if run.Repaired == nil {
		return nil
	}
	out := &jsonRepair{Run: run.Repaired.Run().Number, Changes: []jsonChange{}, Left: countsJSON(run.Repaired.Left.Counts())}
	for _, c := range run.Repaired.Changes {
		j := jsonChange{Rule: c.Rule.Name, jsonLine: jsonLine(c.At.Origin), Part: c.Part, Before: c.Before, After: c.After}
		if c.At.Seq != 0 {
			j.Seq, j.Process, j.Kind = c.At.Seq, run.Run.ProcessName(c.At.Process), c.At.Kind.String()
		}
		out.Changes = append(out.Changes, j)
	}
	return out
}

func writeLintJSON(w io.Writer, r *Lint, _ Style) error {
	out := jsonLint{Format: LintVersion, jsonCounts: countsJSON(r.Counts()), Output: r.Output, Runs: []jsonLintRun{}, jsonUnread: jsonUnread{Failures: r.Failures, LeftOut: r.LeftOut}}
	for _, run := range r.Runs {
		j := jsonLintRun{jsonHead: headJSON(r.Traces, run.Trace, run.Run), Assumed: run.Assumed, jsonCounts: countsJSON(run.Counts()), Rules: []jsonLintRule{}, Repair: repairJSON(run)}
		for _, result := range run.Results {
			j.Rules = append(j.Rules, lintRuleJSON(run, result))
		}
		out.Runs = append(out.Runs, j)
	}
	return tracefmt.WriteJSON(w, out)
}

func lintRuleJSON(run LintRun, of *lint.Result) jsonLintRule {
	rule := jsonLintRule{Rule: of.Rule.Name, jsonCounts: countsJSON(of.Counts), Findings: []jsonFinding{}}
	for _, f := range of.Findings {
		j := jsonFinding{f.Severity, f.Found, f.Expected, []jsonPlace{}, needs(run.Run, f.Excuses)}
		for _, p := range f.Events {
			j.Events = append(j.Events, jsonPlace{p.Seq, run.Run.ProcessName(p.Process), p.Kind.String(), jsonLine(p.Origin)})
		}
		rule.Findings = append(rule.Findings, j)
	}
	return rule
}
