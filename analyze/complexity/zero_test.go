package complexity

import "testing"

// TestRemainderByZero: it is an error in words of etrace.
func TestRemainderByZero(t *testing.T) {
	for _, text := range []string{"1%0", "n%0", "n%(n-15)"} {
		want := `formula "` + text + `": a remainder of a division by zero`
		if _, err := Evaluate(text, map[string]any{"n": 15}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
