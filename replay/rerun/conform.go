package rerun

import (
	"context"
	"fmt"

	"etrace/record/algorithm"
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
	// Expected is what the algorithm would have done, which may be what comes before Recorded
	// in the same step and was not recorded; nil if nothing more in this step, or if Reason says why it does not know what to do.
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
	return follow(ctx, known, rec, name, params, maxSteps)
}

// follow compares a complete run with an algorithm.
func follow(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording, name string, params map[string]string, maxSteps int64) (*Conformance, error) {
	c, err := newConformer(rec, known, name, params)
	if err != nil {
		return nil, err
	}
	if c.protocolOf.Draws {
		return searchDraws(ctx, known, rec, name, params, maxSteps)
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
