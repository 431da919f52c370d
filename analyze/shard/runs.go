package shard

import (
	"cmp"
	"slices"
)

// perRun is the fixed cost of a run, expressed as a number of events.
const perRun = 64

// SplitRuns assigns each run of the plan to a shard. The longest runs come first, and each goes to the shard with the
// fewest events so far. So all shards get about the same number of events.
func (p *Plan) SplitRuns() {
	p.Mode = Runs
	var runs []*Run
	for i := range p.Traces {
		for j := range p.Traces[i].Runs {
			runs = append(runs, &p.Traces[i].Runs[j])
		}
	}
	slices.SortStableFunc(runs, func(a, b *Run) int { return cmp.Compare(b.Events, a.Events) })
	loads := make(heap, p.Shards)
	for i := range loads {
		loads[i].shard = i
	}
	for _, r := range runs {
		r.Shard = loads.add(perRun + r.Events)
	}
}

// load is the number of events of a shard so far.
type load struct {
	shard  int
	events int64
}

// heap is a binary heap, ordered by load and then by shard number.
type heap []load

// add adds events to the shard with the smallest load, and returns its number.
func (h heap) add(events int64) int {
	h[0].events += events
	shard := h[0].shard
	for i := 0; ; {
		smallest := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < len(h) && h[child].lessThan(h[smallest]) {
				smallest = child
			}
		}
		if smallest == i {
			return shard
		}
		h[i], h[smallest] = h[smallest], h[i]
		i = smallest
	}
}

func (l load) lessThan(second load) bool {
	return cmp.Or(cmp.Compare(l.events, second.events), cmp.Compare(l.shard, second.shard)) < 0
}
