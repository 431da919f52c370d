package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// blocks are the texts in a document between fences of a language, in order.
func blocks(document, language string) []string {
	var list []string
	for _, part := range strings.Split(document, "\n```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		list = append(list, block+"\n")
	}
	return list
}

// printed runs etrace and returns what it prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if status := Run(args, strings.NewReader(""), &out, &errOut); status == exitFail {
		t.Fatalf("%s: %s", args, errOut.String())
	}
	return out.String()
}

// TestFormatDocument: the first trace of docs/format.md is valid, and the last ones are as etrace writes them.
func TestFormatDocument(t *testing.T) {
	document := mustRead(t, filepath.Join("..", "..", "..", "docs", "format.md"))
	traces := blocks(document, "jsonl")
	if len(traces) != 3 {
		t.Fatalf("%d traces, expected 3", len(traces))
	}
	t.Chdir(t.TempDir())
	mustWrite(t, "first.jsonl", traces[0])
	if got := printed(t, "check", "first.jsonl", "--property", "message-integrity",
		"--allow-open"); !strings.Contains(got, "message-integrity") {
		t.Errorf("the first trace: %s", got)
	}
	for _, trace := range traces[1:] { // the declared completeness, and a slice
		mustWrite(t, "told.jsonl", trace)
		if got := printed(t, "export", "told.jsonl"); got != trace {
			t.Errorf("(-documented +exported)\n%s", cmp.Diff(trace, got))
		}
	}
}

// TestFormatExample: the example of etrace explain jsonl is a trace without violations. The gaps that it
// declares leave some verdicts unknown.
func TestFormatExample(t *testing.T) {
	_, example, found := strings.Cut(printed(t, "explain", "jsonl"), "\nExample:\n")
	if !found {
		t.Fatal("no example")
	}
	t.Chdir(t.TempDir())
	mustWrite(t, "example.jsonl", example)
	if got := printed(t, "check", "example.jsonl", "--allow-open"); strings.Contains(got, "  violated") {
		t.Error(got)
	}
	if got := printed(t, "export", "example.jsonl"); got != example {
		t.Errorf("(-example +exported)\n%s", cmp.Diff(example, got))
	}
}
