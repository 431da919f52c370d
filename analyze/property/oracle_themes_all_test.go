package property_test

import (
	"strings"
	"testing"

	"etrace/analyze/property"
	"etrace/analyze/spec"
	"etrace/fixtures/exceptions"
)

// themeless are the properties that are in no theme, with what themes lack for them.
var themeless = exceptions.New(
	exceptions.Row{What: "elected-has-seen-most", Why: "zab: epochs, and what a server has seen"},
	exceptions.Row{What: "lamport-clocks", Why: "clocks in recorded and hidden events"},
	exceptions.Row{What: "message-complexity", Why: "bounds in the header"},
	exceptions.Row{What: "vector-clocks", Why: "clocks in recorded and hidden events"},
)

// TestEveryPropertyHasATheme: else nothing compares what it makes of a partial recording with
// the completions.
func TestEveryPropertyHasATheme(t *testing.T) {
	has := make(map[string]bool)
	for i := range themes {
		for _, name := range strings.Fields(themes[i].properties) {
			name, _, _ = strings.Cut(name, "(")
			has[name] = true
		}
	}
	for _, p := range property.Builtin().All() {
		if !has[p.Name] && !themeless.Excuse(p.Name) {
			t.Errorf("%s is in no theme, expected it in one of oracle_themes_test.go, or in themeless why not", p.Name)
		}
	}
	themeless.CheckNeeded(t.Errorf)
}

// TestEveryFunctionHasATheme: a function of rules that does not declare the facts it reads would decide an open
// case; only the completions show that.
func TestEveryFunctionHasATheme(t *testing.T) {
	var rules strings.Builder
	for i := range themes {
		rules.WriteString(themes[i].rules)
	}
	for _, f := range spec.Functions() {
		if !strings.Contains(rules.String(), f.Name+"(") {
			t.Errorf("no rule of a theme calls %s: see oracle_themes_test.go", f.Name)
		}
	}
}
