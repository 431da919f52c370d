package property_test

import (
	"testing"

	"etrace/analyze/property"
)

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
		if len(p.ViolatedBy) == 0 {
			t.Errorf("%s lists no facts that would show a violation, expected ViolatedBy", p.Name)
		}
	}
}
