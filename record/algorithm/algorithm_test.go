package algorithm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/tracefmt"
)

// bothWays are the rings whose processes send to their predecessors, too, which
// the trait ring excludes.
var bothWays = []string{"franklin", "hirschberg-sinclair"}

// onGraphs are the algorithms for other graphs.
var onGraphs = map[string]algorithm.Graph{
	"chandy-lamport": algorithm.ConnectedGraph, "lai-yang": algorithm.ConnectedGraph,
	"echo": algorithm.ConnectedGraph, "raymond": algorithm.AnyGraph, "tree-election": algorithm.Tree,
	"echo-wave": algorithm.ConnectedGraph, "tree-wave": algorithm.GivenGraph,
}

// TestAll holds every entry of the registry to what the documentation needs.
func TestAll(t *testing.T) {
	for _, a := range builtin.Algorithms().All() {
		t.Run(a.Name, func(t *testing.T) {
			first, _, ok := strings.Cut(a.Doc, "\n\n")
			if !ok || !strings.HasSuffix(first, ".") || a.Source == "" || a.Problem == "" {
				t.Errorf("doc %q, source %q, problem %q", first, a.Source, a.Problem)
			}
			if a.Problem == tracefmt.Election && len(a.Traits) == 0 {
				t.Error("an election without traits, expected at least one, such as greatest-wins, so that properties know what kind of runs it makes")
			}
			for _, trait := range a.Traits {
				if _, err := tracefmt.Traits().Lookup(trait); err != nil {
					t.Error(err)
				}
			}
			needs := map[bool]algorithm.Graph{true: algorithm.Ring, false: algorithm.CompleteGraph}
			onRing := slices.Contains(a.Traits, tracefmt.OnRing)
			// Elections of the complete graph are the rule, rings follow from a trait, other graphs have a row.
			needed, byGraph := onGraphs[a.Name]
			if !byGraph {
				needed = needs[onRing || slices.Contains(bothWays, a.Name)]
			}
			if a.Needs != needed || onRing && slices.Contains(bothWays, a.Name) {
				t.Errorf("needs %s; on a ring: %v", a.Needs, onRing)
			}
			values, err := a.Resolve(nil)
			if err != nil {
				t.Fatalf("the defaults are refused: %v", err)
			}
			for _, p := range a.Params {
				if p.Doc == "" || values[p.Name] != p.Default {
					t.Errorf("parameter %s: doc %q, resolved to %q", p.Name, p.Doc, values[p.Name])
				}
			}
			messages, variables, _ := a.New(values).Describe()
			for _, d := range slices.Concat(messages, variables) {
				if d[0] == "" || d[1] == "" {
					t.Errorf("undocumented: %q", d)
				}
			}
		})
	}
}

func TestLookup(t *testing.T) {
	if a, err := builtin.Algorithms().Lookup("ring"); err != nil || a.Name != "ring" {
		t.Errorf("ring: %v, %v", a, err)
	}
	if _, err := builtin.Algorithms().Lookup("rign"); err == nil || !strings.Contains(err.Error(), `did you mean "ring"?`) {
		t.Errorf("rign: %v", err)
	}
}

// TestPromises: a run promises what its algorithm does, unless its parameters
// take it back.
func TestPromises(t *testing.T) {
	for _, test := range []struct {
		algorithm, name, text string
		guarded, bounded      bool
	}{
		{"bully", "", "", true, true},
		{"bully", "guard", "off", false, false},
		{"bully", "timeout", "5", true, false},
		{"bully", "coordinator-timeout", "on", true, true},
		{"bully", "coordinator-timeout", "9", true, false},
		{"bully", "announce", "all", true, true},
		{"basu", "believed-normal", "5", false, false},
		{"basu", "announce", "all", false, true},
	} {
		a, err := builtin.Algorithms().Lookup(test.algorithm)
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]string{}
		if test.name != "" {
			given[test.name] = test.text
		}
		values, err := a.Resolve(given)
		if err != nil {
			t.Fatal(err)
		}
		traits, bounds := a.Promises(values)
		if guarded := slices.Contains(traits, tracefmt.Guarded); guarded != test.guarded || len(bounds) > 0 != test.bounded {
			t.Errorf("%s with %s=%s: guarded %t and bounded %t, want %t and %t",
				test.algorithm, test.name, test.text, guarded, len(bounds) > 0, test.guarded, test.bounded)
		}
	}
}

