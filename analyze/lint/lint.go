package lint

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
)

// mostListed is how many findings of each rule and sort are listed; all are counted.
const mostListed = 10

// RunReport is what the rules find in a run.
type RunReport struct {
	Run *tracefmt.Run
	// Results has a row for each rule that was examined, in their order.
	Results []*Result
	// Assumed says what was taken for told, where the run does not say it.
	Assumed string
}

// Result is what one rule finds.
type Result struct {
	Rule *Rule
	// Counts of the findings, of which Findings lists the first, the gravest of them first.
	Counts   Counts
	Findings []Finding
}

// Counts are numbers of findings by severity.
type Counts map[Severity]int

// Add adds the counts of others.
func (c Counts) Add(others Counts) {
	for severity, n := range others {
		c[severity] += n
	}
}

// All is the number of all.
func (c Counts) All() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// Finding is a breach of a rule.
type Finding struct {
	Severity Severity
	// Found is what the record says, in words, and Expected what would be right.
	Found, Expected string
	// Events are the fewest that show it, by seq.
	Events []Place
	// Excuses are facts one of which may have happened without a record and explain it.
	Excuses []analyze.Need
}

// Place is an event of a finding.
type Place struct {
	Seq     tracefmt.Seq
	Process tracefmt.ProcessID
	Kind    tracefmt.Kind
	Origin  tracefmt.Origin // in the log that it was imported from
}

// Counts are those of all rules.
func (r *RunReport) Counts() Counts {
	all := Counts{}
	for _, result := range r.Results {
		all.Add(result.Counts)
	}
	return all
}

// Run examines a run by the rules, in one pass; where something is found, in a second one
// it looks the events up. The error is one of reading.
func Run(rec tracefmt.Recording, rules []*Rule) (*RunReport, error) {
	report, err := examine(rec, rules, mostListed)
	if err != nil {
		return nil, err
	}
	return report, report.locate(rec)
}

// examine lists so many findings of each rule, without their places.
func examine(rec tracefmt.Recording, rules []*Rule, most int) (*RunReport, error) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r *Rule) bool { return r.waived(rec.Run()) })
	properties := make([]*analyze.Property, len(rules))
	for i, r := range rules {
		properties[i] = r.Property
	}
	check, err := analyze.Check(rec, properties, analyze.Options{Named: true, Keep: most, Repaired: true, Record: true})
	if err != nil {
		return nil, err
	}
	report := &RunReport{Run: check.Run, Assumed: check.Assumed}
	for i, found := range check.Results {
		report.Results = append(report.Results, newResult(rules[i], rules[i].severity(check.Run), found, most))
	}
	return report, nil
}

// waived reports whether the run says that the rule is not kept, as one whose network
// duplicates messages.
func (r *Rule) waived(run *tracefmt.Run) bool {
	return r.Property.Assumes != nil && run.Source == tracefmt.Simulated && r.Property.Assumes(run) != ""
}

func newResult(rule *Rule, severity Severity, of *analyze.Result, most int) *Result {
	r := &Result{Rule: rule, Counts: Counts{}}
	if of.Violations > 0 {
		r.Counts[severity] += of.Violations
	}
	if of.Excused > 0 {
		r.Counts[Note] += of.Excused
	}
	for _, v := range of.Kept {
		f := Finding{Severity: severity, Excuses: v.Excuses}
		if v.Excuses != nil {
			f.Severity = Note
		}
		if rule.Severity == Note {
			f.Excuses = nil // that something is missing is what it says
		}
		f.Found, f.Expected = rule.words(v.Explanation)
		for _, seq := range v.Witness {
			f.Events = append(f.Events, Place{Seq: seq})
		}
		r.Findings = append(r.Findings, f)
	}
	if of.Stuck() {
		r.Counts[Note]++
		r.Findings = append(r.Findings, Finding{Severity: Note, Found: "not decided: " + of.Explanation, Expected: rule.Expected})
	}
	r.Findings = r.Findings[:min(len(r.Findings), most)]
	return r
}

// words divides a sentence into what was found and what was expected.
func (r *Rule) words(explanation string) (found, expected string) {
	found, expected, ok := strings.Cut(explanation, ", expected ")
	if !ok {
		expected = r.Expected
	}
	return found, expected
}

// locate fills in what the events of the findings are.
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
		if delete(places, e.Seq); len(places) == 0 {
			break
		}
	}
	return nil
}
