package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMappingsPage: the mappings of docs/mappings.md, of at most 15 lines, read its logs without
// leaving a line over, every command prints what the page shows, and each fault is found.
func TestMappingsPage(t *testing.T) {
	page := mustRead(t, filepath.Join("..", "..", "..", "docs", "mappings.md"))
	t.Chdir(t.TempDir())
	for language, names := range map[string][]string{
		"log":  {"zap.log", "log4j.log", "n1.log", "n2.log", "n3.log"},
		"yaml": {"zap.yaml", "log4j.yaml", "python.yaml"},
	} {
		texts := blocks(page, language)
		if len(texts) != len(names) {
			t.Fatalf("%d blocks of %s, expected %d", len(texts), language, len(names))
		}
		for i, text := range texts {
			if !strings.Contains(page, names[i]) {
				t.Errorf("the page does not name %s", names[i])
			}
			if lines := strings.Count(text, "\n"); language == "yaml" && lines > 15 {
				t.Errorf("%s has %d lines, at most 15 were promised", names[i], lines)
			}
			mustWrite(t, names[i], text)
		}
	}
	steps := tour(page)
	if len(steps) != 6 {
		t.Fatalf("found %d commands, expected 6", len(steps))
	}
	for i, s := range steps {
		var out, errOut bytes.Buffer
		status := Run(words(s.command), strings.NewReader(""), &out, &errOut)
		// Imports and checks take turns, and each check finds the fault of its log.
		if want := i % 2; status != want {
			t.Errorf("%s: status %d, want %d\n%s", s.command, status, want, &errOut)
		}
		if strings.Contains(errOut.String(), "no line ") || strings.Contains(errOut.String(), "not part of any event") {
			t.Errorf("%s: %s", s.command, &errOut)
		}
		if diff := cmp.Diff(s.output, out.String()); diff != "" {
			t.Errorf("%s (-page +etrace):\n%s", s.command, diff)
		}
	}
}
