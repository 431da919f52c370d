package builtin_test

import (
	"testing"

	"etrace/record/algorithm/builtin"
	"etrace/tracefmt"
)

// TestStands: whoever records a run with more faults than its algorithm stands gets a remark, so each says how
// many these are. Elections are left out: which crashes they stand, and when, is no number; their Doc says it.
func TestStands(t *testing.T) {
	for _, a := range builtin.Algorithms().All() {
		if a.Problem != tracefmt.Election && a.Stands == nil {
			t.Errorf("%s: expected Stands, the faulty processes that it stands", a.Name)
		}
	}
}
