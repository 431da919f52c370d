package interop

import (
	"time"

	"etrace/tracefmt"
)

// mergeBlocks detects a file that has the logs of several processes one after another: its times contradict the
// order of its lines. Then it orders the entries by time, and a send may be in a later line than its receive.
// See [Builder.MayBeBlocks].
func (b *Builder) mergeBlocks() {
	if !b.MayBeBlocks || !b.timed || b.r.Joined() {
		return
	}
	worst, ok := b.lines.Worst()
	if !ok {
		// The times do not contradict the order of the lines, so a collector wrote them in about this order.
		b.back = b.lines.Back()
		b.Collected = b.Collected || b.back > 0
		return
	}
	b.blocks, b.ByTime, b.FirstSeen = true, true, false
	b.Note("the file has logs one after another: %s is of %s, %v earlier than what %s has in lines before it; so "+
		"the order between processes is that of the times, as with a file for each",
		b.r.lineText(int(worst.At)), b.hosts[worst.Process].name, time.Duration(worst.By), b.hosts[worst.Before].name)
}

// sendsMayFollow reports whether a send may be in a later line than its receive.
func (b *Builder) sendsMayFollow() bool { return b.blocks || b.r.Joined() }

// fillTimes completes the times of entries without one. [Builder.setTime] has given them the time of the entry
// before, of their process or else of the file. If no entry of their process before has a time, fillTimes gives them
// that of the next entry of the process, or else that of the next entry in the file.
func (b *Builder) fillTimes() {
	if !b.timed || !b.untimed {
		return
	}
	next := make(map[hostID]tracefmt.Time) // by process, the time of its next entry
	after := noEvent                       // the next entry in the file that has a time
	for id := eventID(b.events.Len()) - 1; id >= 0; id-- {
		e := b.at(id)
		if !e.timeless {
			next[e.host], after = e.time, id
			continue
		}
		if e.follows {
			continue
		}
		if t, ok := next[e.host]; ok && e.host != noHost {
			b.edit(id).time = t
		} else if after != noEvent && b.r.at(int(b.at(after).line)).lines == b.r.at(int(e.line)).lines {
			b.edit(id).time = b.at(after).time
		}
	}
}
