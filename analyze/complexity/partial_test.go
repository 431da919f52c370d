package complexity

import (
	"slices"
	"testing"

	"etrace/tracefmt/text/document"
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

// TestProcessTable: messages by process are listed once, and only where messages are recorded.
func TestProcessTable(t *testing.T) {
	for _, c := range []struct {
		depth  bound
		broken bool // down by something
		want   bool
	}{{exact, false, true}, {notRecorded, false, false}, {exact, true, false}} {
		s := &Stats{Details: &Details{}, bounds: bounds{"depth": c.depth}}
		if c.broken {
			s.Breakdowns = []Breakdown{{}}
		}
		listed := slices.ContainsFunc(s.tables(), func(t *document.Table) bool { return t.Title == "By process" })
		if listed != c.want {
			t.Errorf("%+v: listed is %v", c, listed)
		}
	}
}
