package cli

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRaftLogsPage: the script of docs/raft-logs.md makes traces of its two logs, and
// every command prints of them what the page shows.
func TestRaftLogsPage(t *testing.T) {
	page := mustRead(t, filepath.Join("..", "..", "..", "docs", "raft-logs.md"))
	logs, programs := blocks(page, "log"), blocks(page, "python")
	if len(logs) != 2 || len(programs) != 1 {
		t.Fatalf("%d logs, %d programs, expected 2, 1", len(logs), len(programs))
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the page is not tried: no python3 here")
	}
	t.Chdir(t.TempDir())
	mustWrite(t, "convert.py", programs[0])
	for i, name := range []string{"raft.jsonl", "worse.jsonl"} {
		convert := exec.Command(python, "convert.py")
		convert.Stdin = strings.NewReader(logs[i])
		converted, err := convert.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, converted)
		}
		mustWrite(t, name, string(converted))
	}
	steps := tour(page)
	if len(steps) < 8 {
		t.Fatalf("found only %d commands", len(steps))
	}
	for _, s := range steps {
		command, wantsStatus := strings.CutSuffix(s.command, "; echo $?")
		var out, errOut bytes.Buffer
		status := Run(words(command), strings.NewReader(""), &out, &errOut)
		if wantsStatus {
			fmt.Fprintln(&out, status)
		}
		if diff := cmp.Diff(s.output, out.String()); diff != "" || errOut.Len() > 0 {
			t.Errorf("%s: %s(-page +etrace):\n%s", s.command, &errOut, diff)
		}
	}
}
