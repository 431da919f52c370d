package atomicfile

import (
	"path/filepath"
	"strings"
)

// things are what the extension of a name says that a file is.
var things = map[string]string{
	"db": "a database", "sqlite": "a database", "sqlite3": "a database",
	"db-journal": "a companion of a database", "db-wal": "a companion of a database", "db-shm": "a companion of a database",
	"jsonl": "JSON Lines", "ndjson": "JSON Lines", "json": "JSON", "csv": "a table", "tsv": "a table", "log": "a log",
	"svg": "an SVG picture", "dot": "a DOT graph", "gv": "a DOT graph", "html": "a page", "htm": "a page",
	"mermaid": "a Mermaid diagram", "mmd": "a Mermaid diagram",
	"png": "a PNG picture", "jpg": "a JPEG picture", "jpeg": "a JPEG picture", "gif": "a GIF picture", "webp": "a WebP picture",
	"pdf": "a PDF document", "ps": "a PostScript document", "eps": "a PostScript document",
	"yaml": "YAML", "yml": "YAML", "xml": "XML", "md": "Markdown", "markdown": "Markdown", "txt": "text", "tex": "LaTeX", "go": "a Go program",
	"gz": "a compressed file", "bz2": "a compressed file", "xz": "a compressed file", "zst": "a compressed file",
	"zip": "an archive", "tar": "an archive", "tgz": "an archive",
}

// Extension returns the extension of a name in lower case without its dot, and
// what it says that the file is, "" if it is not known to say anything.
func Extension(path string) (ext, thing string) {
	ext = strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	return ext, things[ext]
}
