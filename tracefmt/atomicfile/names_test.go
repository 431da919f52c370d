package atomicfile

import (
	"slices"
	"testing"
)

func TestExtension(t *testing.T) {
	for path, want := range map[string][2]string{
		"a.db": {"db", "a database"}, "a.SQLite3": {"db", "a database"},
		"a.ndjson": {"jsonl", "JSON Lines"}, "a.b.jsonl": {"jsonl", "JSON Lines"},
		"page.HTM": {"html", "a page"}, "report.xml": {"junit", "XML"}, "a.png": {"png", "a PNG picture"},
		"a.run-1": {"run-1", ""}, "trace": {"", ""}, "a.db/trace": {"", ""}, "a.text": {"text", ""},
	} {
		if format, description := Extension(path); format != want[0] || description != want[1] {
			t.Errorf("%s: %q, %q, want %q", path, format, description, want)
		}
	}
}

// TestExtensions: each extension belongs to one format, and determines it.
func TestExtensions(t *testing.T) {
	seen := map[string]bool{}
	for _, thing := range fileFormats {
		for _, ext := range thing.extensions {
			format, description := Extension("a." + ext)
			if seen[ext] || description != thing.content || !slices.Contains(Extensions(format), ext) {
				t.Errorf("%s: %s, %s, extensions %q, want one thing, %s", ext, format, description, Extensions(format), thing.content)
			}
			seen[ext] = true
		}
	}
}
