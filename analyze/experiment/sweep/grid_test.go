package sweep_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/experiment/sweep"
	"etrace/record/scenario"
)

// TestNumbers: lists, ranges, steps, and invalid texts.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"8": "8", "3..6": "3 4 5 6", "3..9..3": "3 6 9", "3..10..3": "3 6 9", "5..5": "5", "3-5": "3 4 5",
		"4..3": "4 3", "2..4,8, 16": "2 3 4 8 16",
	} {
		if got, err := sweep.ParseNumbers(text); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "3..", "..3", "1..9..0", "1..2..3..4", "1..1000000", "x", "1.5", "99999999999999999999"} {
		if got, err := sweep.ParseNumbers(text); err == nil || !strings.Contains(err.Error(), ": ") {
			t.Errorf("%q: got %v, %v, want an error", text, got, err)
		}
	}
}

// scenarios returns the command lines of the runs of the only cell of a grid.
func scenarios(t *testing.T, words ...string) (lines []string) {
	t.Helper()
	p, err := axes(t, words...).Plan()
	if err != nil {
		t.Fatal(err)
	}
	for run := range p.Families[0].Runs() {
		s, err := p.Families[0].Scenario(run)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, s.CommandLine())
	}
	return lines
}

// TestOrders: the orders of a ring as their definitions have them.
func TestOrders(t *testing.T) {
	for _, tt := range []struct {
		order, nodes string
		want         []string
	}{
		{"increasing", "4", []string{"1-4"}},
		{"decreasing", "4", []string{"4,3,2,1"}},
		// 000 001 010 011 100 101 110 111 read backwards
		{"bit-reversal", "8", []string{"1,5,3,7,2,6,4,8"}},
		{"bit-reversal", "6", []string{"1,5,3,2,6,4"}},
		{"bit-reversal", "1", []string{"1"}},
		{"all", "1", []string{"1"}},
		{"all", "2", []string{"1,2"}},
		{"all", "4", []string{"1-4", "1,2,4,3", "1,3,2,4", "1,3,4,2", "1,4,2,3", "1,4,3,2"}},
	} {
		var want []string
		for _, ids := range tt.want {
			want = append(want, "chang-roberts --ids "+ids+" --start all@0")
		}
		got := scenarios(t, "algorithm", "chang-roberts", "nodes", tt.nodes, "order", tt.order, "start", "all")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s of %s (-want +got)\n%s", tt.order, tt.nodes, diff)
		}
	}
	list := scenarios(t, "algorithm", "chang-roberts", "nodes", "7", "order", "all", "start", "all")
	slices.Sort(list)
	if n := len(slices.Compact(list)); n != 720 {
		t.Errorf("%d different orders of 7, want 6! = 720", n)
	}
}

// TestSymbols: the processes of each symbol.
func TestSymbols(t *testing.T) {
	for _, tt := range []struct {
		words string
		want  []string
	}{
		{"start lowest", []string{"--start 1@0"}},
		{"start highest,second-highest@2,1", []string{"--start 4@0 --start 3@2 --start 1@0"}},
		{"start all", []string{"--start all@0"}},
		{"start all@2.5", []string{"--start 1@2.5 --start 2@2.5 --start 3@2.5 --start 4@2.5"}},
		{"down highest start each", []string{"--down 4 --start 1@0", "--down 4 --start 2@0", "--down 4 --start 3@0"}},
		{
			"start lowest crash each@3",
			[]string{"--start 1@0 --crash 1@3", "--start 1@0 --crash 2@3", "--start 1@0 --crash 3@3", "--start 1@0 --crash 4@3"},
		},
		{"coordinator highest start lowest", []string{"--coordinator 4 --start 1@0"}},
		{"down each start lowest", []string{"--down 1 --start 1@0", "--down 2 --start 1@0", "--down 3 --start 1@0", "--down 4 --start 1@0"}},
	} {
		var want []string
		for _, flags := range tt.want {
			want = append(want, "bully --ids 1-4 "+flags)
		}
		got := scenarios(t, append([]string{"algorithm", "bully", "nodes", "4"}, strings.Fields(tt.words)...)...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.words, diff)
		}
	}
}

// TestRandomSymbols: the seed draws different processes that are up, in the requested number. Every set occurs,
// and the same seed draws the same set.
func TestRandomSymbols(t *testing.T) {
	for symbol, sets := range map[string]int{"random": 3, "random(2)": 3, "random(3)": 1, "random(any)": 7} { // of 1, 2, 3
		words := []string{"algorithm", "bully", "nodes", "4", "down", "highest", "start", symbol}
		got := scenarios(t, words...)
		if len(got) != sweep.DefaultSeeds || !slices.Equal(got, scenarios(t, words...)) {
			t.Errorf("%s: %d runs, or others the second time", symbol, len(got))
		}
		seen := map[string]bool{}
		for _, line := range got {
			line, _, _ = strings.Cut(line, " --seed")
			seen[line] = true
			if strings.Contains(line, "--start 4") {
				t.Errorf("%s: %s starts who is down", symbol, line)
			}
		}
		if len(seen) != sets {
			t.Errorf("%s: %d different sets in 100 seeds, want %d", symbol, len(seen), sets)
		}
	}
}

