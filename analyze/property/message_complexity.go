package property

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
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
of these). The first bound whose condition is true counts; etrace explain lists
those of each algorithm.

A bound says what it counts: every send, also to a process that is down (sent,
unless it says something else), all but what a process sends to itself (others),
or every receive (delivered). The bounds hold for one election in peace: all
starts are at one instant, nothing else comes from outside, nothing is lost; for
some, each delay is 1, too. A run of another plan is examined only if the
property is asked for by name. A run that ends in a proven loop in which messages
are sent exceeds every bound. A bound that cannot be read or evaluated leaves the
property unknown.`,
	Needs:      "send events; bounds in the header of the run; for most, its scenario, which says who starts",
	Source:     "the texts that the bounds name; the sums are derived from the rules in fixtures/suites",
	Problem:    "election",
	Assumption: "one election in peace: all starts at one instant, no faults, and unit delays for bounds that ask for them",
	Assumes:    assumesPeace,
	Convicts:   analyze.Facts("send", "receive", "crash", "halt", "recover"), Acquits: analyze.Facts("send", "crash", "halt", "recover"), Triggers: analyze.Facts("send"),
	New: func(*tracefmt.Run) analyze.Monitor { return &sendMonitor{limit: theory, live: true} },
}

// noBounds is the reason for runs that state none.
const noBounds = "the run states no bounds on its messages"

// assumesPeace says why the plan of a run does not meet what its bounds
// assume, "" if it does.
func assumesPeace(run *tracefmt.Run) string {
	if reason := without("forge", "lie", "silence")(run); reason != "" {
		return reason // for it, the run states no bounds
	}
	if len(run.Bounds) == 0 {
		return noBounds
	}
	disturbs := []string{"crash", "drop", "duplicate", "loss", "op", "partition", "recover", "reorder", editedStart, editedParameter}
	if slices.ContainsFunc(run.Bounds, func(b tracefmt.Bound) bool { return b.Delays == tracefmt.UnitDelays }) {
		disturbs = append(disturbs, "delay", "slow")
	}
	return every(startsTogether, without(disturbs...))(run)
}

// theory returns what the first bound whose condition is true comes to in a run,
// given the state at the first send, or an error that says why there is none.
func theory(s *replay.State) (limit, error) {
	if len(s.Run.Bounds) == 0 {
		return limit{}, errors.New(noBounds)
	}
	values := beginning(s)
	var conditions []string
	for _, b := range s.Run.Bounds {
		if values["starts"] == nil && (mentionsStarts(b.If) || mentionsStarts(b.Messages)) {
			return limit{}, errors.New("the run has no scenario that says who starts")
		}
		holds, err := condition(b.If, values)
		switch {
		case err != nil:
			return limit{}, unreadable{err}
		case holds:
			return boundLimit(&b, values)
		}
		conditions = append(conditions, b.If)
	}
	return limit{}, fmt.Errorf("the run states bounds only for %s", strings.Join(conditions, ", or "))
}

// unreadable is the error of a bound that cannot be evaluated.
type unreadable struct{ error }

func (u unreadable) Error() string {
	return "a bound of the run cannot be evaluated: " + u.error.Error()
}

// boundLimit evaluates a bound.
func boundLimit(b *tracefmt.Bound, values map[string]any) (limit, error) {
	formula, err := formulas.parse(b.Messages, values)
	if err != nil {
		return limit{}, unreadable{err}
	}
	l, err := newLimit(formula, values)
	if err != nil {
		return limit{}, unreadable{err}
	}
	l.counting = countings[b.Counts]
	return l, nil
}

// condition evaluates the condition of a bound; "" is true.
func condition(text string, values map[string]any) (bool, error) {
	if text == "" {
		return true, nil
	}
	formula, err := formulas.parse(text, values)
	if err != nil {
		return false, err
	}
	value, err := formula.Evaluate(values)
	if err != nil {
		return false, err
	}
	holds, ok := value.(bool)
	if !ok {
		return false, fmt.Errorf("formula %q: expected true or false, got %v", text, value)
	}
	return holds, nil
}

// mentionsStarts reports whether a formula is about who starts.
func mentionsStarts(formula string) bool {
	names := formulaNames.FindAllString(formula, -1)
	return slices.Contains(names, "starts") || slices.Contains(names, "above")
}

// beginning returns the values of the names in the bounds.
func beginning(s *replay.State) map[string]any {
	ranks := replay.Ranks(s.Run)
	live := slices.DeleteFunc(s.LiveProcesses(), func(p tracefmt.ProcessID) bool { return !s.Run.Counts(p) })
	values := map[string]any{
		"n": s.Run.Size(), "live": len(live),
	}
	if best, lacks := s.BestOf(allProcesses(s.Run), bestKeys(s.Run)); lacks == "" {
		values["top"] = slices.ContainsFunc(best, s.Live)
	}
	starters := starters(s)
	if len(starters) == 0 {
		return values
	}
	lowest := slices.MinFunc(starters, func(p, q tracefmt.ProcessID) int { return cmp.Compare(ranks[p], ranks[q]) })
	above := 0
	for _, rank := range ranks[1:] {
		if rank > ranks[lowest] {
			above++
		}
	}
	values["starts"], values["above"] = len(starters), above
	return values
}

// bestKeys are the keys by which the run says who is best, else the id.
func bestKeys(run *tracefmt.Run) []string {
	if keys := run.BestKeys(); keys != nil {
		return keys
	}
	return []string{tracefmt.BestID}
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
