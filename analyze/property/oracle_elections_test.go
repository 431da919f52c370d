package property_test

import (
	"slices"
	"strconv"

	"etrace/tracefmt"
)

func (o oracle) agreement() (wrong, examined int) {
	var values []string
	for _, p := range o.liveAtEnd() {
		if v := o.elected(p, len(o.events)); v != "null" {
			values = append(values, v)
		}
	}
	for _, v := range values {
		if v != values[0] {
			wrong++
		}
	}
	return wrong, len(values)
}

func (o oracle) safety() (wrong, examined int) {
	live := o.liveAtEnd()
	for _, p := range live {
		v := o.elected(p, len(o.events))
		if v != "null" && v != strconv.Itoa(int(slices.Max(live))) {
			wrong++
		}
	}
	return wrong, len(live)
}

// best is the process of the greatest id that is live after k events, in JSON.
func (o oracle) best(k int) string {
	best := 0
	for _, p := range o.processes() {
		if o.live(p, k) {
			best = int(p)
		}
	}
	return strconv.Itoa(best)
}

// assigned returns the value that the event at k gives elected, "null" for
// none or if it is no such event.
func (o oracle) assigned(k int) string {
	e := o.events[k]
	value, ok := e.Field("elected")
	if !ok || e.Kind != tracefmt.Recover && e.Kind != tracefmt.Start && e.Kind != tracefmt.State {
		return "null"
	}
	return string(value)
}

func (o oracle) safetyAlways() (wrong, examined int) {
	for k, e := range o.events {
		if v := o.assigned(k); v != "null" && o.live(e.Process, len(o.events)) {
			examined++
			if v != o.best(len(o.events)) {
				wrong++
			}
		}
	}
	return wrong, examined
}

func (o oracle) safetyAtAssignment() (wrong, examined int) {
	for k, e := range o.events {
		if v := o.assigned(k); v != "null" && e.Kind == tracefmt.State {
			examined++
			if v != o.best(k+1) {
				wrong++
			}
		}
	}
	return wrong, examined
}

func (o oracle) liveness() (wrong, examined int) {
	called := slices.ContainsFunc(o.events, func(e tracefmt.Event) bool {
		return e.Kind == tracefmt.Suspect || e.Kind == tracefmt.Recover || e.Kind == tracefmt.Send
	})
	live := o.liveAtEnd()
	if !called || len(live) == 0 {
		return 0, 0
	}
	for _, p := range live {
		if o.elected(p, len(o.events)) == "null" {
			wrong = 1
		}
	}
	return wrong, 1
}

func (o oracle) singleLeader() (wrong, examined int) {
	leads := func(p tracefmt.ProcessID, k int) bool {
		return o.live(p, k) && o.elected(p, k) == strconv.Itoa(int(p))
	}
	for k := range o.events {
		for _, p := range o.processes() {
			if !leads(p, k+1) || leads(p, k) {
				continue
			}
			examined++
			for _, q := range o.processes() {
				if q != p && leads(q, k) {
					wrong++
				}
			}
		}
	}
	return wrong, examined
}
