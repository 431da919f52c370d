package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

var sarifFormat = Format{
	Name:  "sarif",
	Doc:   "SARIF 2.1.0, for code scanning: a rule for each property, a result for each violated or open one",
	Write: func(w io.Writer, r *Report, s Style) error { return r.findings(s).writeSARIF(w) },
}

var lintSARIF = LintFormat{
	Name:  "sarif",
	Doc:   "SARIF 2.1.0, for code scanning: a rule for each rule that was examined, a result for each finding that is listed",
	Write: func(w io.Writer, r *Lint, _ Style) error { return r.findings().writeSARIF(w) },
}

// sarifSchema is the address of the schema of the format.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// writeSARIF writes findings as results, and notes as notifications of the only invocation.
func (f *findings) writeSARIF(w io.Writer) error {
	var notes []document.Object
	results := []document.Object{}
	for i := range f.list {
		if found := &f.list[i]; found.rule == noRule {
			notes = append(notes, document.Object{
				"level", found.severity, "message", sarifText(found.message),
				"locations?", sarifLocations(found.places),
			})
		} else {
			results = append(results, found.sarif(f.rules))
		}
	}
	var invocations []document.Object
	if notes != nil {
		invocations = []document.Object{{"executionSuccessful", !f.failed, "toolExecutionNotifications", notes}}
	}
	name, version, _ := strings.Cut(f.tool, " ")
	driver := document.Object{"name", name, "version?", version, "rules", document.List(f.rules, rule.sarif)}
	run := document.Object{"tool", document.Object{"driver", driver}, "invocations?", invocations, "results", results}
	return tracefmt.WriteJSON(w, document.Object{
		"$schema", sarifSchema, "version", "2.1.0", "runs",
		[]document.Object{run},
	})
}

func sarifText(s string) document.Object { return document.Object{"text", s} }

// sarif returns the SARIF object of a rule.
func (r rule) sarif() document.Object {
	full := paragraphs(r.Doc)
	short, _, _ := strings.Cut(full, "\n")
	tags, config := document.Object{"tags", []analyze.Kind{r.Kind}}, document.Object{"level", r.severity}
	return document.Object{
		"id", harmless(r.Name),
		"shortDescription", sarifText(short),
		"fullDescription", sarifText(full),
		"help", sarifText("Source: " + harmless(r.Source)),
		"properties", tags,
		"defaultConfiguration", config,
	}
}

// sarif returns the SARIF object of a finding; the explanation becomes its code flow.
func (f *finding) sarif(rules []rule) document.Object {
	var flows []document.Object
	if f.flow != nil {
		steps := document.List(f.flow, func(p place) document.Object { return document.Object{"location", p.sarif()} })
		flows = []document.Object{{"threadFlows", []document.Object{{"locations", steps}}}}
	}
	return document.Object{
		"ruleId", harmless(rules[f.rule].Name),
		"ruleIndex", f.rule,
		"level", f.severity,
		"message", sarifText(f.message),
		"locations", sarifLocations(f.places),
		"codeFlows?", flows,
		"partialFingerprints", f.fingerprint,
		"properties?", f.properties,
	}
}

func sarifLocations(places []place) []document.Object { return document.List(places, place.sarif) }

// sarif returns the SARIF location of a place: the line of the log or the trace, and the event within it.
func (p place) sarif() document.Object {
	artifact := document.Object{"artifactLocation", document.Object{"uri", fileURI(cmp.Or(p.Origin.File, p.trace))}}
	if p.Origin.File != "" {
		artifact = append(artifact, "region", document.Object{"startLine", p.Origin.Line})
	}
	logical := []document.Object{}
	if path := p.path(); path != nil {
		logical = []document.Object{{
			"name", path[len(path)-1], "fullyQualifiedName", strings.Join(path, "/"),
			"kind", "element",
		}}
	}
	l := document.Object{"physicalLocation", artifact, "logicalLocations", logical}
	if p.Text != "" {
		l = append(l, "message", sarifText(harmless(p.Text)))
	}
	return l
}

// path returns the names of run, process and event that identify a place; it leaves out unknown ones.
func (p *place) path() (parts []string) {
	if p.run > 0 {
		parts = append(parts, fmt.Sprintf("run %d", p.run))
	}
	if p.Process != "" {
		parts = append(parts, "process "+harmless(p.Process))
	}
	if p.Seq > 0 {
		parts = append(parts, fmt.Sprintf("seq %d", p.Seq))
	}
	return parts
}

// paragraphs joins the lines of each paragraph.
func paragraphs(doc string) string {
	list := strings.Split(doc, "\n\n")
	for i, text := range list {
		list[i] = harmless(strings.ReplaceAll(text, "\n", " "))
	}
	return strings.Join(list, "\n\n")
}

// fileURI returns the URI of a file; a relative path stays relative.
func fileURI(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
	}
	return u.String()
}
