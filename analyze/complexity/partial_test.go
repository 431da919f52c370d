package complexity

import (
	"reflect"
	"slices"
	"testing"
)

// TestBoundNames: each count that a budget may name has a bound where not everything is
// recorded, but for n: the processes of a run are those that it declares.
func TestBoundNames(t *testing.T) {
	for field := range reflect.TypeFor[budgetEnv]().Fields() {
		name := field.Tag.Get("expr")
		bounded := slices.ContainsFunc(boundNames, func(b struct{ name, key string }) bool { return b.name == name })
		if bounded == (name == "n") {
			t.Errorf("%s: bounded %t", name, bounded)
		}
	}
}
