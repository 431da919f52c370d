package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt/interop"
)

// TestExportPage: docs/export.md has a row for each format that is written, and its
// mapping reads a table again with the events and the verdicts of the run.
func TestExportPage(t *testing.T) {
	page := mustRead(t, filepath.Join("..", "..", "..", "docs", "export.md"))
	known, err := knownWith()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(page, -1) {
		rows = append(rows, row[1])
	}
	writable := interop.Names(interop.Writable(known.Formats))
	slices.Sort(rows)
	if !slices.Equal(writable, rows) {
		t.Errorf("docs/export.md has the formats %s, expected %s", rows, writable)
	}
	maps := blocks(page, "yaml")
	if len(maps) != 1 {
		t.Fatalf("%d mappings, expected 1", len(maps))
	}
	t.Chdir(t.TempDir())
	mustWrite(t, "table.yaml", maps[0])
	quietly(t, "record", "-q", "--ids", "1-4", "--start", "1@0", "--crash", "4@2.5", "-o", "election.db")
	quietly(t, "export", "election.db", "--to", "csv", "-o", "election.csv")
	quietly(t, "import", "election.csv", "--map", "table.yaml", "-q", "-o", "again.db")
	const events = "select time, process, kind, type, peer, message from events where kind <> 'state' order by seq"
	if diff := cmp.Diff(printed(t, "query", events, "election.db"), printed(t, "query", events, "again.db")); diff != "" {
		t.Errorf("events (-run +read again)\n%s", diff)
	}
	for _, trace := range []string{"election.db", "again.db"} {
		got := printed(t, "check", "-q", trace)
		for _, want := range []string{"election-safety +violated", "eventual-leader +violated", "1 run: 1 violated"} {
			if !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%s: expected %s\n%s", trace, want, got)
			}
		}
	}
}
