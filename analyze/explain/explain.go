// Package explain tells why a property is violated: which of the events that
// led to the violation matter, and what happens at them, in words.
//
// An event matters for one of two reasons. It led to the witness: a receive is
// there because of its send, a timeout because of the setting of the timer,
// and what a process does because of what happened to it last. Or the property
// needs it: without the crash of a process, say, another would be the best.
// The former are found by following the trace back from the witness. The
// latter are found by trial: as many other events as possible are left out,
// each with all that is there because of it, as long as the property, checked
// again on what is left, is still violated with the same witness.
//
// So the events of an explanation need not be a run of the algorithm; they are
// what one would have to take out of the run to take the violation out.
// That processes start, and with which variables, is taken as given.
package explain

import (
	"context"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Explanation tells a violation.
type Explanation struct {
	// Steps are the events that matter, in recorded order, the witness among
	// them.
	Steps []Step
	// Minimal: if any of the steps is left out, with what is there because of
	// it, the violation is gone.
	Minimal bool
	// Note says why the explanation is not minimal.
	Note string
}

// Step is an event of an explanation.
type Step struct {
	Seq tracefmt.Seq
	// Process is the name of the process, "" for none.
	Process string
	// Text says in words what happens.
	Text string
}

// Options bound the work. The zero value takes the defaults.
type Options struct {
	// MaxEvents is how many events of the run are kept to choose from; 0 is 20,000.
	MaxEvents int
	// Budget is how many events, all trials together, are checked again; 0 is
	// 2,000,000. It is no time, so that the same run is always told alike.
	Budget int64
}

func (o Options) resolve() Options {
	if o.MaxEvents == 0 {
		o.MaxEvents = 20_000
	}
	if o.Budget == 0 {
		o.Budget = 2_000_000
	}
	return o
}

// Violation explains a violated result of [analyze.Check] on a recording; end
// is the ending that the check found. It reads the recording twice and needs twelve
// bytes for each event, besides what Options allow. The error is one of
// reading, or that of the context.
func Violation(ctx context.Context, rec tracefmt.Recording, r *analyze.Result, end analyze.Ending, o Options) (*Explanation, error) {
	if r.Verdict != analyze.Violated {
		return nil, fmt.Errorf("%s is %s, expected a violated property to explain", r.Property.Name, r.Verdict)
	}
	h, err := readHistory(ctx, rec)
	if err != nil {
		return nil, err
	}
	s := newSearch(ctx, rec.Run(), h, r, o.resolve())
	s.consider(end)
	if err := s.load(rec); err != nil {
		return nil, err
	}
	steps, err := s.run()
	if err != nil {
		return nil, err
	}
	return &Explanation{Steps: s.tell(steps), Minimal: s.note == "", Note: s.note}, nil
}

// tell puts events into words.
func (s *search) tell(seqs []tracefmt.Seq) []Step {
	steps := make([]Step, 0, len(seqs))
	for _, seq := range seqs {
		if e := s.events[seq]; e != nil {
			steps = append(steps, Step{Seq: seq, Process: s.of.ProcessName(e.Process), Text: replay.Sentence(s.of, e)})
		}
	}
	return slices.Clip(steps)
}
