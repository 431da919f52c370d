package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestComplexityPage runs the commands of docs/complexity.md.
func TestComplexityPage(t *testing.T) {
	docs := runPage(t, "complexity.md", 15)
	samePicture(t, "elections.svg", filepath.Join(docs, "elections.svg"))
}

// TestLawsPage runs the commands of docs/laws.md.
func TestLawsPage(t *testing.T) { runPage(t, "laws.md", 3) }

// runPage runs the commands of a page in an empty folder: those that show what they print, of
// which it has so many at least, and those within sentences and tables, which must do
// their work. It returns the folder of the page.
func runPage(t *testing.T, name string, least int) (docs string) {
	t.Helper()
	docs, err := filepath.Abs(filepath.Join("..", "..", "..", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(docs, "..", "fixtures"), "fixtures"); err != nil {
		t.Skip(err) // the suites are there
	}
	steps := tour(string(page))
	if len(steps) < least {
		t.Fatalf("found only %d commands with what they print", len(steps))
	}
	for _, s := range steps {
		if out := succeeds(t, s.command); !showsSome(s.output, out) {
			t.Errorf("etrace %s: the page shows\n%sbut it prints\n%s", s.command, s.output, out)
		}
	}
	for _, command := range asides(string(page)) {
		succeeds(t, command)
	}
	return docs
}

// long are the commands of docs/complexity.md that take half a minute or more.
var long = []string{
	"sweep franklin,peterson --nodes 8,9 --start all --maximize messages",
	"sweep hirschberg-sinclair --nodes 8 --start all --maximize messages",
}

// asides returns the commands of a page that are within its lines, each once,
// but the long ones.
func asides(page string) []string {
	var commands []string
	for _, found := range regexp.MustCompile("`etrace ([a-z]+ [^`]*)`").FindAllStringSubmatch(page, -1) {
		command := found[1]
		if named := strings.Contains(command, "ALGORITHM"); !named && !slices.Contains(long, command) && !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return commands
}

// succeeds runs a command that finds nothing wrong, and returns what it prints.
func succeeds(t *testing.T, command string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if status := Run(words(command), strings.NewReader(""), &out, &errOut); status != 0 {
		t.Errorf("etrace %s: exit status %d\n%s", command, status, &errOut)
	}
	return out.String()
}

// showsSome reports whether the lines that a page shows are those that were
// printed, where "..." stands for any number of them.
func showsSome(shown, printed string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(shown) {
		if line == "...\n" {
			pattern.WriteString("(?:.*\n)*")
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(line))
	}
	return regexp.MustCompile("^" + pattern.String() + "$").MatchString(printed)
}

// samePicture compares a picture with that of the page.
func samePicture(t *testing.T, made, shown string) {
	t.Helper()
	got, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("ETRACE_UPDATE") != "" {
		if err := os.WriteFile(shown, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(shown); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is another picture than the command of the page draws (%v); ETRACE_UPDATE=1 writes it", shown, err)
	}
}
