package conform

import (
	"cmp"
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// conformer compares the processes of a run with one algorithm.
type conformer struct {
	report  *Conformance
	host    *sim.Host
	numbers numbering
	// followers are indexed by the process numbers of the run.
	followers []follower
	shared    shared
	messages  messageTypes
	// durations: times are in the simulator's unit, so that due times of timers can be compared.
	durations bool
	// switches are the changes of parameters that are still to come.
	switches []sim.Action
	// search compares the processes of a partial recording; nil for a complete one.
	search     *search
	protocolOf *sim.Protocol
}

// follower is a process and the events that the algorithm still expects from it.
type follower struct {
	report *ProcessConformance
	// expected are the events of the present step; those before next have been matched.
	expected []tracefmt.Event
	next     int
	// payloads holds the bytes of the expected events' payloads.
	payloads []byte
	// step is the last input; stepped is true once there is one.
	step    tracefmt.Event
	stepped bool
}

// commentary lists the kinds of events that a process may add to what the algorithm does. They are compared
// only if the algorithm declares such events or expects one.
var commentary = map[tracefmt.Kind]bool{
	tracefmt.Note: true, tracefmt.Trust: true, tracefmt.Invoke: true,
	tracefmt.Return: true,
}

// compare compares the next event of a process with the algorithm. An input makes the algorithm take a step;
// any other event must be the next one of the present step, or begin a start.
func (c *conformer) compare(e *tracefmt.Event) {
	c.switchProtocol(e)
	c.messages.examine(e)
	f := &c.followers[e.Process]
	if f.report.Byzantine {
		c.trackUp(e)
		return
	}
	waiting := f.next < len(f.expected)
	if c.isCommentary(f, e) || c.shared.ignores(e) {
		return
	}
	f.report.Events++
	c.report.noteAct(e)
	if f.report.Deviation != nil {
		c.trackUp(e)
		return
	}
	switch {
	// Only a crash may interrupt a step whose events are still to come.
	case (!waiting || e.Kind == tracefmt.Crash) && c.host.IsInput(e):
		if err := c.input(f, e, c.host.Step); err != nil {
			f.deviate(e, nil, err.Error())
			return
		}
	case !waiting:
		if starts, lacking, err := c.tryStart(f, e); !starts {
			f.deviate(e, lacking, reason(err))
			return
		}
	}
	c.match(f, e)
}

// isCommentary reports whether an event is an addition of the process, such as a note, that the algorithm
// neither makes nor takes as input.
func (c *conformer) isCommentary(f *follower, e *tracefmt.Event) bool {
	if !commentary[e.Kind] || c.host.IsInput(e) || c.host.Makes(e.Kind, e.Type) {
		return false
	}
	return f.next == len(f.expected) || f.expected[f.next].Kind != e.Kind
}

// tryStart takes the start of the algorithm, of an election for example, if that start begins with the event, and
// reports whether it does. If the event comes later in the start, lacking is the first event of the start, which is not
// recorded. Otherwise nothing changes.
func (c *conformer) tryStart(f *follower, e *tracefmt.Event) (starts bool, lacking *tracefmt.Event, err error) {
	before, stepped := f.step, f.stepped
	// input reuses the payload's memory, which before.Payload must keep.
	f.step.Payload = nil
	switch err := c.input(f, e, c.host.Begin); {
	case err != nil:
		return false, nil, err
	case len(f.expected) > 0 && c.agree(e, &f.expected[0]):
		return true, nil, nil
	}
	if slices.ContainsFunc(f.expected, func(x tracefmt.Event) bool { return c.agree(e, &x) }) {
		lacking = f.expected[0].Clone()
	}
	f.expected, f.step, f.stepped = f.expected[:0], before, stepped
	return false, lacking, nil
}

// reason returns the text of an error; "" for nil.
func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// match compares an event with the next expected one; a difference is the deviation of the process.
func (c *conformer) match(f *follower, e *tracefmt.Event) {
	if f.next == len(f.expected) {
		f.deviate(e, nil, "")
		return
	}
	if x := &f.expected[f.next]; !c.agree(e, x) {
		f.deviate(e, x, "")
		return
	}
	f.report.Explained++
	f.next++
}

// switchProtocol applies the changes of parameters that come before e, and reports whether there was any.
func (c *conformer) switchProtocol(e *tracefmt.Event) bool {
	before := len(c.switches)
	c.switches = slices.DeleteFunc(c.switches, func(s sim.Action) bool {
		due := s.After > 0 && e.Seq > s.After || s.After == 0 && e.Time >= s.At
		if due {
			c.host.Switch(s.Protocol)
		}
		return due
	})
	return len(c.switches) < before
}

// input remembers the event as the present input, and lets the algorithm take its step. The step's events
// arrive in Write as the expected ones.
func (c *conformer) input(f *follower, e *tracefmt.Event, step func(*tracefmt.Event) error) error {
	f.expected, f.next, f.payloads = f.expected[:0], 0, f.payloads[:0]
	payload := append(f.step.Payload[:0], e.Payload...)
	f.step, f.stepped = *e, true
	f.step.Payload = payload
	return step(c.numbers.toHost(e))
}

// trackUp passes the starts and crashes of a process that is no longer compared to the host: the steps of
// others may depend on them.
func (c *conformer) trackUp(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Start, tracefmt.Crash, tracefmt.Recover:
		// The process is not compared any more, so an error of its step has no consequence.
		_ = c.host.Step(c.numbers.toHost(e))
	}
}

