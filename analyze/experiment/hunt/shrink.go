package hunt

import (
	"context"
	"errors"
	"slices"

	"etrace/record/scenario"
	"etrace/record/sim/network"
	"etrace/record/sim/topology"
	"etrace/tracefmt"
)

// removableList is a list in a scenario from which entries can be removed.
type removableList struct {
	len    func(s *scenario.Scenario) int
	remove func(s *scenario.Scenario, from, to int)
}

// removableLists are all lists of a scenario, in the order of shrinking: faults first, the processes last.
var removableLists = []removableList{
	list(func(s *scenario.Scenario) *[]scenario.Edit { return &s.Edits }),
	list(func(s *scenario.Scenario) *[]scenario.Partition { return &s.Partitions }),
	list(func(s *scenario.Scenario) *[]scenario.Rule { return &s.Drop }),
	list(func(s *scenario.Scenario) *[]scenario.Claim { return &s.Forgeries }),
	list(func(s *scenario.Scenario) *[]scenario.Claim { return &s.Lies }),
	list(func(s *scenario.Scenario) *[]scenario.At { return &s.Silence }),
	list(func(s *scenario.Scenario) *[]scenario.At { return &s.Recover }),
	list(func(s *scenario.Scenario) *[]scenario.At { return &s.Crash }),
	list(func(s *scenario.Scenario) *[]scenario.Rule { return &s.Slow }),
	list(func(s *scenario.Scenario) *[]scenario.At { return &s.Start }),
	list(func(s *scenario.Scenario) *[]scenario.Operation { return &s.Operations }),
	list(func(s *scenario.Scenario) *[]int64 { return &s.Down }),
	value(func(s *scenario.Scenario) *scenario.Best { return &s.Best }),
	value(func(s *scenario.Scenario) *bool { return &s.TiesByID }),
	value(func(s *scenario.Scenario) *bool { return &s.Anonymous }),
	list(func(s *scenario.Scenario) *[]scenario.Attribute { return &s.Attributes }),
	value(func(s *scenario.Scenario) *scenario.Probability { return &s.Loss }),
	value(func(s *scenario.Scenario) *scenario.Probability { return &s.Duplicate }),
	value(func(s *scenario.Scenario) *bool { return &s.Reorder }),
	value(func(s *scenario.Scenario) *bool { return &s.NoRingRepair }),
	value(func(s *scenario.Scenario) *tracefmt.Time { return &s.RoundLength }),
	value(func(s *scenario.Scenario) **int64 { return &s.Coordinator }),
	value(func(s *scenario.Scenario) *int64 { return &s.Seed }),
	value(func(s *scenario.Scenario) *network.Delay { return &s.Delay.Delay }),
	list(func(s *scenario.Scenario) *[]scenario.Edge { return &s.Edges }),
	{topologies, func(s *scenario.Scenario, _, _ int) { s.Topology = topology.Topology{} }},
	{func(s *scenario.Scenario) int { return len(s.IDs) }, removeProcesses},
}

// topologies returns 1 if the scenario has a topology other than the complete graph, else 0.
func topologies(s *scenario.Scenario) int {
	if s.Topology.Complete() {
		return 0
	}
	return 1
}

// list is the part of a scenario that is a list.
func list[T any](at func(s *scenario.Scenario) *[]T) removableList {
	return removableList{
		func(s *scenario.Scenario) int { return len(*at(s)) },
		func(s *scenario.Scenario, from, end int) { *at(s) = slices.Delete(*at(s), from, end) },
	}
}

// value is the part of a scenario that is a single value, which is removed by setting it to zero.
func value[T comparable](at func(s *scenario.Scenario) *T) removableList {
	var zero T
	return removableList{
		func(s *scenario.Scenario) int {
			if *at(s) == zero {
				return 0
			}
			return 1
		},
		func(s *scenario.Scenario, _, _ int) { *at(s) = zero },
	}
}

