package lint

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
)

// maxListed bounds the listed findings of each rule and severity; all are counted.
const maxListed = 10

// RunReport has the findings of the rules in a run.
type RunReport struct {
	Run *tracefmt.Run
	// Results has a row for each rule that was examined, in their order.
	Results []*Result
	// Assumed describes the completeness that was assumed, "" if the run declares it.
	Assumed string
}

// Result has the findings of one rule.
type Result struct {
	Rule *Rule
	// Counts are the numbers of findings. Findings lists the first of them, the most severe first.
	Counts   Counts
	Findings []Finding
}

// Counts are numbers of findings by severity.
type Counts map[Severity]int

// Add adds the counts of others.
func (c Counts) Add(more Counts) {
	for severity, n := range more {
		c[severity] += n
	}
}

// All returns the number of all findings.
func (c Counts) All() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// Finding is a breach of a rule.
type Finding struct {
	Severity Severity
	// Found describes the record, and Expected what would be right.
	Found, Expected string
	// Events are the fewest events that show it, by seq.
	Events []Place
	// Excuses are facts that would explain it if one of them happened unrecorded.
	Excuses []analyze.Need
}

// Place is an event of a finding.
type Place struct {
	Seq     tracefmt.Seq
	Process tracefmt.ProcessID
	Kind    tracefmt.Kind
	Origin  tracefmt.Origin // the place in the log that it was imported from
}

// Counts returns the counts of all rules.
func (r *RunReport) Counts() Counts {
	sum := Counts{}
	for _, result := range r.Results {
		sum.Add(result.Counts)
	}
	return sum
}

// Run examines a run by the rules, in one pass; if there are findings, a second pass looks up their events. The
// error is one of reading.
func Run(rec tracefmt.Recording, rules []*Rule) (*RunReport, error) {
	report, err := examine(rec, rules, maxListed)
	if err != nil {
		return nil, err
	}
	return report, report.locate(rec)
}

// examine lists up to most findings of each rule, without their places.
func examine(rec tracefmt.Recording, rules []*Rule, limit int) (*RunReport, error) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r *Rule) bool { return r.waived(rec.Run()) })
	properties := make([]*analyze.Property, len(rules))
	for i, r := range rules {
		properties[i] = r.Property
	}
	check, err := analyze.Check(rec, properties, analyze.Options{
		Named: true, Keep: limit, Repaired: true,
		Record: true,
	})
	if err != nil {
		return nil, err
	}
	report := &RunReport{Run: check.Run, Assumed: check.Assumed}
	for i, found := range check.Results {
		report.Results = append(report.Results, newResult(rules[i], rules[i].severity(check.Run), found, limit))
	}
	return report, nil
}

// waived reports whether the run declares that it does not keep the rule, such as a network with duplication.
func (r *Rule) waived(run *tracefmt.Run) bool {
	return r.Property.Assumes != nil && run.Source == tracefmt.Simulated && r.Property.Assumes(run) != ""
}

// newResult returns the findings of a rule: violations have the given severity, and excused ones are notes.
// If the rule could not be decided, that is a note, too.
func newResult(rule *Rule, severity Severity, found *analyze.Result, limit int) *Result {
	r := &Result{Rule: rule, Counts: Counts{}}
	if found.Violations > 0 {
		r.Counts[severity] += found.Violations
	}
	if found.Excused > 0 {
		r.Counts[Note] += found.Excused
	}
	for _, v := range found.Kept {
		f := Finding{Severity: severity, Excuses: v.Excuses}
		if v.Excuses != nil {
			f.Severity = Note
		}
		if rule.Severity == Note {
			f.Excuses = nil // the finding itself is that something is missing
		}
		f.Found, f.Expected = rule.splitExplanation(v.Explanation)
		for _, seq := range v.Witness {
			f.Events = append(f.Events, Place{Seq: seq})
		}
		r.Findings = append(r.Findings, f)
	}
	if found.Stuck() {
		r.Counts[Note]++
		r.Findings = append(r.Findings, Finding{
			Severity: Note, Found: "not decided: " + found.Explanation,
			Expected: rule.Expected,
		})
	}
	r.Findings = r.Findings[:min(len(r.Findings), limit)]
	return r
}

// splitExplanation splits an explanation into what was found and what is expected; without an expectation it returns
// that of the rule.
func (r *Rule) splitExplanation(explanation string) (found, expected string) {
	found, expected, ok := strings.Cut(explanation, ", expected ")
	if !ok {
		expected = r.Expected
	}
	return found, expected
}

// locate fills in the places of the events of the findings.
func (r *RunReport) locate(rec tracefmt.Recording) error {
	places := make(map[tracefmt.Seq][]*Place)
	for _, result := range r.Results {
		for i := range result.Findings {
			for j := range result.Findings[i].Events {
				p := &result.Findings[i].Events[j]
				places[p.Seq] = append(places[p.Seq], p)
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		for _, p := range places[e.Seq] {
			p.Process, p.Kind, p.Origin = e.Process, e.Kind, e.Origin()
		}
		// The rest of the run need not be read.
		if delete(places, e.Seq); len(places) == 0 {
			break
		}
	}
	return nil
}
