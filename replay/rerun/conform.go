package rerun

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// Conformance says how far an algorithm explains a run.
type Conformance struct {
	Run       *tracefmt.Run
	Algorithm string
	// Params are the values of the algorithm's parameters that were taken.
	Params map[string]string
	// Mismatch says why the run is none of the algorithm's in the first place:
	// it is of another problem, or has other messages altogether. "" if neither.
	Mismatch string
	// Events counts the events of all processes, Explained those of them that
	// the algorithm would have made, up to the first deviation of each process.
	Events, Explained int64
	// Variables counts those of the run, Shared those of them that the
	// algorithm has, too.
	Variables, Shared int
	// Partial: not everything that happened is recorded. Tried counts the unrecorded steps
	// that were tried.
	Partial bool
	Tried   int64
	// Processes of the run, in the order of its members.
	Processes []ProcessConformance
}

// ProcessConformance says how far an algorithm explains one process.
type ProcessConformance struct {
	Process tracefmt.ProcessID
	// Byzantine: it need not keep to the algorithm, and is not compared with it.
	Byzantine         bool
	Events, Explained int64
	// Deviation is the first event that the algorithm would not have made, nil
	// if there is none.
	Deviation *Deviation
	// Open says why it was not decided whether the algorithm explains the process, "" if
	// it was.
	Open string
	// hidden are the steps that are supposed.
	hidden tally
}

// Deviation is where a process leaves the algorithm.
type Deviation struct {
	// Step is what happened to the process before: the input of the step that
	// the event belongs to. nil before the first.
	Step *tracefmt.Event
	// Recorded is what the process did, nil if it did nothing more.
	Recorded *tracefmt.Event
	// Expected is what the algorithm would have done, nil if nothing more in
	// this step, or if Reason says why it does not know what to do.
	Expected *tracefmt.Event
	Reason   string
	// Explanations are of a partial recording, for the process that leaves the algorithm
	// first: all that may have led there. nil for the others.
	Explanations *Explanations
}

// Conforms reports whether the algorithm explains every event. A run without
// any event to explain shows nothing.
func (r *Conformance) Conforms() bool {
	if r.Events == 0 {
		return false
	}
	for i := range r.Processes {
		if p := &r.Processes[i]; p.Deviation != nil || p.Open != "" {
			return false
		}
	}
	return true
}

// Explanation is the share of the events that the algorithm explains, 0 of a
// run without any.
func (r *Conformance) Explanation() float64 {
	if r.Events == 0 {
		return 0
	}
	return float64(r.Explained) / float64(r.Events)
}

// Conform compares a run with an algorithm, in one pass. To each process what
// happened to it is told, as the run has it: starts, receipts, invocations,
// timeouts, crashes, recoveries. What the algorithm then does must be what the
// process did, in the same order: sends with receiver, type and fields, changes
// of variables, timers set and cancelled. Variables are compared that both the
// run, in its start events, and the algorithm have; what else either remembers
// is its own affair. Each process is followed by itself, so
// that concurrent events may stand in any order; what the simulator's processes
// know of each other, who is up, is as it is at that place in the run. A crash
// may cut a step short. Notes count only where the algorithm makes any. What
// Byzantine processes do is not compared, only what it does to the others.
//
// A run does not record starts, but for those of the processes themselves: what
// a process does without an input is one, if the algorithm's start begins with
// that. An election so begins with a suspicion, whomever it names.
//
// Of a recording that is partial, what is not recorded may have happened, and is
// supposed where that explains what is: see [Conformance.Supposed]. At most maxSteps
// unrecorded steps are tried, 0 for [DefaultMaxSteps]; if these do not suffice to decide,
// the conformance is Open.
func Conform(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording, name string, params map[string]string, maxSteps int64) (*Conformance, error) {
	about, err := contentsOf(ctx, rec)
	if err != nil {
		return nil, err
	}
	return about.conform(ctx, known, rec, name, params, maxSteps)
}

// conform compares a run with an algorithm; c is nil if the recording is complete.
func (c *contents) conform(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording, name string, params map[string]string, maxSteps int64) (*Conformance, error) {
	if c != nil {
		return searchFor(ctx, known, rec, c, name, params, maxSteps)
	}
	return follow(ctx, known, rec, name, params)
}

// follow compares a complete run with an algorithm.
func follow(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording, name string, params map[string]string) (*Conformance, error) {
	c, err := newConformer(rec, known, name, params)
	if err != nil {
		return nil, err
	}
	if err := conform(ctx, rec, []*conformer{c}); err != nil {
		return nil, err
	}
	return c.report, nil
}

// conform tells the events to several conformances.
func conform(ctx context.Context, rec tracefmt.Recording, all []*conformer) error {
	run := rec.Run()
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		switch {
		case err != nil:
			return err
		case e.Process < 0 || int(e.Process) > len(run.Members) || e.Peer < 0 || int(e.Peer) > len(run.Members):
			return fmt.Errorf("%s seq %d: a process number that the run does not have", title(run), e.Seq)
		case e.Process == 0:
			continue // no step of a process
		}
		for _, c := range all {
			switch {
			case c.search != nil:
				c.search.take(e)
			case e.Kind != tracefmt.Lose:
				c.take(e)
			}
		}
	}
	for _, c := range all {
		c.end()
	}
	return nil
}

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
		if starts, err := c.starts(f, e); !starts {
			f.deviate(e, nil, reason(err))
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
// and reports whether the algorithm starts like that.
func (c *conformer) starts(f *follower, e *tracefmt.Event) (bool, error) {
	before, stepped := f.step, f.stepped
	f.step.Payload = nil // so that the payload of the step before stays
	switch err := c.input(f, e, c.host.Begin); {
	case err != nil:
		return false, err
	case len(f.expected) > 0 && c.agree(e, &f.expected[0]):
		return true, nil
	}
	f.expected, f.step, f.stepped = f.expected[:0], before, stepped
	return false, nil
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
