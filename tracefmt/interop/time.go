package interop

import (
	"fmt"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// setTime sets the time of the event to that of its entry. An entry without a time gets, for now, the time of
// the entry before it, see fillTimes.
func (b *Builder) setTime(ev *event, t time.Time) (err error) {
	if t.IsZero() {
		ev.time, ev.timeless, b.untimed = b.latest, true, true
		if ev.host != noHost && b.hosts[ev.host].timed {
			ev.time, ev.follows = b.hosts[ev.host].last.time, true
		}
		return nil
	}
	ev.time, err = b.timeOf(t)
	if err != nil {
		return err
	}
	for ev.time%b.resolution != 0 {
		b.resolution /= 10
	}
	b.timed, b.latest = true, ev.time
	if ev.host != noHost {
		b.hosts[ev.host].timed = true
	}
	return nil
}

// timeOf returns a time in nanoseconds.
func (b *Builder) timeOf(t time.Time) (tracefmt.Time, error) {
	switch year := t.Year(); {
	case year == 0:
		return b.timeOfDay(t), nil
	case year < 1678 || year > 2261:
		return 0, fmt.Errorf("the time %s is out of range, expected a year from 1678 to 2261", t.Format(time.RFC3339))
	}
	return tracefmt.Time(t.UnixNano()), nil
}

// noteTimes reports clocks that went backwards within a process. The times stay
// as they are.
func (b *Builder) noteTimes() {
	if !b.timed {
		return
	}
	type steps struct {
		linesOf
		maximum tracefmt.Time
	}
	back := make([]steps, len(b.hosts))
	for _, e := range b.entries() {
		if e.previous == noEvent || e.time >= b.at(e.previous).time {
			continue
		}
		step := &back[e.host]
		step.add(e.line)
		step.maximum = max(step.maximum, b.at(e.previous).time-e.time)
		b.back = max(b.back, step.maximum)
	}
	for i, step := range back {
		name, maximum := b.hosts[i].name, time.Duration(step.maximum)
		b.noteLines(
			step.linesOf, fmt.Sprintf("step back in time of process %s, by %v", name, maximum),
			fmt.Sprintf("steps back in time of process %s, by up to %v", name, maximum),
		)
	}
	b.noteSkew()
}

// noteSkew reports clocks that contradict each other, see [tracefmt.Skews].
func (b *Builder) noteSkew() {
	skews := b.skews()
	for i, c := range skews {
		b.contradiction = max(b.contradiction, c.Least)
		if i == maxListed {
			b.Note("the clocks of %d more pairs contradict each other", len(skews)-maxListed)
			return
		}
		b.Note("the clock of %s is %s behind that of %s: %s, first at %s", b.hosts[c.To].name, c.Bounds(), b.hosts[c.From].name,
			text.Counted(c.Early, "message arrives before it was sent", "messages arrive before they were sent"), b.r.lineText(c.First))
	}
}

// skews returns the clock skews that messages between processes show, by ids of hosts.
func (b *Builder) skews() []tracefmt.Skew[int] {
	var delays tracefmt.Skews[int]
	for _, e := range b.entries() {
		send := e.send()
		if send == noEvent || e.kind != tracefmt.Receive {
			continue
		}
		if s := b.at(send); s.host != e.host {
			delays.Add(tracefmt.ProcessID(s.host), tracefmt.ProcessID(e.host), e.time-s.time, int(e.line))
		}
	}
	return delays.All()
}
