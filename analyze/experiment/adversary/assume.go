package adversary

import (
	"slices"
	"strings"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// What the schedules have in common among which an adversary chooses: see
// [Result.Assumes] and [network.Chooser].
const (
	TimeoutsLong = "timeouts long enough"
	roundsLong   = "rounds long enough"
	LaterAnytime = "later actions at any moment"
)

// assumptions are all of them, each with what it is, in the order in which they are named.
var assumptions = []struct{ name, doc string }{
	{TimeoutsLong, "no timer expires while a message is on its way; where messages are slower than timers a run may come to more, or to less"},
	{roundsLong, "no round begins while a message is on its way"},
	{LaterAnytime, "starts, crashes and whatever else the plan has after time 0 come in its order, but at any moment, even after an election; published bounds are not about that, and none is compared"},
}

// assumes returns what holds in all schedules, where timers are armed or not.
func (f *family) assumes(timers bool) string {
	return naming(func(name string) bool {
		switch name {
		case TimeoutsLong:
			return timers
		case roundsLong:
			return f.rounds && !timers
		}
		return f.later
	})
}

// naming names the assumptions that are made.
func naming(made func(name string) bool) string {
	var names []string
	for _, a := range assumptions {
		if made(a.name) {
			names = append(names, a.name)
		}
	}
	return strings.Join(names, ", ")
}

// bothAssume returns what one search or the other assumes.
func bothAssume(one, other string) string {
	return naming(func(name string) bool { return strings.Contains(one, name) || strings.Contains(other, name) })
}

// arms reports whether a process arms a timer in a run.
func arms(rec tracefmt.Recording) bool {
	for e, err := range rec.Events(1) {
		if err == nil && e.Kind == tracefmt.SetTimer {
			return true
		}
	}
	return false
}

// later reports whether some action of a plan comes after time 0.
func later(actions []sim.Action) bool {
	return slices.ContainsFunc(actions, func(a sim.Action) bool { return a.At > 0 || a.After > 0 })
}
