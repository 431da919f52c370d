package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"etrace/fixtures/size"
)

// goProgram is a program or test on a page.
var goProgram = regexp.MustCompile("(?s)```go\n(package .*?)```")

// TestRecordPage: the programs of docs/record.md, in a module that requires etrace as a reader's does, record what the
// commands of the page print and draw. The examples of package record print there what they print here.
func TestRecordPage(t *testing.T) {
	size.SkipQuick(t)
	top, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(top, "docs", "record.md")
	page := mustRead(t, name)
	t.Chdir(t.TempDir())
	for _, f := range pageFile.FindAllStringSubmatch(page, -1) {
		mustWrite(t, f[1], f[2])
	}
	programs := goProgram.FindAllStringSubmatch(page, -1)
	if len(programs) != 2 {
		t.Fatalf("%d programs of Go, expected a program and a test", len(programs))
	}
	mustWrite(t, "go.mod", "module example.org/mine\n\ngo 1.26.0\n")
	mustWrite(t, "main.go", programs[0][1])
	for _, folder := range []string{"ring", "examples"} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	mustWrite(t, filepath.Join("examples", "example_test.go"), mustRead(t, filepath.Join(top, "record", "example_test.go")))
	mustWrite(t, filepath.Join("ring", "ring_test.go"), programs[1][1])
	sums, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, "go.sum", string(sums))
	for _, args := range [][]string{
		{"mod", "edit", "-require", "etrace@v0.0.0", "-replace", "etrace=" + top},
		{"mod", "tidy"},
		{"run", "."},
		{"test", "./ring"},
		{"test", "-vet=off", "-v", "./examples"}, // whose names are those of package record
	} {
		if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	pageShows(t, name, page)
}
