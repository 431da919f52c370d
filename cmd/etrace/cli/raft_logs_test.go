package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// roughLog has a blank line, a line that goes on, a clock that is late by more than a
// message takes, and messages of processes without logs.
const roughLog = `10:00:00.000 [n1] started at term 1

10:00:00.000 [n2] started at term 1
10:00:00.150 [n1] became candidate at term 2
  goroutine 7 [running]:
10:00:00.155 [n1] sent RequestVote 1 to n2
10:00:00.155 [n1] sent RequestVote 2 to n9
10:00:00.140 [n2] received RequestVote 1 from n1
10:00:00.141 [n2] voted for n1 at term 2
10:00:00.141 [n2] received Ping 77 from c9
`

// TestRaftLogsPage: the script of docs/raft-logs.md makes traces of its logs, and
// every command prints of them what the page shows.
func TestRaftLogsPage(t *testing.T) {
	page := mustRead(t, filepath.Join("..", "..", "..", "docs", "raft-logs.md"))
	logs, programs := blocks(page, "log"), blocks(page, "python")
	if len(logs) != 2 || len(programs) != 1 {
		t.Fatalf("%d logs, %d programs, expected 2, 1", len(logs), len(programs))
	}
	t.Chdir(t.TempDir())
	mustWrite(t, "our.rules", blocks(page, "rules")[0])
	for name, log := range map[string]string{"raft.jsonl": logs[0], "worse.jsonl": logs[1], "rough.jsonl": roughLog} {
		mustWrite(t, name, converted(t, programs[0], log))
	}
	var out, errOut bytes.Buffer
	if status := Run([]string{"check", "rough.jsonl", "--allow-open"}, strings.NewReader(""), &out, &errOut); status != 0 || errOut.Len() > 0 {
		t.Errorf("a rough log: status %d\n%s%s", status, &out, &errOut)
	}
	steps := tour(page)
	if len(steps) < 4 {
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
