package rerun

import (
	"cmp"
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// conformer follows the processes of a run by one algorithm.
type conformer struct {
	report    *Conformance
	host      *sim.Host
	numbers   numbering
	followers []follower // by the process numbers of the run
	shared    shared
	messages  messageTypes
	// durations: times are those of the simulator, so that timers can be held
	// against what they are set to.
	durations bool
	// switches are changes of parameters in the course of the run, to come.
	switches []sim.Action
	// search follows the processes of a partial recording; nil of a complete one.
	search     *search
	protocolOf *sim.Protocol
}

// follower is a process and what the algorithm still expects of it.
type follower struct {
	report *ProcessConformance
	// expected are the events of the step from next on.
	expected []tracefmt.Event
	next     int
	payloads []byte // of the expected events
	step     tracefmt.Event
	stepped  bool
}

// commentary are the kinds of event that a process may make beside what an
// algorithm has it do. They count where the algorithm declares such, or expects
// one.
var commentary = map[tracefmt.Kind]bool{tracefmt.Note: true, tracefmt.Trust: true, tracefmt.Invoke: true, tracefmt.Return: true}

// take compares the next event of a process with the algorithm.
func (c *conformer) take(e *tracefmt.Event) {
	c.switchProtocol(e)
	c.messages.see(e)
	f := &c.followers[e.Process]
	if f.report.Byzantine {
		c.stray(e)
		return
	}
	waiting := f.next < len(f.expected)
	if c.isCommentary(f, e) || c.shared.untold(e) {
		return
	}
	f.report.Events++
	if f.report.Deviation != nil {
		c.stray(e)
		return
	}
	switch {
	case (!waiting || e.Kind == tracefmt.Crash) && c.host.IsInput(e):
		if err := c.input(f, e, c.host.Step); err != nil {
			f.deviate(e, nil, err.Error())
			return
		}
	case !waiting:
		if starts, lacking, err := c.starts(f, e); !starts {
			f.deviate(e, lacking, reason(err))
			return
		}
	}
	c.match(f, e)
}

// isCommentary reports whether an event is one that the process may make beside
// what the algorithm has it do.
func (c *conformer) isCommentary(f *follower, e *tracefmt.Event) bool {
	if !commentary[e.Kind] || c.host.IsInput(e) || c.host.Makes(e.Kind, e.Type) {
		return false
	}
	return f.next == len(f.expected) || f.expected[f.next].Kind != e.Kind
}

// starts lets the process start where it does something that nothing has caused,
// and reports whether the algorithm starts like that. Where it does so later in that step, lacking is
// what comes first and was not recorded.
func (c *conformer) starts(f *follower, e *tracefmt.Event) (starts bool, lacking *tracefmt.Event, err error) {
	before, stepped := f.step, f.stepped
	f.step.Payload = nil // so that the payload of the step before stays
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

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// match compares an event with the next that is expected.
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

// switchProtocol lets the changes of parameters happen that come before e, and reports
// whether there was any.
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

// input lets the algorithm take a step.
func (c *conformer) input(f *follower, e *tracefmt.Event, step func(*tracefmt.Event) error) error {
	f.expected, f.next, f.payloads = f.expected[:0], 0, f.payloads[:0]
	payload := append(f.step.Payload[:0], e.Payload...)
	f.step, f.stepped = *e, true
	f.step.Payload = payload
	return step(c.numbers.toHost(e))
}

// stray goes on knowing whether a process is up that is not followed, or no more:
// the others may depend on it.
func (c *conformer) stray(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Start, tracefmt.Crash, tracefmt.Recover:
		_ = c.host.Step(c.numbers.toHost(e)) // what it would do does not matter
	}
}

// Write takes what the algorithm does from the host, whose seqs, ids and clocks
// mean nothing here.
func (c *conformer) Write(e *tracefmt.Event) error {
	if c.search != nil {
		c.search.steps.write(e)
		return nil
	}
	e = c.numbers.fromHost(e)
	e.Seq, e.Message, e.Cause, e.Lamport = 0, 0, 0, 0
	f := &c.followers[e.Process]
	if f.report.Byzantine || f.report.Deviation != nil || c.shared.untold(e) {
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

func (f *follower) deviate(recorded, expected *tracefmt.Event, reason string) {
	d := &Deviation{Reason: reason}
	if f.stepped && !(recorded != nil && recorded.Seq == f.step.Seq) {
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

// end looks for what was not done. A run that could have gone on may have
// ended in the middle of a step.
func (c *conformer) end() {
	c.report.Mismatch = cmp.Or(c.report.Mismatch, c.messages.mismatch(c.report.Algorithm))
	if c.search != nil {
		c.search.end()
		return
	}
	for i := range c.followers {
		f := &c.followers[i]
		if f.report == nil {
			continue // process 0
		}
		if f.report.Deviation == nil && f.next < len(f.expected) && c.report.Run.End == tracefmt.Quiescent {
			f.deviate(nil, &f.expected[f.next], "")
		}
		c.report.Events += f.report.Events
		c.report.Explained += f.report.Explained
	}
}
