package spec_test

import (
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// TestParse: names, documentation, kinds and the text of rules.
func TestParse(t *testing.T) {
	properties, err := spec.Parse("election.rules", `
fluent leads(p) while   live(p) and elected(p) == p   # a comment
fluent unused(p) from crash to recover

rule one-leader "Never two \"leaders\".":
  never count(leads) > 1
each s: suspect leads to
  trust(process = s.process)
`, spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []analyze.Property{
		{
			Name: "one-leader", Kind: analyze.Safety, Doc: `Never two "leaders".`, Needs: "state events that assign elected",
			Rule: "fluent leads(p) while live(p) and elected(p) == p\nnever count(leads) > 1",
		},
		{
			Name: "election.rules:7", Kind: analyze.Liveness, Doc: "The rule: each s: suspect leads to trust(process = s.process)",
			Needs: "suspect event", Rule: "each s: suspect leads to trust(process = s.process)",
		},
	}
	if len(properties) != len(want) {
		t.Fatalf("got %d properties, want %d", len(properties), len(want))
	}
	for i, p := range properties {
		got, want := *p, want[i]
		if got.Name != want.Name || got.Kind != want.Kind || got.Doc != want.Doc || got.Needs != want.Needs || got.Rule != want.Rule {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestRule: what the library says of a rule is kept, and what it says wrong is
// found.
func TestRule(t *testing.T) {
	p, err := spec.Rule(analyze.Property{Name: "quiet", Doc: "Nobody crashes.", Source: "here", Problem: "election"}, "never crash")
	if err != nil || p.Name != "quiet" || p.Kind != analyze.Safety || p.Needs != "crash event" || p.Problem != "election" || p.Rule != "never crash" {
		t.Errorf("got %+v, %v", p, err)
	}
	for rules, want := range map[string]string{
		"never crsh":              "quiet:1:7",
		"never crash\nnever halt": "2 rules, expected one",
	} {
		if _, err := spec.Rule(analyze.Property{Name: "quiet"}, rules); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", rules, err, want)
		}
	}
}

// TestMust: a mistake in a rule of the library is no result, but a panic.
func TestMust(t *testing.T) {
	for _, c := range []struct {
		name, rule string
		kind       analyze.Kind
		panics     bool
	}{
		{"right", "never crash", analyze.Safety, false},
		{"of another kind", "never crash", analyze.Liveness, true},
		{"no rule", "never mind", analyze.Safety, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if panicked := recover() != nil; panicked != c.panics {
					t.Errorf("panicked: %v, expected %v", panicked, c.panics)
				}
			}()
			p := spec.Must(analyze.Property{Name: c.name, Kind: c.kind}, c.rule)
			p.New(&tracefmt.Run{})
		})
	}
}
