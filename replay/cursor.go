package replay

import (
	"fmt"
	"math"

	"etrace/tracefmt"
)

// Cursor stands at an event of a recording, or before the first, and knows
// the state there: of every process, of every channel, of every clock. It
// goes forth and back. To go back costs no more than to read the events since
// the last checkpoint, and the memory of the checkpoints is bounded.
//
// After an error of reading, the cursor stands before the first event.
type Cursor struct {
	rec     tracefmt.Recording
	state   *State
	clocks  *Clocks        // nil if there are more than maxClocked processes
	latest  tracefmt.Time  // the greatest time up to state.Seq
	event   tracefmt.Event // where the cursor stands; Seq 0 before the first
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

// Seq returns where the cursor stands, 0 before the first event.
func (c *Cursor) Seq() tracefmt.Seq { return c.event.Seq }

// Event returns the event at which the cursor stands, nil before the first.
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
// may be incomplete behind an event whose cause lies far back.
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

// SeekEnd goes to the last event.
func (c *Cursor) SeekEnd() error {
	last, err := c.Last()
	if err != nil {
		return err
	}
	return c.Seek(last)
}

// SeekTime goes to the last event before any that is later than t: the state
// is that in which the run was at this time.
func (c *Cursor) SeekTime(t tracefmt.Time) error {
	if p, ok := c.passed.beforeTime(t); c.latest > t || p.seq > c.state.Seq {
		c.restore(p, ok)
	}
	for e, err := range c.rec.Events(c.state.Seq + 1) {
		if err == nil {
			err = follows(e, c.state.Seq)
		}
		if err != nil {
			return c.failed(err)
		}
		if e.Time > t {
			return c.Seek(e.Seq - 1)
		}
		c.take(e)
	}
	return c.SeekEnd()
}

// Seek goes to the event with that seq; 0 is before the first event. It is an
// error if the run has no such event: the cursor stays.
func (c *Cursor) Seek(seq tracefmt.Seq) error {
	last, err := c.Last()
	switch {
	case err != nil:
		return err
	case seq < 0 || seq > last:
		return fmt.Errorf("there is no event %d, expected a seq from 0, before the first event, to %d, the last", seq, last)
	case seq == 0:
		c.rewind()
		return nil
	}
	if p, ok := c.passed.before(seq - 1); c.state.Seq >= seq || p.seq > c.state.Seq {
		c.restore(p, ok)
	}
	if seq-c.state.Seq <= nearby {
		return c.failed(c.walk(seq))
	}
	return c.failed(c.run(seq))
}

// nearby is how many events are taken from memory rather than read in a
// stream of their own.
const nearby = blockSize / 2

// walk goes forward to seq through the blocks in memory.
func (c *Cursor) walk(seq tracefmt.Seq) error {
	for c.state.Seq < seq {
		e, err := c.blocks.at(c.state.Seq + 1)
		if err != nil {
			return err
		}
		if e == nil {
			return c.endsEarly()
		}
		if e.Seq == seq {
			c.arrive(e)
			return nil
		}
		c.take(e)
	}
	return nil
}

// follows is an error unless the event is the one after seq.
func follows(e *tracefmt.Event, seq tracefmt.Seq) error {
	if e.Seq != seq+1 {
		return fmt.Errorf("seq %d follows seq %d, expected %d", e.Seq, seq, seq+1)
	}
	return nil
}

// run goes forward to seq in one stream.
func (c *Cursor) run(seq tracefmt.Seq) error {
	for e, err := range c.rec.Events(c.state.Seq + 1) {
		if err == nil {
			err = follows(e, c.state.Seq)
		}
		if err != nil {
			return err
		}
		if e.Seq == seq {
			c.arrive(e)
			return nil
		}
		c.take(e)
	}
	return c.endsEarly()
}

func (c *Cursor) endsEarly() error {
	return fmt.Errorf("the run ends after %d events, expected %d", c.state.Seq, c.last)
}

// take takes in an event that is passed.
func (c *Cursor) take(e *tracefmt.Event) {
	c.state.Apply(e)
	if c.clocks != nil {
		c.clocks.Step(e)
	}
	c.latest = max(c.latest, e.Time)
	c.passed.pass(c)
}

// arrive takes in the event at which the cursor is to stand.
func (c *Cursor) arrive(e *tracefmt.Event) {
	payload := append(c.event.Payload[:0], e.Payload...)
	c.event = *e
	c.event.Payload = payload
	c.before = c.state.facts(c.before[:0], e.Process)
	c.take(e)
	c.after = c.state.facts(c.after[:0], e.Process)
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

// Distance returns how many events must be read to go to that seq: how long
// it takes.
func (c *Cursor) Distance(seq tracefmt.Seq) int64 {
	from := c.state.Seq
	if p, _ := c.passed.before(seq - 1); from >= seq || p.seq > from {
		from = p.seq
	}
	return int64(seq - from)
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
