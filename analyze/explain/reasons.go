package explain

import (
	"context"
	"fmt"
	"iter"
	"math"

	"etrace/tracefmt"
)

// history has the reasons of each event of a run, by seq.
type history struct {
	links []link
	// more has the further reasons of the few events with several.
	more map[tracefmt.Seq][]tracefmt.Seq
	// given are the events that are taken as given: the starts of processes.
	given []tracefmt.Seq
	// outside are the events that the processes do not decide.
	outside []tracefmt.Seq
}

// link joins an event with earlier ones; 0 means none.
type link struct {
	// reason is the input that made the process act; before is the previous event of the process; cause is an
	// event of another process.
	reason, before, cause int32
}

// maxRun is the maximum number of events in a history.
const maxRun = math.MaxInt32 - 1

// readHistory reads a run.
func readHistory(ctx context.Context, rec tracefmt.Recording) (*history, error) {
	t := &builder{
		history:   &history{links: []link{{}}, more: map[tracefmt.Seq][]tracefmt.Seq{}},
		simulated: rec.Run().Source == tracefmt.Simulated,
		processes: make([]actor, len(rec.Run().Members)+1),
	}
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		switch {
		case err != nil:
			return nil, err
		case int(e.Seq) != len(t.links) || e.Seq > maxRun:
			return nil, fmt.Errorf(
				"run %d seq %d: expected the events of a run to explain to be numbered from 1 to %d at most",
				rec.Run().Number, e.Seq, maxRun,
			)
		case e.Process < 0 || int(e.Process) >= len(t.processes):
			return nil, fmt.Errorf(
				"run %d seq %d: process number %d, but the run has %d processes", rec.Run().Number, e.Seq,
				e.Process, len(t.processes)-1,
			)
		}
		t.addEvent(e)
	}
	return t.history, nil
}

// builder builds a history event by event.
type builder struct {
	*history
	simulated bool // the reason of an action is the last input of the process
	processes []actor
	partition tracefmt.Seq // the event that began the present partition, 0 for none
}

// actor is the state of a process that determines reasons.
type actor struct {
	last tracefmt.Seq // the last event
	// step is the last input of the process, with its kind and time in stepKind and stepTime.
	step     tracefmt.Seq
	stepKind tracefmt.Kind
	stepTime tracefmt.Time
	// up is the last recovery of a live process, down the crash or halt of a process that is down.
	up, down tracefmt.Seq
	timers   map[string]tracefmt.Seq // the event that set each timer
}

// addEvent adds the next event, with its reasons.
func (t *builder) addEvent(e *tracefmt.Event) {
	a := &t.processes[e.Process]
	l := link{reason: int32(t.reason(a, e))}
	for cause := range e.Causes() {
		switch {
		case cause < 1 || cause >= e.Seq:
		case l.cause == 0:
			l.cause = int32(cause)
		default:
			t.more[e.Seq] = append(t.more[e.Seq], cause)
		}
	}
	if also := t.secondReason(a, e); also != 0 {
		t.more[e.Seq] = append(t.more[e.Seq], also)
	}
	if e.Process != 0 {
		l.before, a.last = int32(a.last), e.Seq
	}
	t.links = append(t.links, l)
	t.updateActor(a, e)
}

// reason returns the main reason of an event, apart from its causes.
func (t *builder) reason(a *actor, e *tracefmt.Event) tracefmt.Seq {
	if !t.simulated && !recordedReasons[e.Kind] {
		return 0
	}
	switch e.Kind {
	case tracefmt.Start, tracefmt.Crash, tracefmt.Partition:
		return 0 // decided by the environment
	case tracefmt.Recover:
		return a.down
	case tracefmt.Receive, tracefmt.Invoke:
		return a.up
	case tracefmt.Timeout:
		return a.timers[e.Type]
	case tracefmt.Suspect, tracefmt.Trust:
		if !a.reacts(e) {
			return a.up
		}
	case tracefmt.Heal:
		return t.partition
	case tracefmt.Lose:
		return t.lossCause(e)
	}
	return a.step
}

// reacts reports whether a process suspects or trusts another one while it reacts to another input: at the same
// time.
func (a *actor) reacts(e *tracefmt.Event) bool {
	return a.stepKind != tracefmt.Start && a.stepKind != tracefmt.Recover && a.stepTime == e.Time
}

