package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// Past is the causal past of an event: the events that happened before it, as [Clocks] has happened-before, and the
// event itself. Of each process it is a beginning of its steps.
type Past struct {
	event tracefmt.Seq
	last  []tracefmt.Seq // by process, its last step in the past
}

// Event returns the seq of the event whose past this is.
func (p *Past) Event() tracefmt.Seq { return p.event }

// Has reports whether an event of the run is in the past.
func (p *Past) Has(e *tracefmt.Event) bool {
	return e.Seq == p.event || e.Process != 0 && e.Kind != tracefmt.Lose && e.Seq <= p.last[e.Process]
}

// PastOf returns the past of the event with a seq; of a loss, the past of its send. It reads the run once, up to
// the event, and keeps 4 bytes of each event and 16 of each cause. It fails if the run has no such event, or if the
// event is of no process.
func PastOf(ctx context.Context, rec tracefmt.Recording, seq tracefmt.Seq) (*Past, error) {
	p := &Past{event: seq, last: make([]tracefmt.Seq, len(rec.Run().Members)+1)}
	steps := []tracefmt.ProcessID{0} // by seq, the process that takes a step, 0 for none
	var causes [][2]tracefmt.Seq     // an event and its cause, in the order of the events
	var target tracefmt.ProcessID    // the process of the event
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil {
			return nil, err
		}
		if e.Seq > seq {
			break
		}
		step := e.Process
		if e.Kind == tracefmt.Lose {
			step = 0 // no process learns of a loss
		}
		steps, target = append(steps, step), e.Process
		for cause := range e.Causes() {
			// A cause that is recorded later is a contradiction of the record.
			if cause > 0 && cause < e.Seq && (step != 0 || e.Seq == seq) {
				causes = append(causes, [2]tracefmt.Seq{e.Seq, cause})
			}
		}
	}
	switch {
	case int(seq) >= len(steps):
		return nil, fmt.Errorf("the run has %d events", len(steps)-1)
	case target == 0:
		return nil, errors.New("the event is of no process, expected one with a causal past")
	}
	p.last[steps[seq]] = seq
	// A cause is before its effect: when an effect is reached, all later steps of its process in the past are known.
	for _, edge := range slices.Backward(causes) {
		effect, cause := edge[0], edge[1]
		if effect == seq || effect <= p.last[steps[effect]] {
			p.last[steps[cause]] = max(p.last[steps[cause]], cause)
		}
	}
	return p, nil
}
