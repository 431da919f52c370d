package complexity

import (
	"slices"
	"testing"
)

// TestBoundNames: each count that a budget may name has a bound where not everything is
// recorded, but for n: the processes of a run are those that it declares.
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
