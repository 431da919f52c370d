package sweep_test

import (
	"slices"
	"strings"
	"testing"

	"etrace/analyze/experiment/sweep"
	"etrace/record/scenario"
)

// conditions plans a grid with a common scenario, and returns the conditions in its table.
func conditions(t *testing.T, common string, words ...string) string {
	t.Helper()
	g := axes(t, words...)
	var err error
	g.Base, err = scenario.Parse("common.yaml", []byte(common))
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return p.Blank().Title()
}

// TestFixed: the heading names what the table was measured under, axes with one value first, each
// key once: nodes gives the ids, timeout a parameter.
func TestFixed(t *testing.T) {
	for _, tt := range []struct {
		common string
		words  []string
		want   string
	}{
		{"{}", []string{"algorithm", "bully", "nodes", "3..4", "start", "all"}, "algorithm bully, start all"},
		{"{}", nil, "algorithm bully, ids 0-7, down 7, start 4@0"},
		{
			"drop: ['OK:3>2', '*:1>2']\nslow: 'OK:2>1=4'\nseed: 7",
			[]string{"algorithm", "bully", "nodes", "3..4", "start", "all"},
			"algorithm bully, start all, drop OK:3>2 and *:1>2, slow OK:2>1=4, seed 7",
		},
		{
			"algorithm: bully\nids: 1-6\nparams: {timeout: 5, announce: all}",
			[]string{"start", "all", "timeout", "4"},
			"algorithm bully, start all, timeout 4, ids 1-6, param announce all",
		},
		{"algorithm: bully\nids: 1-6", []string{"nodes", "4", "start", "all"}, "algorithm bully, nodes 4, start all"},
		{
			"reorder: true\nloss: 0.25",
			[]string{"algorithm", "bully", "nodes", "4", "start", "lowest,highest"},
			"algorithm bully, nodes 4, start lowest,highest, loss 0.25, reorder on",
		},
		{
			"attribute: 'load=3,9,3'\nbest: least:load\nattribute-ties: id",
			[]string{"algorithm", "bully", "nodes", "3", "start", "all"},
			"algorithm bully, nodes 3, start all, attribute load=1:3,2:9,3:3, best least:load, attribute-ties id",
		},
	} {
		if got := conditions(t, tt.common, tt.words...); got != tt.want {
			t.Errorf("%s with %v:\ngot  %s\nwant %s", tt.common, tt.words, got, tt.want)
		}
	}
}

// TestEveryKeyIsFixed: a table names every key of its scenario that differs from the default.
func TestEveryKeyIsFixed(t *testing.T) {
	for i := range scenario.Keys {
		key := &scenario.Keys[i]
		value, ok := map[string]string{
			"crash": "3@2", "recover": "3@4", "drop": "OK:3>2", "slow": "OK:3>2=4", "loss": "0.5", "duplicate": "0.5", "partition": "1,2|3@1-2",
			"delay": "2", "edit": "crash 3@9", "choices": "0", "ring-repair": "off", "reorder": "on",
			"until": "3", "max-events": "99", "name": "x", "round-length": "2.5",
			"silence": "3@2", "lie": "", "topology": "", "edges": "", "op": "", "forge": "",
			"attribute": "", "best": "", "attribute-ties": "", "anonymous": "", "param": "announce=all",
		}[key.Name]
		if slices.Contains(
			[]string{"algorithm", "nodes", "ids", "down", "start", "coordinator", "seed", "timeout", "coordinator-timeout", "announce"},
			key.Name,
		) ||
			ok && value == "" {
			continue // see TestFixed, or unknown to this algorithm
		}
		if !ok {
			t.Errorf("the key %s has no value here", key.Name)
			continue
		}
		g := axes(t, "algorithm", "bully", "nodes", "3..4", "start", "all")
		if err := key.Set(g.Base, value); err != nil {
			t.Fatalf("%s %s: %v", key.Name, value, err)
		}
		p, err := g.Plan()
		if err != nil {
			t.Fatalf("%s %s: %v", key.Name, value, err)
		}
		if title := p.Blank().Title(); !strings.Contains(title, ", "+key.Name+" ") {
			t.Errorf("the heading %q does not name %s", title, key.Name)
		}
	}
}

