package replay

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// Position is a place in a run. Its text is one of: a seq, where 0 is before the first event; t=TIME, for the
// state at that time; end, for the last event; a [Pattern], for the next event that matches it.
type Position struct {
	Seq     tracefmt.Seq
	Time    *tracefmt.Time
	End     bool
	Pattern *Pattern
}

// positionForm is the text of positions in short.
const positionForm = "SEQ, t=TIME, end, or a pattern: " + PatternForm

// ErrNoMatch is the error for a pattern without a match.
var ErrNoMatch = errors.New("no event matches")

// ParsePosition reads the text of a position in a run.
func ParsePosition(text string, run *tracefmt.Run) (Position, error) {
	text = strings.TrimSpace(text)
	when, isTime := strings.CutPrefix(text, "t=")
	switch {
	case text == "":
		return Position{}, fmt.Errorf("expected %s", positionForm)
	case text == "end":
		return Position{End: true}, nil
	case isTime:
		t, err := run.ParseWhen(when)
		return Position{Time: &t}, err
	}
	if seq, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Position{Seq: tracefmt.Seq(seq)}, nil
	}
	p, err := ParsePattern(text, run)
	if err != nil && text[0] >= '0' && text[0] <= '9' { // no kind of event begins with a digit
		err = fmt.Errorf("expected %s", positionForm)
		if _, failed := run.ParseWhen(text); failed == nil {
			err = fmt.Errorf("expected t=%s for a time", text)
		}
	}
	return Position{Pattern: p}, err
}

// Go moves to a position.
func (c *Cursor) Go(target Position) error {
	switch {
	case target.End:
		return c.SeekEnd()
	case target.Time != nil:
		return c.SeekTime(*target.Time)
	case target.Pattern == nil:
		return c.Seek(target.Seq)
	}
	seq, err := target.Pattern.Next(c.rec, c.Seq())
	if err != nil {
		return err
	}
	if seq == 0 {
		return ErrNoMatch
	}
	return c.Seek(seq)
}

// SeekEnd moves to the last event.
func (c *Cursor) SeekEnd() error {
	last, err := c.Last()
	if err != nil {
		return err
	}
	return c.Seek(last)
}

// units returns a time in the time unit of the run.
func (c *Cursor) units(t tracefmt.Time) tracefmt.Time { return c.Run().TimeUnit.Units(t) }

// SeekTime moves to the last event before the first that is later than t, in time units: its state is the
// state at time t.
func (c *Cursor) SeekTime(t tracefmt.Time) error {
	if p, ok := c.checkpoints.beforeTime(t); c.latest > t || p.seq > c.state.Seq {
		c.restore(p, ok)
	}
	for e, err := range c.rec.Events(c.state.Seq + 1) {
		if err == nil {
			err = follows(e, c.state.Seq)
		}
		if err != nil {
			return c.failed(err)
		}
		if c.units(e.Time) > t {
			return c.Seek(e.Seq - 1)
		}
		c.take(e)
	}
	return c.SeekEnd()
}

// Seek moves to the event with that seq; 0 is before the first event. If the run has no such event, Seek
// returns an error and the cursor stays.
func (c *Cursor) Seek(seq tracefmt.Seq) error {
	last, err := c.Last()
	switch {
	case err != nil:
		return err
	case seq < 0 || seq > last:
		return fmt.Errorf("there is no event %d, expected a seq from 0, before the first event, to %d, the last",
			seq, last)
	case seq == 0:
		c.rewind()
		return nil
	}
	// The cursor arrives at seq by applying that event, so it starts from a state before it. A checkpoint behind the
	// cursor saves nothing.
	if p, ok := c.checkpoints.before(seq - 1); c.state.Seq >= seq || p.seq > c.state.Seq {
		c.restore(p, ok)
	}
	if seq-c.state.Seq <= nearby {
		return c.failed(c.walk(seq))
	}
	return c.failed(c.run(seq))
}

// nearby is the distance within which events are taken from memory instead of a stream of their own.
const nearby = blockSize / 2

// walk moves forward to seq, reading events from the blocks in memory.
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

// follows returns an error unless the event is the one after seq.
func follows(e *tracefmt.Event, seq tracefmt.Seq) error {
	if e.Seq != seq+1 {
		return fmt.Errorf("seq %d follows seq %d, expected %d", e.Seq, seq, seq+1)
	}
	return nil
}

// run moves forward to seq, reading the recording once.
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

// endsEarly is the error for a recording with fewer events than its description states.
func (c *Cursor) endsEarly() error {
	return fmt.Errorf("the run ends after %d events, expected %d", c.state.Seq, c.last)
}

// Distance returns how many events must be read to move to that seq, as an estimate of the time.
func (c *Cursor) Distance(seq tracefmt.Seq) int64 {
	from := c.state.Seq
	if p, _ := c.checkpoints.before(seq - 1); from >= seq || p.seq > from {
		from = p.seq
	}
	return int64(seq - from)
}
