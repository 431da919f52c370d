package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Where no message orders events of different processes, an import orders them by clocks, which differ. A verdict
// that rests on such an order counts only if it stays the same in the orders that clocks within a tolerance allow:
// a check moves the events of each clock, to earlier and to later, as far as messages let it, and examines the run
// again.

const (
	// maxMoved bounds the events that are examined again to decide whether verdicts rest on clocks, and maxSought
	// the events examined to find how far clocks must differ.
	maxMoved, maxSought = 20_000_000, 500_000
	// minSteps is the number of steps that a search for a difference takes at least: a longer run is not searched.
	minSteps = 8
	// maxClocks bounds the clocks whose differences are searched.
	maxClocks = 8
)

// clocks examines verdicts under other differences of the clocks that order the events of a run.
type clocks struct {
	rec     tracefmt.Recording
	clockOf []int      // the number of its clock, by process
	names   [][]string // the names of the processes of each clock
	options Options

	first, last, resolution tracefmt.Time
	events                  int64
	closeClocks             map[int]bool // the clocks with events within the tolerance of others
	moved                   int64        // the number of events examined again
}

// Weighs reports whether a check examines the run more than once: clocks order its events, or its logs may be
// cut off.
func Weighs(run *tracefmt.Run) bool {
	c := run.Completeness
	if run.Source == tracefmt.Simulated || c == nil {
		return false
	}
	ordersByClocks := c.Clocks != nil && run.TimeUnit == tracefmt.Nanoseconds
	return ordersByClocks || len(c.Suspected) > 0
}

// weighRecord makes verdicts unknown that rest on weak points of the record: on the ends of its logs, or on
// the order by clocks. If seeks is set, it adds to the others the least difference of clocks that changes them.
func (report *RunReport) weighRecord(rec tracefmt.Recording, o Options, seeks bool) error {
	trusted := o.AsOrdered || o.Record || rec.Run().Source == tracefmt.Simulated
	if hasWeakPoint := Weighs(rec.Run()) || o.Skew != nil; trusted || !hasWeakPoint {
		return nil
	}
	o.AsOrdered, o.Keep = true, 0
	if err := report.weighEnds(rec, o); err != nil {
		return err
	}
	if err := report.weighClocks(rec, o, seeks); err != nil {
		return err
	}
	var list []Verdict
	for _, r := range report.Results {
		list = append(list, r.Verdict)
	}
	report.Verdict = Worst(list...)
	return nil
}

// weighEnds examines violated properties again, with gaps where the log may begin too late or end too early.
// A violation that disappears becomes unknown.
func (report *RunReport) weighEnds(rec tracefmt.Recording, o Options) error {
	run := *rec.Run()
	if run.Completeness == nil || len(run.Completeness.Suspected) == 0 {
		return nil
	}
	var found []*Result
	var properties []*Property
	for _, r := range report.Results {
		if r.Verdict == Violated && !r.Property.OfRecord {
			found, properties = append(found, r), append(properties, r.Property)
		}
	}
	if len(found) == 0 {
		return nil
	}
	declared := *run.Completeness
	declared.Gaps, declared.Suspected = slices.Concat(declared.Gaps, declared.Suspected), nil
	run.Completeness = &declared
	cut, err := Check(tracefmt.Described(rec, &run), properties, o)
	if err != nil {
		return err
	}
	for i, r := range found {
		second := cut.Results[i]
		if second.Verdict == Violated {
			continue
		}
		r.Verdict, r.Explanation, r.Needs = Unknown, second.Explanation+", if the log is a part of a longer one",
			second.Needs
		r.LogNext = second.LogNext
		r.Violations, r.Kept, r.Cut = 0, nil, nil
		r.weigh(rec.Run())
	}
	return nil
}

