package replay

import "etrace/tracefmt"

// NewTightCursor returns a cursor whose checkpoints are close and few.
func NewTightCursor(rec tracefmt.Recording, spacing, checkpoints int) *Cursor {
	c := NewCursor(rec)
	c.checkpoints.spacing, c.checkpoints.limit = tracefmt.Seq(spacing), checkpoints
	return c
}

// Checkpoints returns how many there are.
func (c *Cursor) Checkpoints() int { return len(c.checkpoints.kept) }

// SetRecent sets the number of words within which the clocks keep the past.
func (c *Clocks) SetRecent(words int) { c.recent = words }

// SetLimit sets the greatest number of words of the clocks in use.
func (c *Clocks) SetLimit(words int) { c.limit = words }

// Frozen is how many bytes the checkpoints take.
func (c *Cursor) Frozen() int { return c.checkpoints.size }
