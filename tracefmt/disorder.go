package tracefmt

import "time"

// Disorder detects times that contradict the order of events of different processes, as when their logs were
// concatenated: an event comes after an event of another process, but has an earlier time. Constant clock
// differences are no contradiction if events in both directions show them. Small differences are no
// contradiction either: [Disorder.Worst] has the limit. At is the place of an event. The zero value is empty.
type Disorder[At any] struct {
	seen        []course[At]      // the processes, in order of appearance
	index       map[ProcessID]int // the index of a process in seen
	first, last Time              // the earliest and the latest time
}

// course has the known facts about the times of a process.
type course[At any] struct {
	process  ProcessID
	events   int
	latest   Time
	backward Time // the greatest step backwards of its clock
	// after has, by process, the smallest step from the latest time of that process to an event of this one.
	after []step[At]
}

// step is the time from an event of one process to a later event of another.
type step[At any] struct {
	smallest Time
	known    bool // some step was added
	at       At
}

const (
	// maxDisordered is the limit for the compared processes: the comparison is pairwise.
	maxDisordered = 64
	// Contradictions up to maxJitter, or up to 1/jitterOf of the whole time, are small.
	maxJitter = Time(time.Second)
	jitterOf  = 10
)

// Add adds the next event with its process and its time in nanoseconds.
func (d *Disorder[At]) Add(p ProcessID, t Time, at At) {
	i, ok := d.index[p]
	switch {
	case !ok && len(d.seen) == maxDisordered:
		return
	case !ok:
		i = d.addProcess(p, t)
	}
	c := &d.seen[i]
	for len(c.after) < len(d.seen) {
		c.after = append(c.after, step[At]{})
	}
	for j := range d.seen {
		if took := t - d.seen[j].latest; j != i && (!c.after[j].known || took < c.after[j].smallest) {
			c.after[j] = step[At]{took, true, at}
		}
	}
	c.backward = max(c.backward, c.latest-t)
	c.latest, c.events = max(c.latest, t), c.events+1
	d.first, d.last = min(d.first, t), max(d.last, t)
}

// addProcess adds a process at its first event, which has time t. It returns the index of the process in seen.
func (d *Disorder[At]) addProcess(p ProcessID, t Time) int {
	if d.index == nil {
		d.index, d.first, d.last = make(map[ProcessID]int), t, t
	}
	d.index[p] = len(d.seen)
	d.seen = append(d.seen, course[At]{process: p, latest: t})
	return len(d.seen) - 1
}

// Contradiction is an event that is too early after an event of another process.
type Contradiction[At any] struct {
	Process ProcessID // the process of the event
	Before  ProcessID // the process of the event that precedes it in the record
	By      Time      // how much earlier the time of the event is
	At      At        // the place of the event
}

// Worst returns the greatest contradiction. It ignores small ones: up to a second, or a tenth of the time from
// the first event to the last, whichever is less. It also ignores processes with a single event, and processes
// whose own times go back further.
func (d *Disorder[At]) Worst() (worst Contradiction[At], ok bool) {
	jitter := min(maxJitter, (d.last-d.first)/jitterOf)
	for i := range d.seen {
		for j, s := range d.seen[i].after {
			if !s.known || s.smallest >= 0 || !d.seen[i].steady(jitter) || !d.seen[j].steady(jitter) {
				continue
			}
			early := -s.smallest
			// A constant difference of the two clocks shortens the steps in one direction and lengthens those in the
			// other. The sum of both directions does not contain it.
			if opposite := d.seen[j].after; i < len(opposite) && opposite[i].known {
				early -= opposite[i].smallest
			}
			if early > jitter && early > worst.By {
				worst, ok = Contradiction[At]{d.seen[i].process, d.seen[j].process, early, s.at}, true
			}
		}
	}
	return worst, ok
}

// Back returns the greatest step back in time from an event to a later one of another process, 0 for none.
func (d *Disorder[At]) Back() (back Time) {
	for i := range d.seen {
		for _, s := range d.seen[i].after {
			back = max(back, -s.smallest)
		}
	}
	return back
}

// steady reports whether the clock of the process can be compared with others.
func (c *course[At]) steady(jitter Time) bool { return c.events > 1 && c.backward <= jitter }
