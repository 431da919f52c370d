package spec

import (
	"fmt"
	"time"

	"etrace/analyze"
	"etrace/tracefmt"
)

// window holds the events within the time bound, by the clock of the trace.
type window struct {
	span
	now     tracefmt.Time
	queue   []dated
	expired int // the number of entries of queue that are too old
}

// dated is an event with its key.
type dated struct {
	at  tracefmt.Time
	key key
	seq tracefmt.Seq
}

// tick takes the time of an event, and reports whether the event can be judged. It gives up if the clock goes
// back, since then times bound nothing.
func (w *window) tick(r *analyze.Result, b *base, e *tracefmt.Event) bool {
	before := w.now
	w.now = b.timeOf(e)
	if w.within != forEver && w.now < before {
		b.giveUp(r, fmt.Sprintf("the clock goes back at seq %d, from %v to %v, so that no time bounds the rule",
			e.Seq, before, w.now))
	}
	return !b.gaveUp
}

// timeOf returns the time of an event in the units of rules.
func (b *base) timeOf(e *tracefmt.Event) tracefmt.Time { return b.frame.run.TimeUnit.Units(e.Time) }

// durationText formats a duration in the units of the run.
func (b *base) durationText(d tracefmt.Time) string {
	if b.frame.run.TimeUnit == tracefmt.Nanoseconds {
		return time.Duration(d).String()
	}
	return d.String()
}

// expire calls forget for the events that are too old to count.
func (w *window) expire(forget func(dated)) {
	if w.within == forEver {
		return
	}
	horizon := addTime(w.now, -w.within)
	for ; w.expired < len(w.queue) && w.queue[w.expired].at < horizon; w.expired++ {
		forget(w.queue[w.expired])
	}
	if w.expired > len(w.queue)/2 {
		w.queue = w.queue[:copy(w.queue, w.queue[w.expired:])]
		w.expired = 0
	}
}

// add adds an event.
func (w *window) add(d dated) { w.queue = append(w.queue, d) }

// holdsMore reports whether one more event may be kept. It gives up if not.
func (w *window) holdsMore(r *analyze.Result, b *base) bool {
	if len(w.queue)-w.expired >= maxPast {
		b.giveUp(r, fmt.Sprintf("more than %d events would have to be kept at seq %d", maxPast, b.frame.event.Seq))
	}
	return !b.gaveUp
}

// oldest returns the first event of a key in the window.
func (w *window) oldest(k key) tracefmt.Seq {
	for _, d := range w.queue[w.expired:] {
		if d.key == k {
			return d.seq
		}
	}
	return 0
}

// span is a bound on time.
type span struct {
	within tracefmt.Time // forEver: no bound
	text   string        // the bound in an explanation: " within 5s"
	units  bool          // the rule writes the bound with a unit
}

// endless is the span of a rule without "within".
var endless = span{within: forEver}

// until formats the end of a span for an explanation.
func (s span) until(end tracefmt.Time) string {
	switch {
	case s.within == forEver:
		return ""
	case s.units: // the number alone does not show its unit
		return fmt.Sprintf("%s (until %v)", s.text, end)
	}
	return fmt.Sprintf(" until %v", end)
}
