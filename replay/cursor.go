package replay

import (
	"math"

	"etrace/tracefmt"
)

// Cursor is at an event of a recording, or before the first, and knows the state there: of every process,
// channel and clock. It moves in both directions. A move back costs no more than reading the events since the
// last checkpoint, and the memory of the checkpoints is bounded.
//
// After an error of reading, the cursor is before the first event.
type Cursor struct {
	rec   tracefmt.Recording
	state *State
	// clocks is nil if there are more than maxClocked processes.
	clocks *Clocks
	// latest is the greatest time up to state.Seq.
	latest tracefmt.Time
	// event is the present event; its Seq is 0 before the first.
	event   tracefmt.Event
	changes []Change
	// last is the run's last seq; 0 if unknown.
	last tracefmt.Seq

	checkpoints checkpoints
	blocks      blocks
	// before and after are memory for the facts of one process.
	before, after []fact
}

// NewCursor returns a cursor before the first event.
func NewCursor(rec tracefmt.Recording) *Cursor {
	c := &Cursor{
		rec: rec, last: tracefmt.Seq(rec.Run().Events), blocks: blocks{rec: rec},
		checkpoints: checkpoints{spacing: firstSpacing, limit: maxCheckpoints},
	}
	c.rewind()
	return c
}

// Run returns the description of the run.
func (c *Cursor) Run() *tracefmt.Run { return c.rec.Run() }

// Last returns the seq of the last event; 0 if the run has no events.
func (c *Cursor) Last() (tracefmt.Seq, error) {
	// The description of an incomplete run has no number of events.
	if c.last == 0 {
		for e, err := range c.rec.Events(1) {
			if err != nil {
				return 0, err
			}
			c.last = e.Seq
		}
	}
	return c.last, nil
}

// Seq returns the present seq; 0 before the first event.
func (c *Cursor) Seq() tracefmt.Seq { return c.event.Seq }

// Event returns the present event, nil before the first. It changes when the cursor moves.
func (c *Cursor) Event() *tracefmt.Event {
	if c.event.Seq == 0 {
		return nil
	}
	return &c.event
}

// State returns the state after the event. It changes when the cursor moves.
func (c *Cursor) State() *State { return c.state }

// maxClocked is the greatest number of processes for which a cursor keeps vector clocks. Their memory grows
// with the square of the number, and wide clocks are unreadable.
const maxClocked = 64

// Clocks returns the vector clocks after the event, nil if the run has more
// than 64 processes. They change when the cursor moves. In a long run they
// may be incomplete after an event whose cause lies far back.
func (c *Cursor) Clocks() *Clocks { return c.clocks }

// Changes returns the changes that the event made in its process.
func (c *Cursor) Changes() []Change { return c.changes }

// Step moves to the next event. At the last it stays, and returns false.
func (c *Cursor) Step() (bool, error) {
	last, err := c.Last()
	if err != nil || c.Seq() == last {
		return false, err
	}
	return true, c.Seek(c.Seq() + 1)
}

// Back moves to the previous event, or before the first. There it stays, and returns false.
func (c *Cursor) Back() (bool, error) {
	if c.Seq() == 0 {
		return false, nil
	}
	return true, c.Seek(c.Seq() - 1)
}

// take applies the next event to the state and the clocks, and saves a checkpoint if one is due.
func (c *Cursor) take(e *tracefmt.Event) {
	c.state.Apply(e)
	if c.clocks != nil {
		c.clocks.Step(e)
	}
	c.latest = max(c.latest, c.units(e.Time))
	c.checkpoints.pass(c)
}

// arrive applies the event at which the cursor stops, keeps a copy of it, and computes its changes.
func (c *Cursor) arrive(e *tracefmt.Event) {
	payload := append(c.event.Payload[:0], e.Payload...)
	c.event = *e
	c.event.Payload = payload
	c.before = c.state.facts(c.before[:0], e)
	c.take(e)
	c.after = c.state.facts(c.after[:0], e)
	c.changes = changes(e.Process, c.before, c.after)
}

// rewind moves the cursor before the first event.
func (c *Cursor) rewind() {
	c.state, c.latest = NewState(c.rec.Run()), math.MinInt64
	c.event, c.changes = tracefmt.Event{}, nil
	c.clocks = nil
	if len(c.Run().Members) <= maxClocked {
		c.clocks = NewClocks(c.Run())
	}
}

// restore moves the cursor to a checkpoint, or before the first event if ok is false. The caller applies the
// events up to the destination.
func (c *Cursor) restore(p checkpoint, ok bool) {
	if !ok {
		c.rewind()
		return
	}
	c.state.thaw(p.state)
	c.latest = p.latest
	if p.clocks != nil {
		c.clocks = p.clocks.Clone()
	}
}

// failed rewinds the cursor if err is not nil, and returns err.
func (c *Cursor) failed(err error) error {
	if err != nil {
		c.rewind()
		// The error may not occur when the block is read again.
		c.blocks.kept = nil
	}
	return err
}

// Around returns the events from lo to hi that the run has. It is meant for a screenful. The events are reused
// by the next moves.
func (c *Cursor) Around(lo, hi tracefmt.Seq) ([]*tracefmt.Event, error) {
	var events []*tracefmt.Event
	for seq := max(lo, 1); seq <= hi; seq++ {
		e, err := c.blocks.at(seq)
		if err != nil || e == nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}
