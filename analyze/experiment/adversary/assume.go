package adversary

import (
	"slices"
	"strings"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// The assumptions that restrict the schedules among which an adversary chooses: see [Result.Assumes] and
// [network.Chooser].
const (
	TimeoutsLong = "timeouts long enough"
	roundsLong   = "rounds long enough"
	LaterAnytime = "later actions at any moment"
)

// assumptions lists all of them with an explanation, in the order of printing.
var assumptions = []struct{ name, doc string }{
	{
		TimeoutsLong,
		"no timer expires while a message is in flight; a run with messages slower than timers can have a higher or a lower value",
	},
	{roundsLong, "no round begins while a message is in flight"},
	{
		LaterAnytime,
		"starts, crashes and whatever else the plan has after time 0 come in its order, but at any moment, " +
			"even after an election; published bounds are not about that, and none is compared",
	},
}

// assumes lists the assumptions about all schedules of the family; timers is true if some process arms a
// timer.
func (f *family) assumes(timers bool) string {
	return assumptionNames(func(name string) bool {
		switch name {
		case TimeoutsLong:
			return timers
		case roundsLong:
			return f.rounds && !timers
		}
		return f.later
	})
}

// assumptionNames lists the names of the assumptions for which made returns true, separated by commas.
func assumptionNames(made func(name string) bool) string {
	var names []string
	for _, a := range assumptions {
		if made(a.name) {
			names = append(names, a.name)
		}
	}
	return strings.Join(names, ", ")
}

// bothAssume returns the union of the assumptions of two searches.
func bothAssume(first, second string) string {
	return assumptionNames(func(name string) bool {
		return strings.Contains(first, name) ||
			strings.Contains(second, name)
	})
}

// armsTimer reports whether a process arms a timer in a run.
func armsTimer(rec tracefmt.Recording) bool {
	for e, err := range rec.Events(1) {
		if err == nil && e.Kind == tracefmt.SetTimer {
			return true
		}
	}
	return false
}

// hasLaterAction reports whether some action of a plan comes after time 0.
func hasLaterAction(actions []sim.Action) bool {
	return slices.ContainsFunc(actions, func(a sim.Action) bool { return a.At > 0 || a.After > 0 })
}