// A value is a word of the parameter or a time; times are written in one form.
func TestResolve(t *testing.T) {
	bully, err := builtin.Algorithms().Lookup("bully")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, text, want, wantErr string }{
		{"timeout", "5", "5", ""},
		{"timeout", "5.50", "5.5", ""},
		{"timeout", "1500ms", "1.5", ""},
		{"timeout", "off", "", `timeout "off": expected a time above 0`},
		{"timeout", "3,announce=all", "", `timeout "3,announce=all": expected a time above 0; each parameter is given by itself`},
		{"timeout", "3,none=1", "", `timeout "3,none=1": expected a time above 0`},
		{
			"timeout", "3, 5.0,7", "",
			`timeout "3, 5.0,7": expected a time above 0; a sweep is given each value by itself, --param timeout=3 --param timeout=5`,
		},
		{"timeout", "3,", "", `timeout "3,": expected a time above 0`},
		{
			"timeout", "3..7", "",
			`timeout "3..7": expected a time above 0; a sweep is given each value by itself, --param timeout=3 ... --param timeout=7`,
		},
		{"timeout", "3..", "", `timeout "3..": expected a time above 0`},
		{
			"announce", "all,live", "",
			`announce "all,live": expected lower or all or live; a sweep is given each value by itself, --param announce=all --param announce=live`,
		},
		{"timeout", "0", "", `timeout "0": expected a time above 0`},
		{"timeout", "-1", "", `timeout "-1": expected a time above 0`},
		{"timeout", "99999999999", "", `timeout "99999999999": expected a time above 0`},
		{"coordinator-timeout", "on", "on", ""},
		{"coordinator-timeout", "9", "9", ""},
		{"coordinator-timeout", "never", "", `coordinator-timeout "never": expected on or off or a time above 0`},
		{"announce", "all", "all", ""},
		{"announce", "3", "", `announce "3": expected lower or all or live`},
		{"anounce", "all", "", `unknown parameter of bully "anounce", did you mean "announce"?`},
	} {
		values, err := bully.Resolve(map[string]string{test.name: test.text})
		if test.wantErr != "" {
			says, _, _ := strings.Cut(fmt.Sprint(err), " (known: ")
			if says != test.wantErr {
				t.Errorf("%s=%s: %v, want %s", test.name, test.text, err, test.wantErr)
			}
			continue
		}
		if err != nil || values[test.name] != test.want {
			t.Errorf("%s=%s: %q, %v, want %q", test.name, test.text, values[test.name], err, test.want)
		}
	}
}

// Processes are named by their ids; the protocol gets their numbers.
func TestResolveProcesses(t *testing.T) {
	a, err := builtin.Algorithms().Lookup("basu")
	if err != nil {
		t.Fatal(err)
	}
	number := func(_ string, id int64) tracefmt.ProcessID { return tracefmt.ProcessID(id / 10) }
	for _, test := range []struct{ text, want, numbers string }{
		{"none", "none", "none"}, {"50", "50", "5"}, {"50, 060", "50,60", "5,6"},
	} {
		values, err := a.Resolve(map[string]string{"believed-normal": test.text})
		if err != nil || values["believed-normal"] != test.want {
			t.Errorf("%s: %q, %v, want %q", test.text, values["believed-normal"], err, test.want)
		}
		if got := a.Number(values, number)["believed-normal"]; got != test.numbers {
			t.Errorf("%s: numbers %q, want %q", test.text, got, test.numbers)
		}
	}
	for _, text := range []string{"", "5-6", "-5", "5,", "all"} {
		_, err := a.Resolve(map[string]string{"believed-normal": text})
		if want := fmt.Sprintf("believed-normal %q: expected none or process ids such as 5,6", text); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
