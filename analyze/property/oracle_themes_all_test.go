package property_test

import (
	"strings"
	"testing"

	"etrace/analyze/property"
	"etrace/analyze/spec"
)

// themeless are the properties that are in no theme, with what themes lack for them.
var themeless = map[string]string{
	"elected-has-seen-most": "zab: epochs, and what a server has seen",
	"lamport-clocks":        "clocks in recorded and hidden events",
	"message-complexity":    "bounds in the header",
	"vector-clocks":         "clocks in recorded and hidden events",
}

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
		switch lacks := themeless[p.Name] != ""; {
		case !has[p.Name] && !lacks:
			t.Errorf("%s is in no theme, expected it in one of oracle_themes_test.go, or in themeless why not", p.Name)
		case has[p.Name] && lacks:
			t.Errorf("%s is in a theme: delete it from themeless", p.Name)
		}
	}
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
