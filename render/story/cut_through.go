package story

import (
	"context"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// CutThrough returns the cut that ends, at each process, with its first event for which the function
// returns true. The function gets each event with the state after it. CutThrough returns nil if no
// event matches. It reads the recording until each process has a match.
func CutThrough(ctx context.Context, rec tracefmt.Recording, matches func(*replay.State, *tracefmt.Event) bool) (Cut, error) {
	run := rec.Run()
	cut := slices.Repeat(Cut{Nowhere}, len(run.Members)+1)
	cut[0] = 0 // no process
	missing := len(run.Members)
	state, taken := replay.NewState(run), newReceipts(run)
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil {
			return nil, err
		}
		state.Apply(e)
		taken.addEvent(e)
		if matches(state, e) && e.Process != 0 && cut[e.Process] == Nowhere {
			cut[e.Process] = taken.lastInState(state, e)
			missing--
		}
		if missing == 0 {
			break
		}
	}
	if missing == len(run.Members) {
		return nil, nil
	}
	return cut, nil
}

// beforeKey names, in a note of a process that records its state, the sender of a message that is received already
// and not in that state; see docs/vocabulary.md.
const beforeKey = "before"

// receipts are the last receipts of basic messages, by process.
type receipts struct {
	basic []string
	last  []receipt
}

// receipt is a receive with its sender.
type receipt struct {
	seq  tracefmt.Seq
	from tracefmt.ProcessID
}

// newReceipts returns the state before the first event.
func newReceipts(run *tracefmt.Run) *receipts {
	return &receipts{run.Basic, make([]receipt, len(run.Members)+1)}
}

// addEvent takes an event.
func (r *receipts) addEvent(e *tracefmt.Event) {
	if e.Kind == tracefmt.Receive && slices.Contains(r.basic, e.Type) {
		r.last[e.Process] = receipt{e.Seq, e.Peer}
	}
}

// lastInState returns the last event that belongs to the state that a process records with the event e. It is e itself, or
// the event before the latest receipt if the field "before" of e names the sender of that receipt.
func (r *receipts) lastInState(s *replay.State, e *tracefmt.Event) tracefmt.Seq {
	last := r.last[e.Process]
	if from, ok := e.Field(beforeKey); ok && last.seq != 0 && s.Named(from) == last.from {
		return last.seq - 1
	}
	return e.Seq
}
