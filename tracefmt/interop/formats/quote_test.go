package formats

import "testing"

// TestQuoteTLA: no character ends a string of TLA+, or its line.
func TestQuoteTLA(t *testing.T) {
	for text, want := range map[string]string{"a": `"a"`, "a\"b\\": `"a\"b\\"`, "a\nb\tc\r": `"a\nb\tc\r"`, "\x00\x7f\u0085\u2028": `"????"`} {
		if got := quoteTLA(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
