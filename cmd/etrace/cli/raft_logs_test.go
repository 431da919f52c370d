package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRaftLogsPage: the mapping of docs/raft-logs.md reads its log, and every command prints what the page shows.
func TestRaftLogsPage(t *testing.T) {
	page := mustRead(t, filepath.Join("..", "..", "..", "docs", "raft-logs.md"))
	t.Chdir(t.TempDir())
	for name, language := range map[string]string{"service.log": "log", "raft.yaml": "yaml", "our.rules": "rules"} {
		mustWrite(t, name, blocks(page, language)[0])
	}
	steps := tour(page)
	if len(steps) != 3 {
		t.Fatalf("found %d commands, expected 3", len(steps))
	}
	for _, s := range steps {
		var out, errOut bytes.Buffer
		if status := Run(words(s.command), strings.NewReader(""), &out, &errOut); status != 1 {
			t.Errorf("%s: status %d, expected 1, for the violations\n%s", s.command, status, &errOut)
		}
		if diff := cmp.Diff(s.output, out.String()); diff != "" || strings.Contains(errOut.String(), "not part of any event") {
			t.Errorf("%s: %s(-page +etrace):\n%s", s.command, &errOut, diff)
		}
	}
}
