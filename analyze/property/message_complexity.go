package property

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
	Doc: `The run sends at most as many messages as theory allows its algorithm.

The bounds are those that the run states in its header: formulas over n
(processes), live (those up at the first send), top (the greatest id is up) and,
where the scenario says who starts, starts (those live ones that notice at the
start that the coordinator is gone) and above (how many ids are above the lowest
of these). Of several bounds of one kind that count alike, the first whose
condition is true holds; etrace explain lists those of each algorithm.

A bound says what it counts: every send, also to a process that is down (sent,
unless it says something else), all but what a process sends to itself (others),
or every receive (delivered), without messages of some types, such as those that
announce the result. Each convention is counted by itself. Examined are bounds of
the kinds worst and exact, beyond which no run may go; etrace stats compares the
others, too, and finds a run that sends fewer than exactly so many. The bounds hold for one election in peace: all
starts are at one instant, nothing else comes from outside, nothing is lost; for
some, each delay is 1, too. A run of another plan is examined only if the
property is asked for by name. A run that ends in a proven loop in which messages
are sent exceeds every bound. A bound that cannot be read or evaluated leaves the
property unknown.`,
	Needs:        "send events; bounds in the header of the run; for most, its scenario, which says who starts",
	Source:       "the texts that the bounds name; the sums are derived from the rules in fixtures/suites",
	WitnessOmits: "the other messages, which are counted",
	Problem:      "election",
	Assumption:   "one election in peace: all starts at one instant, no faults, and unit delays for bounds that ask for them",
	Assumes:      assumesPeace,
	Convicts:     analyze.Facts("send", "receive", "crash", "halt", "recover"), Acquits: analyze.Facts("send",
		"crash", "halt", "recover"), Triggers: analyze.Facts("send"),
	New: func(*tracefmt.Run) analyze.Monitor { return &sendMonitor{limits: theory, live: true} },
}

// assumesPeace says why the plan of a run does not meet what its bounds
// assume, "" if it does.
func assumesPeace(run *tracefmt.Run) string { return complexity.Unbounded(run) }

// theory returns what the bounds that no run may exceed come to, given the state at the
// first send, or an error that says why there are none.
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
