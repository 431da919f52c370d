package cli

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/size"
)

// wrongFiles are what no command can read as what it expects.
var wrongFiles = map[string]string{
	"picture.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00",
	"empty":       "",
	"text.txt":    "a text without sense\n",
	"utf16.txt":   "\xff\xfea\x00",
	"latin1.txt":  "na\xefve\n",
	"list.json":   "[1, 2]\n",
	"number.json": `{"format":"etrace/1","members":7}` + "\n",
}

// A reader is a command line whose FILE is the name of one, and what of the files that
// the test has it can read.
type reader struct {
	command string
	reads   []string
}

var fileReaders = []reader{
	{"check FILE", []string{"trace.db", "run.jsonl", "service.log"}},
	{"check FILE FILE --json", []string{"trace.db", "run.jsonl", "service.log"}},
	{"check --save FILE", []string{"trace.db"}},
	{"check --spec FILE", []string{"rules.txt"}},
	{"stats FILE", []string{"trace.db", "run.jsonl", "service.log"}},
	{"render -o picture.svg FILE", []string{"trace.db", "run.jsonl", "service.log"}},
	{"replay --steps 1..2 FILE", []string{"trace.db", "run.jsonl", "service.log"}},
	{"replay --verify FILE", []string{"trace.db", "run.jsonl", "suite.yaml", "service.log"}},
	{"replay --what-if FILE", nil},
	{"replay --as FILE", nil},
	{"replay --what-if m1 FILE", nil},
	{"diff trace.db FILE", []string{"trace.db", "run.jsonl", "service.log"}},
	{"diff FILE run.jsonl", []string{"trace.db", "run.jsonl", "service.log"}},
	{"export FILE", []string{"trace.db", "run.jsonl", "service.log"}},
	{"import FILE -o imported.db", []string{"run.jsonl", "service.log"}},
	{"query select FILE", nil},
	{"query FILE", nil},
	{"suite FILE", []string{"suite.yaml"}},
	{"record --scenario FILE -o recorded.db", []string{"scenario.yaml"}},
	{"record FILE", nil},
	{"list FILE", nil},
	{"list kinds FILE", nil},
	{"explain FILE", nil},
	{"completion FILE", nil},
	{"completion bash FILE", nil},
	{"help FILE", nil},
	{"help record FILE", nil},
	{"FILE", nil},
}

// answers matches an error that names the expected input or the missing thing.
var answers = regexp.MustCompile(`\bexpected|known: |did you mean|no such file|not a directory|name too long|name ` +
	`one of|etrace list|already|is incomplete`)

// TestGarbageFiles gives each command names and files that it cannot use, in make long all of them.
func TestGarbageFiles(t *testing.T) {
	size.SkipQuick(t)
	t.Chdir(t.TempDir())
	quietly(t, "record", "-q")
	quietly(t, "export", "-o", "run.jsonl", "-q")
	mustWrite(t, "suite.yaml", jsonSuite)
	mustWrite(t, "service.log", jsonLog)
	mustWrite(t, "scenario.yaml", "algorithm: bully\nids: 1-4\nstart: 1\n")
	mustWrite(t, "rules.txt", "never send where not live(process)\n")
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	names := []string{
		"trace.db", "run.jsonl", "suite.yaml", "service.log", "scenario.yaml", "rules.txt", "folder", "folder/", "trace.db/x", "none", "",
		"a\nb", "\x1b[31m", "\xff", "100%d", "*.none", "[", strings.Repeat("x", 300),
	}
	for name, text := range wrongFiles {
		mustWrite(t, name, text)
		names = append(names, name)
	}
	slices.Sort(names)
	step := size.Pick(9, 3, 1)
	for i, r := range fileReaders {
		for j := i % step; j < len(names); j += step {
			name := names[j]
			if !slices.Contains(r.reads, name) {
				refused(t, r.command, name)
			}
		}
	}
}

func refused(t *testing.T, command, name string) {
	t.Helper()
	args := strings.Fields(command)
	for i, arg := range args {
		if arg == "FILE" {
			args[i] = name
		}
	}
	var out, errOut bytes.Buffer
	status := Run(args, strings.NewReader(""), &out, &errOut)
	said := errOut.String()
	switch {
	case status != exitFail:
		t.Errorf("%q is accepted, with status %d", args, status)
	case !strings.HasPrefix(said, "etrace: ") || strings.Count(said, "\n") != 1 && !caret.MatchString(said):
		t.Errorf("%q: want one line on stderr, got %q", args, said)
	case out.Len() > 0 && !strings.HasPrefix(out.String(), "{"):
		t.Errorf("%q: %q on stdout", args, out.String())
	case !answers.MatchString(said):
		t.Errorf("%q: it does not say what was expected: %s", args, said)
	case strings.HasPrefix(said, "etrace: :"):
		t.Errorf("%q: no place: %s", args, said)
	}
	// The name of the file may contain a text of Go.
	said = strings.TrimPrefix(said, "etrace: "+name)
	for _, text := range goTexts {
		if strings.Contains(said, text) {
			t.Errorf("%q: %q is no text of etrace: %s", args, text, said)
		}
	}
}
