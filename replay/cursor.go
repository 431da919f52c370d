package replay

import (
	"math"

	"etrace/tracefmt"
)

// Cursor stands at an event of a recording, or before the first, and knows
// the state there: of every process, of every channel, of every clock. It
// goes forth and back. To go back costs no more than to read the events since
// the last checkpoint, and the memory of the checkpoints is bounded.
//
// After an error of reading, the cursor comes before the first event.
type Cursor struct {
	rec     tracefmt.Recording
	state   *State
	clocks  *Clocks        // nil if there are more than maxClocked processes
	latest  tracefmt.Time  // the greatest time up to state.Seq
	event   tracefmt.Event // where the cursor is; Seq 0 before the first
	changes []Change
	last    tracefmt.Seq // of the run; 0 if not known

	passed checkpoints
	blocks blocks
	// before and after are memory for the facts of one process.
	before, after []fact
}

// NewCursor returns a cursor before the first event.
func NewCursor(rec tracefmt.Recording) *Cursor {
	c := &Cursor{rec: rec, last: tracefmt.Seq(rec.Run().Events), passed: checkpoints{spacing: firstSpacing, most: maxCheckpoints}, blocks: blocks{rec: rec}}
	c.rewind()
	return c
}

// Run returns the description of the run.
func (c *Cursor) Run() *tracefmt.Run { return c.rec.Run() }

// Last returns the seq of the last event, 0 if the run has none.
func (c *Cursor) Last() (tracefmt.Seq, error) {
	if c.last == 0 { // a run that is not complete does not say
		for e, err := range c.rec.Events(1) {
			if err != nil {
				return 0, err
			}
			c.last = e.Seq
		}
	}
	return c.last, nil
}

// Seq returns where the cursor is, 0 before the first event.
func (c *Cursor) Seq() tracefmt.Seq { return c.event.Seq }

// Event returns the event at which the cursor is, nil before the first.
// It changes when the cursor moves.
func (c *Cursor) Event() *tracefmt.Event {
	if c.event.Seq == 0 {
		return nil
	}
	return &c.event
}

// State returns the state after the event. It changes when the cursor moves.
func (c *Cursor) State() *State { return c.state }

// maxClocked is up to how many processes a cursor keeps vector clocks. Wider
// ones take memory with the square of their number, and nobody reads them.
const maxClocked = 64

// Clocks returns the vector clocks after the event, nil if the run has more
// than 64 processes. They change when the cursor moves. In a long run they
// may be incomplete after an event whose cause lies far back.
func (c *Cursor) Clocks() *Clocks { return c.clocks }

// Changes returns what the event changed in its process.
func (c *Cursor) Changes() []Change { return c.changes }

// Step goes to the next event. At the last it stays, and returns false.
func (c *Cursor) Step() (bool, error) {
	last, err := c.Last()
	if err != nil || c.Seq() == last {
		return false, err
	}
	return true, c.Seek(c.Seq() + 1)
}

// Back goes to the previous event, or before the first. There it stays, and
// returns false.
func (c *Cursor) Back() (bool, error) {
	if c.Seq() == 0 {
		return false, nil
	}
	return true, c.Seek(c.Seq() - 1)
}

// take takes in an event that is passed.
func (c *Cursor) take(e *tracefmt.Event) {
	c.state.Apply(e)
	if c.clocks != nil {
		c.clocks.Step(e)
	}
	c.latest = max(c.latest, c.units(e.Time))
	c.passed.pass(c)
}

// arrive takes in the event at which the cursor is to stand.
func (c *Cursor) arrive(e *tracefmt.Event) {
	payload := append(c.event.Payload[:0], e.Payload...)
	c.event = *e
	c.event.Payload = payload
	c.before = c.state.facts(c.before[:0], e)
	c.take(e)
	c.after = c.state.facts(c.after[:0], e)
	c.changes = changes(e.Process, c.before, c.after)
}

func (c *Cursor) rewind() {
	c.state, c.latest = NewState(c.rec.Run()), math.MinInt64
	c.event, c.changes = tracefmt.Event{}, nil
	if c.clocks = nil; len(c.Run().Members) <= maxClocked {
		c.clocks = NewClocks(c.Run())
	}
}

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

func (c *Cursor) failed(err error) error {
	if err != nil {
		c.rewind()
		c.blocks.kept = nil // it may be better next time
	}
	return err
}

// Around returns the events from lo to hi that the run has. It is made for a
// screenful; the events are reused by the next moves.
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