// weighClocks makes verdicts unknown that change if clocks differ by the tolerance. For the others it
// computes the least difference that changes them, if seeks is set.
func (report *RunReport) weighClocks(rec tracefmt.Recording, o Options, seeks bool) error {
	run := rec.Run()
	var known *tracefmt.Clocks
	if run.Completeness != nil {
		known = run.Completeness.Clocks
	}
	if known == nil && o.Skew != nil {
		known = new(tracefmt.Clocks)
	}
	if known == nil || run.TimeUnit != tracefmt.Nanoseconds {
		return nil
	}
	skew := known.Skew
	if o.Skew != nil {
		skew = *o.Skew
	}
	c := &clocks{
		rec: rec, clockOf: known.Groups(run), options: o, resolution: tracefmt.Time(time.Second),
		closeClocks: make(map[int]bool),
	}
	for i, m := range run.Members {
		for len(c.names) <= c.clockOf[i+1] {
			c.names = append(c.names, nil)
		}
		c.names[c.clockOf[i+1]] = append(c.names[c.clockOf[i+1]], m.Name)
	}
	if err := c.survey(skew); err != nil {
		return err
	}
	// Open results stay open under other clocks; properties of the record read no clock.
	var resting []*Result
	for _, r := range report.Results {
		if r.Verdict != Unknown && r.Verdict != NotApplicable && !r.Property.OfRecord {
			resting = append(resting, r)
		}
	}
	var err error
	resting, err = c.tolerate(report, resting, skew)
	if err != nil || !seeks {
		return err
	}
	// The search has a limit of work: results with violations come first.
	slices.SortStableFunc(resting, func(x, y *Result) int { return cmp.Compare(y.Violations, x.Violations) })
	c.moved = 0
	for _, r := range resting {
		if err := c.seek(r, skew); err != nil {
			return err
		}
	}
	return nil
}

// survey finds the first and last time, the resolution of times, and the clocks that have events within the
// tolerance of others.
func (c *clocks) survey(skew tracefmt.Time) error {
	type step struct {
		time  tracefmt.Time
		clock int
	}
	var previous, ofOther step // the previous event, and the latest event of another clock than that one's
	for e, err := range c.rec.Events(1) {
		if err != nil {
			return err
		}
		if c.events++; c.events == 1 {
			c.first, c.last = e.Time, e.Time
		}
		c.first, c.last = min(c.first, e.Time), max(c.last, e.Time)
		for e.Time%c.resolution != 0 {
			c.resolution /= 10
		}
		current := step{e.Time, c.clockOf[e.Process]}
		if current.clock == 0 {
			continue
		}
		if previous.clock != current.clock {
			ofOther = previous
		}
		if ofOther.clock != 0 && current.time-ofOther.time <= skew {
			c.closeClocks[current.clock], c.closeClocks[ofOther.clock] = true, true
		}
		previous = current
	}
	return nil
}

// tolerate moves each clock by the tolerance, ahead and behind, and makes verdicts unknown that change. It
// returns the results that do not change.
func (c *clocks) tolerate(report *RunReport, resting []*Result, skew tracefmt.Time) ([]*Result, error) {
	for _, clock := range sorted(c.closeClocks) {
		for _, offset := range [...]tracefmt.Time{skew, -skew} {
			if len(resting) == 0 || skew == 0 {
				return resting, nil
			}
			if c.moved > maxMoved {
				report.Remarks = append(report.Remarks,
					"the run has too many events to examine all orders that its clocks allow: verdicts may rest "+
						"on the order of the clocks")
				return nil, nil
			}
			changed, err := c.changed(resting, clock, offset)
			if err != nil {
				return nil, err
			}
			unchanged := resting[:0]
			for i, r := range resting {
				if changed[i] {
					r.restsOnClock(c.clockName(clock), offset)
					r.weigh(report.Run)
				} else {
					unchanged = append(unchanged, r)
				}
			}
			resting = unchanged
		}
	}
	return resting, nil
}

// seek finds the least difference of clocks that changes a verdict, and adds it to the result. It gives up
// after maxSought events.
func (c *clocks) seek(r *Result, skew tracefmt.Time) error {
	relevantClocks, err := c.relevant(r)
	// One clock cannot differ from itself. Many clocks, or a long run, would take too many examinations.
	if err != nil || len(relevantClocks) < 2 || len(relevantClocks) > maxClocks ||
		2*minSteps*c.events*int64(len(relevantClocks)) > maxSought {
		return err
	}
	const budget = maxSought
	changesAt := func(k tracefmt.Time) (bool, error) {
		for _, clock := range relevantClocks {
			for _, offset := range [...]tracefmt.Time{k * c.resolution, -k * c.resolution} {
				if c.moved > budget {
					return false, nil
				}
				if changed, err := c.changed([]*Result{r}, clock, offset); err != nil || changed[0] {
					return err == nil, err
				}
			}
		}
		return false, nil
	}
	low, limit := skew/c.resolution, (c.last-c.first)/c.resolution+1
	if changes, err := changesAt(limit); err != nil || !changes && r.Verdict == Violated {
		// If even the greatest difference changes nothing, the verdict holds whatever the clocks show.
		return err
	}
	// A larger difference may change the verdict back, so the search does not double the step but adds a quarter.
	high := low
	for changes := false; !changes; {
		high = max(high+1, high*5/4)
		if high > limit || c.moved > budget {
			return nil
		}
		var err error
		changes, err = changesAt(high)
		if err != nil {
			return err
		}
		if !changes {
			low = high
		}
	}
	for high-low > 1 && c.moved <= budget {
		middle := low + (high-low)/2
		changes, err := changesAt(middle)
		if err != nil {
			return err
		}
		if changes {
			high = middle
		} else {
			low = middle
		}
	}
	if c.moved > budget {
		return nil
	}
	r.Skew = high * c.resolution
	if r.Explanation != "" {
		r.Explanation += "; "
	}
	r.Explanation += fmt.Sprintf("clocks that differ by %v would change this", time.Duration(r.Skew))
	return nil
}

