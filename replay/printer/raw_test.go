package printer

import "testing"

// TestRaw: what is no JSON becomes a text, nothing stays nothing.
func TestRaw(t *testing.T) {
	for text, want := range map[string]string{"": "", "7": "7", `"a"`: `"a"`, "a": `"a"`, "[1": `"[1"`} {
		if got := string(raw(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
