package property_test

import (
	"slices"
	"strconv"

	"etrace/tracefmt"
)

// The rest of the oracle: properties of processes that crash and recover, and
// of channels.

// down reports whether p crashes or halts in the events from i to j-1.
func (o oracle) down(p tracefmt.ProcessID, i, j int) bool {
	return slices.ContainsFunc(o.events[i:j], func(e tracefmt.Event) bool {
		return e.Process == p && (e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt)
	})
}

func (o oracle) alternate() (wrong, examined int) {
	for k, e := range o.events {
		wasDown := o.isCrashed(e.Process, k)
		if e.Kind != tracefmt.Crash && e.Kind != tracefmt.Recover && !(e.Kind == tracefmt.Start && wasDown) {
			continue
		}
		if examined++; wasDown == (e.Kind == tracefmt.Crash) && !(e.Kind == tracefmt.Recover && o.beginsLate(k)) {
			wrong++
		}
	}
	return wrong, examined
}

// beginsLate: the event at k is the first step of its process in a recording that may lack
// a crash.
func (o oracle) beginsLate(k int) bool {
	crashes := tracefmt.NewCoverage(o.run).Declared(o.events[k].Process, tracefmt.Fact{Kind: tracefmt.Crash})
	return crashes != tracefmt.All && !slices.ContainsFunc(o.events[:k], func(d tracefmt.Event) bool {
		return d.Process == o.events[k].Process && d.Kind != tracefmt.Lose
	})
}

// isCrashed: of the crashes, recoveries and starts of p in the first k events the last
// is a crash.
func (o oracle) isCrashed(p tracefmt.ProcessID, k int) (crashed bool) {
	for _, d := range o.events[:k] {
		if d.Process == p && slices.Contains([]tracefmt.Kind{tracefmt.Crash, tracefmt.Recover, tracefmt.Start}, d.Kind) {
			crashed = d.Kind == tracefmt.Crash
		}
	}
	return crashed
}

func (o oracle) duplication() (wrong, examined int) {
	for j, e := range o.events {
		if e.Kind != tracefmt.Receive {
			continue
		}
		examined++
		if slices.ContainsFunc(o.events[:j], func(d tracefmt.Event) bool { return d.Kind == tracefmt.Receive && d.Message == e.Message }) {
			wrong++
		}
	}
	return wrong, examined
}

func (o oracle) loss() (wrong, examined int) {
	for k, e := range o.events {
		if e.Kind != tracefmt.Send {
			continue
		}
		examined++
		stays := o.live(e.Peer, k+1) && !o.down(e.Peer, k, len(o.events))
		onItsWay := !slices.ContainsFunc(o.events[k+1:], func(l tracefmt.Event) bool {
			return l.Message == e.Message && (l.Kind == tracefmt.Receive || l.Kind == tracefmt.Lose || l.Kind == tracefmt.Send)
		})
		if stays && onItsWay {
			wrong++
		}
	}
	for k := range o.events {
		if o.lostForGood(tracefmt.Seq(k + 1)) {
			wrong++
		}
	}
	return wrong, examined
}

// lostForGood reports whether what was sent at seq, if anything, was lost last
// at a process that stays live, and never received.
func (o oracle) lostForGood(sent tracefmt.Seq) bool {
	var receiver tracefmt.ProcessID
	for _, e := range o.events[sent:] {
		if e.Cause == sent && e.Kind == tracefmt.Receive {
			return false
		}
		if e.Cause == sent && e.Kind == tracefmt.Lose {
			receiver = e.Process
		}
	}
	return receiver != 0 && o.live(receiver, int(sent)) && !o.down(receiver, int(sent)-1, len(o.events))
}

func (o oracle) timers() (wrong, examined int) {
	any := false
	for k, e := range o.events {
		any = any || e.Kind == tracefmt.SetTimer
		if e.Kind != tracefmt.Timeout || !any {
			continue
		}
		examined++
		due := tracefmt.Time(-1) // not armed
		for _, d := range o.events[:k] {
			switch {
			case d.Process != e.Process:
			case d.Kind == tracefmt.SetTimer && d.Type == e.Type:
				n, _ := strconv.Atoi(string(field(d, "due")))
				due = tracefmt.Time(n)
			case (d.Kind == tracefmt.CancelTimer || d.Kind == tracefmt.Timeout) && d.Type == e.Type,
				d.Kind == tracefmt.Crash, d.Kind == tracefmt.Halt, d.Kind == tracefmt.Recover, d.Kind == tracefmt.Start:
				due = -1
			}
		}
		if due < 0 || e.Time < due {
			wrong++
		}
	}
	return wrong, examined
}
