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
	// Recorded: the run was not simulated. What a process did before is no reason then for
	// what it does: only a send is, of its receive, the setting of a timer, of its expiry,
	// a crash, of the recovery, and what an event names as its causes.
	Recorded bool
	// Minimal: if any of the steps is left out, with those that are there because of
	// it, this violation does not show: the property is not violated with its witness.
	Minimal bool
	// Others are the seqs of those steps of a minimal explanation without which the
	// property is violated all the same, though with another witness.
	Others []tracefmt.Seq
	// Note says why the explanation is not minimal, or that Others are not known.
	Note string
}

// Step is an event of an explanation.
type Step struct {
	Seq tracefmt.Seq
	// Process is the name of the process, "" for none.
	Process string
	// Text says in words what happens.
	Text string
	// Origin is the place of the log from which the event was imported, the zero place if it
	// was not.
	Origin tracefmt.Origin
}

// Options bound the work. The zero value takes the defaults.
type Options struct {
	// MaxEvents is how many events of the run are kept to choose from; 0 is 20,000.
	MaxEvents int
	// Budget is how many events, all trials together, are checked again; 0 is
	// 2,000,000. It is no time, so that the same run always gives the same explanation.
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
	return &Explanation{Steps: s.tell(steps), Recorded: s.of.Source != tracefmt.Simulated, Minimal: s.minimal, Others: s.others, Note: s.note}, nil
}

// tell puts events into words.
func (s *search) tell(seqs []tracefmt.Seq) []Step {
	words := replay.NewSentences(s.of)
	steps := make([]Step, 0, len(seqs))
	for _, seq := range seqs {
		if e := s.events[seq]; e != nil {
			steps = append(steps, Step{Seq: seq, Process: s.of.ProcessName(e.Process), Text: words.Of(e), Origin: e.Origin()})
		}
	}
	return slices.Clip(steps)
}
