package spec_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// memory is what a process knows after some of its steps, as the rules ask for it.
// It shares nothing with the package.
type memory struct {
	taken     bool // it has taken a step
	gone      bool // the worst step has followed: no condition holds any more
	live, f   bool
	variables map[string]string // JSON; null is not there
}

// after returns the memory after a step.
func (m memory) after(e tracefmt.Event) memory {
	next := m
	next.taken = true
	next.variables = map[string]string{}
	for name, v := range m.variables {
		next.variables[name] = v
	}
	if e.Kind != tracefmt.Crash && e.Kind != worst && !m.live {
		next.live = true // though its recovery may not be recorded
		delete(next.variables, "elected")
		delete(next.variables, "role")
	}
	switch e.Kind {
	case worst:
		next.gone = true
	case tracefmt.Suspect:
		next.f = true
	case tracefmt.Trust:
		next.f = false
	case tracefmt.Crash:
		next.live = false
	case tracefmt.Recover:
		next.live, next.variables = true, map[string]string{}
	case tracefmt.State:
		for name, v := range tracefmt.Fields(e.Payload) {
			next.variables[string(name)] = string(v)
			if string(v) == "null" {
				delete(next.variables, string(name))
			}
		}
	}
	return next
}

// truths are Kleene's.
type truths int

func truthSet(b bool) truths {
	if b {
		return 1
	}
	return -1
}

// situation is a choice of processes, by the names of the rule, in a cut.
type situation struct {
	memories  map[string]memory
	processes map[string]int // their numbers, which are their order and their names
}

// variable is the value of a variable as text, "" for null.
func (s situation) variable(p, name string) string { return s.memories[p].variables[name] }

// less compares two values that are numbers, or texts.
func less(a, b string) truths {
	x, notX := strconv.Atoi(a)
	y, notY := strconv.Atoi(b)
	switch {
	case a == "" || b == "" || (notX == nil) != (notY == nil):
		return 0
	case notX == nil:
		return truthSet(x < y)
	}
	return truthSet(a < b)
}

// atom is a part of a condition, with the processes %[1]s, %[2]s and %[3]s.
type atom struct {
	text   string
	places int
	static bool
	holds  func(s situation, p []string) truths
}

var atoms = []atom{
	{"live(%[1]s)", 1, false, func(s situation, p []string) truths { return truthSet(s.memories[p[0]].live) }},
	{"not live(%[1]s)", 1, false, func(s situation, p []string) truths { return truthSet(!s.memories[p[0]].live) }},
	{"f(%[1]s)", 1, false, func(s situation, p []string) truths { return truthSet(s.memories[p[0]].f) }},
	{`var(%[1]s, "x") == 1`, 1, false, func(s situation, p []string) truths { return truthSet(s.variable(p[0], "x") == "1") }},
	{`var(%[1]s, "x") != null`, 1, false, func(s situation, p []string) truths { return truthSet(s.variable(p[0], "x") != "") }},
	{`var(%[1]s, "x") > 1`, 1, false, func(s situation, p []string) truths { return less("1", s.variable(p[0], "x")) }},
	{"elected(%[1]s) == %[1]s", 1, false, func(s situation, p []string) truths {
		return truthSet(s.variable(p[0], "elected") == strconv.Itoa(s.processes[p[0]]))
	}},
	{
		`var(%[1]s, "x") == var(%[2]s, "x")`, 2, false,
		func(s situation, p []string) truths { return truthSet(s.variable(p[0], "x") == s.variable(p[1], "x")) },
	},
	{
		`var(%[1]s, "x") == var(%[2]s, "x")`, 2, false,
		func(s situation, p []string) truths { return truthSet(s.variable(p[0], "x") == s.variable(p[1], "x")) },
	},
	{
		`var(%[1]s, "x") == var(%[2]s, "y")`, 2, false,
		func(s situation, p []string) truths { return truthSet(s.variable(p[0], "x") == s.variable(p[1], "y")) },
	},
	{
		`var(%[1]s, "x") != var(%[2]s, "x")`, 2, false,
		func(s situation, p []string) truths { return truthSet(s.variable(p[0], "x") != s.variable(p[1], "x")) },
	},
	{
		`var(%[1]s, "x") < var(%[2]s, "x")`, 2, false,
		func(s situation, p []string) truths { return less(s.variable(p[0], "x"), s.variable(p[1], "x")) },
	},
	{
		`var(%[1]s, "x") >= var(%[2]s, "y")`, 2, false,
		func(s situation, p []string) truths { return -less(s.variable(p[0], "x"), s.variable(p[1], "y")) },
	},
	{`elected(%[1]s) == elected(%[2]s)`, 2, false, func(s situation, p []string) truths {
		return truthSet(s.variable(p[0], "elected") == s.variable(p[1], "elected"))
	}},
	{`elected(%[1]s) == %[2]s`, 2, false, func(s situation, p []string) truths {
		return truthSet(s.variable(p[0], "elected") == strconv.Itoa(s.processes[p[1]]))
	}},
	{
		`(live(%[1]s) or not f(%[2]s))`, 2, false,
		func(s situation, p []string) truths { return truthSet(s.memories[p[0]].live || !s.memories[p[1]].f) },
	},
	{`not (f(%[1]s) and var(%[1]s, "x") < var(%[2]s, "x"))`, 2, false, func(s situation, p []string) truths {
		return -min(truthSet(s.memories[p[0]].f), less(s.variable(p[0], "x"), s.variable(p[1], "x")))
	}},
	{`var(%[1]s, "x") + var(%[2]s, "y") == var(%[3]s, "x")`, 3, false, func(s situation, p []string) truths {
		x, notX := strconv.Atoi(s.variable(p[0], "x"))
		y, notY := strconv.Atoi(s.variable(p[1], "y"))
		if notX != nil || notY != nil {
			return 0
		}
		return truthSet(s.variable(p[2], "x") == strconv.Itoa(x+y))
	}},
	{"%[1]s < %[2]s", 2, true, func(s situation, p []string) truths { return truthSet(s.processes[p[0]] < s.processes[p[1]]) }},
	{"%[1]s != %[2]s", 2, true, func(situation, []string) truths { return 1 }},
	{"%[1]s in (5, 7)", 1, true, func(s situation, p []string) truths { return truthSet(s.processes[p[0]] != 6) }},
	{"%[1]s == %[2]s", 2, true, func(situation, []string) truths { return -1 }},
}

