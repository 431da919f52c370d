package property_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/tracefmt"
)

// TestCorpus checks the traces of testdata/PROPERTY/*.txtar: a hand-written
// trace, and what is expected of it; a section argument has the argument of a
// property that takes one. ETRACE_UPDATE=1 rewrites what is expected.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			trace, expect := section(t, archive, "trace.jsonl"), section(t, archive, "expect")
			named := strings.HasSuffix(file, "_named.txtar")
			got := outcome(check(t, decode(t, trace.Data)[0], named, name+argument(archive)))
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

// TestAll holds every property to what the corpus must show of it.
func TestAll(t *testing.T) {
	for _, p := range property.Builtin().All() {
		if p.Doc == "" || p.Source == "" || (p.New == nil) == (p.Bind == nil) || p.Kind != analyze.Safety && p.Kind != analyze.Liveness {
			t.Errorf("%s: expected a doc, a source, a kind and a monitor", p.Name)
		}
		if p.Needs == "" || (p.Assumption == "") != (p.Assumes == nil) {
			t.Errorf("%s: expected what it needs, and an assumption in words if it has one", p.Name)
		}
		for _, kinds := range [][]string{{"satisfied"}, {"violated"}, {"stopped"}, {"vacuous", "not_applicable"}} {
			if !slices.ContainsFunc(kinds, func(kind string) bool {
				files, _ := filepath.Glob(filepath.Join("testdata", p.Name, kind+"*.txtar"))
				return len(files) > 0
			}) {
				t.Errorf("%s: no trace %s*.txtar in its testdata", p.Name, strings.Join(kinds, "*.txtar or "))
			}
		}
	}
}

func TestLookup(t *testing.T) {
	found, err := property.Builtin().Named("single-leader", "agreement")
	if err != nil || len(found) != 2 || found[0].Name != "single-leader" || found[1].Name != "agreement" {
		t.Errorf("got %v, %v, expected the two in the order given", found, err)
	}
	_, err = property.Builtin().Named("agrement")
	if err == nil || !strings.Contains(err.Error(), `did you mean "agreement"?`) {
		t.Errorf("got %v, expected a suggestion", err)
	}
}

// TestArguments: an argument without a meaning is refused when the property is named.
func TestArguments(t *testing.T) {
	for name, want := range map[string]string{
		"bounded-bypass(0)":        "",
		"bounded-bypass(-1)":       "expected a number of entries, 0 or more",
		"bounded-bypass(few)":      "expected a number of entries, 0 or more",
		"messages-at-most(3*n-1)":  "",
		"messages-at-most(3*m-1)":  `unknown name "m"`,
		"messages-at-most(n == 3)": "expected a number, got false",
	} {
		_, err := property.Builtin().Named(name)
		if want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func section(t *testing.T, a *txtar.Archive, name string) *txtar.File {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	t.Fatalf("no section %s", name)
	return nil
}

// argument is the section argument in parentheses, "" for none.
func argument(a *txtar.Archive) string {
	for _, f := range a.Files {
		if f.Name == "argument" {
			return "(" + strings.TrimSpace(string(f.Data)) + ")"
		}
	}
	return ""
}

// outcome is the form of a result in the section expect.
func outcome(report *analyze.RunReport) string {
	r := report.Results[0]
	var b strings.Builder
	fmt.Fprintf(&b, "verdict: %s\n", r.Verdict)
	if r.Violations > 0 {
		fmt.Fprintf(&b, "violations: %d\nwitness: %s\n", r.Violations, r.WitnessJSON())
	}
	if len(r.Open) > 0 {
		fmt.Fprintf(&b, "obligations: %d\n", len(r.Open))
	}
	if r.Explanation != "" {
		fmt.Fprintf(&b, "explanation: %s\n", r.Explanation)
	}
	if report.Ending.Doubt != "" {
		fmt.Fprintf(&b, "doubt: %s\n", report.Ending.Doubt)
	}
	return b.String()
}

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
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

// unbound returns all properties that take no argument.
func unbound() []*analyze.Property {
	return slices.DeleteFunc(property.Builtin().All(), func(p *analyze.Property) bool { return p.Bind != nil })
}

// check checks one run for the properties of these names, all that take no
// argument if none.
func check(t failer, rec tracefmt.Recording, named bool, names ...string) *analyze.RunReport {
	t.Helper()
	properties := unbound()
	if len(names) > 0 {
		var err error
		properties, err = property.Builtin().Named(names...)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range properties {
			if p.OfRecord { // else it applies to simulated runs alone
				properties[i] = analyze.Ask(properties[i : i+1])[0]
			}
		}
	}
	report, err := analyze.Check(rec, properties, analyze.Options{Named: named})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
