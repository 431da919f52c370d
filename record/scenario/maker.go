package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Maker makes the simulations of scenarios, one after the other. It reuses what depends only on the algorithm,
// its parameters and the ids, as long as these stay the same; the scenarios may differ in seed, ring order and
// plan. The zero value is ready. It is not safe for concurrent use.
type Maker struct {
	play    play
	actions []sim.Action // memory of those of the simulation before
}

// play is an algorithm with its parameters, and who takes part.
type play struct {
	*cast
	algorithm *algorithm.Algorithm
	params    map[string]string // as the scenario has them
	values    algorithm.Values
	numbered  algorithm.Values // with process numbers for ids
	protocol  *sim.Protocol
	types     []string // of messages

	// bounds are those for graphs with this number of edges; nil before the first run.
	bounds []tracefmt.Bound
	edges  int64
}

// cast are the processes of a scenario.
type cast struct {
	ids    []int64  // in the order of their numbers
	names  []string // in the same
	number map[int64]tracefmt.ProcessID
	twice  *int64 // an id that is listed twice
}

func newCast(s *Scenario) *cast {
	c := &cast{ids: s.Ranked(), number: make(map[int64]tracefmt.ProcessID, len(s.IDs))}
	for i, id := range c.ids {
		if i > 0 && c.ids[i-1] == id && c.twice == nil {
			c.twice = &c.ids[i]
		}
		c.number[id] = tracefmt.ProcessID(i + 1)
		c.names = append(c.names, strconv.FormatInt(id, 10))
	}
	return c
}

// isOf reports whether the cast is that of the scenario, in whatever order its ids are.
func (c *cast) isOf(s *Scenario) bool {
	if c == nil || len(s.IDs) != len(c.ids) || c.twice != nil {
		return false
	}
	if s.Best.Attribute == "" && slices.Equal(s.IDs, c.ids) {
		return true
	}
	return slices.Equal(s.Ranked(), c.ids)
}

func ascending(ids []int64) []int64 {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids
}

// Simulation returns the simulation that a scenario describes, which is good until
// the next one is made, and the description of its run. The scenario must be complete.
func (m *Maker) Simulation(s *Scenario) (sim.Config, *tracefmt.Run, error) {
	a, err := algorithm.Find(builtin.Or(s.Algorithms), s.Algorithm)
	if err != nil {
		return sim.Config{}, nil, s.places.wrap("algorithm", 0, err)
	}
	b, err := m.builder(s, a)
	if err != nil {
		return sim.Config{}, nil, err
	}
	c := sim.Config{
		Protocol: m.play.protocol, Members: b.run.Members, Anonymous: s.Anonymous, NoRingRepair: s.NoRingRepair,
		RoundLength: s.RoundLength, Until: s.Until, MaxEvents: s.MaxEvents,
		Actions: m.actions[:0],
		Config:  s.network(),
		Origin:  s.origin,
	}
	if s.Choices != nil {
		c.Chooser = network.ScriptedChoices(s.Choices)
	}
	b.roles(a, m.play.numbered)
	b.edges(&c)
	b.faults(&c)
	b.byzantine(&c)
	b.suits(a, m.play.numbered, &c)
	b.best(&c, a)
	b.rules(&c, m.play.types)
	b.promise(&c, a, &m.play)
	b.edits(&c, a)
	if b.err != nil {
		return sim.Config{}, nil, b.err
	}
	m.actions = c.Actions
	b.describe(a, m.play.values)
	return c, &b.run, nil
}

// builder returns the builder of a scenario, once the play is that of the scenario.
func (m *Maker) builder(s *Scenario, a *algorithm.Algorithm) (*builder, error) {
	p := &m.play
	same := p.algorithm == a && p.cast.isOf(s) && maps.Equal(p.params, s.Params)
	if same {
		b := &builder{cast: p.cast, s: s}
		b.members()
		return b, nil
	}
	*p = play{}
	values, err := s.resolve(a)
	if err != nil {
		return nil, err
	}
	b := &builder{cast: newCast(s), s: s}
	b.members()
	numbered := b.numbered(a, values)
	if b.err != nil {
		return nil, b.err
	}
	protocol, err := a.Protocol(numbered)
	if err != nil {
		return nil, fmt.Errorf("%w; the scenario: %s", err, s.origin())
	}
	*p = play{
		cast: b.cast, algorithm: a, params: maps.Clone(s.Params), values: values, numbered: numbered,
		protocol: protocol, types: protocol.MessageNames(),
	}
	return b, nil
}

// describe fills in the description of the run.
func (b *builder) describe(a *algorithm.Algorithm, values algorithm.Values) {
	resolved := *b.s
	resolved.Params = values
	b.run.Name, b.run.Algorithm, b.run.Problem = b.s.Name, a.Name, a.Problem
	b.run.Source, b.run.TimeUnit, b.run.End = tracefmt.Simulated, tracefmt.Delays, tracefmt.Open
	b.run.Scenario = resolved.JSON()
	b.run.Seed = &resolved.Seed
}
