package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// formats are beginnings of what etrace writes in formats that have comments, and a comment there.
var formats = map[string][2]string{
	"YAML":    {"# Written by etrace record --hunt agreement\nalgorithm: bully\n", "# slower"},
	"TLA+":    {"(* Written by etrace *)\n---- MODULE x ----\n====", "(* mine *)"},
	"SVG":     {"<?xml version=\"1.0\"?>\n<svg role=\"img\" aria-labelledby=\"etrace-title\">\n</svg>\n", "<!-- mine -->"},
	"HTML":    {"<!DOCTYPE html>\n<!-- Written by etrace -->\n<p>x\n", "<p>mine"},
	"DOT":     {"// Positions are fixed: draw with neato -n2.\ndigraph etrace {\n}\n", "// mine"},
	"Mermaid": {"sequenceDiagram\n    accTitle: x\n    accDescr: A sequence diagram of 2 processes\n", "%% mine"},
	"JUnit":   {"<testsuites name=\"etrace suite\">\n</testsuites>\n", "<!-- mine -->"},
}

// TestSum: what etrace wrote it replaces without a word. After a change of a single bit, an added line or the loss of
// its last one it does not.
func TestSum(t *testing.T) {
	for name, format := range formats {
		path := filepath.Join(t.TempDir(), "a")
		for range 2 {
			if err := create(t, path, format[0], Options{}).Commit(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), format[0]) {
			t.Fatalf("%s: %q, %v, want %q and a sum", name, text, err, format[0])
		}
		refused := func(subject, changed string) {
			t.Helper()
			put(t, path, changed, 0o644)
			if err := Check(path, Options{}); err == nil || !strings.Contains(err.Error(), "--force") {
				t.Errorf("%s, %s: %v, expected that it is not replaced", name, subject, err)
			}
			if err := Check(path, Options{Force: true}); err != nil {
				t.Errorf("%s, %s, force: %v", name, subject, err)
			}
		}
		for bit := range 8 * len(text) {
			changed := []byte(string(text))
			changed[bit/8] ^= 1 << (bit % 8)
			put(t, path, string(changed), 0o644)
			if err := Check(path, Options{}); err == nil {
				t.Errorf("%s: byte %d, %q for %q, is replaced", name, bit/8, changed[bit/8], text[bit/8])
			}
		}
		lines := strings.SplitAfter(string(text), "\n")
		refused("a line at the end", string(text)+format[1]+"\n")
		refused("a line before the end", strings.Join(lines[:len(lines)-2], "")+format[1]+"\n"+lines[len(lines)-2])
		refused("its last line gone", strings.Join(lines[:len(lines)-2], ""))
	}
}
