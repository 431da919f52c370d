package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pageFile is a file that a page shows, after a line that ends with its name.
var pageFile = regexp.MustCompile("`([a-z0-9]+\\.[a-z]+)`:\n\n```\\w+\n((?s:.*?))```\n")

// TestPartialPage: every command of docs/partial.md prints of the files of the page what
// the page shows.
func TestPartialPage(t *testing.T) {
	name, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "partial.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := mustRead(t, name)
	t.Chdir(t.TempDir())
	files, steps := pageFile.FindAllStringSubmatch(page, -1), tour(page)
	if len(files) < 6 || len(steps) < 10 {
		t.Fatalf("only %d files and %d commands", len(files), len(steps))
	}
	for _, f := range files {
		mustWrite(t, f[1], f[2])
	}
	for _, s := range steps {
		var out, errOut bytes.Buffer
		Run(words(s.command), strings.NewReader(""), &out, &errOut)
		if errOut.Len() > 0 {
			t.Errorf("%s: %s", s.command, &errOut)
		}
		if os.Getenv("ETRACE_UPDATE") != "" {
			page = strings.Replace(page, pageStep(s.command, s.output), pageStep(s.command, out.String()), 1)
		} else if diff := cmp.Diff(s.output, out.String()); diff != "" && s.output != "" {
			t.Errorf("%s (-page +etrace)\n%s", s.command, diff)
		}
	}
	if os.Getenv("ETRACE_UPDATE") != "" {
		mustWrite(t, name, page)
	}
}

// pageShows runs the commands of a page, which find nothing wrong but where the page shows their status, and compares what they
// print; ETRACE_UPDATE=1 takes it over.
func pageShows(t *testing.T, name, page string) {
	t.Helper()
	for _, s := range tour(page) {
		out := succeeds(t, s.command)
		if os.Getenv("ETRACE_UPDATE") != "" {
			page = strings.Replace(page, pageStep(s.command, s.output), pageStep(s.command, out), 1)
			mustWrite(t, name, page)
		} else if out != s.output {
			t.Errorf("etrace %s: the page shows\n%sbut it prints\n%s", s.command, s.output, out)
		}
	}
}

// pageStep is a command with what it prints, as a page shows them.
func pageStep(command, output string) string {
	indented := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(output, "    $1")
	return "    $ etrace " + command + "\n" + indented
}
