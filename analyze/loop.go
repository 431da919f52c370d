package analyze

import (
	"bytes"
	"fmt"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
)

// loop verifies the loop that a run claims to end in. The claim is [tracefmt.LoopNote]. The trace must show three
// things: the global state is the same after both events, something happens in between, and nothing in between comes
// from outside. The fault plan and chance come from outside, since they need not repeat.
//
// A loop with a shift claims less: the second state is the first with the shift added to all counters. If the algorithm
// uses only the order and differences of counters ([tracefmt.Run.Counters]), the same events lead from the second state
// to a third, and so on forever. Lies of the scenario put unshifted values into messages, so they exclude such a loop.
//
// Only a simulated run proves a loop: in another system a clock, or state that is not logged, may end it. A header that
// claims a simulation is believed.
type loop struct {
	// A loop with a shift claims less: the second state is the first with the shift added to all counters. If the
	// algorithm uses only the order and differences of counters ([tracefmt.Run.Counters]), the same events lead from
	// the second state to a third, and so on forever. Lies of the scenario put unshifted values into messages, so
	// they exclude such a loop.
	//
	// Only a simulated run proves a loop: in another system a clock, or state that is not logged, may end it.
	claimed   bool
	from, end tracefmt.Seq
	// shift is added to the counters.
	shift    int64
	counters *replay.Counters

	stateAtStart []byte // the state after from
	sameState    bool   // the state after end is equal to head
	steps        int    // number of events in between, without notes
	// outside is the first event in between that comes from outside; see fromOutside.
	outside     tracefmt.Seq
	outsideKind tracefmt.Kind
}

// Claim is the loop that a run claims to end in: the states after the events From and To are equal.
type Claim struct {
	From tracefmt.Seq
	To   tracefmt.Seq
	// Shift is added to all counters between them.
	Shift int64
}

// loop returns the claim, ready to be verified; a loop that is not claimed for nil.
func (c *Claim) loop() loop {
	if c == nil {
		return loop{}
	}
	return loop{claimed: true, from: c.From, end: c.To, shift: c.Shift}
}

// claimedLoop returns the loop that the last event of the recording claims. For a stream, whose last event is
// not known yet, it returns no loop.
func claimedLoop(rec tracefmt.Recording) (loop, error) {
	var l loop
	last := rec.Run().Events
	if rec.Run().End != tracefmt.Stopped || last == 0 {
		return l, nil
	}
	for e, err := range rec.Events(tracefmt.Seq(last)) {
		if err != nil {
			return l, err
		}
		l = ClaimOf(e).loop()
	}
	return l, nil
}

// ClaimOf returns the loop that an event claims if it is the last of its run; nil for none.
func ClaimOf(e *tracefmt.Event) *Claim {
	if !claimsLoop(e) {
		return nil
	}
	shift, _ := e.Field("shift")
	shiftValue, _ := tracefmt.ParseInteger(shift)
	return &Claim{seqField(e, "from"), seqField(e, "to"), shiftValue}
}

// claimsLoop reports whether the event is the note of a loop.
func claimsLoop(e *tracefmt.Event) bool {
	return e.Kind == tracefmt.Note && e.Type == tracefmt.LoopNote
}

func seqField(e *tracefmt.Event, name string) tracefmt.Seq {
	value, _ := e.Field(name)
	n, _ := tracefmt.ParseInteger(value)
	return tracefmt.Seq(n)
}

// step takes an event between from and end, after the state was updated.
func (l *loop) step(s *replay.State, e *tracefmt.Event) {
	switch {
	case e.Seq == l.from:
		if l.shift != 0 {
			l.counters = replay.NewCounters(s.Run.Counters)
		}
		l.stateAtStart = s.SnapshotLess(l.counters, 0)
		return
	case e.Kind != tracefmt.Note:
		l.steps++
	}
	if fromOutside(e.Kind) && l.outside == 0 {
		l.outside, l.outsideKind = e.Seq, e.Kind
	}
	if e.Seq == l.end {
		l.sameState = bytes.Equal(l.stateAtStart, s.SnapshotLess(l.counters, l.shift))
	}
}

// fromOutside reports whether events of the kind come from the environment: the fault plan or a client.
func fromOutside(k tracefmt.Kind) bool {
	switch k {
	case tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Partition, tracefmt.Heal, tracefmt.Invoke:
		return true
	}
	return false
}

// doubt returns the reason why the claim is not believed; "" if the trace proves it.
func (l *loop) doubt(run *tracefmt.Run) string {
	switch {
	case !run.RecordsAll():
		return "the run is no simulated one, so that what it records need not be its whole state"
	case l.from < 1 || l.end <= l.from || int64(l.end) >= run.Events:
		return "these are not two events of the run, one after the other"
	case !l.sameState:
		return l.difference(run)
	case l.steps == 0:
		return "nothing happens in between"
	case l.outside != 0:
		return fmt.Sprintf("what happens at seq %d (%s) need not happen again", l.outside, l.outsideKind)
	}
	if l.shift != 0 && hasLies(run) {
		return "the scenario puts values into messages that are not shifted (lie)"
	}
	return randomnessReason(run)
}

// hasLies reports whether the run's scenario changes the contents of messages.
func hasLies(run *tracefmt.Run) bool {
	for key := range tracefmt.Fields(run.Scenario) {
		if string(key) == "lie" {
			return true
		}
	}
	return false
}

// difference returns the reason for two states that differ.
func (l *loop) difference(run *tracefmt.Run) string {
	switch {
	case l.shift == 0:
		return "the states after these events differ"
	case len(run.Counters) == 0:
		return fmt.Sprintf("the run has no counters that could be shifted by %d", l.shift)
	}
	return fmt.Sprintf("the states after these events differ in more than counters that are shifted by %d", l.shift)
}

// randomnessReason returns the reason if the scenario draws losses, duplicates or delays at random, which need not
// repeat; "" if it does not.
func randomnessReason(run *tracefmt.Run) string {
	for key, value := range tracefmt.Fields(run.Scenario) {
		name, text := string(key), string(value)
		if name == "loss" || name == "duplicate" || name == "delay" && strings.Contains(text, "(") {
			return fmt.Sprintf("the scenario leaves to chance what repeats (%s)", name)
		}
	}
	return ""
}
