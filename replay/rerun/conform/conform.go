package conform

import (
	"context"
	"fmt"

	"etrace/record/algorithm"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// Model is an algorithm to compare runs with, and the limit of the search.
type Model struct {
	// Known is the registry of algorithms; its zero value has the built-in ones.
	Known algorithm.Registry
	// Algorithm is the name in the registry.
	Algorithm string
	// Params win over those of the run's scenario.
	Params map[string]string
	// MaxSteps is the greatest number of unrecorded steps to try; 0 means [StepsAllowed].
	MaxSteps int64
}

// Conformance is the result of comparing a run with an algorithm.
type Conformance struct {
	Run       *tracefmt.Run
	Algorithm string
	// Params are the values of the algorithm's parameters in this comparison.
	Params map[string]string
	// Mismatch explains why the run cannot belong to the algorithm: they solve different problems, or share no
	// type of message. "" if they do not contradict.
	Mismatch string
	// Events counts the events of all processes. Explained counts the events that the algorithm would have
	// made, up to the first deviation of each process.
	Events, Explained int64
	// acts counts the events of Events other than starts and ends of processes, which all algorithms have.
	acts int64
	// Variables counts the variables of the run, Shared the variables that the algorithm has, too.
	Variables, Shared int
	// Partial is true if the recording is incomplete. Tried counts the unrecorded steps that the search tried.
	Partial bool
	Tried   int64
	// Processes are in the order of the run's members.
	Processes []ProcessConformance
}

// ProcessConformance is the result for one process.
type ProcessConformance struct {
	Process tracefmt.ProcessID
	// Byzantine processes may do anything and are not compared with the algorithm.
	Byzantine         bool
	Events, Explained int64
	// Deviation is the first event that the algorithm would not have made; nil if the process conforms.
	Deviation *Deviation
	// Open explains why the comparison of this process was not decided; "" if it was.
	Open string
	// hidden counts the unrecorded steps that the explanation assumes.
	hidden tally
}

// Deviation is the place where a process leaves the algorithm.
type Deviation struct {
	// Step is the input of the step that the event belongs to; nil before the first input.
	Step *tracefmt.Event
	// Recorded is the recorded step of the process; nil if the record has no further step.
	Recorded *tracefmt.Event
	// Expected is what the algorithm would have done: in place of Recorded, or before it in the same step
	// without being recorded. It is nil if the algorithm does nothing more in this step, or cannot take it for
	// the Reason given.
	Expected *tracefmt.Event
	Reason   string
	// Explanations lists all ways to this place in a partial recording, for the first process that leaves the
	// algorithm; nil for the others.
	Explanations *Explanations
}

// Conforms reports whether the algorithm explains every event. It is false for a run without events to
// explain, and for one with only starts and ends of processes in common with the algorithm.
func (r *Conformance) Conforms() bool {
	if r.Events == 0 || r.nothingInCommon() != "" {
		return false
	}
	for i := range r.Processes {
		if p := &r.Processes[i]; p.Deviation != nil || p.Open != "" {
			return false
		}
	}
	return true
}

// Explanation is the share of the events that the algorithm explains; 0 for a run without events.
func (r *Conformance) Explanation() float64 {
	if r.Events == 0 {
		return 0
	}
	return float64(r.Explained) / float64(r.Events)
}

// Decide compares a run with an algorithm, in one pass. Each process of the algorithm gets the recorded
// inputs of its counterpart: starts, receipts, invocations, timeouts, crashes, recoveries. The algorithm must
// then do what the process did, in the same order: sends with receiver, type and fields, changes of variables,
// timers set and cancelled. Only variables that both the run, in its start events, and the algorithm have are
// compared. Each process is compared by itself, so concurrent events may be in any order; simulated processes
// see who is up at that place of the run. A crash may end a step early. Notes count only if the algorithm
// makes any. The events of Byzantine processes are not compared; their effects on others are.
//
// A run records only starts that processes make by themselves. An event without an input is taken as a start
// if the algorithm's start begins with it. So an election begins with a suspicion, whichever process it
// suspects.
//
// In a partial recording, unrecorded steps are assumed where they explain the recorded ones: see
// [Conformance.Open]. At most m.MaxSteps unrecorded steps are tried. If they do not suffice to decide, the
// conformance is open.
func Decide(ctx context.Context, rec tracefmt.Recording, m Model) (*Conformance, error) {
	about, err := contentsOf(ctx, rec)
	if err != nil {
		return nil, err
	}
	c, report, err := prepare(ctx, rec, about, m)
	if err != nil || c == nil {
		return report, err
	}
	if err := conform(ctx, rec, []*conformer{c}); err != nil {
		return nil, err
	}
	return report, nil
}

// prepare starts the comparison with one algorithm. For a complete recording it returns a conformer, which
// fills in the report while it gets the events. For a partial recording, and for processes that draw random
// numbers, it searches at once and returns the finished report and no conformer. about is what a partial
// recording contains; nil if it is complete.
func prepare(ctx context.Context, rec tracefmt.Recording, about *contents, m Model) (*conformer, *Conformance, error) {
	if about != nil {
		report, err := searchWithLimits(ctx, rec, about, m)
		return nil, report, err
	}
	c, err := newConformer(rec, m)
	if err != nil {
		return nil, nil, err
	}
	if c.protocolOf.Draws {
		report, err := searchDraws(ctx, rec, m)
		return nil, report, err
	}
	return c, c.report, nil
}

// conform passes the events of a recording to several comparisons at once. It fails if an event has a process
// number that the run does not have.
func conform(ctx context.Context, rec tracefmt.Recording, conformers []*conformer) error {
	run := rec.Run()
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		switch {
		case err != nil:
			return err
		case e.Process < 0 || int(e.Process) > len(run.Members) || e.Peer < 0 || int(e.Peer) > len(run.Members):
			return fmt.Errorf("%s seq %d: a process number that the run does not have", rerun.Title(run), e.Seq)
		case e.Process == 0:
			// Events outside processes, such as losses, are no step of any process.
			continue
		}
		for _, c := range conformers {
			switch {
			case c.search != nil:
				c.search.compare(e)
			case e.Kind != tracefmt.Lose:
				c.compare(e)
			}
		}
	}
	for _, c := range conformers {
		c.finish()
	}
	return nil
}
