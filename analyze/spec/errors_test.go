package spec_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"etrace/analyze/spec"
)

// TestErrors reads the rules of testdata/errors, each with one mistake, and prints the error.
func TestErrors(t *testing.T) {
	if os.Getenv("ETRACE_UPDATE") != "" {
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	datadriven.RunTest(t, "testdata/errors", func(t *testing.T, d *datadriven.TestData) string {
		properties, err := spec.Parse("election.rules", d.Input, spec.Options{AllowQuadratic: d.HasArg("quadratic")})
		if err == nil {
			var names []string
			for _, p := range properties {
				names = append(names, p.Name)
			}
			return strings.Join(names, "\n")
		}
		var mistake *spec.Error
		if !errors.As(err, &mistake) {
			t.Fatalf("%v is no *spec.Error", err)
		}
		return err.Error()
	})
}

// TestSizes: what no person writes is refused before it costs anything.
func TestSizes(t *testing.T) {
	for _, c := range []struct{ name, rules, want string }{
		{"too long", "never crash" + strings.Repeat(" ", 1<<16), "expected at most 65536"},
		{"too deep", "never " + strings.Repeat("(", 10_000) + "1", "nest at most 50 deep"},
		{"many signs", "never count(live()) > " + strings.Repeat("-", 10_000) + "1", ""},
		{"many quantifiers", "never " + strings.Repeat("exists p in live(): ", 1_000) + "live(p)", "nest at most 3 deep"},
	} {
		_, err := spec.Parse("rules", c.rules, spec.Options{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %.200v, want %q", c.name, err, c.want)
		}
	}
}

// TestByteOrderMark: some editors begin a file with one.
func TestByteOrderMark(t *testing.T) {
	if _, err := spec.Parse("rules", "\ufeff# two lines\r\nnever crash\r\n", spec.Options{}); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range spec.Constructs() {
		f.Add(c.Example)
	}
	f.Add("never \"\xff\" where (((-not e.\"\\x\" in (1.5s, 99999999999999999999)")
	f.Add("fluent f(p) from f to f rule r \"d\": at end forall x in f: exists x in f: f(x) # end")
	f.Fuzz(func(t *testing.T, rules string) {
		properties, err := spec.Parse("rules", rules, spec.Options{AllowQuadratic: true})
		var mistake *spec.Error
		if err != nil && !errors.As(err, &mistake) {
			t.Fatalf("%v is no *spec.Error", err)
		}
		if err != nil {
			return
		}
		for _, p := range properties {
			if p.Rule == "" || p.Needs == "" || p.Kind == "" || p.Name == "" {
				t.Fatalf("a property is not whole: %+v", p)
			}
			// The text of a property must be a rule.
			again, err := spec.Parse("rules", p.Rule, spec.Options{AllowQuadratic: true})
			if err != nil || len(again) != 1 || again[0].Rule != p.Rule {
				t.Fatalf("%q was read as %q, which is wrong: %v", rules, p.Rule, err)
			}
		}
	})
}
