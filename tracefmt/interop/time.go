package interop

import (
	"fmt"
	"time"

	"etrace/tracefmt"
)

// setTime makes nanoseconds of a time.
func (b *Builder) setTime(ev *event, t time.Time) error {
	switch year := t.Year(); {
	case t.IsZero():
		ev.time = b.latest
		if ev.host != noHost && len(b.hosts[ev.host].events) > 0 {
			events := b.hosts[ev.host].events
			ev.time = b.events[events[len(events)-1]].time
		}
		return nil
	case year == 0:
		ev.time = b.timeOfDay(t)
	case year < 1678 || year > 2261:
		return fmt.Errorf("the time %s is out of range, expected a year from 1678 to 2261", t.Format(time.RFC3339))
	default:
		ev.time = tracefmt.Time(t.UnixNano())
	}
	b.timed, b.latest = true, ev.time
	return nil
}

// timeOfDay counts from midnight before the first entry. A step back by more
// than half a day has passed midnight.
func (b *Builder) timeOfDay(t time.Time) tracefmt.Time {
	const day = tracefmt.Time(24 * time.Hour)
	since := tracefmt.Time(t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, t.Location())))
	if b.timed && b.days+since < b.latest-day/2 {
		b.days += day
	}
	return b.days + since
}

// noteTimes reports clocks that went backwards within a process. The times stay
// as they are.
func (b *Builder) noteTimes() {
	if !b.timed {
		return
	}
	for i := range b.hosts {
		back := linesOf{}
		for _, id := range b.hosts[i].events {
			if e := &b.events[id]; e.previous != noEvent && e.time < b.events[e.previous].time {
				back.add(e.line)
			}
		}
		b.noteLines(back, "step back in time of "+b.hosts[i].name, "steps back in time of "+b.hosts[i].name)
	}
}
