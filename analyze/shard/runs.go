package shard

import (
	"cmp"
	"slices"
)

// perRun is what a run costs besides its events, in events.
const perRun = 64

// SplitRuns gives each run of the plan to one of its shards: the longest first, each to the
// shard that has the least so far, so that all have about the same number of events.
func (p *Plan) SplitRuns() {
	p.Mode = Runs
	var all []*Run
	for i := range p.Traces {
		for j := range p.Traces[i].Runs {
			all = append(all, &p.Traces[i].Runs[j])
		}
	}
	slices.SortStableFunc(all, func(a, b *Run) int { return cmp.Compare(b.Events, a.Events) })
	least := make(heap, p.Shards)
	for i := range least {
		least[i].shard = i
	}
	for _, r := range all {
		r.Shard = least.add(perRun + r.Events)
	}
}

// load is what a shard has to examine so far.
type load struct {
	shard  int
	events int64
}

// heap has the shard with the least to examine first, of several the first.
type heap []load

// add gives so much more to the first, and returns which shard that is.
func (h heap) add(events int64) int {
	h[0].events += events
	shard := h[0].shard
	for i := 0; ; {
		least := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < len(h) && h[child].before(h[least]) {
				least = child
			}
		}
		if least == i {
			return shard
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

func (l load) before(other load) bool {
	return cmp.Or(cmp.Compare(l.events, other.events), cmp.Compare(l.shard, other.shard)) < 0
}
