package cli

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"etrace/fixtures/size"
)

// garbage are values that no flag but those for texts can have a use for.
var garbage = []string{
	"@garbage@", "", "-1", "99999999999999999999999", "1e999", "0x", "NaN", "(((", "[", "{", "100%d", "\x1b[31m", "a\nb", "\xff",
	"1-", "=", "'", "3 <", "no = yes = no", "0@", "1>2", ":", "last,", "uniform(", "shuffle(", "é", "\\",
}

// freeTexts are the flags that may have any text as their value: names of things,
// and a pattern that need not match.
var freeTexts = []string{"name", "title", "delimiter"}

// writes are the flags that name a file to write; what they do to it has its own tests.
var writes = []string{"output", "hunt-save", "diff --render"}

// goTexts are what errors of Go and of its libraries look like.
var goTexts = []string{
	"strconv.", "invalid syntax", "%!", "<nil>", "0xc0", "parsing \"", "invalid argument", "json: ", "yaml: ",
	"looking for beginning", "unexpected token", "mismatched types",
	"int64", "float64", "interface {}", "map[", "goroutine", "runtime error", "sql: ", "regexp: ",
	"error parsing regexp", "time: invalid", "time: unknown", "time: missing", "pflag", "cobra",
}

// TestGarbage gives each flag of each command values that make no sense, in make long each of them. A
// command that refuses one does so with status 2, on one line that names what is
// wrong in the words of etrace.
func TestGarbage(t *testing.T) {
	size.SkipQuick(t)
	t.Chdir(t.TempDir())
	quietly(t, "record", "-q")
	quietly(t, "export", "-o", "run.jsonl", "-q")
	mustWrite(t, "suite.yaml", jsonSuite)
	mustWrite(t, "service.log", jsonLog)
	known, err := knownWith()
	if err != nil {
		t.Fatal(err)
	}
	app := &app{Known: known, stdin: strings.NewReader(""), out: io.Discard, err: io.Discard}
	turn := 0
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		for _, sub := range cmd.Commands() {
			walk(sub, append(slices.Clone(path), sub.Name()))
		}
		if !cmd.HasParent() || cmd.Name() == "help" || cmd.Parent().Name() == "completion" {
			return
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			turn++
			feed(t, path, f, turn)
		})
	}
	walk(app.root(), nil)
}

// arguments are what commands need beside a flag, or a certain one of their flags.
var arguments = map[string][]string{
	"diff": {"trace.db", "run.jsonl"}, "import": {"service.log", "-o", "imported.db"}, "explain": {"scenario"}, "list": {"kinds"},
	"query": {"select 1"}, "plan": {"--shards", "2"}, "merge": {"some.found"},
	"check --shard": {"--plan", "the.plan"}, "check --plan": {"--shard", "0"}, "suite": {"suite.yaml"},
	"record": {"--max-events", "100", "-o", "recorded.db"}, "render": {"-o", "picture.svg"},
	"record --hunt": {"--hunt-runs", "1"}, "record --hunt-faults": {"--hunt", "agreement", "--hunt-runs", "1"},
	"record --hunt-runs": {"--hunt", "agreement", "--hunt-time", "1s"},
	"record --hunt-time": {"--hunt", "agreement", "--hunt-runs", "1"}, "record --only": {"--all-orders", "--max-runs", "1"},
}

// feed gives the flag the first of the values and others, which depend on its turn.
func feed(t *testing.T, path []string, f *pflag.Flag, turn int) {
	name := strings.Join(path, " ")
	flag := name + " --" + f.Name
	if slices.Contains(writes, f.Name) || slices.Contains(writes, flag) {
		return
	}
	for i, value := range garbage {
		// Each flag gets its own sample, so that together the flags get all values.
		if i > 0 && (i+turn)%size.Pick(26, 7, 1) != 0 {
			continue
		}
		args := slices.Concat(path, arguments[name], arguments[flag], []string{"--" + f.Name + "=" + value})
		var out, errOut bytes.Buffer
		status := Run(args, strings.NewReader(""), &out, &errOut)
		said := errOut.String()
		if status == exitOK && value == "@garbage@" && !slices.Contains(freeTexts, f.Name) {
			t.Errorf("%q is accepted", args)
		}
		if status != exitFail {
			continue
		}
		if out.Len() > 0 || !strings.HasPrefix(said, "etrace: ") || strings.Count(said, "\n") != 1 && !caret.MatchString(said) {
			t.Errorf("%q: want one line on stderr, got %q and %q on stdout", args, said, out.String())
		}
		for _, text := range goTexts {
			if strings.Contains(said, text) {
				t.Errorf("%q: %q is no text of etrace: %s", args, text, said)
			}
		}
	}
}

// caret is below the place in a rule, which is on a line of its own.
var caret = regexp.MustCompile(`^etrace: [^\n]*\n    [^\n]*\n *\^\n$`)

func quietly(t *testing.T, args ...string) {
	t.Helper()
	var errOut bytes.Buffer
	if status := Run(args, strings.NewReader(""), io.Discard, &errOut); status != exitOK {
		t.Fatalf("%q: %s", args, errOut.String())
	}
}
