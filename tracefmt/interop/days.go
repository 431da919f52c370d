package interop

import (
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

const day = tracefmt.Time(24 * time.Hour)

// daysOf describes a file whose times have no date. Its times count from the midnight before its first entry.
type daysOf struct {
	file        int // the number of the file, from 1
	name        string
	from        eventID       // the first event of the file, in the order of adding
	first, last tracefmt.Time // the earliest and the latest time of the file
	shift       tracefmt.Time // whole days that alignDays adds to its times
}

// timeOfDay converts a time without a date to nanoseconds since the midnight before the first entry of its file.
// A step back by more than half a day means that midnight has passed.
func (b *Builder) timeOfDay(t time.Time) tracefmt.Time {
	since := tracefmt.Time(t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, t.Location())))
	if n := len(b.dated); n == 0 || b.dated[n-1].file != len(b.r.read) {
		b.dated = append(b.dated, daysOf{file: len(b.r.read), name: b.r.Name(), from: eventID(b.events.Len()), first: since, last: since})
		b.days = 0
	} else if b.days+since < b.latest-day/2 {
		b.days += day
	}
	period := &b.dated[len(b.dated)-1]
	at := b.days + since
	period.first, period.last = min(period.first, at), max(period.last, at)
	return at
}

// alignDays chooses, for files whose times have no date, the day on which each file begins, and shifts its
// times. It chooses the days such that all files together span the least time.
func (b *Builder) alignDays() {
	if len(b.dated) < 2 {
		return
	}
	first, last := b.dated[0].first, b.dated[0].last
	for i := range b.dated[1:] {
		period := &b.dated[i+1]
		smallest := tracefmt.Time(-1)
		// The shift 0 is tried first, so that ties keep the day.
		for _, shift := range [...]tracefmt.Time{0, -day, day, 2 * day, 3 * day} {
			if took := max(last, period.last+shift) - min(first, period.first+shift); smallest < 0 || took < smallest {
				smallest, period.shift = took, shift
			}
		}
		first, last = min(first, period.first+period.shift), max(last, period.last+period.shift)
	}
	var shifted []string
	for i := range b.dated {
		period := &b.dated[i]
		if period.shift != 0 {
			moved := text.Counted(int64(period.shift/day), "day", "days") + " later"
			if period.shift < 0 {
				moved = "a day earlier"
			}
			shifted = append(shifted, period.name+" "+moved)
		}
	}
	if len(shifted) == 0 {
		return
	}
	b.Note(
		"the times have no date: so that the files together take the least time, %v, compared with %s begins %s",
		time.Duration(last-first), b.dated[0].name, text.And(text.Few(shifted, maxListed)),
	)
	for i, period := range b.dated {
		end := eventID(b.events.Len())
		if i+1 < len(b.dated) {
			end = b.dated[i+1].from
		}
		// Times of a run begin at 0 or later: a file shifted before midnight moves all others by a day.
		if first < 0 {
			period.shift += day
		}
		for id := period.from; period.shift != 0 && id < end; id++ {
			b.edit(id).time += period.shift
		}
	}
}
