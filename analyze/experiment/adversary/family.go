package adversary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"etrace/analyze/complexity"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// family is the set of scenarios among which an adversary chooses. They differ in the schedule and, if the
// adversary decides it, in the order of the ring.
type family struct {
	base    *scenario.Scenario
	members []tracefmt.Member // by number
	ids     []int64           // by number, from 0
	ring    []tracefmt.ProcessID
	down    []bool
	starts  []tracefmt.ProcessID // the starting processes, in order
	types   []string             // the message types of the protocol
	meter   func() complexity.Meter
	// wide is true if a process may know more of the ring than its neighbours.
	wide bool
	// fifo is true if messages of a channel keep their order.
	fifo bool
	// rounds is true if the algorithm works in rounds.
	rounds bool
	// later is true if the plan has actions after time 0.
	later bool
	// unprovable is the reason why no proof and no model are possible; nil if they may be.
	unprovable error
}

// maxEvents returns the number of events after which an endless run is cut, unless the scenario has its own
// limit. Most elections send at most n² messages, and a message has few events.
func (f *family) maxEvents() int64 {
	const minimum, perPair = 20_000, 4
	n := int64(len(f.ring))
	return max(minimum, perPair*n*n)
}

// newFamily returns the family of a scenario. It fails if the scenario is invalid, or has settings without
// meaning where an adversary decides when messages arrive.
func newFamily(ctx context.Context, s *scenario.Scenario) (*family, error) {
	switch {
	case len(s.Slow) > 0:
		return nil, errors.New("slow rules have no meaning where messages may take any time, leave them out")
	case s.Choices != nil:
		return nil, errors.New("choices would leave one schedule only, leave them out")
	}
	base := *s
	base.IDs, base.Shuffle, base.Delay = slices.Clone(s.Ring()), false, scenario.Delay{}
	config, _, err := base.Simulation()
	if err != nil {
		return nil, err
	}
	f := &family{
		base: &base, members: config.Members, ids: base.Ranked(), fifo: !config.Reorder,
		rounds: config.Protocol.Round != nil, later: hasLaterAction(config.Actions),
		types: config.Protocol.MessageNames(),
	}
	f.meter = func() complexity.Meter { return config.Meter() }
	f.down = make([]bool, len(f.ids)+1)
	for _, p := range config.Down {
		f.down[p] = true
	}
	for _, a := range config.Actions {
		if a.Kind == sim.StartProcess && !slices.Contains(f.starts, a.Process) {
			f.starts = append(f.starts, a.Process)
		}
	}
	f.ring = make([]tracefmt.ProcessID, len(f.ids))
	for i, m := range config.Members {
		f.ring[m.Position-1] = tracefmt.ProcessID(i + 1)
	}
	f.wide = len(config.Down) > 0 || config.Edges != nil
	f.unprovable = unmetRequirement(&config)
	if s.MaxEvents > 0 {
		f.unprovable = errors.New("it is cut at a number of events")
	}
	// A scenario with an invalid schedule fails here.
	_, err = f.record(ctx, f.ring, scenario.Choices{0})
	return f, err
}

// record simulates a run. It cuts a run that does not end at maxEvents.
func (f *family) record(ctx context.Context, ring []tracefmt.ProcessID, c scenario.Choices) (*tracefmt.Memory, error) {
	s := f.scenario(ring, c)
	s.MaxEvents = cmp.Or(s.MaxEvents, f.maxEvents())
	rec, err := rerun.Record(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("the adversary: %w", err)
	}
	// Otherwise the limit is part of the scenario of this run.
	if rec.Run().End != tracefmt.Deadline && f.base.MaxEvents == 0 {
		_, run, err := f.scenario(ring, c).Simulation()
		if err != nil {
			return nil, err
		}
		rec.Run().Scenario = run.Scenario
	}
	return rec, nil
}

// unmetRequirement returns the requirement of certificate.go that a scenario does not meet; nil if it meets
// all.
func unmetRequirement(c *sim.Config) error {
	switch {
	case c.Protocol.Round != nil:
		return errors.New("it works in rounds")
	case len(c.Rules) > 0 || c.Loss > 0 || c.Duplicate > 0:
		return errors.New("its channels are not reliable")
	}
	for _, a := range c.Actions {
		switch {
		case a.Kind != sim.StartProcess:
			return errors.New("it has other actions than starts")
		case a.At > 0 || a.After > 0:
			return errors.New("a process starts after time 0")
		}
	}
	return nil
}

// fixedOrderReason returns why the adversary cannot choose the order of the ring; nil if it can.
func (f *family) fixedOrderReason() error {
	if t := f.base.Topology; !t.Complete() && !t.Ring() || f.base.Edges != nil {
		return errors.New("the order of the ring is no choice of the adversary where a topology other than the ring is given")
	}
	return nil
}

// scenario returns the scenario with the given order of the ring and the given choices. With nil choices every
// message takes equally long.
func (f *family) scenario(ring []tracefmt.ProcessID, choices scenario.Choices) *scenario.Scenario {
	s := *f.base
	s.Choices = choices
	s.IDs = make([]int64, len(ring))
	for i, p := range ring {
		s.IDs[i] = f.ids[p-1]
	}
	return &s
}
