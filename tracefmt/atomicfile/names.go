package atomicfile

import (
	"path/filepath"
	"slices"
	"strings"
)

// fileFormat describes a format of files, with the extensions of its file names.
type fileFormat struct {
	content    string
	format     string // as commands call it; "" if it is called by its extension
	extensions []string
}

var fileFormats = []fileFormat{
	{"a database", "db", []string{"db", "sqlite", "sqlite3"}},
	{"a companion of a database", "", []string{"db-journal", "db-wal", "db-shm"}},
	{"JSON Lines", "jsonl", []string{"jsonl", "ndjson"}},
	{"JSON", "", []string{"json"}},
	{"a table", "", []string{"csv", "tsv"}},
	{"a Parquet file", "", []string{"parquet"}},
	{"a log", "", []string{"log"}},
	{"an SVG picture", "", []string{"svg"}},
	{"a DOT graph", "dot", []string{"dot", "gv"}},
	{"a page", "html", []string{"html", "htm"}},
	{"a Mermaid diagram", "mermaid", []string{"mermaid", "mmd"}},
	{"a PNG picture", "", []string{"png"}},
	{"a JPEG picture", "", []string{"jpg", "jpeg"}},
	{"a GIF picture", "", []string{"gif"}},
	{"a WebP picture", "", []string{"webp"}},
	{"a PDF document", "", []string{"pdf"}},
	{"a PostScript document", "", []string{"ps", "eps"}},
	{"YAML", "yaml", []string{"yaml", "yml"}},
	{"XML", "junit", []string{"xml"}},
	{"Markdown", "markdown", []string{"md", "markdown"}},
	{"text", "text", []string{"txt"}},
	{"LaTeX", "", []string{"tex"}},
	{"a Go program", "", []string{"go"}},
	{"a compressed file", "", []string{"gz", "bz2", "xz", "zst"}},
	{"an archive", "", []string{"zip", "tar", "tgz"}},
}

// Extension returns the format of the extension of a name: the extension in lower case without its dot, unless the
// format has another name, such as html for htm. content describes such a file; it is "" for an unknown extension.
func Extension(path string) (format, content string) {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	for _, t := range fileFormats {
		switch {
		case !slices.Contains(t.extensions, ext): // not this format
		case t.format == "":
			return ext, t.content
		default:
			return t.format, t.content
		}
	}
	return ext, ""
}

// Extensions returns the extensions, without dots, of files in a format.
func Extensions(format string) []string {
	for _, t := range fileFormats {
		if t.format == format {
			return slices.Clone(t.extensions)
		}
	}
	return []string{format}
}
