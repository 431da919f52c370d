package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlips types each command line of testdata/slips.txt. The answer is one line on stderr, nothing on stdout, with the
// text of the indented line below: what was meant, or what was expected. A rule with a mistake has its caret, too.
func TestSlips(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "slips.txt"))
	if err != nil {
		t.Fatal(err)
	}
	slipFiles(t)
	slips := 0
	line := ""
	for row := range strings.Lines(string(table)) {
		row = strings.TrimSuffix(row, "\n")
		want, isAnswer := strings.CutPrefix(row, "\t")
		switch {
		case row == "" || strings.HasPrefix(row, "#"):
			continue
		case !isAnswer:
			line = row
			continue
		}
		// An indented row answers the command line above it.
		slips++
		var out, errOut bytes.Buffer
		status := Run(words(line), strings.NewReader(""), &out, &errOut)
		said := errOut.String()
		if status != exitFail || out.Len() > 0 || strings.Count(said, "\n") != 1 && !caret.MatchString(said) ||
			strings.HasPrefix(said, "etrace: etrace:") {
			t.Errorf("etrace %s: exit status %d, stdout %q, stderr %q, want one line", line, status, out.String(), said)
		}
		if !strings.Contains(said, want) {
			t.Errorf("etrace %s: %q, want %q in it", line, said, want)
		}
	}
	if minimum := 350; slips < minimum {
		t.Errorf("%d slips, want at least %d", slips, minimum)
	}
}

// slipFiles makes a folder with a file of each sort the working one.
func slipFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	quietly(t, words("record bully --nodes 4 --start 1 -q")...)
	quietly(t, words("export trace.db -q -o run.jsonl")...)
	quietly(t, words("sweep bully --nodes 3..5 --start 1 -q -o results.db")...)
	quietly(t, words("render -q -o picture.svg")...)
	quietly(t, words("render -q -o picture.png")...)
	quietly(t, words("render -q -o page.html")...)
	quietly(t, words("plan -q --shards 2 -o plan.json")...)
	trace, err := os.ReadFile("trace.db")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"scenario.yaml": printed(t, words("record bully --nodes 4 --start 1 --print-scenario")...),
		"verdicts.json": printed(t, words("check trace.db --json")...),
		"junit.xml":     printed(t, words("check trace.db --format junit")...),
		"counts.csv":    printed(t, words("stats --format csv")...),
		"suite.yaml":    "suite: demo\ncases:\n  - name: one\n    scenario: {algorithm: bully, nodes: 4, start: 1}\n    expect: {messages: 21}\n",
		"map.yaml":      "match: 'x (?<who>\\w+)'\nprocess: '${who}'\n",
		"rules.txt":     "never count(leads) > 1\n",
		"notes.txt":     "hello\nworld\n",
		"jepsen.log":    "0\t:invoke\t:read\tnil\n0\t:ok\t:read\tnil\n",
		"other.json":    "{\"a\":1}\n",
		"empty.db":      "", "empty.jsonl": "",
		"cut.db": string(trace[:3000]),
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
}
