package interop

import (
	"slices"
	"time"

	"etrace/tracefmt"
)

// Events of different processes are ordered by messages and, where no chain of messages orders them, by the place of
// their lines or by clocks. In a file that one program wrote the lines decide. Several files, blocks that were pasted one
// after another and the lines that a collector has merged go by clocks.

// leastSkew is the smallest difference that is assumed between two clocks, however fine the log writes its times.
const leastSkew = tracefmt.Time(time.Millisecond)

// clocks returns the clocks that order events of different processes, nil if the order of lines decides.
func (b *Builder) clocks() *tracefmt.Clocks {
	if !b.timed || !b.ByTime && !b.Collected {
		return nil
	}
	groups := b.clockGroups()
	if len(groups) < 2 {
		return nil
	}
	c := &tracefmt.Clocks{Skew: max(leastSkew, b.resolution, b.back, b.contradiction)}
	for _, group := range groups {
		if len(group) > 1 {
			c.Shared = append(c.Shared, group)
		}
	}
	return c
}

// clockGroups returns the processes with events, grouped by clock: processes that wrote a file together share a
// clock. Two groups whose files a further process shares become one group.
func (b *Builder) clockGroups() (groups [][]string) {
	var files [][]int // by group, the files that its processes wrote
	for i := range b.run.Members {
		id, ok := b.hostIndex[b.run.Members[i].Name]
		if !ok || !b.hosts[id].acts {
			continue
		}
		group, logs := []string{b.hosts[id].name}, slices.Clone(b.hosts[id].files)
		for i := 0; i < len(groups) && b.r.Joined(); {
			sharesFile := slices.ContainsFunc(files[i], func(file int) bool { return slices.Contains(logs, file) })
			if !sharesFile {
				i++
				continue
			}
			group, logs = append(groups[i], group...), append(logs, files[i]...)
			groups, files = slices.Delete(groups, i, i+1), slices.Delete(files, i, i+1)
		}
		groups, files = append(groups, group), append(files, logs)
	}
	return groups
}
