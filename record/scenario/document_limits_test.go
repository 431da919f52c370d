package scenario_test

import (
	"strings"
	"testing"

	"etrace/record/scenario"
)

// Documents beyond human size are refused before the YAML parser recurses into them: 100 KB took 3 GB.
func TestDocumentLimits(t *testing.T) {
	deep := "expected at most 100 levels of lists and mappings"
	var steps strings.Builder
	for i := range 1000 {
		steps.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for name, test := range map[string]struct{ text, want string }{
		"open lists":    {"suite: " + strings.Repeat("[", 100_000), "f.yaml:1:107: nested too deep, " + deep},
		"lists":         {"a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), deep},
		"mappings":      {strings.Repeat("{a: ", 5000), deep},
		"entries":       {"a:\n  " + strings.Repeat("- ", 5000) + "x\n", deep},
		"keys":          {strings.Repeat("? ", 5000), deep},
		"block":         {steps.String(), deep},
		"billion":       {"a: &a [x,x]\nb: &b [*a,*a]\nids: *b\n", `f.yaml:1:1: unknown key "a"`},
		"alias":         {"name: &a x\nids: *a\n", "expected a text or a number, found anchor"},
		"deep enough":   {"ids: " + strings.Repeat("[", 98), "f.yaml:1:103: a list that is not closed, expected ]"},
		"long and flat": {strings.Repeat("- a: 1\n  b: [1, {c: 2}]\n", 5000), "expected keys and values"},
	} {
		_, err := scenario.Parse("f.yaml", []byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %.300v\nwant %s", name, err, test.want)
		}
	}
}