// TestRemarks: flags without effect get one sentence each, the others none.
func TestRemarks(t *testing.T) {
	for words, want := range map[string]string{
		"algorithm bully nodes 4 start lowest":                   "",
		"algorithm bully nodes 4 start each split":               "",
		"algorithm bully nodes 4 start lowest split":             "--split has no effect: no --start, --down or --crash contains the symbol each",
		"algorithm chang-roberts nodes 4 start lowest order all": "",
		"algorithm bully nodes 4,5 start lowest order all": "in 2 cells the algorithm " +
			"does not run on a ring, whose order --order is about",
		"algorithm bully topology complete nodes 4 start lowest order all": "in 1 cell the algorithm does " +
			"not run on a ring, whose order --order is about",
		"algorithm bully,chang-roberts nodes 4 start lowest order decreasing": "in 1 of 2 cells the algorithm does " +
			"not run on a ring, whose order --order is about",
		"algorithm bully nodes 4 start lowest seed":                          "--seed 5 has no effect: nothing is drawn by it",
		"algorithm bully nodes 4 start lowest loss 0.5 seed":                 "",
		"algorithm echo topology ring nodes 4 start lowest order increasing": "",
		"algorithm bully nodes 4 start lowest,random seed split": "--split has no effect: no --start, " +
			"--down or --crash contains the symbol each",
		"algorithm bully nodes 4": "in 1 cell no process starts: " +
			"--start P lets process P notice that the coordinator is gone",
		"algorithm echo-wave,tree-wave,raymond topology line nodes 4": "in 1 of 3 cells no process starts: " +
			"--start P lets process P ask for the critical section; in 1 of 3 cells no process starts: " +
			"--start P lets process P begin the wave",
		"algorithm pbft nodes 4,5": "in 2 cells no process starts: --start " +
			"P lets process P propose a value; in pbft only the client is started",
		"algorithm pbft nodes 4,5 start highest":    "",
		"algorithm pbft,bully nodes 4,5 start each": "in 2 of 4 cells a start has no effect: in pbft only the client is started",
		"algorithm pbft nodes 4 start each split":   "in 3 of 4 cells a start has no effect: in pbft only the client is started",
		"algorithm two-phase-commit nodes 4,5 start lowest,random": "in 2 cells a start has no effect: in " +
			"two-phase-commit only the coordinator is started",
		"algorithm bully nodes 4 start random seeds": "",
		"algorithm bully nodes 4 start lowest seeds": "in 1 cell nothing is drawn by the seed: one run of " +
			"each scenario is all that there are, not 9",
	} {
		g := &sweep.Grid{Base: &scenario.Scenario{}}
		words, g.Split = cut(words, " split")
		words, seeded := cut(words, " seed")
		words, several := cut(words, " seeds")
		if seeded {
			g.Base.Seed = 5
		}
		if several {
			g.Seeds = 9
		}
		for _, pair := range pairs(words) {
			if err := g.Add(pair[0], pair[1]); err != nil {
				t.Fatal(err)
			}
		}
		p, err := g.Plan()
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		if got := strings.Join(p.Remarks(), "; "); got != want {
			t.Errorf("%s: got %q, want %q", words, got, want)
		}
	}
}

func cut(words, last string) (string, bool) { return strings.CutSuffix(words, last) }

// TestUnbounded: each reason why published bounds do not apply is given once for each algorithm. The bounds of
// bully apply to elections in which the greatest id is down, or one process starts.
func TestUnbounded(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"algorithm", "bully", "nodes", "3..5", "start", "all", "down", "highest"}, ""},
		{
			[]string{"algorithm", "bully", "nodes", "3..5", "start", "all"},
			"No published bound of bully applies: they hold only if not top, or if top and starts == 1 " +
				"(starts: processes that start; top: the process with the greatest id is up)",
		},
		{
			[]string{"algorithm", "bully", "nodes", "3..5", "start", "all", "down", "highest", "down", "lowest"},
			"No published bound of bully applies in 3 of 6 cells: they hold only if not top, or if top and " +
				"starts == 1 (starts: processes that start; top: the process with the greatest id is up)",
		},
		{
			[]string{"algorithm", "bully,le-lann", "nodes", "3..5"},
			"No published bound of bully applies: the scenario starts no process; No published bound of " +
				"le-lann applies: the scenario starts no process",
		},
		{[]string{"algorithm", "echo-wave", "nodes", "6", "start", "1", "topology", "line"}, ""},
		{
			[]string{"algorithm", "echo-wave", "nodes", "6", "start", "1", "topology", "random-regular(3)"},
			"No published bound of echo-wave applies: they are about one graph, and each run draws its own",
		},
		{[]string{"algorithm", "le-lann", "nodes", "1", "start", "all"}, "No published bound of le-lann applies: no message is sent"},
		{
			[]string{"algorithm", "bully", "nodes", "3..5", "start", "all", "timeout", "5"},
			"No published bound of bully applies: timeout is 5, expected 3",
		},
		{
			[]string{"algorithm", "le-lann", "nodes", "3", "start", "3,3,3"},
			"No published bound of le-lann applies: the scenario starts a process more than once",
		},
		{
			[]string{"algorithm", "bully,chang-roberts", "nodes", "4", "start", "lowest", "crash", "3@2"},
			"No published bound of bully applies: the scenario crashes processes (crash); No published " +
				"bound of chang-roberts applies: the scenario crashes processes (crash)",
		},
	} {
		p, err := axes(t, tt.words...).Plan()
		if err != nil {
			t.Fatal(err)
		}
		table, err := p.Run(t.Context(), sweep.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(table.Unbounded, "; "); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.words, got, tt.want)
		}
	}
}