// claim is an atom about some of the processes of a rule.
type claim struct {
	atom
	about  []string
	chosen bool // it follows for
}

// rule is the claim as a rule.
func (c claim) rule() string {
	names := append(slices.Clone(c.about), "", "", "")
	text := c.text
	for i := range 3 {
		text = strings.ReplaceAll(text, fmt.Sprintf("%%[%d]s", i+1), names[i])
	}
	return text
}

// drawClaims draws a condition on the states of up to three of n processes.
func drawClaims(t *rapid.T, n int) (claims []claim, processes []string) {
	processes = []string{"p", "q", "r"}[:min(n, rapid.SampledFrom([]int{1, 2, 2, 3, 3, 3}).Draw(t, "processes of the rule"))]
	asked := map[string]bool{}
	add := func(a atom) {
		c := claim{atom: a, chosen: rapid.Bool().Draw(t, "after for")}
		about := rapid.Permutation(processes).Draw(t, "about")
		c.about = about[:a.places]
		claims = append(claims, c)
		for i, p := range c.about {
			asked[p] = asked[p] || !a.static && !(i == 1 && a.text == "elected(%[1]s) == %[2]s")
		}
	}
	fitting := slices.DeleteFunc(slices.Clone(atoms), func(a atom) bool { return a.places > len(processes) })
	for range rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3, 4}).Draw(t, "parts") {
		add(rapid.SampledFrom(fitting).Draw(t, "part"))
	}
	for _, p := range processes {
		if !asked[p] {
			claims = append(claims, claim{atom: atoms[rapid.IntRange(0, 6).Draw(t, "own")], about: []string{p}})
		}
	}
	if !slices.ContainsFunc(claims, func(c claim) bool { return !c.chosen }) {
		claims[0].chosen = false
	}
	return claims, processes
}

// ruleOf writes the rule of claims.
func ruleOf(modality string, claims []claim) string {
	var parts, choice []string
	for _, c := range claims {
		if c.chosen {
			choice = append(choice, c.rule())
		} else {
			parts = append(parts, c.rule())
		}
	}
	rule := fmt.Sprintf("fluent f(p) from suspect to trust\nnever %s %s", modality, strings.Join(parts, " and "))
	if len(choice) > 0 {
		rule += " for " + strings.Join(choice, " and ")
	}
	return rule
}

// cuts are all consistent cuts of a run, each the number of steps of each process.
type cuts struct {
	memories [][]memory // by process and number of steps
	// all are the cuts, each after the cuts that are a part of it; further lists the cuts with one step more.
	edges   [][3]int
	further [][]int
}

func newCuts(steps [][]tracefmt.Event, final bool) *cuts {
	c, o := &cuts{}, orders{}
	for _, list := range steps {
		if !final {
			list = append(slices.Clip(list), tracefmt.Event{Kind: worst})
		}
		known := []memory{{live: true}}
		for _, e := range list {
			known = append(known, known[len(known)-1].after(e))
		}
		o.steps, c.memories = append(o.steps, list), append(c.memories, known)
	}
	c.edges = [][3]int{{}}
	for i := 0; i < len(c.edges); i++ {
		cut := c.edges[i]
		c.further = append(c.further, nil)
		for p, list := range o.steps {
			if cut[p] == len(list) || !o.includes(cut[:len(o.steps)], list[cut[p]].Cause) {
				continue
			}
			next := cut
			next[p]++
			at := slices.Index(c.edges, next)
			if at < 0 {
				at = len(c.edges)
				c.edges = append(c.edges, next)
			}
			c.further[i] = append(c.further[i], at)
		}
	}
	return c
}

