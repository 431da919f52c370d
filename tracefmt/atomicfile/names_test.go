package atomicfile

import (
	"slices"
	"testing"
)

func TestExtension(t *testing.T) {
	for path, want := range map[string][2]string{
		"a.db": {"db", "a database"}, "a.SQLite3": {"db", "a database"}, "a.ndjson": {"jsonl", "JSON Lines"}, "a.b.jsonl": {"jsonl", "JSON Lines"},
		"page.HTM": {"html", "a page"}, "report.xml": {"junit", "XML"}, "a.png": {"png", "a PNG picture"},
		"a.run-1": {"run-1", ""}, "trace": {"", ""}, "a.db/trace": {"", ""}, "a.text": {"text", ""},
	} {
		if format, what := Extension(path); format != want[0] || what != want[1] {
			t.Errorf("%s: %q, %q, want %q", path, format, what, want)
		}
	}
}

// TestExtensions: each extension is that of one thing, and says its format.
func TestExtensions(t *testing.T) {
	seen := map[string]bool{}
	for _, thing := range things {
		for _, ext := range thing.extensions {
			format, what := Extension("a." + ext)
			if seen[ext] || what != thing.what || !slices.Contains(Extensions(format), ext) {
				t.Errorf("%s: %s, %s, extensions %q, want one thing, %s", ext, format, what, Extensions(format), thing.what)
			}
			seen[ext] = true
		}
	}
}
