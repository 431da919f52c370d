package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTour runs docs/tour.md, command by command, and compares what etrace
// prints with what the tour shows.
func TestTour(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "tour.md"))
	if err != nil {
		t.Fatal(err)
	}
	lease, err := os.ReadFile(filepath.Join("..", "..", "..", "fixtures", "traces", "lease.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("lease.jsonl", lease, 0o666); err != nil {
		t.Fatal(err)
	}
	// The log of the tour's own service.
	log := "a {\"a\":1}\nSending PING to b\nb {\"a\":1,\"b\":1}\nReceived PING from a\n"
	if err := os.WriteFile("service.log", []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	steps := tour(string(page))
	if len(steps) < 8 {
		t.Fatalf("found only %d commands in the tour", len(steps))
	}
	for _, s := range steps {
		command, wantsStatus := strings.CutSuffix(s.command, "; echo $?")
		var out, errOut bytes.Buffer
		status := Run(words(command), strings.NewReader(""), &out, &errOut)
		if status == exitFail {
			t.Errorf("%s: %s", s.command, errOut.String())
		}
		if wantsStatus {
			fmt.Fprintln(&out, status)
		}
		if s.output == "" {
			continue // the tour shows the command only
		}
		if diff := cmp.Diff(s.output, out.String()); diff != "" {
			t.Errorf("%s: the tour differs from what etrace prints (-tour +etrace):\n%s", s.command, diff)
		}
	}
}

type tourStep struct{ command, output string }

// tour returns the commands after "$ etrace" and the lines below each, where an
// empty line between indented ones is one of them.
func tour(page string) []tourStep {
	var steps []tourStep
	empty := ""
	for line := range strings.Lines(page) {
		if line == "\n" {
			empty += line
			continue
		}
		text, indented := strings.CutPrefix(line, "    ")
		text, empty = empty+text, ""
		command, isCommand := strings.CutPrefix(strings.TrimLeft(text, "\n"), "$ etrace ")
		switch {
		case !indented:
			if len(steps) > 0 && steps[len(steps)-1].command != "" {
				steps = append(steps, tourStep{}) // what follows belongs to no command
			}
		case isCommand:
			steps = append(steps, tourStep{command: strings.TrimSpace(command)})
		case len(steps) > 0 && steps[len(steps)-1].command != "":
			steps[len(steps)-1].output += text
		}
	}
	var commands []tourStep
	for _, s := range steps {
		if s.command != "" {
			commands = append(commands, s)
		}
	}
	return commands
}

// words splits a command line at spaces outside quotes.
func words(line string) []string {
	var list []string
	var word strings.Builder
	quote := rune(0)
	for _, r := range line + " " {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case r == ' ' && quote == 0:
			if word.Len() > 0 {
				list = append(list, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return list
}