// meets reports whether the claims hold in a cut for the processes that are chosen.
func (c *cuts) meets(cut [3]int, claims []claim, names []string, chosen []int) bool {
	s := situation{map[string]memory{}, map[string]int{}}
	for i, p := range chosen {
		m := c.memories[p][cut[p]]
		if !m.taken || m.gone {
			return false
		}
		s.memories[names[i]], s.processes[names[i]] = m, p+5 // as drawProcesses names them
	}
	return !slices.ContainsFunc(claims, func(c claim) bool { return c.holds(s, c.about) != 1 })
}

// decide goes through all cuts, from each to those with one step more.
func (c *cuts) decide(claims []claim, names []string, chosen []int) (possible, definite bool) {
	reached := make([]bool, len(c.edges)) // past all cuts in which the claims hold
	reached[0] = true
	for i, cut := range c.edges {
		if c.meets(cut, claims, names, chosen) {
			possible, reached[i] = true, false
		}
		for _, next := range c.further[i] {
			reached[next] = reached[next] || reached[i]
		}
	}
	return possible, !reached[len(c.edges)-1]
}

// violated asks for each choice of different processes.
func (c *cuts) violated(modality string, claims []claim, names []string) bool {
	var choose func(chosen []int) bool
	choose = func(chosen []int) bool {
		if len(chosen) == len(names) {
			possible, definite := c.decide(claims, names, chosen)
			return modality == "possibly" && possible || modality == "definitely" && definite
		}
		for p := range c.memories {
			if !slices.Contains(chosen, p) && choose(append(slices.Clip(chosen), p)) {
				return true
			}
		}
		return false
	}
	return choose(nil)
}

// drawStates draws a small run with messages, states, crashes and suspicions.
func drawStates(t *rapid.T) (m *tracefmt.Memory, steps [][]tracefmt.Event) {
	return drawSteps(t, 12, []tracefmt.Kind{
		tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.Suspect, tracefmt.Trust, tracefmt.Crash,
		tracefmt.Recover, tracefmt.Send, tracefmt.Send, tracefmt.Receive, tracefmt.Receive, tracefmt.Receive,
	})
}

// drawAssignment draws what a state event assigns.
func drawAssignment(t *rapid.T) []byte {
	name := rapid.SampledFrom([]string{"x", "x", "x", "y", "elected"}).Draw(t, "variable")
	values := []string{"1", "2", "2", "3", `"u"`, "null"}
	if name == "elected" {
		values = []string{"5", "6", "7", "null"}
	}
	return fmt.Appendf(nil, `{"%s":%s}`, name, rapid.SampledFrom(values).Draw(t, "value"))
}

// TestOracleOfRelations: the package and all consistent cuts agree on random
// conditions on the states of one, two and three processes.
func TestOracleOfRelations(t *testing.T) {
	const rules = 40 // of each run
	seen, compared := map[string]int{}, 0
	size.Check(t, 8, 70, 6_000, func(t *rapid.T) {
		m, steps := drawStates(t)
		c := newCuts(steps, m.Run().End == tracefmt.Quiescent)
		for range rules {
			claims, names := drawClaims(t, len(steps))
			modality := rapid.SampledFrom([]string{"possibly", "definitely"}).Draw(t, "modality")
			rule := ruleOf(modality, claims)
			want := c.violated(modality, claims, names)
			r := check(t, m, rule).Results[0]
			if got := r.Verdict == analyze.Violated; got != want || r.Verdict == analyze.Unknown {
				t.Fatalf("%s over %s\n%v: got %s (%s), the cuts say violated: %t", rule, m.Run().End, steps, r.Verdict, r.Explanation, want)
			}
			compared++
			seen[fmt.Sprintf("%s %d %t", modality, len(names), want)]++
		}
	})
	t.Logf("%d comparisons: %v", compared, seen)
	if !t.Failed() && rarest(seen) < size.Pick(0, 1, 30) {
		t.Errorf("too few comparisons of some sort: %v", seen)
	}
}

// rarest is the number of comparisons of the rarest sort: a modality, two or three
// processes, and true or false.
func rarest(seen map[string]int) int {
	minimum := math.MaxInt
	for _, form := range []string{"possibly 2", "possibly 3", "definitely 2", "definitely 3"} {
		minimum = min(minimum, seen[form+" true"], seen[form+" false"])
	}
	return minimum
}
