package tracefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"etrace/tracefmt/tracefile"
)

// TestNoDatabase: JSON Lines of etrace are no database, and a text that names their format is neither.
func TestNoDatabase(t *testing.T) {
	for text, want := range map[string]bool{
		`{"format":"etrace/1"}`: true, ` {"format":"etrace/1"}`: true, `about "etrace/1"`: false,
		`{"format":"x"}`: false, "": false,
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := tracefile.NoDatabase(path); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
