package causal

// SetLimit makes the tracker keep no more than so many entries.
func (t *Tracker) SetLimit(entries int) { t.limit = entries }

// Kept returns how many entries it keeps.
func (t *Tracker) Kept() int { return t.kept }
