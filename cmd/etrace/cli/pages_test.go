package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/size"
)

// TestPages runs the commands of pages, each page in an empty folder. Commands in code blocks must print the
// shown text; commands in sentences and tables must succeed. Their pictures must equal those of the page.
// ETRACE_UPDATE=1 writes the pictures anew; look at them then.
func TestPages(t *testing.T) {
	size.SkipQuick(t)
	docs, err := filepath.Abs(filepath.Join("..", "..", "..", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	for name, has := range map[string]struct{ commands, pictures int }{
		"complexity.md": {9, 1}, "failures.md": {9, 3}, "gallery.md": {17, 10}, "laws.md": {3, 0}, "problems.md": {7, 7}, "scenarios.md": {5, 0},
	} {
		t.Run(strings.TrimSuffix(name, ".md"), func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join(docs, name))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			if err := os.Symlink(filepath.Join(docs, "..", "fixtures"), "fixtures"); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir("gallery", 0o777); err != nil {
				t.Fatal(err)
			}
			steps := tour(string(page))
			if len(steps) < has.commands {
				t.Fatalf("found only %d commands with what they print", len(steps))
			}
			for _, s := range steps {
				if costly(s.command) {
					continue
				}
				// A command without shown output must only succeed.
				if out := succeeds(t, s.command); s.output != "" && !showsSome(s.output, out) {
					t.Errorf("etrace %s: the page shows\n%sbut it prints\n%s", s.command, s.output, out)
				}
			}
			for _, command := range asides(string(page)) {
				succeeds(t, command)
			}
			drawn, err := filepath.Glob("*.svg")
			if err == nil && len(drawn) == 0 {
				drawn, err = filepath.Glob("gallery/*.svg")
			}
			if err != nil || len(drawn) != has.pictures {
				t.Errorf("%d pictures are drawn, want %d (%v)", len(drawn), has.pictures, err)
			}
			for _, picture := range drawn {
				comparePicture(t, picture, filepath.Join(docs, picture))
				if !strings.Contains(string(page), "]("+picture+")") {
					t.Errorf("%s is drawn, and is not in the page", picture)
				}
			}
		})
	}
}

// costly reports whether make long alone runs a command of a page: adversaries of seven processes and more, sweeps over
// all starts of bully, and suites, which have a test in fixtures.
func costly(command string) bool {
	return size.Now() != size.Long && regexp.MustCompile(`^(suite |sweep bully --nodes 3\.\.64|sweep (franklin|`+
		`hirschberg).*--maximize)`).MatchString(command)
}

// asides returns the commands of a page that are within its lines, each once.
func asides(page string) []string {
	var commands []string
	for _, found := range regexp.MustCompile("`etrace ([a-z]+ [^`]*)`").FindAllStringSubmatch(page, -1) {
		command := found[1]
		if named := regexp.MustCompile(`\b(ALGORITHM|FILE|KEY)\b`).MatchString(command); !named && !costly(command) &&
			!slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return commands
}

// succeeds runs a command that finds nothing wrong, and returns what it prints. A command that ends in
// "; echo $?" may find something, and its exit status is printed last.
func succeeds(t *testing.T, command string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	command, wantsStatus := strings.CutSuffix(command, "; echo $?")
	switch status := Run(words(command), strings.NewReader(""), &out, &errOut); {
	case wantsStatus && status != exitFail:
		fmt.Fprintln(&out, status)
	case status != 0:
		t.Errorf("etrace %s: exit status %d\n%s", command, status, &errOut)
	}
	return out.String()
}

// showsSome reports whether the lines of a page equal the printed lines, where "..." matches any number of
// lines.
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

// sumComment is the last line of a picture in a file.
var sumComment = regexp.MustCompile(`<!-- Sum by etrace: [0-9a-f]+ -->\n$`)

func comparePicture(t *testing.T, drawn, documented string) {
	t.Helper()
	got, err := os.ReadFile(drawn)
	got = sumComment.ReplaceAll(got, nil) // the documentation shows what is drawn to stdout
	if err == nil && os.Getenv("ETRACE_UPDATE") != "" {
		err = os.WriteFile(documented, got, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(documented)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/%s is not what etrace draws now; ETRACE_UPDATE=1 draws it anew", drawn)
	}
}
