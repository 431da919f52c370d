package causal

// SetLimit makes the tracker keep no more than that number of words, and count them whenever the intervals have
// doubled.
func (t *Tracker) SetLimit(words int) { t.limit, t.minimum, t.next = words, 0, 0 }

// Prune drops the intervals whose ends every process knows.
func (d *Pairs) Prune() { d.prune() }

// Kept returns the number of stored intervals.
func (t *Tracker) Kept() int { return t.kept }

// Stretches returns the values of the intervals of a process and of the gaps between them.
func Stretches(list []Interval) (values []int) {
	for _, i := range stretches(list) {
		values = append(values, i.Value)
	}
	return values
}
