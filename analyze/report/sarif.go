package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/tracefmt"
)

var sarifFormat = Format{
	Name:  "sarif",
	Doc:   "SARIF 2.1.0, for code scanning: a rule for each property, a result for each that is violated, open or named in vain",
	Write: writeSARIF,
}

// sarifSchema is where the format is defined.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// The part of SARIF 2.1.0 that a report uses.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations []sarifInvocation `json:"invocations,omitempty"`
		Results     []sarifResult     `json:"results"`
	}
	// sarifInvocation says what is no result: what is odd about the runs, and what
	// could not be examined.
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID     string       `json:"id"`
		Short  sarifMessage `json:"shortDescription"`
		Full   sarifMessage `json:"fullDescription"`
		Help   sarifMessage `json:"help"`
		Bag    sarifBag     `json:"properties"`
		Config struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifBag struct {
		Tags []string `json:"tags"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Bag          *sarifNeeds       `json:"properties,omitempty"`
	}
	// sarifNeeds is what would have to be recorded to decide.
	sarifNeeds struct {
		Needs   []jsonNeed   `json:"needs"`
		LogNext []jsonWanted `json:"logNext,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
		Message  *sarifMessage  `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	}
	// sarifRegion is a line of the log from which an event was imported.
	sarifRegion struct {
		StartLine int64 `json:"startLine"`
	}
	sarifLogical struct {
		Name      string `json:"name"`
		Qualified string `json:"fullyQualifiedName"`
		Kind      string `json:"kind"`
	}
	sarifCodeFlow struct {
		Threads []sarifThread `json:"threadFlows"`
	}
	sarifThread struct {
		Locations []sarifFlowLocation `json:"locations"`
	}
	sarifFlowLocation struct {
		Location sarifLocation `json:"location"`
	}
)

func writeSARIF(w io.Writer, r *Report, s Style) error {
	out := sarifRun{Results: []sarifResult{}}
	rules := sarifRules{list: []sarifRule{}, index: map[string]int{}}
	inVain := r.InVain()
	for i, run := range r.Runs {
		for _, p := range run.Results {
			index, v := rules.add(p.Property), firstInVain(inVain, i, p)
			switch {
			case v != nil:
				result := r.sarifResult(run, p, index, s)
				result.Message.Text = plain(v.Property) + " applies to no run: " + plain(v.Why)
				out.Results = append(out.Results, result)
			case outcomes[p.Verdict] >= open:
				out.Results = append(out.Results, r.sarifResult(run, p, index, s))
			}
		}
	}
	return r.writeSARIFRun(w, out, rules, s)
}

// writeSARIFRun completes the run with who made it, and writes it.
func (r *Report) writeSARIFRun(w io.Writer, out sarifRun, rules sarifRules, s Style) error {
	out.Tool.Driver.Name, out.Tool.Driver.Version, _ = strings.Cut(r.Tool, " ")
	out.Tool.Driver.Rules = rules.list
	out.Invocations = r.sarifInvocations(s)
	return tracefmt.WriteJSON(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{out}})
}

// sarifInvocations is the one invocation, if there is something to say of it.
func (r *Report) sarifInvocations(s Style) []sarifInvocation {
	i := sarifInvocation{Successful: len(r.Failures) == 0}
	for _, run := range r.Runs {
		note := func(level, what string) {
			i.Notifications = append(i.Notifications, sarifNotification{level, sarifMessage{what}, []sarifLocation{r.sarifLocation(run, explain.Step{})}})
		}
		for _, remark := range run.Remarks {
			note("warning", plain(remark))
		}
		if assumed := run.assumed(s); assumed != "" {
			note("note", assumed)
		}
	}
	for _, missing := range r.missing() {
		for _, what := range missing.list {
			note := sarifNotification{"error", sarifMessage{missing.title + ": " + plain(what)}, nil}
			if file := r.fileOf(what); file != "" {
				note.Locations = []sarifLocation{missingLocation(file, what)}
			}
			i.Notifications = append(i.Notifications, note)
		}
	}
	if i.Notifications == nil {
		return nil
	}
	return []sarifInvocation{i}
}

// sarifRules collects the properties in the order in which they are examined.
type sarifRules struct {
	list  []sarifRule
	index map[string]int
}

func (rs *sarifRules) add(p *analyze.Property) int {
	if i, ok := rs.index[p.Name]; ok {
		return i
	}
	full := paragraphs(p.Doc)
	short, _, _ := strings.Cut(full, "\n")
	rule := sarifRule{
		ID: plain(p.Name), Short: sarifMessage{short}, Full: sarifMessage{full},
		Help: sarifMessage{"Source: " + plain(p.Source)}, Bag: sarifBag{Tags: []string{string(p.Kind)}},
	}
	rule.Config.Level = "error"
	rs.index[p.Name] = len(rs.list)
	rs.list = append(rs.list, rule)
	return len(rs.list) - 1
}

// paragraphs makes each paragraph of a doc one line.
func paragraphs(doc string) string {
	list := strings.Split(doc, "\n\n")
	for i, text := range list {
		list[i] = plain(strings.ReplaceAll(text, "\n", " "))
	}
	return strings.Join(list, "\n\n")
}

func (r *Report) sarifResult(run Run, p *analyze.Result, rule int, s Style) sarifResult {
	out := sarifResult{
		RuleID: plain(p.Property.Name), RuleIndex: rule, Level: sarifLevel(p, s), Message: sarifMessage{run.message(p)},
		Locations: []sarifLocation{}, Fingerprints: map[string]string{"etraceRunAndProperty/v1": r.fingerprint(run, p)},
	}
	if len(p.Needs) > 0 {
		out.Bag = &sarifNeeds{needs(run.Run, p.Needs), wanted(run.Run, r.LogNext[p])}
	}
	for _, seq := range p.Witness {
		out.Locations = append(out.Locations, r.sarifLocation(run, explain.Step{Seq: seq, Origin: run.Origins[seq]}))
	}
	if len(p.Witness) == 0 {
		out.Locations = append(out.Locations, r.sarifLocation(run, explain.Step{}))
	}
	if e := r.Explanations[p]; e != nil && len(e.Steps) > 0 { // a flow has a location
		var flow sarifThread
		for _, step := range e.Steps {
			flow.Locations = append(flow.Locations, sarifFlowLocation{r.sarifLocation(run, step)})
		}
		out.CodeFlows = []sarifCodeFlow{{Threads: []sarifThread{flow}}}
	}
	return out
}

// sarifLevel is how grave a result is. What stayed open is no result of kind
// "open", since SARIF allows those no level and viewers hide them.
func sarifLevel(p *analyze.Result, s Style) string {
	switch {
	case outcomes[p.Verdict] == failed:
		return "error"
	case s.counts(p), p.Verdict == analyze.NotApplicable && !s.AllowOpen: // the latter was named
		return "warning"
	}
	return "note"
}

// sarifLocation is an event, in the log from which it was imported if it was, or the run.
func (r *Report) sarifLocation(run Run, step explain.Step) sarifLocation {
	var l sarifLocation
	l.Physical.Artifact.URI = fileURI(run.Trace)
	if step.Origin.File != "" {
		l.Physical.Artifact.URI = fileURI(step.Origin.File)
		l.Physical.Region = &sarifRegion{step.Origin.Line}
	}
	l.Logical = []sarifLogical{sarifPlace(run, step)}
	if step.Text != "" {
		l.Message = &sarifMessage{plain(step.Text)}
	}
	return l
}

// missingLocation is the trace of which something is missing, and the run if the line names one.
func missingLocation(file, what string) (l sarifLocation) {
	l.Physical.Artifact.URI = fileURI(file)
	l.Logical = []sarifLogical{}
	var run int
	if n, _ := fmt.Sscanf(what[len(file):], ": run %d:", &run); n == 1 {
		name := fmt.Sprintf("run %d", run)
		l.Logical = append(l.Logical, sarifLogical{Name: name, Qualified: name, Kind: "element"})
	}
	return l
}

// sarifPlace is "run 2/process 4/seq 17", without what is not known.
func sarifPlace(run Run, step explain.Step) sarifLogical {
	parts := []string{fmt.Sprintf("run %d", run.Run.Number)}
	if step.Process != "" {
		parts = append(parts, "process "+plain(step.Process))
	}
	if step.Seq > 0 {
		parts = append(parts, fmt.Sprintf("seq %d", step.Seq))
	}
	return sarifLogical{Name: parts[len(parts)-1], Qualified: strings.Join(parts, "/"), Kind: "element"}
}

func fileURI(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
	}
	return u.String()
}

// fingerprint is the same for the same property of the same run, wherever
// the run is in a trace. A run that no scenario makes again is known by
// its place, and among several traces also by the name of its own.
func (r *Report) fingerprint(of Run, p *analyze.Result) string {
	run := of.Run
	parts := []string{p.Property.Name, run.Name, run.Algorithm, string(run.Scenario)}
	if run.Seed != nil {
		parts = append(parts, fmt.Sprint(*run.Seed))
	}
	if run.Scenario == nil {
		parts = append(parts, fmt.Sprint(run.Number))
		if len(r.Traces) > 1 {
			parts = append(parts, of.Trace)
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:16])
}
