package tracefmt

import "time"

// Disorder finds that the times of processes contradict the order of their events, as where
// their logs were put one after another: an event comes after one of another process, and is
// earlier than it. Clocks that differ by something constant are no contradiction if events
// in both directions show that they do; nor are small steps, of which [Disorder.Worst] says how
// large they are. At is where an event is. The zero value is empty.
type Disorder[At any] struct {
	seen        []course[At] // by process, as they were met
	index       map[ProcessID]int
	first, last Time // the earliest and the latest
}

// course is what is known of the times of a process.
type course[At any] struct {
	process  ProcessID
	events   int
	latest   Time
	backward Time // its greatest step back
	// after are, by process, the least steps from the latest time of that to an event of this one.
	after []step[At]
}

// step is the time from an event of one process to a later one of another.
type step[At any] struct {
	least Time
	any   bool
	at    At
}

const (
	// maxDisordered bounds the processes that are compared: each with each.
	maxDisordered = 64
	// Contradictions up to maxJitter are small, or up to one in jitterOf of the whole time.
	maxJitter = Time(time.Second)
	jitterOf  = 10
)

// Add takes in the next event, that of a process, and its time in nanoseconds.
func (d *Disorder[At]) Add(p ProcessID, t Time, at At) {
	i, ok := d.index[p]
	switch {
	case !ok && len(d.seen) == maxDisordered:
		return
	case !ok:
		i = d.meet(p, t)
	}
	c := &d.seen[i]
	for len(c.after) < len(d.seen) {
		c.after = append(c.after, step[At]{})
	}
	for j := range d.seen {
		if took := t - d.seen[j].latest; j != i && (!c.after[j].any || took < c.after[j].least) {
			c.after[j] = step[At]{took, true, at}
		}
	}
	c.backward = max(c.backward, c.latest-t)
	c.latest, c.events = max(c.latest, t), c.events+1
	d.first, d.last = min(d.first, t), max(d.last, t)
}

func (d *Disorder[At]) meet(p ProcessID, t Time) int {
	if d.index == nil {
		d.index, d.first, d.last = make(map[ProcessID]int), t, t
	}
	d.index[p] = len(d.seen)
	d.seen = append(d.seen, course[At]{process: p, latest: t})
	return len(d.seen) - 1
}

// Contradiction is by how much an event is too early after one of another process.
type Contradiction[At any] struct {
	Process, Before ProcessID // of the event, and of the one before
	By              Time
	At              At
}

// Worst returns the greatest contradiction, false if there is none but small ones: up to a second,
// or a tenth of the time from the first event to the last, whichever is less. Processes whose
// own times step back further, and those of a single event, contradict nobody.
func (d *Disorder[At]) Worst() (worst Contradiction[At], ok bool) {
	jitter := min(maxJitter, (d.last-d.first)/jitterOf)
	for i := range d.seen {
		for j, s := range d.seen[i].after {
			if !s.any || s.least >= 0 || !d.seen[i].steady(jitter) || !d.seen[j].steady(jitter) {
				continue
			}
			by := -s.least
			if other := d.seen[j].after; i < len(other) && other[i].any {
				by -= other[i].least
			}
			if by > jitter && by > worst.By {
				worst, ok = Contradiction[At]{d.seen[i].process, d.seen[j].process, by, s.at}, true
			}
		}
	}
	return worst, ok
}

// steady reports whether the clock of the process may be compared with others.
func (c *course[At]) steady(jitter Time) bool { return c.events > 1 && c.backward <= jitter }
