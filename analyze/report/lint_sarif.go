package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/analyze/lint"
	"etrace/tracefmt"
)

var lintSARIF = LintFormat{
	Name:  "sarif",
	Doc:   "SARIF 2.1.0, for code scanning: a rule for each rule that was examined, a result for each finding that is listed",
	Write: writeLintSARIF,
}

func writeLintSARIF(w io.Writer, r *Lint, s Style) error {
	rep := &Report{Traces: r.Traces, Tool: r.Tool, Failures: r.Failures, LeftOut: r.LeftOut}
	rules := sarifRules{list: []sarifRule{}, index: map[string]int{}}
	out := sarifRun{Results: []sarifResult{}}
	for _, run := range r.Runs {
		as := Run{Trace: run.Trace, RunReport: &analyze.RunReport{Run: run.Run}}
		for _, result := range run.Results {
			index := rules.add(result.Rule.AsProperty())
			rules.list[index].Config.Level = string(result.Rule.Severity)
			for i := range result.Findings {
				out.Results = append(out.Results, rep.sarifFinding(as, result.Rule, index, &result.Findings[i]))
			}
		}
	}
	return rep.writeSARIFRun(w, out, rules, s)
}

func (r *Report) sarifFinding(run Run, rule *lint.Rule, index int, f *lint.Finding) sarifResult {
	out := sarifResult{
		RuleID: rule.Name, RuleIndex: index, Level: string(f.Severity), Message: sarifMessage{lintSentence(LintRun{Trace: run.Trace, RunReport: &lint.RunReport{Run: run.Run}}, f, "")},
		Locations: []sarifLocation{}, Fingerprints: map[string]string{"etraceFinding/v1": findingPrint(run, rule, f)},
	}
	if len(f.Excuses) > 0 {
		out.Bag = &sarifNeeds{Needs: needs(run.Run, f.Excuses)}
	}
	for _, p := range f.Events {
		out.Locations = append(out.Locations, r.sarifLocation(run, explain.Step{Seq: p.Seq, Process: run.Run.ProcessName(p.Process), Origin: p.Origin}))
	}
	if len(f.Events) == 0 {
		out.Locations = append(out.Locations, r.sarifLocation(run, explain.Step{}))
	}
	return out
}

// findingPrint is the same for the same finding in the same run, wherever that is in a trace.
func findingPrint(of Run, rule *lint.Rule, f *lint.Finding) string {
	var seqs []tracefmt.Seq
	for _, p := range f.Events {
		seqs = append(seqs, p.Seq)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v", []string{rule.Name, of.Run.Name, of.Run.Source}, f.Found, seqs))
	return hex.EncodeToString(sum[:16])
}
