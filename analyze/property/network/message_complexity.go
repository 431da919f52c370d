package network

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/replay"
	"etrace/tracefmt"
)

var messageComplexity = analyze.Property{
	Name: "message-complexity",
	Kind: analyze.Safety,
	Doc: `The run sends at most as many messages as theory allows for its algorithm.

The bounds are those in the run's header: formulas over n (processes), live (processes up at the first send), top (the greatest
id is up) and, if the scenario defines the starts, starts (live processes that notice at the start that the coordinator is gone)
and above (the number of ids above the lowest of these). Of several bounds of one kind that count the same messages, the first
one with a true condition applies; etrace explain lists the bounds of each algorithm.

A bound defines which messages it counts: every send, also to a crashed process (sent, the default), all except messages of a
process to itself (others), or every receive (delivered), without messages of some types, such as announcements of the result.
Each convention is counted separately. The property examines bounds of the kinds worst and exact, which no run may exceed; etrace
stats compares the others, too, and finds a run with fewer messages than an exact bound. The bounds hold for one failure-free
election with simultaneous start: no other input, no message loss and, for some bounds, unit delays. A run of another plan is
examined only if the property is named. A run that ends in a proven loop with sends exceeds every bound. A bound that cannot be
parsed or evaluated leaves the property unknown.`,
	Needs:        "send events; bounds in the header of the run; for most, its scenario, which defines the starts",
	Source:       "the texts that the bounds name; the sums are derived from the rules in fixtures/suites",
	WitnessOmits: "the other messages, which are counted",
	Problem:      "election",
	Assumption:   "one failure-free election: simultaneous start, no faults, and unit delays for bounds that ask for them",
	Assumes:      assumesPeace,
	ViolatedBy:   analyze.Facts("send", "receive", "crash", "halt", "recover"),
	ExcusedBy:    analyze.Facts("send", "crash", "halt", "recover"), Triggers: analyze.Facts("send"),
	New: func(*tracefmt.Run) analyze.Monitor { return &sendMonitor{limits: theory, live: true} },
}

// assumesPeace returns why the bounds do not hold for a run: its fault plan violates their assumptions. It returns ""
// if they hold.
func assumesPeace(run *tracefmt.Run) string { return complexity.Unbounded(run) }

// theory returns the values of the bounds that no run may exceed, for the state at the first send. It fails without
// a bound.
func theory(s *replay.State) ([]complexity.Limit, error) {
	limits, err := complexity.NewTheory(s.Run.Bounds).Limits(complexity.SettingOf(s))
	limits = slices.DeleteFunc(slices.Clone(limits), func(l complexity.Limit) bool {
		kind := l.Bound.KindOf()
		return kind != tracefmt.WorstCase && kind != tracefmt.ExactCase
	})
	if err == nil && len(limits) == 0 {
		err = errors.New("the run states no bound for the worst case")
	}
	return limits, err
}