// relevant returns the clocks that may change a result: for a violation those of its witness, else all.
func (c *clocks) relevant(r *Result) ([]int, error) {
	relevantClocks := make(map[int]bool)
	if r.Verdict != Violated {
		for p := 1; p < len(c.clockOf); p++ {
			relevantClocks[c.clockOf[p]] = true
		}
		return sorted(relevantClocks), nil
	}
	for _, seq := range r.Witness {
		for e, err := range c.rec.Events(seq) {
			if err != nil {
				return nil, err
			}
			if e.Process != 0 {
				relevantClocks[c.clockOf[e.Process]] = true
			}
			break
		}
	}
	return sorted(relevantClocks), nil
}

// sorted returns the elements of a set in ascending order.
func sorted(set map[int]bool) []int {
	var list []int
	for i := range set {
		list = append(list, i)
	}
	slices.Sort(list)
	return list
}

// clockName names the processes of a clock.
func (c *clocks) clockName(clock int) string {
	var list []string
	for _, name := range c.names[clock] {
		list = append(list, text.Printable(text.Short(name, 41)))
	}
	return text.And(text.Few(list, 3))
}

// changed examines the run with one clock moved by an offset. It reports for each result whether a violation
// disappears or appears.
func (c *clocks) changed(results []*Result, clock int, offset tracefmt.Time) ([]bool, error) {
	properties := make([]*Property, len(results))
	for i, r := range results {
		properties[i] = r.Property
	}
	order := &reordered{Recording: c.rec, clockOf: c.clockOf, clock: clock, offset: offset, run: *c.rec.Run()}
	if err := order.placeGaps(); err != nil {
		return nil, err
	}
	check := newChecker(&order.run, loop{}, properties, c.options)
	if err := order.each(func(_ tracefmt.Seq, e *tracefmt.Event) error { return check.Write(e) }); err != nil {
		return nil, err
	}
	c.moved += c.events
	changed := make([]bool, len(results))
	for i, second := range check.Report().Results {
		changed[i] = (results[i].Verdict == Violated) != (second.Verdict == Violated)
	}
	return changed, nil
}

// restsOnClock makes a verdict unknown that changes if a clock is moved by an offset.
func (r *Result) restsOnClock(name string, offset tracefmt.Time) {
	clock := fmt.Sprintf("if the clock of %s is %v behind", name, time.Duration(offset))
	if offset < 0 {
		clock = fmt.Sprintf("if the clock of %s is %v ahead", name, time.Duration(-offset))
	}
	switch {
	case r.Verdict == Violated:
		r.Explanation += "; but " + clock + ", this does not show"
	default:
		r.Explanation = "nothing violates it in the order of the clocks, but something does " + clock
		r.Witness = nil
	}
	r.Verdict, r.Violations, r.Open, r.Kept, r.Cut = Unknown, 0, nil, nil, nil
	r.Skew = max(offset, -offset)
}

// reordered is a recording in which the events of one clock are moved by an offset, as far as messages allow:
// the order within a process stays, and no cause comes after its effect. Where a message limits the move, the
// events of the other clocks keep their order.
type reordered struct {
	tracefmt.Recording
	clockOf []int // the clocks by process
	clock   int   // the clock that is moved
	offset  tracefmt.Time
	run     tracefmt.Run // with the gaps at their new places
}

// delayed is an event that waits for its place in the new order.
type delayed struct {
	event *tracefmt.Event
	key   tracefmt.Time // the time of the event by the moved clock
	shift tracefmt.Time
}

