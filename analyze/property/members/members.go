// Package members has what properties ask about the members of a run, and about the values that these assign.
package members

import (
	"bytes"
	"fmt"
	"iter"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Assigned returns the raw value that an event assigns to a variable of its process; ok is false if the event
// does not name the variable.
func Assigned(e *tracefmt.Event, variable string) (value []byte, ok bool) {
	if !e.Kind.AssignsVariables() {
		return nil, false
	}
	return e.Field(variable)
}

// SameValue reports whether two JSON values are equal numbers, or equal texts.
func SameValue(x, y []byte) bool {
	return bytes.Equal(tracefmt.Canonical(x), tracefmt.Canonical(y))
}

// All returns the processes of a run, in ascending order.
func All(run *tracefmt.Run) []tracefmt.ProcessID {
	list := make([]tracefmt.ProcessID, len(run.Members))
	for i := range list {
		list[i] = tracefmt.ProcessID(i + 1)
	}
	return list
}

// NeedsOfEach yields the needs of each process in turn. They are computed only when they are read: a list of all may
// be long, and often the first is enough.
func NeedsOfEach(ps []tracefmt.ProcessID, needs func(p tracefmt.ProcessID) []analyze.Need) iter.Seq[analyze.Need] {
	return func(yield func(analyze.Need) bool) {
		for _, p := range ps {
			for _, n := range needs(p) {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// InTurn yields the needs of one sequence after the other; a nil sequence is empty.
func InTurn(lists ...iter.Seq[analyze.Need]) iter.Seq[analyze.Need] {
	return func(yield func(analyze.Need) bool) {
		for _, needs := range lists {
			if needs == nil {
				continue
			}
			for n := range needs {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// IsNull reports whether a JSON value is null.
func IsNull(value []byte) bool { return string(value) == "null" }

// IsSome reports whether a JSON value is not null.
func IsSome(value []byte) bool { return !IsNull(value) }

// Acts has by process whether it has an event that a client does not have: a start, state, timer, note or suspicion. It
// is for processes that use no word of the problem, in a run that does not state who participates: a process that acts
// may be a participant, and any other process is no participant.
type Acts []bool

// Step takes an event.
func (a Acts) Step(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send, tracefmt.Receive, tracefmt.Lose, tracefmt.Invoke, tracefmt.Return, tracefmt.Crash,
		tracefmt.Halt:
	default:
		a[e.Process] = true
	}
}

// PartUnknown explains why p's participation is unknown.
func PartUnknown(run *tracefmt.Run, p tracefmt.ProcessID) string {
	return fmt.Sprintf("whether process %s is a participant is not recorded (by its role in the header, such as "+
		"server or client)", run.ProcessName(p))
}

// Bystanders returns by process whether it is a non-participant, such as a client, or Byzantine: its actions are
// no violation.
func Bystanders(run *tracefmt.Run) []bool {
	aside := make([]bool, len(run.Members)+1)
	for _, p := range All(run) {
		aside[p] = run.Part(p) == tracefmt.Bystander
	}
	return aside
}

// Names lists processes for an explanation, up to a limit.
func Names(run *tracefmt.Run, ps []tracefmt.ProcessID) string {
	list := make([]string, len(ps))
	for i, p := range ps {
		list[i] = run.ProcessName(p)
	}
	return text.Some(list, 8)
}

// Short returns a JSON value for an explanation, cut to a readable length.
func Short(value []byte) string { return text.Short(string(value), 41) }
