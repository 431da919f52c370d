package replay

// SetLimit makes the clocks keep no more than so many entries.
func (c *Clocks) SetLimit(entries int) { c.limit = entries }
