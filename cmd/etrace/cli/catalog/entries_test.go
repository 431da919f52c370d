package catalog

import (
	"slices"
	"strings"
	"testing"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/suite"
	"etrace/analyze/lint"
	"etrace/analyze/property"
	"etrace/analyze/report"
	"etrace/record/algorithm/builtin"
	"etrace/render"
	"etrace/render/diagram"
	"etrace/tracefmt"
	"etrace/tracefmt/interop/formats"
	"etrace/tracefmt/interop/mapping"
)

// TestAll holds everything that etrace knows to what list and explain say of
// it: a line, and a text that says at least as much.
func TestAll(t *testing.T) {
	all := New(Known{
		Algorithms: builtin.Algorithms(), Properties: property.Builtin(), Formats: formats.Builtin(), Diagrams: diagram.Builtin(),
		Pictures: render.Formats(), Reports: report.Formats(), SuiteReports: suite.Formats(), StatsReports: complexity.Formats(),
		LintRules: lint.Rules(), Maps: mapping.Ready,
	})
	if kinds := all.Kinds(); !slices.IsSorted(kinds) {
		t.Errorf("the kinds are not in the order of their names: %v", kinds)
	}
	for _, k := range all {
		seen := map[string]bool{}
		for _, e := range k.entries() {
			switch {
			case e.Name == "" || strings.ContainsAny(e.Name, " \n"):
				t.Errorf("%s: %q is no name", k.Name, e.Name)
			case e.Summary == "" || strings.Contains(e.Summary, "\n"):
				t.Errorf("%s %s: the summary is %q, expected a line", k.Name, e.Name, e.Summary)
			case !strings.HasSuffix(e.Text, "\n"):
				t.Errorf("%s %s: the text is %q, expected lines", k.Name, e.Name, e.Text)
			}
			// A function that is called in two ways has an entry for each.
			if id := e.Name + e.Text; seen[id] {
				t.Errorf("%s %s is there twice", k.Name, e.Name)
			} else {
				seen[id] = true
			}
		}
		if len(seen) == 0 {
			t.Errorf("no %s", k.Name)
		}
	}
}

// TestTopics: the properties that a topic names exist.
func TestTopics(t *testing.T) {
	for _, topic := range topics {
		for _, name := range topic.properties {
			if _, err := property.Builtin().Lookup(name); err != nil {
				t.Errorf("%s: %v", topic.name, err)
			}
		}
	}
}

// TestTellsExamples: what explain complete shows for --complete can be written there.
func TestTellsExamples(t *testing.T) {
	for line := range strings.Lines(completenessExamples) {
		if _, err := tracefmt.ParseCompleteness(strings.Fields(line)[0]); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}
