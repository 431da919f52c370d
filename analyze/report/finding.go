package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/analyze/lint"
	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// findings are the results of a check or of lint, for formats with one entry for each finding: annotations
// and SARIF.
type findings struct {
	tool   string // a name and a version
	failed bool   // some trace or run could not be examined
	rules  []rule // the rules in the order of their examination
	index  map[string]int
	list   []finding
}

// rule is an examined property, with the greatest severity of its findings.
type rule struct {
	*analyze.Property
	severity lint.Severity
}

// finding is a result, or a note about the examination: something unusual about a run, or something that was
// not examined.
type finding struct {
	rule     int // noRule for a note
	severity lint.Severity
	// message is the whole in a sentence; an annotation has the title and the text.
	message, title, text string
	fine                 bool            // a note about a run without violated or open properties
	places               []place         // the events of the witness, or the run
	flow                 []place         // the events of the explanation
	fingerprint          document.Object // equal for the same finding in another report
	properties           document.Object // further data, for programs
}

const noRule = -1

// place is an event of a run, the run itself for the zero step, or the whole trace for run 0.
type place struct {
	trace string
	run   int
	explain.Step
}

// rule returns the index of a property among the rules, and adds it if it is new.
func (f *findings) rule(p *analyze.Property, severity lint.Severity) int {
	i, known := f.index[p.Name]
	if !known {
		i = len(f.rules)
		f.index[p.Name], f.rules = i, append(f.rules, rule{p, severity})
	}
	return i
}

// findings returns the results that are violated or open, the named properties that apply to no run, and the
// remarks.
func (r *Report) findings(s Style) *findings {
	f := &findings{tool: r.Tool, index: map[string]int{}}
	inVain := r.InVain()
	for i, run := range r.Runs {
		note := finding{
			rule: noRule, severity: lint.Warning, title: fmt.Sprintf("run %d", run.Run.Number), places: run.placesOf(),
			fine: outcomes[run.Verdict] < open,
		}
		for _, remark := range run.Remarks {
			note.message = harmless(remark)
			f.list = append(f.list, note)
		}
		if note.severity, note.message = lint.Note, run.assumed(s); note.message != "" {
			f.list = append(f.list, note)
		}
		for _, p := range run.Results {
			// A property in vain is named once, at the run in which it was expected first.
			rule, v := f.rule(p.Property, lint.Error), firstInVain(inVain, i, p)
			if v == nil && outcomes[p.Verdict] < open {
				continue
			}
			found := r.finding(run, p, s)
			found.rule = rule
			if v != nil {
				found.title, found.text = harmless(v.Property)+" applies to no run", harmless(v.Why)
				found.message = found.title + ": " + found.text
			}
			f.list = append(f.list, found)
		}
	}
	f.noteUnexamined(r)
	return f
}

// finding returns the entry of a result, with its witness and explanation.
func (r *Report) finding(run Run, p *analyze.Result, s Style) finding {
	out := finding{
		severity: severity(p, s), message: run.message(p),
		title:       fmt.Sprintf("%s is %s in run %d", harmless(p.Property.Name), p.Verdict, run.Run.Number),
		text:        strings.Join(append([]string{run.detail(p)}, r.explanation(run, p)...), "\n"),
		fingerprint: document.Object{"etraceRunAndProperty/v1", r.fingerprint(run, p)},
	}
	if len(p.Needs) > 0 {
		out.properties = document.Object{
			"needs", needs(run.Run, p.Needs), "logNext?",
			logNextObjects(run.Run, r.LogNext[p]),
		}
	}
	var witness []explain.Step
	for _, seq := range p.Witness {
		witness = append(witness, explain.Step{Seq: seq, Origin: run.Origins[seq]})
	}
	out.places = run.placesOf(witness...)
	if e := r.Explanations[p]; e != nil && len(e.Steps) > 0 {
		out.flow = run.placesOf(e.Steps...)
	}
	return out
}

