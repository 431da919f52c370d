package property_test

import (
	"strings"
	"testing"

	"etrace/analyze/spec"
)

// TestEveryFunctionHasATheme: a function of rules that does not say what it reads of processes
// would decide what a recording leaves open; only the completions show that.
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