// removeProcesses removes processes and all references to them.
func removeProcesses(s *scenario.Scenario, from, end int) {
	gone := slices.Clone(s.IDs[from:end])
	removed := func(id int64) bool { return slices.Contains(gone, id) }
	s.IDs = slices.DeleteFunc(s.IDs, removed)
	s.Down = slices.DeleteFunc(s.Down, removed)
	for _, at := range []*[]scenario.At{&s.Start, &s.Crash, &s.Recover, &s.Silence} {
		*at = slices.DeleteFunc(*at, func(a scenario.At) bool { return !a.All && removed(a.Process) })
	}
	s.Operations = slices.DeleteFunc(s.Operations, func(o scenario.Operation) bool { return removed(o.Process) })
	for _, rules := range []*[]scenario.Rule{&s.Drop, &s.Slow} {
		*rules = slices.DeleteFunc(*rules, func(r scenario.Rule) bool {
			return r.From != nil && removed(*r.From) ||
				r.To != nil && removed(*r.To)
		})
	}
	for _, claims := range []*[]scenario.Claim{&s.Lies, &s.Forgeries} {
		for i := range *claims {
			c := &(*claims)[i]
			c.Sends = slices.DeleteFunc(slices.Clone(c.Sends),
				func(m scenario.ClaimedMessage) bool { return removed(m.To) })
		}
		// A forgery without receivers still claims to be sent; a lie without fields and sends does nothing.
		*claims = slices.DeleteFunc(*claims, func(c scenario.Claim) bool {
			return removed(c.Process) || slices.ContainsFunc(c.Receivers, removed) ||
				claims == &s.Lies && len(c.Fields)+len(c.Sends) == 0
		})
	}
	for i := range s.Attributes {
		s.Attributes[i].Leave(removed)
	}
	s.Edges = slices.DeleteFunc(s.Edges, func(e scenario.Edge) bool { return removed(e.A) || removed(e.B) })
	for i := range s.Partitions {
		groups := &s.Partitions[i].Groups
		for j := range *groups {
			(*groups)[j] = slices.DeleteFunc((*groups)[j], removed)
		}
		*groups = slices.DeleteFunc(*groups, func(g []int64) bool { return len(g) == 0 })
	}
	s.Partitions = slices.DeleteFunc(s.Partitions, func(p scenario.Partition) bool { return len(p.Groups) < 2 })
}

// clone copies a scenario with its lists, so that the copy can be changed.
func clone(s *scenario.Scenario) *scenario.Scenario {
	c := *s
	c.IDs, c.Down, c.Edges = slices.Clone(s.IDs), slices.Clone(s.Down), slices.Clone(s.Edges)
	c.Attributes = slices.Clone(s.Attributes)
	c.Start, c.Crash, c.Recover = slices.Clone(s.Start), slices.Clone(s.Crash), slices.Clone(s.Recover)
	c.Operations, c.Drop, c.Slow = slices.Clone(s.Operations), slices.Clone(s.Drop), slices.Clone(s.Slow)
	c.Silence, c.Lies, c.Forgeries = slices.Clone(s.Silence), slices.Clone(s.Lies), slices.Clone(s.Forgeries)
	c.Edits, c.Partitions = slices.Clone(s.Edits), slices.Clone(s.Partitions)
	for i, p := range c.Partitions {
		c.Partitions[i].Groups = slices.Clone(p.Groups)
		for j, g := range p.Groups {
			c.Partitions[i].Groups[j] = slices.Clone(g)
		}
	}
	return &c
}

// shrinker makes a scenario smaller as long as it violates the property, by delta debugging (Zeller and
// Hildebrandt, IEEE TSE 28(2), 2002). It removes ever smaller pieces of each list, and then tries smaller and
// rounder times, until nothing changes. The result is 1-minimal: without any single entry the property is not
// violated.
type shrinker struct {
	hunt *hunt
	ctx  context.Context
	best *attempt
	runs int
}

// shrink removes parts and simplifies times until nothing changes.
func (h *shrinker) shrink() error {
	h.spellOut()
	for before := (*attempt)(nil); before != h.best; {
		before = h.best
		for _, p := range removableLists {
			h.removeFrom(p)
		}
		h.simplifyTimes()
		if h.ctx.Err() != nil {
			return errors.New("interrupted while shrinking what was found")
		}
	}
	return nil
}

