package property

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/replay"
	"etrace/tracefmt"
)

var messageComplexity = analyze.Property{
	Name: "message-complexity",
	Kind: analyze.Safety,
	Doc: `The run sends at most as many messages as theory allows its algorithm.

The bounds are formulas over n (processes), live (those up at the first send),
starts (those live ones that notice at the start that the coordinator is gone),
above (how many ids are above the lowest of these) and top (the greatest id is
up). The first of an algorithm whose condition is true counts:

` + boundsDoc() + `
Every send counts, also to a process that is down. The bounds hold for one
election in peace: all starts are at one instant, nothing else comes from
outside, nothing is lost, and the parameters that matter have their defaults;
for the bully family each delay is 1, too. A run of another plan is examined only
if the property is asked for by name, and one without a plan not at all. A run
that ends in a proven loop in which messages are sent exceeds every bound.`,
	Needs:      "send events; the scenario of the run, which says who starts",
	Source:     "the texts that the bounds name; the sums are derived from the rules in fixtures/suites",
	Problem:    "election",
	Assumption: "one election in peace: all starts at one instant, no faults, unit delays in the bully family, the usual parameters",
	Assumes:    assumesPeace,
	New:        func(*tracefmt.Run) analyze.Monitor { return &sendMonitor{limit: theory} },
}

// bound is what theory says of some algorithms.
type bound struct {
	algorithms family
	given      string // a condition, "" for none
	formula    string
	source     string
}

var bounds = []bound{
	// Each process above and the lowest asks all above it, and those that live
	// answer: above*(above+1)/2 + above*(above-1)/2. The greatest of them
	// announces itself.
	{holdingFamily, "not top", "above**2 + n-1", "Garcia-Molina 1982; slides, Algorithm 3: O(N^2)"},
	// All are answered, and the greatest announces itself whenever it is asked.
	// Several starts cross its announcements; there is no such bound then.
	{holdingFamily, "top and starts == 1", "above*(above+1) + max(1, above)*(n-1)", "Garcia-Molina 1982; slides, Algorithm 3: O(N^2)"},
	// The start is right behind the greatest id: live-1 hops to it, its own
	// live, and the announcement.
	{family{"chang-roberts"}, "starts == 1", "3*live-1", "slides, Algorithm 1: 3N-1"},
	// Each id is stopped by the next greater one: at worst 1 + 2 + ... + live.
	{family{"chang-roberts"}, "", "live*(live+1)/2 + live", "Chang and Roberts 1979: worst case"},
	{family{"ring", "ring-modified"}, "", "starts * 2*live", "slides, Algorithm 2: 2N; the list once round, and the result"},
	{family{"kordafshari"}, "", "starts * (2*above + 1 + n-1)", "Gajre and Ragha, method [3]: ELECTION and OK, GRANT, announcement"},
	{family{"basu"}, "", "starts * (2 + n-1)", "Gajre and Ragha, method [4]: ELECTION, OK, announcement"},
	{family{"thakur"}, "", "starts * (2*above + n-1)", "Gajre and Ragha, method [5]: ELECTION and OK, announcement"},
	{family{"jamei"}, "", "starts * (above + 1 + n-1)", "Gajre and Ragha, method [6]: ELECTION downwards, OK, announcement"},
	{family{"gajre-ragha"}, "", "starts * (1 + n-1)", "Gajre and Ragha, section III: ELECTION, announcement"},
}

// parsedBound is a bound whose formulas are compiled.
type parsedBound struct {
	algorithms     family
	given, formula *complexity.Formula
}

