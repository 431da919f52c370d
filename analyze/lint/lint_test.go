package lint_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"etrace/analyze/lint"
	"etrace/analyze/report"
	"etrace/tracefmt"
)

// TestRules: for each rule there is a smallest bad recording, with its findings, and a similar good one without
// findings of any rule. The file also has further findings of the bad recording, and the result of a repair: its
// changes, then the run.
func TestRules(t *testing.T) {
	for _, rule := range lint.Rules().All() {
		t.Run(rule.Name, func(t *testing.T) {
			path := filepath.Join("testdata", rule.Name+".txtar")
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			traces, wanted := make(map[string]string), make(map[string]bool)
			for i, f := range archive.Files {
				name, isWanted := strings.CutPrefix(f.Name, "want ")
				if !isWanted {
					traces[f.Name] = string(f.Data)
					continue
				}
				repaired, isRepair := strings.CutPrefix(name, "repaired ")
				got := repairText(t, traces[repaired])
				if !isRepair {
					got, wanted[name] = lintText(t, traces[name]), true
				}
				if os.Getenv("ETRACE_UPDATE") != "" {
					archive.Files[i].Data = []byte(got)
				} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
				// A repaired section belongs to a bad trace, so its name must not begin with good.
				if found := isRepair || strings.Contains(got, "\n  "+rule.Name+": "); found == strings.HasPrefix(name, "good") {
					t.Errorf("%s: %s", name, got)
				}
			}
			for name := range traces {
				if !wanted[name] {
					t.Errorf("%s has no section %q, expected what is found in the trace: ETRACE_UPDATE=1 fills an empty one", path, "want "+name)
				}
			}
			if len(traces) < 2 {
				t.Errorf("%s has %d traces, expected a bad one and a good one", path, len(traces))
			}
			if os.Getenv("ETRACE_UPDATE") != "" {
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestRulesHaveTheirData: each rule is documented with its severity, and all findings have an expectation.
func TestRulesHaveTheirData(t *testing.T) {
	for _, rule := range lint.Rules().All() {
		if rule.Doc == "" || rule.Severity == "" {
			t.Errorf("%s: doc %q, severity %q", rule.Name, rule.Doc, rule.Severity)
		}
		archive, err := txtar.ParseFile(filepath.Join("testdata", rule.Name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasPrefix(f.Name, "want ") {
				continue
			}
			for _, result := range lintRun(t, string(f.Data)).Results {
				for _, found := range result.Findings {
					if found.Expected == "" {
						t.Errorf("%s, %s: %s does not say what is expected", rule.Name, result.Rule.Name, found.Found)
					}
				}
			}
		}
	}
}

func read(t *testing.T, trace string) tracefmt.Recording {
	t.Helper()
	runs, err := tracefmt.NewText("trace", strings.NewReader(trace), int64(len(trace))).Unvalidated().Runs()
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

func lintRun(t *testing.T, trace string) *lint.RunReport {
	t.Helper()
	found, err := lint.Run(read(t, trace), lint.Rules().All())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func lintText(t *testing.T, trace string) string {
	t.Helper()
	format, err := report.LintFormats().Lookup("text")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	rep := &report.Lint{Traces: []string{"trace"}, Runs: []report.LintRun{{Trace: "trace", RunReport: lintRun(t, trace)}}}
	if err := format.Write(&text, rep, report.Style{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// FuzzLint: lint returns a report for any contradictory events, and does not panic.
func FuzzLint(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if !strings.HasPrefix(file.Name, "want ") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, trace string) {
		runs, err := tracefmt.NewText("trace", strings.NewReader(trace), int64(len(trace))).Unvalidated().Runs()
		if err != nil {
			return
		}
		for _, run := range runs {
			if _, err := lint.Run(run, lint.Rules().All()); err != nil {
				t.Log(err)
			}
		}
	})
}

// TestRulesAreInTheManual: docs/format.md names every rule.
func TestRulesAreInTheManual(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(manual), "## What is wrong with it")
	for _, name := range lint.Rules().Names() {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("docs/format.md does not name the rule %s below \"What is wrong with it\"", name)
		}
	}
}
