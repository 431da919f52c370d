package spec_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/tracefmt"
)

const leads = "fluent leads(p) while live(p) and elected(p) == p\n"

// written are Go properties of the library, written as rules. The rules are broken by the same runs.
var written = []struct{ property, rule string }{
	{"single-leader", leads + "never count(leads) > 1"},
	{"single-leader-possibly", leads + "never possibly leads(p) and leads(q) for p < q"},
	{"single-leader-definitely", leads + "never definitely leads(p) and leads(q) for p < q"},
	{"agreement", `at end forall p in live(): elected(p) == null or
	  forall q in live(): elected(q) == null or elected(p) == elected(q)`},
	{"election-safety", "at end forall p in live(): elected(p) == null or elected(p) == best(live())"},
	{"election-safety-at-assignment", "never state(has elected) where elected != null and elected != best(live())"},
	{"fifo", "monotone cause per process, peer over receive"},
}

// declaresRoles reports whether a run declares that not all roles are recorded: they
// decide who leads even if none is.
func declaresRoles(m *tracefmt.Memory) bool {
	return m.Run().Completeness != nil && m.Run().Completeness.Kinds["state.role"] > tracefmt.All
}

// TestLibrarySaidAsRules compares the rules with the library on all of the
// library's traces.
func TestLibrarySaidAsRules(t *testing.T) {
	files, err := filepath.Glob("../property/testdata/*/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("found %d traces: %v", len(files), err)
	}
	judged, rules := map[string]int{}, map[string][]*analyze.Property{}
	for _, s := range written {
		rules[s.property] = parse(t, s.rule)
	}
	for _, file := range files {
		m := traceOf(t, file)
		for _, s := range written {
			p, err := property.Builtin().Named(s.property)
			if err != nil {
				t.Fatal(err)
			}
			if p[0].Problem != "" && m.Run().Problem != p[0].Problem || s.property == "fifo" && twice(m) {
				continue // the library does not look, or lets duplicates pass
			}
			if recordsTerms(m) || declaresRoles(m) {
				continue // which such a rule does not look at
			}
			m.Run().Traits = p[0].Traits()      // a rule asks for none
			m.Run().Source = tracefmt.Simulated // and every process takes part
			report, err := analyze.Check(m, p, analyze.Options{Named: true})
			if err != nil {
				t.Fatal(err)
			}
			library, rule := report.Results[0], checkParsed(t, complete(m), rules[s.property]).Results[0]
			unsaid := rule.Verdict == analyze.Unknown && rule.Explanation == library.Explanation // what the library does not look at
			// What is not recorded may be of more account to the one than to the other.
			open := rule.Verdict == analyze.Unknown && len(rule.Needs) > 0 || library.Verdict == analyze.Unknown && len(library.Needs) > 0
			if class(library) != class(rule) && !unsaid && !open {
				t.Errorf("%s: %s is %s (%s), but said as a rule it is %s (%s)",
					file, s.property, library.Verdict, library.Explanation, rule.Verdict, rule.Explanation)
			}
			judged[s.property+" "+class(library)]++
		}
	}
	for _, s := range written {
		if judged[s.property+" violated"] == 0 || judged[s.property+" kept"] == 0 {
			t.Errorf("%s: expected traces that break it and such that do not: %v", s.property, judged)
		}
	}
}

// class forgets how much there was to examine: the two may differ in that.
func class(r *analyze.Result) string {
	switch r.Verdict {
	case analyze.Satisfied, analyze.HoldsSoFar, analyze.Vacuous, analyze.NotApplicable:
		return "kept"
	}
	return string(r.Verdict)
}

func traceOf(t *testing.T, file string) *tracefmt.Memory {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "trace.jsonl" {
			return decode(t, f.Data)[0]
		}
	}
	t.Fatalf("%s has no trace", file)
	return nil
}

// twice reports whether a message is received again.
func twice(m *tracefmt.Memory) bool {
	seen := map[tracefmt.MessageID]bool{}
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Receive && seen[e.Message] {
			return true
		}
		seen[e.Message] = seen[e.Message] || e.Kind == tracefmt.Receive
	}
	return false
}

// recordsTerms reports whether an event has its term.
func recordsTerms(m *tracefmt.Memory) bool {
	for e := range m.Events(1) {
		if _, ok := e.Field("term"); ok || e.Term != 0 {
			return true
		}
	}
	return false
}
