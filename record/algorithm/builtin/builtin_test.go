package builtin_test

import (
	"testing"

	"etrace/record/algorithm/builtin"
	"etrace/tracefmt"
)

// TestStands: whoever records a run with more faults than its algorithm tolerates gets a remark, so each algorithm
// declares the number. Elections are left out: the tolerated crashes and their moments are no number; their Doc
// describes them.
func TestStands(t *testing.T) {
	for _, a := range builtin.Algorithms().All() {
		if a.Problem != tracefmt.Election && a.Tolerates == nil {
			t.Errorf("%s: expected Stands, the faulty processes that it stands", a.Name)
		}
	}
}
