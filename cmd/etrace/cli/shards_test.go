package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"etrace/analyze/report"

	"etrace/fixtures/size"
)

// runOf runs a command line and returns what it prints and its status.
func runOf(t *testing.T, command string) (string, int) {
	t.Helper()
	var out, errOut bytes.Buffer
	status := Run(words(command), strings.NewReader(""), &out, &errOut)
	if status == exitFail {
		t.Fatalf("%s: %s", command, errOut.String())
	}
	return out.String(), status
}

// archive writes the recorded runs of the fixtures to two traces in the current folder.
func archive(t *testing.T, fixtures string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(fixtures, "scenarios", "records", "*.jsonl"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var texts [2][]byte
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[i%2] = append(texts[i%2], text...)
	}
	for i, name := range []string{"odd.jsonl", "even.jsonl"} {
		if err := os.WriteFile(name, texts[i], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	quietly(t, "import", "-q", "even.jsonl", "-o", "even.db")
}

// TestShardsOfRuns: however the check of an archive is split, and in whatever order and groups
// its summaries are joined, the report and the status are those of the unsplit check.
func TestShardsOfRuns(t *testing.T) {
	size.SkipQuick(t)
	fixtures, err := filepath.Abs(filepath.Join("..", "..", "..", "fixtures"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	archive(t, fixtures)
	mustWrite(t, "rules.txt", "rule dead: never send where not live(process)\nrule few: at most 9 send per run\n")
	random := rand.New(rand.NewPCG(14, 1))
	for _, examined := range []string{"", "--spec rules.txt --property single-leader,agreement"} {
		want := map[string]string{}
		status := 0
		for _, format := range report.Formats().Names() {
			want[format], status = runOf(t, "check odd.jsonl even.db --format "+format+" "+examined)
		}
		for _, shards := range size.Pick([]int{2}, []int{2, 7}, []int{1, 2, 7, 64}) {
			os.Remove("plan.json")
			quietly(t, words(fmt.Sprintf("plan odd.jsonl even.db --shards %d -o plan.json %s", shards, examined))...)
			var files []string
			for i := range shards {
				found, _ := runOf(t, fmt.Sprintf("check --plan plan.json --shard %d", i))
				files = append(files, fmt.Sprintf("found-%d.json", i))
				mustWrite(t, files[i], found)
			}
			files = joinSome(t, random, files)
			for format, want := range want {
				got, s := runOf(t, "merge --plan plan.json --format "+format+" "+strings.Join(files, " "))
				if got != want || s != status {
					t.Errorf("%d shards, %q as %s: status %d, want %d, got\n%s\nwant\n%s", shards, examined, format, s, status, got, want)
				}
			}
		}
	}
}

// joinSome joins groups of the summaries to partial ones; one summary is in two groups.
func joinSome(t *testing.T, random *rand.Rand, files []string) []string {
	t.Helper()
	files = append(files, files[random.IntN(len(files))])
	for n := 0; len(files) > 3; n++ {
		random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		group, name := 2+random.IntN(len(files)-2), "joined-"+strconv.Itoa(n)+".json"
		quietly(t, slices.Concat([]string{"merge", "--plan", "plan.json", "--partial", "--force", "-o", name}, files[:group])...)
		files = append(slices.Clone(files[group:]), name)
	}
	return files
}
