package story

import (
	"cmp"

	"etrace/tracefmt"
)

// split is the present partition: the group of each process, by process, 0 for none.
type split struct {
	since  tracefmt.Seq // the event with which it began, 0 for no partition
	groups []int
	text   string // the groups, for people; "" for no partition
}

// follow takes an event.
func (p *split) follow(e *tracefmt.Event, run *tracefmt.Run) {
	switch e.Kind {
	case tracefmt.Heal:
		p.since, p.text = 0, ""
	case tracefmt.Partition:
		p.since, p.groups, p.text = e.Seq, make([]int, len(run.Members)+1), cmp.Or(partitionText(e.Payload), "partition")
		// The payload has one list of groups, under whatever name.
		group := 0
		for _, list := range tracefmt.Fields(e.Payload) {
			if len(list) == 0 || list[0] != '[' {
				continue
			}
			for members := range tracefmt.Items(list) {
				group++
				if len(members) == 0 || members[0] != '[' {
					continue
				}
				for member := range tracefmt.Items(members) {
					if q, ok := run.ProcessValue(member); ok && q > 0 {
						p.groups[q] = group
					}
				}
			}
		}
	}
}

// crossed returns the event that began the partition which separates the sender of a message from its receiver, if
// the message was in transit then; else 0.
func (p *split) crossed(sent tracefmt.Seq, sender, receiver tracefmt.ProcessID) tracefmt.Seq {
	if p.since == 0 || sent > p.since || sender == 0 {
		return 0
	}
	if a, b := p.groups[sender], p.groups[receiver]; a == 0 || b == 0 || a == b {
		return 0
	}
	return p.since
}
