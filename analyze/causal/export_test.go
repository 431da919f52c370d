package causal

// SetLimit makes the tracker keep no more than so many words, and count them
// whenever the intervals have doubled.
func (t *Tracker) SetLimit(words int) { t.limit, t.least, t.next = words, 0, 0 }

// Kept returns how many intervals it keeps.
func (t *Tracker) Kept() int { return t.kept }