// Write appends an event of the algorithm to the expected events of its process. It clears the host's seqs,
// ids and clocks, which have no counterpart in the run.
func (c *conformer) Write(e *tracefmt.Event) error {
	if c.search != nil {
		c.search.steps.write(e)
		return nil
	}
	e = c.numbers.fromHost(e)
	e.Seq, e.Message, e.Cause, e.Lamport = 0, 0, 0, 0
	f := &c.followers[e.Process]
	if f.report.Byzantine || f.report.Deviation != nil || c.shared.ignores(e) {
		return nil
	}
	at := len(f.payloads)
	f.payloads = append(f.payloads, e.Payload...)
	f.expected = append(f.expected, *e)
	if e.Payload != nil {
		f.expected[len(f.expected)-1].Payload = f.payloads[at:len(f.payloads):len(f.payloads)]
	}
	return nil
}

// deviate records the deviation of a process. recorded or expected is nil if the process or the algorithm
// does nothing.
func (f *follower) deviate(recorded, expected *tracefmt.Event, reason string) {
	d := &Deviation{Reason: reason}
	// The deviation names the step that the algorithm was in, unless the recorded event is that step itself.
	if isStep := recorded != nil && recorded.Seq == f.step.Seq; f.stepped && !isStep {
		d.Step = f.step.Clone()
	}
	if recorded != nil {
		d.Recorded = recorded.Clone()
	}
	if expected != nil {
		d.Expected = expected.Clone()
	}
	f.report.Deviation = d
}

// finish ends the comparison. In a quiescent run every process has finished its steps, so expected events that
// did not happen are deviations. Any other run may have ended within a step.
func (c *conformer) finish() {
	c.report.Mismatch = cmp.Or(c.report.Mismatch, c.messages.mismatch(c.report.Algorithm))
	if c.search != nil {
		c.search.finishAll()
		return
	}
	for i := range c.followers {
		f := &c.followers[i]
		if f.report == nil {
			// Index 0 is no process.
			continue
		}
		if f.report.Deviation == nil && f.next < len(f.expected) && c.report.Run.End == tracefmt.Quiescent {
			f.deviate(nil, &f.expected[f.next], "")
		}
		c.report.Events += f.report.Events
		c.report.Explained += f.report.Explained
	}
}
