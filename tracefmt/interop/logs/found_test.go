package logs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/readings"
)

// found are logs of our own making in testdata/suggest, each with a mapping that was written by
// hand, and how much of what this finds the suggestion must find, in hundredths of the events;
// it must find nothing else.
var found = []struct {
	log     string
	minimum int
	left    int // lines that stay over
}{
	{"grouped", 100, 1},
	{"acting", 100, 1},
	{"arrows", 100, 1},
	{"traceback", 100, 1},
	{"compose", 100, 1},
	{"lock", 100, 2},
}

// TestSuggestFinds: a suggestion that is taken as it is finds what one finds who knows the log.
func TestSuggestFinds(t *testing.T) {
	for _, test := range found {
		t.Run(test.log, func(t *testing.T) {
			logs := logsOf(t, test.log)
			hand, err := os.ReadFile(filepath.Join("testdata", "suggest", test.log+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			truth, _ := readings.Read(t, string(hand), logs...)
			m := readings.Guess(t, logs)
			run, report := readings.Read(t, m, logs...)
			want, got := strings.Split(readings.Events(t, truth), "\n"), strings.Split(readings.Events(t, run), "\n")
			missing, extra := without(want, got), without(got, want)
			if have := 100 * (len(want) - len(missing)) / len(want); have < test.minimum {
				t.Errorf("finds %d of 100 events, want %d; without\n%s", have, test.minimum, strings.Join(missing, "\n"))
			}
			if len(extra) > 0 {
				t.Errorf("finds what is not there:\n%s", strings.Join(extra, "\n"))
			}
			if left := notUnderstood(t, m); left != test.left || report.Runs[0].Skipped.Lines != left {
				t.Errorf("says that %d lines stay over, the import leaves %d, want %d", left, report.Runs[0].Skipped.Lines, test.left)
			}
			if t.Failed() {
				t.Log(m)
			}
		})
	}
}

// logsOf are the names and texts of the files of a log.
func logsOf(t testing.TB, name string) (logs []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "suggest", name+".*log"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no log %s: %v", name, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, strings.TrimPrefix(filepath.Base(file), name+"."), string(text))
	}
	return logs
}

// without are the lines of one text that another lacks, with repetitions.
func without(from, removed []string) (lines []string) {
	removed = slices.Clone(removed)
	for _, line := range from {
		if i := slices.Index(removed, line); i >= 0 {
			removed = slices.Delete(removed, i, i+1)
		} else {
			lines = append(lines, line)
		}
	}
	return lines
}

// A leader that accepts another leader leads no more. A leader that accepts itself still leads, also if the sample has no
// such line.
func TestAcceptedLeader(t *testing.T) {
	log := `10:00:01 n1 I am the leader now
10:00:02 n2 leader is n1
10:00:03 n1 leader is n1
10:00:04 n2 I am the leader now
10:00:05 n1 leader is n2
`
	for _, log := range []string{log, strings.Replace(log, "10:00:03 n1 leader is n1\n", "", 1)} {
		guess := readings.Guess(t, []string{"x.log", log})
		rec, _ := readings.Read(t, guess, "x.log", log+"10:00:06 n2 leader is n2\n")
		role := make(map[string]string)
		for e := range rec.Events(1) {
			if value, ok := e.Field("role"); ok {
				role[rec.Run().ProcessName(e.Process)] = string(value)
			}
		}
		if diff := cmp.Diff(map[string]string{"n1": `"follower"`, "n2": `"leader"`}, role); diff != "" {
			t.Errorf("%s in\n%s", diff, guess)
		}
	}
}
