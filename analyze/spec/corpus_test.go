package spec_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// TestCorpus checks the traces of testdata/verdicts/FORM/*.txtar: rules, a
// hand-written trace, and what is expected. ETRACE_UPDATE=1 rewrites the
// latter.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/verdicts/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/verdicts/"), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) != 3 {
				t.Fatalf("expected the files rules, trace.jsonl and expect: %v", err)
			}
			rules, trace, expect := archive.Files[0].Data, archive.Files[1].Data, &archive.Files[2]
			rec := decode(t, trace)[0]
			if !strings.HasPrefix(name, "undeclared/") {
				rec = complete(rec)
			}
			got := outcomes(checkRecorded(t, rec, string(rules)))
			if os.Getenv("ETRACE_UPDATE") != "" {
				expect.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(expect.Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// outcomes is the form of results in the section expect.
func outcomes(report *analyze.RunReport) string {
	var b strings.Builder
	for _, r := range report.Results {
		fmt.Fprintf(&b, "verdict: %s\n", r.Verdict)
		if r.Violations > 0 {
			fmt.Fprintf(&b, "violations: %d\nwitness: %s\n", r.Violations, r.WitnessJSON())
		}
		if r.Cut != nil {
			fmt.Fprintf(&b, "cut: %v\n", r.Cut)
		}
		if len(r.Open) > 0 {
			fmt.Fprintf(&b, "obligations: %d\n", len(r.Open))
		}
		for _, n := range r.Needs {
			fmt.Fprintf(&b, "needs: %s\n", n.Text(report.Run))
		}
		if r.Explanation != "" {
			fmt.Fprintf(&b, "explanation: %s\n", r.Explanation)
		}
	}
	return b.String()
}

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// complete is a run that declares that everything is recorded, unless it has a declaration already.
func complete(rec *tracefmt.Memory) *tracefmt.Memory {
	if run := rec.Run(); run.Completeness == nil {
		run.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
	}
	return rec
}

// check checks a run for rules; without a declaration the run is recorded completely.
func check(t failer, rec *tracefmt.Memory, rules string) *analyze.RunReport {
	t.Helper()
	return checkRecorded(t, complete(rec), rules)
}

// checkRecorded checks a run as it is recorded.
func checkRecorded(t failer, rec tracefmt.Recording, rules string) *analyze.RunReport {
	t.Helper()
	return checkParsed(t, rec, parse(t, rules))
}

func parse(t failer, rules string) []*analyze.Property {
	t.Helper()
	properties, err := spec.Parse("test", rules, spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return properties
}

// checkParsed checks a run for rules that several runs are checked for.
func checkParsed(t failer, rec tracefmt.Recording, properties []*analyze.Property) *analyze.RunReport {
	t.Helper()
	report, err := analyze.Check(rec, properties, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// decode reads the runs of a trace in text form.
func decode(t failer, text []byte) []*tracefmt.Memory {
	t.Helper()
	runs, err := tracefmt.ReadMemory(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// TestManyObligations: where unrecorded receives may have met each of the obligations, none is open, however many
// they are.
func TestManyObligations(t *testing.T) {
	for _, sends := range []int{1, analyze.MostOwed, analyze.MostOwed + 1} {
		for level, want := range map[tracefmt.Level]analyze.Verdict{tracefmt.All: analyze.Pending, tracefmt.Some: analyze.Unknown} {
			run := tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}, Completeness: &tracefmt.Completeness{
				Levels: tracefmt.Levels{Default: tracefmt.All, Kinds: map[string]tracefmt.Level{"receive": level}},
			}}
			rec := tracefmt.NewMemory(run)
			for i := range sends {
				e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "M", Message: tracefmt.MessageID(i + 1)}
				if err := rec.Write(&e); err != nil {
					t.Fatal(err)
				}
			}
			rec.Finish(tracefmt.Stopped)
			report := checkRecorded(t, rec, "each s: send leads to receive(message = s.message)")
			if got := report.Results[0].Verdict; got != want {
				t.Errorf("%d sends, receives recorded: %v: verdict %v, want %v", sends, level, got, want)
			}
		}
	}
}
