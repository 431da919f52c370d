package termination

import "testing"

// TestTooMuch: jobs of height h cause fan + fan^2 + ... + fan^h messages.
func TestTooMuch(t *testing.T) {
	for _, c := range []struct {
		fan, height int64
		want        bool
	}{{0, 3, false}, {1, mostWork, false}, {1, mostWork + 1, true}, {10, 3, false}, {100, 2, true}, {1 << 40, 9, true}} {
		if got := tooMuch(c.fan, c.height); got != c.want {
			t.Errorf("fan %d, height %d: %t", c.fan, c.height, got)
		}
	}
}
