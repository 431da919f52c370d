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

// Maker makes the simulations of scenarios one after the other. As long as the algorithm, its parameters and the
// ids stay the same, it reuses what depends only on these; the scenarios may differ in seed, ring order and
// plan. The zero value is ready. It is not safe for concurrent use.
type Maker struct {
	setup   setup
	actions []sim.Action // memory of the actions of the previous simulation
}

// setup is an algorithm with its parameters and processes. Scenarios with equal setups share it.
type setup struct {
	*roster
	algorithm *algorithm.Algorithm
	params    map[string]string // the parameters as the scenario gives them
	values    algorithm.Values
	numbered  algorithm.Values // values with process numbers in place of ids
	protocol  *sim.Protocol
	types     []string // the message types

	// bounds are the bounds for graphs with this number of edges; nil before the first run.
	bounds []tracefmt.Bound
	edges  int64
}

// roster has the ids of the processes of a scenario, with their numbers.
type roster struct {
	ids       []int64  // the ids by process number
	names     []string // the names by process number
	number    map[int64]tracefmt.ProcessID
	duplicate *int64 // an id that is listed twice
}

// newRoster numbers the processes of a scenario.
func newRoster(s *Scenario) *roster {
	c := &roster{ids: s.Ranked(), number: make(map[int64]tracefmt.ProcessID, len(s.IDs))}
	for i, id := range c.ids {
		if i > 0 && c.ids[i-1] == id && c.duplicate == nil {
			c.duplicate = &c.ids[i]
		}
		c.number[id] = tracefmt.ProcessID(i + 1)
		c.names = append(c.names, strconv.FormatInt(id, 10))
	}
	return c
}

// fits reports whether the scenario has the same ids, in any order.
func (c *roster) fits(s *Scenario) bool {
	if c == nil || len(s.IDs) != len(c.ids) || c.duplicate != nil {
		return false
	}
	if s.Best.Attribute == "" && slices.Equal(s.IDs, c.ids) {
		return true
	}
	return slices.Equal(s.Ranked(), c.ids)
}

// ascending returns the ids in ascending order.
func ascending(ids []int64) []int64 {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids
}

// Simulation returns the simulation that a scenario describes, and the description of its run. The simulation is
// valid until the next call. The scenario must be complete.
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
		Protocol: m.setup.protocol, Members: b.run.Members, Anonymous: s.Anonymous, NoRingRepair: s.NoRingRepair,
		RoundLength: s.RoundLength, Until: s.Until, MaxEvents: s.MaxEvents,
		Actions: m.actions[:0],
		Config:  s.network(),
		Origin:  s.origin,
	}
	if s.Choices != nil {
		c.Chooser = network.ScriptedChoices(s.Choices)
	}
	b.setRoles(a, m.setup.numbered)
	b.setEdges(&c)
	b.addFaults(&c)
	b.addByzantine(&c)
	b.checkSuited(a, m.setup.numbered, &c)
	b.chooseBest(&c, a)
	b.addRules(&c, m.setup.types)
	b.setPromises(&c, a, &m.setup)
	b.addEdits(&c, a)
	if b.err != nil {
		return sim.Config{}, nil, b.err
	}
	m.actions = c.Actions
	b.describe(a, m.setup.values)
	return c, &b.run, nil
}

// builder returns the builder of a scenario, after it has made the setup fit the scenario.
func (m *Maker) builder(s *Scenario, a *algorithm.Algorithm) (*builder, error) {
	p := &m.setup
	same := p.algorithm == a && p.roster.fits(s) && maps.Equal(p.params, s.Params)
	if same {
		b := &builder{roster: p.roster, scenario: s}
		b.addMembers()
		return b, nil
	}
	*p = setup{}
	values, err := s.resolve(a)
	if err != nil {
		return nil, err
	}
	b := &builder{roster: newRoster(s), scenario: s}
	b.addMembers()
	numbered := b.numbered(a, values)
	if b.err != nil {
		return nil, b.err
	}
	protocol, err := a.Protocol(numbered)
	if err != nil {
		return nil, fmt.Errorf("%w; the scenario: %s", err, s.origin())
	}
	*p = setup{
		roster: b.roster, algorithm: a, params: maps.Clone(s.Params), values: values, numbered: numbered,
		protocol: protocol, types: protocol.MessageNames(),
	}
	return b, nil
}

// describe completes the description of the run.
func (b *builder) describe(a *algorithm.Algorithm, values algorithm.Values) {
	resolved := *b.scenario
	resolved.Params = values
	b.run.Name, b.run.Algorithm, b.run.Problem = b.scenario.Name, a.Name, a.Problem
	b.run.Source, b.run.TimeUnit, b.run.End = tracefmt.Simulated, tracefmt.Delays, tracefmt.Open
	b.run.Scenario = resolved.JSON()
	b.run.Seed = &resolved.Seed
}
