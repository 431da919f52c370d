package algorithm_test

import (
	"strings"
	"testing"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

func faulty() *algorithm.Algorithm {
	return &algorithm.Algorithm{
		Name: "toy", Problem: "mutex", Traits: []string{tracefmt.OnRing}, Bounds: []tracefmt.Bound{{Messages: "n"}},
		Params: []algorithm.Param{{Name: "holder", Default: "first", Words: []string{"first"}, Process: true}},
		Mutants: []algorithm.Mutant{{
			Name: "greedy", Doc: "It enters at once.", Breaks: []string{"mutual-exclusion"},
			Shows: "nodes: 2, start: all",
		}},
		New: func(algorithm.Values) *sim.Protocol { return &sim.Protocol{} },
	}
}

// A mutant is asked for by name, promises nothing, and is made by no run that does
// not ask for it.
func TestMutants(t *testing.T) {
	a := faulty()
	if err := a.Check(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		given    map[string]string
		mutant   bool
		promises int
	}{{nil, false, 1}, {map[string]string{"mutant": "none"}, false, 1}, {map[string]string{"mutant": "greedy"}, true, 0}} {
		v, err := a.Resolve(test.given)
		if err != nil {
			t.Fatal(err)
		}
		traits, bounds := a.Promises(v)
		if len(traits) != test.promises || len(bounds) != test.promises ||
			(a.Mutant(v) != nil) != test.mutant || v.Mutant("greedy") != test.mutant {
			t.Errorf("%v: traits %v, bounds %v, mutant %v", test.given, traits, bounds, a.Mutant(v))
		}
	}
	_, err := a.Resolve(map[string]string{"mutant": "greddy"})
	if want := `mutant "greddy": expected none or greedy; did you mean "greedy"?`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if got, want := strings.Join(a.Assignments(), " "), "holder=first holder= mutant=none mutant=greedy"; got != want {
		t.Errorf("assignments %s, want %s", got, want)
	}
	// A parameter without words still has an assignment to complete.
	a.Params = []algorithm.Param{{Name: "among", Processes: true}, {Name: "delay", Time: true}, {Name: "f", Number: true}}
	if got, want := strings.Join(a.Assignments(), " "), "among= delay= f= mutant=none mutant=greedy"; got != want {
		t.Errorf("assignments %s, want %s", got, want)
	}
}

func TestMutantsAreWhole(t *testing.T) {
	for want, change := range map[string]func(a *algorithm.Algorithm){
		"mutant 1: expected a name other than none":     func(a *algorithm.Algorithm) { a.Mutants[0].Name = "none" },
		"mutant 1: expected a name":                     func(a *algorithm.Algorithm) { a.Mutants[0].Name = "" },
		`mutant "greedy": expected a doc`:               func(a *algorithm.Algorithm) { a.Mutants[0].Shows = "" },
		`two mutants are named "greedy"`:                func(a *algorithm.Algorithm) { a.Mutants = append(a.Mutants, a.Mutants[0]) },
		"a parameter mutant beside mutants, expected o": func(a *algorithm.Algorithm) { a.Params[0].Name = "mutant" },
	} {
		a := faulty()
		change(a)
		if err := a.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A parameter may be one process; it is named by its id.
func TestResolveProcess(t *testing.T) {
	a := faulty()
	number := func(_ string, id int64) tracefmt.ProcessID { return tracefmt.ProcessID(id / 10) }
	for text, want := range map[string]tracefmt.ProcessID{"first": 1, "50": 5} {
		v, err := a.Resolve(map[string]string{"holder": text})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Number(v, number).Process("holder", 1); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	_, err := a.Resolve(map[string]string{"holder": "5,6"})
	if want := `holder "5,6": expected first or a process id; a sweep is given each value by itself, --param holder=5 ` +
		`--param holder=6`; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The name of a problem suggests its algorithms.
func TestFind(t *testing.T) {
	r := algorithm.NewRegistry(faulty())
	if a, err := algorithm.Find(r, "toy"); err != nil || a.Name != "toy" {
		t.Errorf("toy: %v, %v", a, err)
	}
	for name, want := range map[string]string{
		"mutex": `unknown algorithm "mutex": that is a problem, whose algorithms are toy`,
		"toi":   `unknown algorithm "toi", did you mean "toy"? (known: toy)`,
	} {
		if _, err := algorithm.Find(r, name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
