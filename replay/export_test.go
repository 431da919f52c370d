package replay

import "etrace/tracefmt"

// NewTightCursor returns a cursor whose checkpoints are close and few.
func NewTightCursor(rec tracefmt.Recording, spacing, checkpoints int) *Cursor {
	c := NewCursor(rec)
	c.passed.spacing, c.passed.most = tracefmt.Seq(spacing), checkpoints
	return c
}

// Checkpoints returns how many there are.
func (c *Cursor) Checkpoints() int { return len(c.passed.kept) }

// SetLimit makes the clocks keep no more than so many entries.
func (c *Clocks) SetLimit(entries int) { c.limit = entries }