// spellOut replaces a start of "all" by the single processes, so that each can be removed.
func (h *shrinker) spellOut() {
	s := clone(h.best.scenario)
	s.Start = nil
	for _, a := range h.best.scenario.Start {
		if !a.All {
			s.Start = append(s.Start, a)
			continue
		}
		for _, id := range s.Ranked() {
			if !slices.Contains(s.Down, id) {
				s.Start = append(s.Start, scenario.At{Process: id, Time: a.Time})
			}
		}
	}
	h.accept(s)
}

// accept replaces the best scenario if the given one also violates the property, and also by a loop if the best
// one loops. It ignores an invalid scenario.
func (h *shrinker) accept(s *scenario.Scenario) bool {
	h.runs++
	a, err := h.hunt.runAndCheck(h.ctx, s)
	if err != nil || !a.violated() || a.looping != h.best.looping {
		return false
	}
	h.best = a
	return true
}

// removeFrom removes halves, quarters, and so on down to single entries.
func (h *shrinker) removeFrom(p removableList) {
	for size := p.len(h.best.scenario); size >= 1; size /= 2 {
		for from := 0; from+size <= p.len(h.best.scenario); {
			s := clone(h.best.scenario)
			p.remove(s, from, from+size)
			if !h.accept(s) {
				from += size
			}
		}
	}
}

// maxRound is the greatest whole number that is tried as a time.
const maxRound = 32

// simplifyTimes replaces each time by the smallest round value that keeps the violation: a whole number, or
// else a multiple of one half.
func (h *shrinker) simplifyTimes() {
	for i := range times(h.best.scenario) {
		for c := tracefmt.Time(0); c <= 2*maxRound+1; c++ {
			// The whole numbers come first, then the halves.
			rounded := c * tracefmt.Unit
			if c > maxRound {
				rounded = (c-maxRound-1)*tracefmt.Unit + half
			}
			s := clone(h.best.scenario)
			t := times(s)[i]
			if !simpler(rounded, *t.time) || rounded < t.low || rounded > t.high {
				continue
			}
			*t.time = rounded
			if h.accept(s) {
				break
			}
		}
	}
}

// simpler orders times: whole numbers, halves, others; smaller ones first.
func simpler(a, b tracefmt.Time) bool {
	rough := func(t tracefmt.Time) int {
		switch {
		case t%tracefmt.Unit == 0:
			return 0
		case t%half == 0:
			return 1
		}
		return 2
	}
	if rough(a) != rough(b) {
		return rough(a) < rough(b)
	}
	return a < b
}

// planTime is a time of a scenario, with the limits of its value.
type planTime struct {
	time      *tracefmt.Time
	low, high tracefmt.Time
}

// times returns pointers to all times of a scenario that may be changed, with their limits.
func times(s *scenario.Scenario) []planTime {
	var found []planTime
	for _, list := range [][]scenario.At{s.Start, s.Crash, s.Recover, s.Silence} {
		for i := range list {
			found = append(found, planTime{&list[i].Time, 0, network.MaxTime})
		}
	}
	for _, list := range [][]scenario.Claim{s.Lies, s.Forgeries} {
		for i := range list {
			found = append(found, planTime{&list[i].Time, 0, network.MaxTime})
		}
	}
	for i := range s.Operations {
		found = append(found, planTime{&s.Operations[i].Time, 0, network.MaxTime})
	}
	for i := range s.Slow {
		found = append(found, planTime{&s.Slow[i].Delay, tracefmt.Unit, network.MaxTime})
	}
	for i := range s.Partitions {
		p := &s.Partitions[i]
		// A partition without end has no end time to simplify.
		if p.To == 0 {
			found = append(found, planTime{&p.From, 0, network.MaxTime})
			continue
		}
		found = append(found, planTime{&p.From, 0, p.To - 1}, planTime{&p.To, p.From + 1, network.MaxTime})
	}
	return found
}
