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

// part is a list in a scenario of which things can be left out.
type part struct {
	len    func(s *scenario.Scenario) int
	remove func(s *scenario.Scenario, from, to int)
}

// parts are all lists of a scenario, in the order in which they are shrunk:
// what was done to the run first, what the run is made of last.
var parts = []part{
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

func topologies(s *scenario.Scenario) int {
	if s.Topology.Complete() {
		return 0
	}
	return 1
}

func list[T any](at func(s *scenario.Scenario) *[]T) part {
	return part{
		func(s *scenario.Scenario) int { return len(*at(s)) },
		func(s *scenario.Scenario, from, to int) { *at(s) = slices.Delete(*at(s), from, to) },
	}
}

// value is something that is there or not.
func value[T comparable](at func(s *scenario.Scenario) *T) part {
	var none T
	return part{
		func(s *scenario.Scenario) int {
			if *at(s) == none {
				return 0
			}
			return 1
		},
		func(s *scenario.Scenario, _, _ int) { *at(s) = none },
	}
}

// removeProcesses removes processes and all that refers to them.
func removeProcesses(s *scenario.Scenario, from, to int) {
	gone := slices.Clone(s.IDs[from:to])
	is := func(id int64) bool { return slices.Contains(gone, id) }
	s.IDs = slices.DeleteFunc(s.IDs, is)
	s.Down = slices.DeleteFunc(s.Down, is)
	for _, at := range []*[]scenario.At{&s.Start, &s.Crash, &s.Recover, &s.Silence} {
		*at = slices.DeleteFunc(*at, func(a scenario.At) bool { return !a.All && is(a.Process) })
	}
	s.Operations = slices.DeleteFunc(s.Operations, func(o scenario.Operation) bool { return is(o.Process) })
	for _, rules := range []*[]scenario.Rule{&s.Drop, &s.Slow} {
		*rules = slices.DeleteFunc(*rules, func(r scenario.Rule) bool { return r.From != nil && is(*r.From) || r.To != nil && is(*r.To) })
	}
	for _, claims := range []*[]scenario.Claim{&s.Lies, &s.Forgeries} {
		for i := range *claims {
			c := &(*claims)[i]
			c.Sends = slices.DeleteFunc(slices.Clone(c.Sends), func(m scenario.ClaimedMessage) bool { return is(m.To) })
		}
		*claims = slices.DeleteFunc(*claims, func(c scenario.Claim) bool {
			return is(c.Process) || slices.ContainsFunc(c.Receivers, is) || claims == &s.Lies && len(c.Fields)+len(c.Sends) == 0
		})
	}
	for i := range s.Attributes {
		s.Attributes[i].Leave(is)
	}
	s.Edges = slices.DeleteFunc(s.Edges, func(e scenario.Edge) bool { return is(e.A) || is(e.B) })
	for i := range s.Partitions {
		groups := &s.Partitions[i].Groups
		for j := range *groups {
			(*groups)[j] = slices.DeleteFunc((*groups)[j], is)
		}
		*groups = slices.DeleteFunc(*groups, func(g []int64) bool { return len(g) == 0 })
	}
	s.Partitions = slices.DeleteFunc(s.Partitions, func(p scenario.Partition) bool { return len(p.Groups) < 2 })
}

// clone copies a scenario, so that the parts of the copy may be changed.
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

// shrinker makes a scenario smaller as long as it violates the property, by
// delta debugging (Zeller and Hildebrandt, IEEE TSE 28(2), 2002): it leaves out
// ever smaller pieces of each list, and then looks for rounder and smaller
// times, until nothing changes any more. What remains is 1-minimal: without any
// single thing of it the property is not violated.
type shrinker struct {
	hunt *hunt
	ctx  context.Context
	best *attempt
	runs int
}

func (h *shrinker) shrink() error {
	h.spellOut()
	for changed := true; changed; {
		changed = false
		for _, p := range parts {
			changed = h.removeFrom(p) || changed
		}
		changed = h.simplifyTimes() || changed
		if h.ctx.Err() != nil {
			return errors.New("interrupted while shrinking what was found")
		}
	}
	return nil
}

// spellOut names the processes that "all" stands for, so that single ones can
// be left out.
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

// accept takes a scenario in place of the best one if it, too, violates the
// property: by a loop if that one does. One that makes no sense does not.
func (h *shrinker) accept(s *scenario.Scenario) bool {
	h.runs++
	a, err := h.hunt.try(h.ctx, s)
	if err != nil || !a.violated() || a.looping != h.best.looping {
		return false
	}
	h.best = a
	return true
}

// removeFrom leaves out halves, quarters, and so on, and single things last.
func (h *shrinker) removeFrom(p part) (changed bool) {
	for size := p.len(h.best.scenario); size >= 1; size /= 2 {
		for from := 0; from+size <= p.len(h.best.scenario); {
			s := clone(h.best.scenario)
			p.remove(s, from, from+size)
			if h.accept(s) {
				changed = true
			} else {
				from += size
			}
		}
	}
	return changed
}

// maxRound is up to which whole number times are tried.
const maxRound = 32

// simplifyTimes gives each time the smallest round value that will do: a whole
// number, or else one on the grid of halves.
func (h *shrinker) simplifyTimes() (changed bool) {
	for i := range times(h.best.scenario) {
		for c := tracefmt.Time(0); c <= 2*maxRound+1; c++ {
			at := c * tracefmt.Unit // the whole numbers first, then the halves
			if c > maxRound {
				at = (c-maxRound-1)*tracefmt.Unit + half
			}
			s := clone(h.best.scenario)
			t := times(s)[i]
			if !simpler(at, *t.time) || at < t.least || at > t.most {
				continue
			}
			*t.time = at
			if h.accept(s) {
				changed = true
				break
			}
		}
	}
	return changed
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

// planTime is a time of a scenario, and between what values it makes sense.
type planTime struct {
	time        *tracefmt.Time
	least, most tracefmt.Time
}

func times(s *scenario.Scenario) []planTime {
	var all []planTime
	for _, list := range [][]scenario.At{s.Start, s.Crash, s.Recover, s.Silence} {
		for i := range list {
			all = append(all, planTime{&list[i].Time, 0, network.MaxTime})
		}
	}
	for _, list := range [][]scenario.Claim{s.Lies, s.Forgeries} {
		for i := range list {
			all = append(all, planTime{&list[i].Time, 0, network.MaxTime})
		}
	}
	for i := range s.Operations {
		all = append(all, planTime{&s.Operations[i].Time, 0, network.MaxTime})
	}
	for i := range s.Slow {
		all = append(all, planTime{&s.Slow[i].Delay, tracefmt.Unit, network.MaxTime})
	}
	for i := range s.Partitions {
		p := &s.Partitions[i]
		if p.To == 0 { // it lasts
			all = append(all, planTime{&p.From, 0, network.MaxTime})
			continue
		}
		all = append(all, planTime{&p.From, 0, p.To - 1}, planTime{&p.To, p.From + 1, network.MaxTime})
	}
	return all
}