// noteUnexamined appends a note for each file, run or part that could not be examined.
func (f *findings) noteUnexamined(r *Report) {
	f.failed = len(r.Failures) > 0
	for _, missing := range r.unexaminedSorts() {
		for _, fact := range missing.list {
			note := finding{
				rule: noRule, severity: lint.Error, title: missing.title, text: harmless(fact),
				message: missing.title + ": " + harmless(fact),
			}
			if p := (place{trace: r.fileOf(fact)}); p.trace != "" {
				fmt.Sscanf(fact[len(p.trace):], ": run %d:", &p.run)
				note.places = []place{p}
			}
			f.list = append(f.list, note)
		}
	}
}

// findings returns the listed findings of lint.
func (r *Lint) findings() *findings {
	f := &findings{tool: r.Tool, index: map[string]int{}}
	for _, run := range r.Runs {
		for _, result := range run.Results {
			rule := f.rule(result.Rule.AsProperty(), result.Rule.Severity)
			for i := range result.Findings {
				f.list = append(f.list, run.finding(rule, result.Rule.Name, &result.Findings[i]))
			}
		}
	}
	f.noteUnexamined(&Report{Traces: r.Traces, Failures: r.Failures, LeftOut: r.LeftOut})
	return f
}

// finding returns the entry of a finding of lint.
func (run LintRun) finding(rule int, name string, f *lint.Finding) finding {
	words := lintSentence(run.Run, f, "")
	out := finding{
		rule: rule, severity: f.Severity, message: words,
		title: fmt.Sprintf("%s in run %d", name, run.Run.Number), text: words,
	}
	if len(f.Excuses) > 0 {
		out.properties = document.Object{"needs", needs(run.Run, f.Excuses)}
	}
	var steps []explain.Step
	var seqs []tracefmt.Seq
	for _, p := range f.Events {
		seqs = append(seqs, p.Seq)
		steps = append(steps, explain.Step{Seq: p.Seq, Process: run.Run.ProcessName(p.Process), Origin: p.Origin})
	}
	out.places = Run{Trace: run.Trace, RunReport: &analyze.RunReport{Run: run.Run}}.placesOf(steps...)
	// The same for the same finding in the same run, wherever that is in a trace.
	out.fingerprint = document.Object{
		"etraceFinding/v1",
		digest("%q %q %v", []string{name, run.Run.Name, run.Run.Source}, f.Found, seqs),
	}
	return out
}

// placesOf returns the places of the events, or, without events, the place of the run.
func (run Run) placesOf(steps ...explain.Step) (places []place) {
	if len(steps) == 0 {
		steps = []explain.Step{{}}
	}
	for _, step := range steps {
		places = append(places, place{run.Trace, run.Run.Number, step})
	}
	return places
}

// severity returns the severity of a result. An open property is a warning or a note: SARIF has a kind
// "open", but viewers hide such results.
func severity(p *analyze.Result, s Style) lint.Severity {
	switch {
	case outcomes[p.Verdict] == failed:
		return lint.Error
	case s.failsCheck(p), p.Verdict == analyze.NotApplicable && !s.AllowOpen:
		// Only a named property is reported if it does not apply.
		return lint.Warning
	}
	return lint.Note
}

// fingerprint identifies a property of a run across reports, wherever the run is in a trace. A run without a
// scenario is identified by its number and, among several traces, by the name of its trace.
func (r *Report) fingerprint(outcome Run, p *analyze.Result) string {
	run := outcome.Run
	parts := []string{p.Property.Name, run.Name, run.Algorithm, string(run.Scenario)}
	if run.Seed != nil {
		parts = append(parts, fmt.Sprint(*run.Seed))
	}
	if run.Scenario == nil {
		parts = append(parts, fmt.Sprint(run.Number))
		if len(r.Traces) > 1 {
			parts = append(parts, outcome.Trace)
		}
	}
	return digest("%q", parts)
}

// digest returns a hash of the formatted arguments.
func digest(format string, args ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, format, args...))
	return hex.EncodeToString(sum[:16])
}
