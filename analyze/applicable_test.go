package analyze_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"etrace/analyze"
	"etrace/tracefmt"
)

// TestNotFor: why a run is not examined for a property, and what changes when
// the property is named.
func TestNotFor(t *testing.T) {
	const absent = "the run has no clocks that are alike"
	run := tracefmt.Run{Problem: "election", Traits: []string{"ring", "greatest-wins"}}
	for _, tt := range []struct {
		name     string
		property analyze.Property
		reason   string // "" if it is examined
		named    string // the same when it is asked for by name
	}{
		{"no demands", analyze.Property{}, "", ""},
		{"the same problem", analyze.Property{Problem: "election"}, "", ""},
		{"another problem", analyze.Property{Problem: "mutex"}, "the run solves election, not mutex", "the run solves election, not mutex"},
		{"traits that are there", analyze.Property{Required: []string{"greatest-wins", "ring"}}, "", ""},
		{"a required trait", analyze.Property{Required: []string{"ring", "fifo"}}, "the run does not state the trait fifo", "the run does not state the trait fifo"},
		{"a presumed trait", analyze.Property{Presumed: []string{"fifo"}}, "the run does not state the trait fifo", ""},
		{"an excluded trait", analyze.Property{Excluded: []string{"fifo", "ring"}, Presumed: []string{"fifo"}}, "the run states the trait ring", ""},
		{"no excluded trait", analyze.Property{Excluded: []string{"fifo"}}, "", ""},
		{"an assumption that fails", analyze.Property{Assumes: func(*tracefmt.Run) string { return absent }, Excluded: []string{"ring"}}, absent, ""},
		{"an assumption that holds", analyze.Property{Assumes: func(*tracefmt.Run) string { return "" }, Excluded: []string{"ring"}}, "the run states the trait ring", ""},
	} {
		for _, named := range []bool{false, true} {
			want := tt.reason
			if named {
				want = tt.named
			}
			asked := false
			p := tt.property
			p.New = func(*tracefmt.Run) analyze.Monitor { asked = true; return script(func(*analyze.Result) {}) }
			report, err := analyze.Check(tracefmt.NewMemory(run), []*analyze.Property{&p}, analyze.Options{Named: named})
			if err != nil {
				t.Fatal(err)
			}
			r := report.Results[0]
			if r.Explanation != want || asked != (want == "") || (r.Verdict == analyze.NotApplicable) != (want != "") {
				t.Errorf("%s, named: %t: %s (%s), want %q", tt.name, named, r.Verdict, r.Explanation, want)
			}
		}
	}
}

// A run that does not say which problem it solves is examined for all.
func TestUnknownProblem(t *testing.T) {
	p := &analyze.Property{Problem: "mutex", New: func(*tracefmt.Run) analyze.Monitor { return script(func(*analyze.Result) {}) }}
	if r := check(t, tracefmt.NewMemory(tracefmt.Run{}), p).Results[0]; r.Verdict != analyze.Vacuous {
		t.Errorf("%s (%s), want it to be examined", r.Verdict, r.Explanation)
	}
}

// A property with an argument has no monitor before it has one, and neither both
// nor none can be registered.
func TestPropertyWithArgument(t *testing.T) {
	unbound := &analyze.Property{Name: "within", Argument: "T, a time", Bind: func(string) (*analyze.Property, error) { return nil, nil }}
	r := check(t, tracefmt.NewMemory(tracefmt.Run{}), unbound).Results[0]
	if want := "the property was not given its argument, T, a time"; r.Verdict != analyze.NotApplicable || r.Explanation != want {
		t.Errorf("%s (%s), want %s", r.Verdict, r.Explanation, want)
	}
	monitor := func(*tracefmt.Run) analyze.Monitor { return nil }
	for _, tt := range []struct {
		property *analyze.Property
		sound    bool
	}{
		{unbound, true},
		{&analyze.Property{New: monitor}, true},
		{&analyze.Property{}, false},
		{&analyze.Property{New: monitor, Bind: unbound.Bind}, false},
	} {
		if err := tt.property.Check(); (err == nil) != tt.sound {
			t.Errorf("%+v: %v", tt.property, err)
		}
	}
	if unbound.Key() != "within" {
		t.Errorf("found as %q, want its name", unbound.Key())
	}
}

// TestUnknownTraits: a trait that neither etrace nor an examined property knows
// is reported with the nearest that is known.
func TestUnknownTraits(t *testing.T) {
	property := &analyze.Property{Required: []string{"zig-zag"}, Presumed: []string{"token-based"}, Excluded: []string{"anonymous-ids"}}
	report := &analyze.RunReport{
		Run:     &tracefmt.Run{Traits: []string{"ring", "rinng", "zig-zag", "token-based", "anonymous-ids", "zigzag"}},
		Results: []*analyze.Result{{Property: property}},
	}
	var got []string
	for _, err := range report.UnknownTraits() {
		got = append(got, fmt.Sprintf("%.43s", err))
	}
	if want := `[unknown trait "rinng", did you mean "ring"? unknown trait "zigzag", did you mean "zig-z]`; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	report.Run = &tracefmt.Run{Traits: []string{"zing"}}
	property.Required = []string{"aing"}
	if all := report.UnknownTraits(); len(all) != 1 || !strings.Contains(all[0].Error(), `did you mean "aing"?`) {
		t.Errorf("got %v, want the first in the alphabet of those that are equally near", all)
	}
	report.Run.Traits, report.Results = []string{"aing", "ring"}, nil
	if n := len(report.UnknownTraits()); n != 1 {
		t.Errorf("without the property %d traits are unknown, want aing", n)
	}
}

// Monitors that search get a limit of time, ten seconds if nobody says another.
func TestTimeLimit(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: 10 * time.Second, time.Minute: time.Minute} {
		p := &analyze.Property{New: func(*tracefmt.Run) analyze.Monitor { return script(func(*analyze.Result) {}) }}
		report, err := analyze.Check(tracefmt.NewMemory(tracefmt.Run{}), []*analyze.Property{p}, analyze.Options{TimeLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Results[0].TimeLimit; got != want {
			t.Errorf("%v is %v, want %v", limit, got, want)
		}
	}
}
