package replay

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// Position is a place in a run. Its text is a seq (0 is before the first
// event), t=TIME for the state at that time, end for the last event, or a
// [Pattern] for the next event that matches it.
type Position struct {
	Seq     tracefmt.Seq
	Time    *tracefmt.Time
	End     bool
	Pattern *Pattern
}

// PositionForm is the text of positions in short.
const PositionForm = "SEQ, t=TIME, end, or a pattern: " + PatternForm

// ErrNoMatch is the error of going to a pattern that nothing matches.
var ErrNoMatch = errors.New("no event matches")

// ParsePosition reads the text of a position in a run.
func ParsePosition(text string, run *tracefmt.Run) (Position, error) {
	text = strings.TrimSpace(text)
	when, isTime := strings.CutPrefix(text, "t=")
	switch {
	case text == "":
		return Position{}, fmt.Errorf("expected %s", PositionForm)
	case text == "end":
		return Position{End: true}, nil
	case isTime:
		t, err := tracefmt.ParseTime(when)
		return Position{Time: &t}, err
	}
	if seq, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Position{Seq: tracefmt.Seq(seq)}, nil
	}
	p, err := ParsePattern(text, run)
	return Position{Pattern: p}, err
}

// Go goes to a position.
func (c *Cursor) Go(to Position) error {
	switch {
	case to.End:
		return c.SeekEnd()
	case to.Time != nil:
		return c.SeekTime(*to.Time)
	case to.Pattern == nil:
		return c.Seek(to.Seq)
	}
	seq, err := to.Pattern.Next(c.rec, c.Seq())
	if err != nil {
		return err
	}
	if seq == 0 {
		return ErrNoMatch
	}
	return c.Seek(seq)
}
