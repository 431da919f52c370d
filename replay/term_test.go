package replay_test

import (
	"testing"

	"etrace/replay"
)

// TestTerms: which terms are one, may be one, and come before each other.
func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		x, y                  string
		same, maySame, before bool
	}{
		{`1`, `"1"`, true, true, false},
		{`1`, `1.0`, true, true, false},
		{`1`, `2`, false, false, true},
		{`2`, `1`, false, false, false},
		{`1.5`, `2.5`, false, false, true},
		{`9223372036854775808`, `9223372036854775809`, false, false, true},
		{`"9223372036854775808"`, `9223372036854775808`, true, true, false},
		{`-1`, `0`, false, false, true},
		{`"e1"`, `"e2"`, false, false, false},
		{`"e1"`, `"e1"`, true, true, false},
		{`"e1"`, `1`, false, false, false},
		{`null`, `1`, false, true, false},
		{`1`, `""`, false, true, false},
		{``, `null`, true, true, false},
	} {
		x, y := replay.ParseTerm([]byte(tt.x)), replay.ParseTerm([]byte(tt.y))
		if x == y != tt.same || x.MaySame(y) != tt.maySame || x.Before(y) != tt.before {
			t.Errorf("%s and %s: same %t, may be %t, before %t", tt.x, tt.y, x == y, x.MaySame(y), x.Before(y))
		}
		if x == y != (x.Compare(y) == 0) || x.Compare(y) != -y.Compare(x) || x.Before(y) && x.Compare(y) >= 0 {
			t.Errorf("%s and %s compare as %d and %d", tt.x, tt.y, x.Compare(y), y.Compare(x))
		}
	}
}
