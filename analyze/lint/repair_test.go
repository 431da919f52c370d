package lint_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"etrace/analyze/lint"
	"etrace/fixtures/exceptions"
	"etrace/tracefmt"
)

// leftAsItIs are the bad recordings that cannot be repaired, with the reason.
var leftAsItIs = exceptions.New(
	exceptions.Row{What: "clock-skew/bad.jsonl", Why: "whose clock is wrong no recording says"},
	exceptions.Row{What: "equal-best/bad.jsonl", Why: "which of two equal values is wrong no recording says"},
	exceptions.Row{What: "equal-best/bad variable.jsonl", Why: "which of two equal values is wrong no recording says"},
	exceptions.Row{What: "unknown-host/bad elected.jsonl", Why: "whom a process has elected it knows best"},
)

// TestRepair: a repair leaves no error and no warning without an excuse, and changes neither a good recording nor
// a repaired one.
func TestRepair(t *testing.T) {
	for _, rule := range lint.Rules().All() {
		archive, err := txtar.ParseFile(filepath.Join("testdata", rule.Name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		sections := make(map[string]bool)
		for _, f := range archive.Files {
			sections[f.Name] = true
		}
		for _, f := range archive.Files {
			if strings.HasPrefix(f.Name, "want ") {
				continue
			}
			name := rule.Name + "/" + f.Name
			found := lintRun(t, string(f.Data)).Counts()
			repaired := repairedRun(t, string(f.Data))
			left := repaired.Left.Counts()
			wrong := found[lint.Error]+found[lint.Warning] > 0 && !leftAsItIs.Excuse(name)
			switch {
			case wrong && len(repaired.Changes) == 0:
				t.Errorf("%s: a repair changes nothing, though lint finds %v; expected a row in repairs, or in leftAsItIs why not", name, found)
			case !wrong && len(repaired.Changes) > 0:
				t.Errorf("%s: %d changes of a run in which lint finds %v, expected none", name, len(repaired.Changes), found)
			case wrong && left[lint.Error]+left[lint.Warning] > 0:
				t.Errorf("%s: %v are left", name, left)
			case wrong && strings.HasPrefix(f.Name, "bad") && !sections["want repaired "+f.Name]:
				t.Errorf("%s: expected a section of what a repair makes of it", name)
			}
			// A repair is idempotent: a second one finds nothing to change.
			text := encoded(t, repaired)
			again := repairedRun(t, text)
			if diff := cmp.Diff(text, encoded(t, again)); diff != "" || len(again.Changes) > 0 {
				t.Errorf("%s: repaired twice it is another run: %s", name, diff)
			}
			if rule.Repair() == "" && wrong {
				t.Errorf("%s: what a repair makes of it is not said", rule.Name)
			}
		}
	}
	leftAsItIs.CheckNeeded(t.Errorf)
}

// TestNotesOfRepairs: the notes that a repair makes do not declare that notes are recorded, in a recording that
// declares nothing.
func TestNotesOfRepairs(t *testing.T) {
	repaired := repairedRun(t, `{"format":"etrace/1","time_unit":"logical","members":[{"name":"a"},{"name":"b"},{"name":"c"}]}
{"seq":1,"time":1000000000,"process":"a","kind":"send","type":"HI","peer":"b","message":1}
{"seq":2,"time":2000000000,"process":"a","kind":"send","type":"HI","peer":"b","message":1}
{"seq":3,"time":3000000000,"process":"b","kind":"receive","type":"HI","peer":"a","message":1}
{"seq":4,"time":4000000000,"process":"c","kind":"start"}
{"end":"stopped","events":4}
`)
	coverage := tracefmt.NewCoverage(repaired.Run())
	for process, want := range map[tracefmt.ProcessID]tracefmt.Level{1: tracefmt.Some, 2: tracefmt.Some, 3: tracefmt.None} {
		if got := coverage.Declared(process, tracefmt.Fact{Kind: tracefmt.Note}); got != want {
			t.Errorf("notes of process %d are %v, want %v in\n%s", process, got, want, encoded(t, repaired))
		}
	}
}

func repairedRun(t *testing.T, trace string) *lint.Repaired {
	t.Helper()
	repaired, err := lint.Repair(read(t, trace), lint.Rules().All())
	if err != nil {
		t.Fatal(err)
	}
	return repaired
}

func repairText(t *testing.T, trace string) string {
	t.Helper()
	if trace == "" {
		return ""
	}
	repaired := repairedRun(t, trace)
	var b strings.Builder
	for _, c := range repaired.Changes {
		where := "header"
		if c.At.Seq != 0 {
			where = fmt.Sprintf("seq %d", c.At.Seq)
		}
		fmt.Fprintf(&b, "%s, %s of %s: %s -> %s\n", c.Rule.Name, c.Part, where, c.Before, c.After)
	}
	return b.String() + encoded(t, repaired)
}

func encoded(t *testing.T, rec tracefmt.Recording) string {
	t.Helper()
	var b bytes.Buffer
	if err := tracefmt.Copy(tracefmt.NewEncoder(&b), rec, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