// secondReason returns a second reason: for a suspicion or a loss, the crash of the process concerned; for the
// cancelling of a timer, the event that set it.
func (t *builder) secondReason(a *actor, e *tracefmt.Event) tracefmt.Seq {
	switch {
	// In a real system, a crash need not be the reason of a suspicion or a loss.
	case !t.simulated && e.Kind != tracefmt.CancelTimer:
	case e.Kind == tracefmt.Lose:
		return a.down
	case e.Kind == tracefmt.CancelTimer:
		return a.timers[e.Type]
	case e.Kind == tracefmt.Suspect && e.Peer > 0 && int(e.Peer) < len(t.processes):
		return t.processes[e.Peer].down
	}
	return 0
}

// lossCause returns the partition that lost a message.
func (t *builder) lossCause(e *tracefmt.Event) tracefmt.Seq {
	if reason, _ := e.Field("reason"); string(reason) == `"partitioned"` {
		return t.partition
	}
	return 0
}

// updateActor updates the state that determines the reasons of later events.
func (t *builder) updateActor(a *actor, e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Start:
		if t.links[e.Seq].before == 0 { // a later start is a restart
			t.given = append(t.given, e.Seq)
		}
		a.down = 0
	case tracefmt.Crash, tracefmt.Halt:
		a.down = e.Seq
	case tracefmt.Recover:
		a.up, a.down = e.Seq, 0
	case tracefmt.SetTimer:
		if a.timers == nil {
			a.timers = make(map[string]tracefmt.Seq)
		}
		a.timers[e.Type] = e.Seq
	case tracefmt.Partition:
		t.partition = e.Seq
	case tracefmt.Heal:
		t.partition = 0
	}
	if inputKinds[e.Kind] {
		a.step, a.stepKind, a.stepTime = e.Seq, e.Kind, e.Time
	}
	if fromOutside[e.Kind] {
		t.outside = append(t.outside, e.Seq)
	}
}

// inputKinds are the kinds of inputs of a process.
var inputKinds = map[tracefmt.Kind]bool{
	tracefmt.Start: true, tracefmt.Recover: true, tracefmt.Receive: true, tracefmt.Timeout: true,
	tracefmt.Suspect: true, tracefmt.Trust: true, tracefmt.Invoke: true,
}

// recordedReasons are the kinds of events whose reason a recording has even if it was not simulated.
var recordedReasons = map[tracefmt.Kind]bool{tracefmt.Recover: true, tracefmt.Timeout: true, tracefmt.Heal: true}

// fromOutside are the kinds of events that decide which processes run, and which can communicate.
var fromOutside = map[tracefmt.Kind]bool{
	tracefmt.Crash: true, tracefmt.Recover: true, tracefmt.Halt: true, tracefmt.Partition: true, tracefmt.Heal: true,
}

// reasons yields the reasons of an event.
func (h *history) reasons(seq tracefmt.Seq) iter.Seq[tracefmt.Seq] {
	return func(yield func(tracefmt.Seq) bool) {
		l := h.links[seq]
		for _, s := range [...]int32{l.reason, l.cause} {
			if s != 0 && !yield(tracefmt.Seq(s)) {
				return
			}
		}
		for _, s := range h.more[seq] {
			if !yield(s) {
				return
			}
		}
	}
}

// earlier yields the events that directly happened before the event, and its reasons.
func (h *history) earlier(seq tracefmt.Seq) iter.Seq[tracefmt.Seq] {
	return func(yield func(tracefmt.Seq) bool) {
		for s := range h.reasons(seq) {
			if !yield(s) {
				return
			}
		}
		if before := h.links[seq].before; before != 0 {
			yield(tracefmt.Seq(before))
		}
	}
}

// set is a set of events.
type set map[tracefmt.Seq]bool

// closure returns the seeds and all events reachable from them by edges, nil if there are more than limit.
func (h *history) closure(
	limit int, edges func(tracefmt.Seq) iter.Seq[tracefmt.Seq], seeds iter.Seq[tracefmt.Seq],
) set {
	found := make(set)
	var open []tracefmt.Seq
	add := func(seq tracefmt.Seq) {
		if 0 < seq && int(seq) < len(h.links) && !found[seq] {
			found[seq] = true
			open = append(open, seq)
		}
	}
	for seed := range seeds {
		add(seed)
		for len(open) > 0 {
			next := open[len(open)-1]
			open = open[:len(open)-1]
			for seq := range edges(next) {
				add(seq)
			}
			if len(found) > limit {
				return nil
			}
		}
	}
	return found
}
