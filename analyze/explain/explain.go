package explain

import (
	"context"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Explanation explains a violation.
type Explanation struct {
	// Steps are the events that matter, in recorded order, including the witness.
	Steps []Step
	// Led are further events that led there: the events that happened before some events of the witness, but not
	// before all. LedCount is their number, and Led has the last of them.
	Led      []Step
	LedCount int
	// Recorded: the run was not simulated. Then an earlier event of a process is no reason for a later one.
	// Known reasons are the send of a receive, the setting of a timer, the crash before a recovery, and the
	// causes that an event names.
	Recorded bool
	// Minimal: without any of the steps and its consequences, the property is not violated with this witness.
	Minimal bool
	// Others are the seqs of the steps of a minimal explanation without which the property is violated with
	// another witness.
	Others []tracefmt.Seq
	// Note explains why the explanation is not minimal, or why Others is unknown.
	Note string
}

// Step is an event of an explanation.
type Step struct {
	Seq tracefmt.Seq
	// Process is the name of the process, "" for none.
	Process string
	// Text describes the event in words.
	Text string
	// Origin is the place in the log from which the event was imported, zero for other events.
	Origin tracefmt.Origin
}

// Options limit the work. The zero value means the defaults.
type Options struct {
	// MaxEvents is the limit for the candidate events in memory; 0 means 20,000.
	MaxEvents int
	// Budget is the number of events that all trials together may check; 0 means 2,000,000. It does not limit
	// time, so the same run always has the same explanation.
	Budget int64
}

// resolve returns the options with the defaults filled in.
func (o Options) resolve() Options {
	if o.MaxEvents == 0 {
		o.MaxEvents = 20_000
	}
	if o.Budget == 0 {
		o.Budget = 2_000_000
	}
	return o
}

// Violation explains a violated result of [analyze.Check] on a recording; end is the ending that the check
// found. It reads the recording twice and needs twelve bytes for each event, besides the limits of Options. It
// fails if reading fails, or if the context ends.
func Violation(
	ctx context.Context, rec tracefmt.Recording, r *analyze.Result, end analyze.Ending, o Options,
) (*Explanation, error) {
	if r.Verdict != analyze.Violated {
		return nil, fmt.Errorf("%s is %s, expected a violated property to explain", r.Property.Name, r.Verdict)
	}
	h, err := readHistory(ctx, rec)
	if err != nil {
		return nil, err
	}
	s := newSearch(ctx, rec.Run(), h, r, o.resolve())
	s.listAttempts(end)
	if err := s.load(rec); err != nil {
		return nil, err
	}
	steps, err := s.run()
	if err != nil {
		return nil, err
	}
	led, count := s.ledSteps(steps)
	return &Explanation{
		Steps: s.steps(steps), Led: led, LedCount: count, Recorded: s.original.Source != tracefmt.Simulated,
		Minimal: s.minimal,
		Others:  s.unneededEvents, Note: s.note,
	}, nil
}

// steps describes events in words.
func (s *search) steps(seqs []tracefmt.Seq) []Step {
	words := replay.NewSentences(s.original)
	steps := make([]Step, 0, len(seqs))
	for _, seq := range seqs {
		if e := s.events[seq]; e != nil {
			steps = append(steps, Step{
				Seq: seq, Process: s.original.ProcessName(e.Process), Text: words.Of(e),
				Origin: e.Origin(),
			})
		}
	}
	return slices.Clip(steps)
}