// TestExhausted: a cell is a sample if anything is drawn by the seed.
func TestExhausted(t *testing.T) {
	for words, want := range map[string]bool{
		"algorithm itai-rodeh start all": false, "algorithm echo start lowest": true, "start all": true,
		"order all start each": true, "loss 0 start all": true, "loss 1 start all": true,
		"delay 2 start all": true, "topology ring start all": true,
		"order random start all": false, "start random": false, "down random start all": false, "delay exponential(1) start all": false,
		"loss 0.1 start all": false, "duplicate 0.5 start all": false, "ids shuffle(5) start all": false,
	} {
		words := strings.Fields(words)
		if words[0] != "algorithm" {
			words = append(words, "algorithm", "chang-roberts")
		}
		if !slices.Contains(words, "ids") {
			words = append(words, "nodes", "5")
		}
		p, err := axes(t, words...).Plan()
		if err != nil {
			t.Fatal(err)
		}
		if p.Families[0].Exhausted != want {
			t.Errorf("%v: exhausted %v, want %v", words, !want, want)
		}
	}
}

// TestGridMistakes: each mistake is rejected with a line that states what was expected.
func TestGridMistakes(t *testing.T) {
	for words, want := range map[string]string{
		"nodes 4 start each,each":             "each is there twice",
		"nodes 4 down each,1 start all":       "expected each alone",
		"nodes 4 coordinator all":             "expected lowest, second-highest, highest or the id of a process",
		"nodes 4 down lowest@3":               "expected no time",
		"nodes 4 start random(0)":             "expected a symbol, random(K) or random(any)",
		"nodes 4 start lowest(2)":             "expected a symbol, random(K) or random(any)",
		"nodes 4 down all start each":         "all processes are down",
		"nodes 4 down random(any) start each": "expected one of them",
		"nodes 4 order sideways":              "unknown order of the ring",
		"nodes 4 colour red":                  "unknown axis",
		"type.election | nodes 4 start all":   "unknown message type \"election\", did you mean \"ELECTION\"?",
		"type.nope | nodes 4 start all":       "unknown message type \"nope\" (known: ",
		"nodes 4 param x":                     "expected name=value",
		"nodes 3,9 start 7":                   "nodes 3: start 7@0: there is no process 7",
	} {
		g := &sweep.Grid{}
		if measure, options, ok := strings.Cut(words, " | "); ok {
			g.Measures, words = []string{measure}, options
		}
		var err error
		for _, pair := range append([][2]string{{"algorithm", "bully"}}, pairs(words)...) {
			err = g.Add(pair[0], pair[1])
			if err != nil {
				break
			}
		}
		if err == nil {
			_, err = g.Plan()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", words, err, want)
		}
	}
}

func pairs(words string) (list [][2]string) {
	fields := strings.Fields(words)
	for i := 0; i+1 < len(fields); i += 2 {
		list = append(list, [2]string{fields[i], fields[i+1]})
	}
	return list
}

// TestTheory: over all orders the worst run of Chang-Roberts is that of the published bound,
// n(n+1)/2 probes and n messages that announce the winner.
func TestTheory(t *testing.T) {
	g := axes(t, "algorithm", "chang-roberts", "nodes", "3..6", "order", "all", "start", "all")
	for _, c := range table(t, g).Cells {
		want := fmt.Sprint(c.N*(c.N+1)/2 + c.N)
		if len(c.Theory) == 0 || fmt.Sprint(c.Theory[0].Measured) != want || fmt.Sprint(c.Theory[0].Value) != want || c.Theory[0].Runs != c.Runs {
			t.Errorf("n = %d: %+v, want %s of %[3]s in %d runs", c.N, c.Theory, want, c.Runs)
		}
	}
}

// TestCommand: the command of a table has the flags of the scenario that all runs share.
func TestCommand(t *testing.T) {
	base, err := scenario.Parse("base", []byte("{algorithm: bully, loss: 0.1}"))
	if err != nil {
		t.Fatal(err)
	}
	g := &sweep.Grid{Base: base, Seeds: 3}
	if err := g.Add("nodes", "3..5"); err != nil {
		t.Fatal(err)
	}
	if got, want := g.Command(), "bully --nodes=3,4,5 --loss 0.1 --seeds 3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