// parsedBounds compiles the bounds when the first run asks for one: of one
// plan, thousands of runs may be examined.
var parsedBounds = sync.OnceValues(func() (all []parsedBound, err error) {
	example := map[string]any{"n": 1, "live": 1, "starts": 1, "above": 1, "top": true}
	for _, t := range bounds {
		b := parsedBound{algorithms: t.algorithms}
		if b.given, err = complexity.ParseFormula(cmp.Or(t.given, "true"), example); err != nil {
			return nil, err
		}
		if b.formula, err = complexity.ParseFormula(t.formula, example); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
})

// boundParams are the values that parameters must have for the bounds to hold.
var boundParams = []struct {
	name   string
	values []string
}{
	{"believed-normal", []string{"none"}},
	{"coordinator-timeout", []string{"off", "on"}},
	{"discard", []string{"on"}},
	{"guard", []string{"on"}},
	{"mark-starter", []string{"on"}},
	{"skip-known-dead", []string{"off"}},
	{"timeout", []string{"3"}},
}

// boundsDoc is the table of the bounds for people.
func boundsDoc() string {
	var b strings.Builder
	for _, t := range bounds {
		condition := ""
		if t.given != "" {
			condition = ", if " + t.given
		}
		fmt.Fprintf(&b, "    %v: %s%s\n        (%s)\n", t.algorithms, t.formula, condition, t.source)
	}
	return b.String()
}

// assumesPeace says why the plan of a run does not meet what its bound
// assumes, "" if it does.
func assumesPeace(run *tracefmt.Run) string {
	disturbs := []string{"crash", "drop", "duplicate", "loss", "partition", "recover", "reorder"}
	if bullyFamily.has(run) {
		disturbs = append(disturbs, "delay", "slow")
	}
	return every(bounded, startsTogether, without(disturbs...), usualParams)(run)
}

// bounded says why no bound is known for a run, "" if one is.
func bounded(run *tracefmt.Run) string {
	switch {
	case run.Algorithm == "":
		return "the run does not say which algorithm it is of"
	case !slices.ContainsFunc(bounds, func(t bound) bool { return t.algorithms.has(run) }):
		return "no bound is known for " + run.Algorithm
	}
	return ""
}

func usualParams(run *tracefmt.Run) string {
	for _, p := range boundParams {
		if value := planParam(run, p.name); value != "" && !slices.Contains(p.values, value) {
			return fmt.Sprintf("the bound holds for %s=%s, the scenario has %s", p.name, strings.Join(p.values, " or "), value)
		}
	}
	return ""
}

// theory returns what the bound of the algorithm comes to in a run, given the
// state at the first send, or an error that says why there is none.
func theory(s *replay.State) (limit, error) {
	if reason := bounded(s.Run); reason != "" {
		return limit{}, errors.New(reason)
	}
	values, err := beginning(s)
	if err != nil {
		return limit{}, err
	}
	all, err := parsedBounds()
	if err != nil {
		return limit{}, err
	}
	for _, b := range all {
		if !b.algorithms.has(s.Run) {
			continue
		}
		if holds, err := b.given.Evaluate(values); err != nil || holds == true {
			return newLimit(b.formula, values)
		}
	}
	return limit{}, fmt.Errorf("no bound is known for %s with several starts while the greatest id is up", s.Run.Algorithm)
}

// beginning returns the values of the names in the bounds.
func beginning(s *replay.State) (map[string]any, error) {
	ranks := replay.Ranks(s.Run)
	starters := starters(s)
	if len(starters) == 0 {
		return nil, errors.New("the run has no scenario that says who starts")
	}
	lowest := slices.MinFunc(starters, func(p, q tracefmt.ProcessID) int { return cmp.Compare(ranks[p], ranks[q]) })
	above, top := 0, s.Best()
	for _, rank := range ranks[1:] {
		if rank > ranks[lowest] {
			above++
		}
	}
	return map[string]any{
		"n": len(s.Run.Members), "live": len(s.LiveProcesses()), "starts": len(starters), "above": above,
		"top": ranks[top] == slices.Max(ranks[1:]),
	}, nil
}

// starters returns the live processes that the scenario starts, one for each
// start.
func starters(s *replay.State) []tracefmt.ProcessID {
	var list []tracefmt.ProcessID
	for _, start := range plannedStarts(s.Run) {
		if p, ok := s.Run.Process(start.who); ok && s.Live(p) {
			list = append(list, p)
		} else if start.who == "all" {
			list = append(list, s.LiveProcesses()...)
		}
	}
	return list
}
