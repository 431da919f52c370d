package complexity

import (
	"slices"
	"testing"
)

// TestBoundNames: each count of a budget except n has a bound in partial recordings. The processes of a run are
// always declared, so n is exact.
func TestBoundNames(t *testing.T) {
	for name := range (&Stats{}).counts() {
		if !slices.Contains(budgetNames, name) {
			t.Errorf("%s is no name of budgets", name)
		}
		bounded := slices.ContainsFunc(boundNames, func(b struct{ name, key string }) bool { return b.name == name })
		if bounded == (name == "n") {
			t.Errorf("%s: bounded %t", name, bounded)
		}
	}
}
