package cli

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"etrace/fixtures/size"
)

// TestTablesAsDatabases: whatever reads a run from Parquet says to the byte what it says of the
// database, but for the name: of correct runs that are recorded by logs, and of simulated ones,
// with violations and loops.
func TestTablesAsDatabases(t *testing.T) {
	size.SkipQuick(t)
	root := filepath.Join("..", "..", "..", "fixtures")
	traces := map[string]string{}
	files, err := filepath.Glob(filepath.Join(root, "correct", "*", "*.txtar"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for i, file := range files {
		if i > 0 && filepath.Dir(file) == filepath.Dir(files[i-1]) {
			continue // one of each kind
		}
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "trace.jsonl" }); i >= 0 {
			traces[strings.TrimSuffix(filepath.Base(file), ".txtar")] = string(archive.Files[i].Data)
		}
	}
	suites, err := filepath.Abs(filepath.Join(root, "suites"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, trace := range traces {
		mustWrite(t, name+".jsonl", trace)
		printed(t, "import", "-q", name+".jsonl", "-o", name+".db")
	}
	cases := size.Pick("F2 ", "F(2|14|16) ", ".") // F14 waits forever, F16 has two leaders
	printed(t, "suite", "-q", filepath.Join(suites, "failures.yaml"), "--case", cases, "--save", "failures.db")
	traces["failures"] = ""
	for name := range traces {
		db, table := name+".db", name+".parquet"
		printed(t, "export", db, "--run", "all", "-o", table)
		for _, command := range []string{
			"check TRACE", "check TRACE --explain", "check TRACE --json", "check TRACE --explain --format markdown", "lint TRACE", "lint TRACE --json",
			"stats TRACE --run all", "stats TRACE --json", "replay TRACE --text", "replay TRACE --at 7 --json", "replay TRACE --steps 3..9", "replay TRACE --find send",
			"render TRACE --format dot -o -", "export TRACE --run all", "query TRACE",
		} {
			say := func(path string) string {
				var out, errOut bytes.Buffer
				args := strings.Fields(strings.ReplaceAll(command, "TRACE", path))
				if args[0] == "query" {
					args = []string{"query", "-q", "select * from messages", path}
				}
				status := Run(args, strings.NewReader(""), &out, &errOut)
				if status == exitFail {
					t.Fatalf("%s: %s", args, errOut.String())
				}
				return strings.ReplaceAll(out.String()+errOut.String(), path, "TRACE")
			}
			if diff := cmp.Diff(say(db), say(table)); diff != "" {
				t.Errorf("%s of %s (-database +Parquet)\n%.2000s", command, name, diff)
			}
		}
	}
}
