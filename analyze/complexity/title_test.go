package complexity

import "testing"

// TestTitle: the title of an operation that never happens.
func TestTitle(t *testing.T) {
	three, five := int64(3), int64(5)
	for want, p := range map[string]PerOperation{
		"Per enter: no operation is recorded":          {Operation: "enter"},
		"Per enter: 1 operation, each with 3 messages": {Operation: "enter", Count: 1, Min: &three, Max: &three},
		"Per enter: 2 operations with 3 to 5 messages, 4 in the mean": {
			Operation: "enter", Count: 2, Min: &three, Max: &five, Mean: meanOf(8, 2),
		},
	} {
		if got := p.title(exact); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
