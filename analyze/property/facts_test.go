package property_test

import (
	"strings"
	"testing"

	"etrace/analyze/property"
)

// factless has the reasons why no unrecorded fact shows a violation.
var factless = map[string]string{}

// TestEveryPropertyHasFacts: each property lists the facts that would show a violation, so that a recording without
// them does not satisfy it.
func TestEveryPropertyHasFacts(t *testing.T) {
	for _, p := range property.Builtin().All() {
		if p.Bind != nil {
			bound, err := p.Bind("9")
			if err != nil {
				t.Fatal(err)
			}
			p = bound
		}
		name, _, _ := strings.Cut(p.Name, "(")
		says, excused := len(p.Convicts) > 0, factless[name] != ""
		switch {
		case !says && !excused:
			t.Errorf("%s does not say which facts convict, expected Convicts, or in factless why not", p.Name)
		case says && excused:
			t.Errorf("%s says which facts convict: delete it from factless", p.Name)
		}
	}
}
