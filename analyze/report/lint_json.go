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
	Runs     []jsonLintRun `json:"runs"`
	Failures []string      `json:"failures,omitempty"`
	LeftOut  []string      `json:"left_out,omitempty"`
}

type jsonCounts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

type jsonLintRun struct {
	Trace   string `json:"trace,omitempty"` // where there are several
	Run     int    `json:"run"`
	Name    string `json:"name,omitempty"`
	Assumed string `json:"assumed,omitempty"`
	jsonCounts
	Rules []jsonLintRule `json:"rules"`
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
	File    string       `json:"file,omitempty"`
	Line    int64        `json:"line,omitempty"`
}

func countsJSON(c lint.Counts) jsonCounts {
	return jsonCounts{c[lint.Error], c[lint.Warning], c[lint.Note]}
}

func writeLintJSON(w io.Writer, r *Lint, _ Style) error {
	out := jsonLint{Format: LintVersion, jsonCounts: countsJSON(r.Counts()), Runs: []jsonLintRun{}, Failures: r.Failures, LeftOut: r.LeftOut}
	for _, run := range r.Runs {
		j := jsonLintRun{Run: run.Run.Number, Name: run.Run.Name, Assumed: run.Assumed, jsonCounts: countsJSON(run.Counts()), Rules: []jsonLintRule{}}
		if len(r.Traces) > 1 {
			j.Trace = run.Trace
		}
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
			j.Events = append(j.Events, jsonPlace{p.Seq, run.Run.ProcessName(p.Process), p.Kind.String(), p.Origin.File, p.Origin.Line})
		}
		rule.Findings = append(rule.Findings, j)
	}
	return rule
}
