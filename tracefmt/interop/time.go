package interop

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
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
	b.noteSkew()
}

// channel is from which host messages go to which.
type channel struct{ from, to hostID }

// delays are those of the messages of a channel, by the clocks of both its ends.
type delays struct {
	least    tracefmt.Time // negative if a message arrives before it was sent
	line     int32         // of that arrival
	negative int           // how many do
}

// noteSkew reports clocks that contradict each other: a message that arrives before it was sent
// shows by how much at least the clock of its receiver is behind that of its sender. Messages
// the other way show how much it is at most: the shortest delay that these seem to have.
func (b *Builder) noteSkew() {
	channels := b.delays()
	behind := slices.Collect(maps.Keys(channels))
	behind = slices.DeleteFunc(behind, func(c channel) bool { return channels[c].least >= 0 })
	slices.SortFunc(behind, func(one, other channel) int {
		return cmp.Or(cmp.Compare(channels[one].least, channels[other].least), cmp.Compare(one.from, other.from), cmp.Compare(one.to, other.to))
	})
	for i, c := range behind {
		if i == maxListed {
			b.Note("the clocks of %d more pairs contradict each other", len(behind)-maxListed)
			return
		}
		d := channels[c]
		bounds := fmt.Sprintf("at least %v", time.Duration(-d.least))
		if back, ok := channels[channel{c.to, c.from}]; ok && back.least > -d.least {
			bounds = fmt.Sprintf("%v to %v", time.Duration(-d.least), time.Duration(back.least))
		}
		b.Note("the clock of %s is %s behind that of %s: %s before %s sent, first at %s", b.hosts[c.to].name, bounds, b.hosts[c.from].name,
			text.Counted(d.negative, "message arrives", "messages arrive"), map[bool]string{true: "it was", false: "they were"}[d.negative == 1], b.r.lineText(int(d.line)))
	}
}

// delays returns those of the messages between processes.
func (b *Builder) delays() map[channel]delays {
	all := make(map[channel]delays)
	for i := range b.events {
		e := &b.events[i]
		send := e.send()
		if send == noEvent || e.kind != tracefmt.Receive || b.events[send].host == e.host {
			continue
		}
		c, delay := channel{b.events[send].host, e.host}, e.time-b.events[send].time
		d, known := all[c]
		if !known || delay < d.least {
			d.least = delay
		}
		if delay < 0 {
			if d.negative++; d.negative == 1 {
				d.line = e.line
			}
		}
		all[c] = d
	}
	return all
}
