package analyze_test

import (
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/tracefmt"
)

// TestNotFor: why a run is not examined for a property, and what changes when
// the property is named.
func TestNotFor(t *testing.T) {
	const locks = "the run solves election, not mutex; if it does that, too, state the trait locks (docs/mappings.md)"
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
		{"another problem", analyze.Property{Problem: "commit"}, "the run solves election, not commit", "the run solves election, not commit"},
		{"another problem that a trait adds", analyze.Property{Problem: "mutex"}, locks, locks},
		{"traits that are there", analyze.Property{Required: []string{"greatest-wins", "ring"}}, "", ""},
		{
			"a required trait",
			analyze.Property{Required: []string{"ring", "fifo"}},
			"the run does not state the trait fifo", "the run does not state the trait fifo",
		},
		{"a presumed trait", analyze.Property{Presumed: []string{"fifo"}}, "the run does not state the trait fifo", ""},
		{
			"an excluded trait",
			analyze.Property{Excluded: []string{"fifo", "ring"}, Presumed: []string{"fifo"}},
			"the run states the trait ring", "",
		},
		{"no excluded trait", analyze.Property{Excluded: []string{"fifo"}}, "", ""},
		{"an assumption that fails", analyze.Property{
			Assumes:  func(*tracefmt.Run) string { return absent },
			Excluded: []string{"ring"},
		}, absent, ""},
		{"an assumption that holds", analyze.Property{
			Assumes:  func(*tracefmt.Run) string { return "" },
			Excluded: []string{"ring"},
		}, "the run states the trait ring", ""},
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

// A run without a problem is examined for all.
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

// TestRemarks: a word of the header that neither etrace nor an examined property
// knows is reported with the nearest that is known.
func TestRemarks(t *testing.T) {
	monitor := func(*tracefmt.Run) analyze.Monitor { return script(func(*analyze.Result) {}) }
	traits := &analyze.Property{
		Required: []string{"zig-zag"}, Presumed: []string{"token-based"},
		Excluded: []string{"anonymous-ids"}, New: monitor,
	}
	near := &analyze.Property{Required: []string{"aing"}, New: monitor}
	gossip := &analyze.Property{Problem: "gossip", New: monitor}
	for _, tt := range []struct {
		run        tracefmt.Run
		properties []*analyze.Property
		want       string // the beginnings of the remarks, between semicolons
	}{
		{tracefmt.Run{}, nil, ""},
		{
			tracefmt.Run{Traits: []string{"ring", "rinng", "zig-zag", "token-based", "anonymous-ids", "zigzag"}},
			[]*analyze.Property{traits},
			`unknown trait "rinng", did you mean "ring"?;unknown trait "zigzag", did you mean "zig-zag"?`,
		},
		// Ties go to the first in the alphabet.
		{tracefmt.Run{Traits: []string{"zing"}}, []*analyze.Property{near}, `unknown trait "zing", did you mean "aing"?`},
		{tracefmt.Run{Traits: []string{"aing", "ring"}}, nil, `unknown trait "aing", did you mean "ring"?`},
		{tracefmt.Run{Problem: "election"}, nil, ""},
		{tracefmt.Run{Problem: "Election"}, nil, `unknown problem "Election", did you mean "election"?`},
		{tracefmt.Run{Problem: "leader-election"}, nil, `unknown problem "leader-election", did you mean "election"?`},
		{tracefmt.Run{Problem: "gossip"}, nil, `unknown problem "gossip"`},
		{tracefmt.Run{Problem: "gossip"}, []*analyze.Property{gossip}, ""},
		{tracefmt.Run{Problem: "gosip"}, []*analyze.Property{gossip}, `unknown problem "gosip", did you mean "gossip"?`},
	} {
		report, err := analyze.Check(tracefmt.NewMemory(tt.run), tt.properties, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if tt.want != "" {
			want = strings.Split(tt.want, ";")
		}
		if len(report.Remarks) != len(want) {
			t.Errorf("%+v: %q, want %q", tt.run, report.Remarks, want)
			continue
		}
		for i, remark := range report.Remarks {
			if !strings.HasPrefix(remark, "the run states an "+want[i]) {
				t.Errorf("%+v: %q, want %q", tt.run, remark, want[i])
			}
		}
	}
}

// TestIncludedProblem: the properties of a problem apply to runs of a problem that includes it, and to runs whose
// problem is not known.
func TestIncludedProblem(t *testing.T) {
	monitor := func(*tracefmt.Run) analyze.Monitor { return script(func(*analyze.Result) {}) }
	for _, tt := range []struct {
		run, property string
		applies       bool
	}{
		{"raft", "election", true},
		{"zab", "election", true},
		{"election", "raft", false},
		{"consensus", "election", false},
		{"raft", "raft", true},
		{"raft", "", true},
		{"Raft", "mutex", true},
		{"", "mutex", true},
		{"register", "mutex", false},
	} {
		p := &analyze.Property{Problem: tt.property, New: monitor}
		report, err := analyze.Check(tracefmt.NewMemory(tracefmt.Run{Problem: tt.run}), []*analyze.Property{p}, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Verdict != analyze.NotApplicable; got != tt.applies {
			t.Errorf("a property of %q on a run of %q: applies: %t, want %t", tt.property, tt.run, got, tt.applies)
		}
	}
}

// Monitors that search get a limit of steps, two million unless a caller sets another.
func TestMaxSteps(t *testing.T) {
	for limit, want := range map[int64]int64{0: 2_000_000, 7: 7} {
		p := &analyze.Property{New: func(*tracefmt.Run) analyze.Monitor { return script(func(*analyze.Result) {}) }}
		report, err := analyze.Check(tracefmt.NewMemory(tracefmt.Run{}), []*analyze.Property{p}, analyze.Options{MaxSteps: limit})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Results[0].MaxSteps; got != want {
			t.Errorf("%v is %v, want %v", limit, got, want)
		}
	}
}
