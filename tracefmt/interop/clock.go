package interop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// clock is a vector clock: its non-zero entries, sorted by host. It is sparse, since the clocks of a log with
// many hosts name few of them.
type clock []entry

// entry is a non-zero entry of a vector clock: the host, and the number of its events that are known.
type entry struct {
	host  hostID
	value int64
}

// at returns the entry of a host, 0 if it has none.
func (c clock) at(host hostID) int64 {
	i, ok := slices.BinarySearchFunc(c, host, func(e entry, h hostID) int { return cmp.Compare(e.host, h) })
	if !ok {
		return 0
	}
	return c[i].value
}

// firstLess returns the first host other than self for which c has a lower value than the newer clock.
func (c clock) firstLess(newer clock, self hostID) (hostID, bool) {
	i := 0
	for _, want := range newer {
		for i < len(c) && c[i].host < want.host {
			i++
		}
		known := i < len(c) && c[i].host == want.host && c[i].value >= want.value
		if !known && want.host != self {
			return want.host, true
		}
	}
	return 0, false
}

// readClock sets the clock of an event, and its tick to the entry of its own host. It fails if the clock has no
// such entry.
func (b *Builder) readClock(ev *event, ticks []Tick) error {
	if len(ticks) == 0 {
		return nil
	}
	start := len(b.memory)
	for _, t := range ticks {
		if t.Count < 0 {
			return fmt.Errorf("the clock entry %s is %d, expected an integer from 0 on", text.Quote(t.Process), t.Count)
		}
		b.memory = append(b.memory, entry{b.intern(t.Process), t.Count})
	}
	c, twice := clock(b.memory[start:]).normalise()
	b.memory = b.memory[:start+len(c)]
	if twice >= 0 {
		b.Find(ruleUniqueKeys, int(ev.line), "the clock has two entries for %q, the last is taken", b.hosts[twice].name)
	}
	ev.clock, ev.tick = span{int32(start), int32(len(b.memory))}, c.at(ev.host)
	if ev.tick == 0 {
		return fmt.Errorf("the clock %s has no entry for its own host %q", Shorten(writeTicks(ticks)), b.hosts[ev.host].name)
	}
	return nil
}

// writeTicks returns the clock as JSON, for messages.
func writeTicks(ticks []Tick) string {
	fields := make([]Field, len(ticks))
	for i, t := range ticks {
		fields[i] = Int(t.Process, t.Count)
	}
	return "{" + string(appendFields(nil, fields)) + "}"
}

// normalise sorts the clock in place by host, drops zeros, and keeps the last entry of each host. twice is a
// host with several entries, -1 if no host has.
func (c clock) normalise() (sorted clock, twice hostID) {
	slices.SortStableFunc(c, func(a, b entry) int { return cmp.Compare(a.host, b.host) })
	twice = -1
	kept := c[:0]
	for i, e := range c {
		switch {
		case i+1 < len(c) && c[i+1].host == e.host:
			twice = e.host
		case e.value != 0:
			kept = append(kept, e)
		}
	}
	return kept, twice
}

// appendClock writes the clock as a JSON object.
func (b *Builder) appendClock(dst []byte, c clock) []byte {
	dst = append(dst, '{')
	for i, e := range c {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = tracefmt.AppendString(dst, b.hosts[e.host].name)
		dst = append(dst, ':')
		dst = strconv.AppendInt(dst, e.value, 10)
	}
	return append(dst, '}')
}