// each calls see with each event in the new order, which has its new seq, and with its recorded seq.
func (o *reordered) each(see func(was tracefmt.Seq, e *tracefmt.Event) error) error {
	w := waiting{
		queues: make([][]delayed, slices.Max(o.clockOf)+1), moved: o.clock, held: make(map[tracefmt.Seq]int),
		placed: make(map[tracefmt.Seq]tracefmt.Seq),
	}
	latest := make([]tracefmt.Time, len(w.queues))
	began := make([]bool, len(w.queues))
	horizon := tracefmt.Time(-1 << 62)
	for e, err := range o.Events(1) {
		if err != nil {
			return err
		}
		clock := o.clockOf[e.Process]
		d := delayed{event: e.Clone(), shift: max(-o.offset, 0)}
		if clock == o.clock {
			d.shift = max(o.offset, 0)
		}
		d.key = e.Time + d.shift
		if began[clock] {
			d.key = max(d.key, latest[clock])
		}
		latest[clock], began[clock] = d.key, true
		w.queues[clock], w.held[e.Seq] = append(w.queues[clock], d), clock
		horizon = max(horizon, e.Time)
		if err := w.release(horizon, false, see); err != nil {
			return err
		}
	}
	return w.release(0, true, see)
}

// waiting holds the events that wait for their places.
type waiting struct {
	queues [][]delayed                   // by clock
	moved  int                           // the clock that is moved
	held   map[tracefmt.Seq]int          // the clock of each waiting event, by seq
	placed map[tracefmt.Seq]tracefmt.Seq // the new seqs of placed events that moved
	seq    tracefmt.Seq                  // the seq of the event placed last
}

// release places the events before a time; all events if list is true. An event of the moved clock waits for
// its cause. An event of another clock places its cause first, as an import does.
func (w *waiting) release(horizon tracefmt.Time, list bool, see func(tracefmt.Seq, *tracefmt.Event) error) error {
	for {
		best := -1
		for clock, queue := range w.queues {
			if len(queue) == 0 || !list && queue[0].key >= horizon {
				continue
			}
			if _, waits := w.held[queue[0].event.Cause]; waits && clock == w.moved {
				continue
			}
			if best < 0 || compare(queue[0], w.queues[best][0]) < 0 {
				best = clock
			}
		}
		if best < 0 {
			return nil
		}
		// A cause has a lower seq than its effect, so this ends.
		for clock, ok := w.held[w.queues[best][0].event.Cause]; ok; clock, ok = w.held[w.queues[best][0].event.Cause] {
			best = clock
		}
		e := w.queues[best][0].event
		w.queues[best] = w.queues[best][1:]
		oldSeq := e.Seq
		delete(w.held, oldSeq)
		if w.seq++; oldSeq != w.seq {
			w.placed[oldSeq] = w.seq
		}
		if moved, ok := w.placed[e.Cause]; ok {
			e.Cause = moved
		}
		e.Seq = w.seq
		if err := see(oldSeq, e); err != nil {
			return err
		}
	}
}

// compare orders events by their time on the moved clock.
func compare(item, second delayed) int {
	return cmp.Or(cmp.Compare(item.key, second.key), cmp.Compare(item.shift, second.shift),
		cmp.Compare(item.event.Seq, second.event.Seq))
}

// placeGaps gives the gaps of the run new seqs, so that each stays between the same events of its process.
func (o *reordered) placeGaps() error {
	if o.run.Completeness == nil || len(o.run.Completeness.Gaps) == 0 {
		return nil
	}
	declared := *o.run.Completeness
	declared.Gaps = slices.Clone(declared.Gaps)
	byProcess := make(map[tracefmt.ProcessID][]int)
	for i, g := range declared.Gaps {
		if p, ok := o.run.Process(g.Process); ok {
			byProcess[p] = append(byProcess[p], i)
		}
		declared.Gaps[i].From, declared.Gaps[i].To = 0, 0
	}
	err := o.each(func(was tracefmt.Seq, e *tracefmt.Event) error {
		for _, i := range byProcess[e.Process] {
			moved, old := &declared.Gaps[i], o.run.Completeness.Gaps[i]
			switch {
			case was < old.From:
				moved.From = e.Seq + 1
			case old.To != 0 && was > old.To && moved.To == 0:
				moved.To = max(1, e.Seq-1)
			}
		}
		return nil
	})
	o.run.Completeness = &declared
	return err
}
