package conform

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/replay"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// newConformer prepares to compare the processes of a run with an algorithm. The parameters of m come first,
// then those of the run's scenario if it is of the same algorithm, then the defaults. It fails for an unknown
// algorithm, and if the algorithm does not run on such processes.
func newConformer(rec tracefmt.Recording, m Model) (*conformer, error) {
	run := rec.Run()
	a, err := algorithm.Find(builtin.Or(m.Known), m.Algorithm)
	if err != nil {
		return nil, err
	}
	c := &conformer{
		report:    &Conformance{Run: run, Algorithm: a.Name, Mismatch: mismatchOf(run, a)},
		numbers:   newNumbering(run),
		durations: run.TimeUnit == tracefmt.Delays,
	}
	config := sim.Config{Members: c.numbers.members(run)}
	given := map[string]string{}
	if run.Scenario != nil {
		s, err := rerun.ScenarioOf(run, m.Known)
		if err != nil {
			return nil, err
		}
		config.NoRingRepair, config.Attribute, config.Anonymous = s.NoRingRepair, s.Best.Attribute, s.Anonymous
		config.Edges, err = s.Pairs()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rerun.Title(run), err)
		}
		if s.Algorithm == a.Name {
			maps.Copy(given, s.Params)
			c.switches, err = paramChanges(s, run)
			if err != nil {
				return nil, err
			}
		}
	}
	maps.Copy(given, m.Params)
	if err := c.protocol(&config, a, given); err != nil {
		return nil, err
	}
	if err := c.readOpening(rec, &config); err != nil {
		return nil, err
	}
	c.protocolOf = config.Protocol
	c.shared.declare(config.Protocol)
	c.messages = newMessageTypes(config.Protocol)
	c.report.Variables, c.report.Shared = len(c.shared.recorded), len(c.shared.common)
	c.follow(run)
	c.host, err = sim.NewHost(config, c)
	return c, err
}

// protocol sets the protocol of the algorithm, with the given parameters, in the config.
func (c *conformer) protocol(config *sim.Config, a *algorithm.Algorithm, given map[string]string) error {
	values, err := a.Resolve(given)
	if err != nil {
		return err
	}
	c.report.Params = values
	var unknown error
	numbered := a.Number(values, func(param string, id int64) tracefmt.ProcessID {
		p, ok := c.report.Run.Process(strconv.FormatInt(id, 10))
		if !ok {
			unknown = fmt.Errorf("%s %s: %s has no process %d", param, values[param], rerun.Title(c.report.Run), id)
			return 0
		}
		return c.numbers.host[p]
	})
	if unknown != nil {
		return unknown
	}
	if u := a.Refuses(numbered, config); u != nil {
		place := rerun.Title(c.report.Run)
		if u.Param != "" {
			place += ": " + u.Param
		}
		return fmt.Errorf("%s: %w", place, u)
	}
	config.Protocol, err = a.Protocol(numbered)
	return err
}

// paramChanges returns the changes of parameters among the scenario's edits.
func paramChanges(s *scenario.Scenario, run *tracefmt.Run) ([]sim.Action, error) {
	config, _, err := s.Simulation()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rerun.Title(run), err)
	}
	return slices.DeleteFunc(config.Actions, func(a sim.Action) bool { return a.Kind != sim.SwitchProtocol }), nil
}

// readOpening reads from the starts and crashes at the beginning of the run which processes are up, and which
// coordinator they know.
func (c *conformer) readOpening(rec tracefmt.Recording, config *sim.Config) error {
	seen := make([]bool, len(c.numbers.host))
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		inRange := e.Process > 0 && int(e.Process) < len(seen)
		// The opening ends with the first event that is not the first start or crash of its process.
		if !inRange || seen[e.Process] || e.Kind != tracefmt.Start && e.Kind != tracefmt.Crash {
			return nil
		}
		seen[e.Process] = true
		if e.Kind == tracefmt.Crash {
			config.Down = append(config.Down, c.numbers.host[e.Process])
			continue
		}
		c.shared.addStart(e)
		if elected, ok := e.Field("elected"); ok {
			p, _ := rec.Run().ProcessValue(elected)
			config.Coordinator = c.numbers.host[p]
		}
	}
	return nil
}

// follow prepares the followers.
func (c *conformer) follow(run *tracefmt.Run) {
	c.report.Processes = make([]ProcessConformance, len(run.Members))
	c.followers = make([]follower, len(run.Members)+1)
	for i := range c.report.Processes {
		p := tracefmt.ProcessID(i + 1)
		c.report.Processes[i] = ProcessConformance{Process: p, Byzantine: run.Role(p) == tracefmt.Byzantine}
		c.followers[i+1].report = &c.report.Processes[i]
	}
}

// numbering translates between the process numbers of a run, in the order of its members, and those of an
// algorithm, in the order of ranks.
type numbering struct {
	// host and run are each indexed by the number of the other side.
	host, run []tracefmt.ProcessID
}

// newNumbering returns the numbering of a run.
func newNumbering(run *tracefmt.Run) numbering {
	n := numbering{
		host: make([]tracefmt.ProcessID, len(run.Members)+1),
		run:  make([]tracefmt.ProcessID, len(run.Members)+1),
	}
	for i := range n.run {
		n.run[i] = tracefmt.ProcessID(i)
	}
	ranks := replay.Ranks(run)
	slices.SortStableFunc(n.run[1:], func(p, q tracefmt.ProcessID) int { return cmp.Compare(ranks[p], ranks[q]) })
	for i, p := range n.run {
		n.host[p] = tracefmt.ProcessID(i)
	}
	return n
}

// members returns the members of the run in the host's order.
func (n *numbering) members(run *tracefmt.Run) []tracefmt.Member {
	var members []tracefmt.Member
	for _, p := range n.run[1:] {
		members = append(members, run.Members[p-1])
	}
	return members
}

func (n *numbering) toHost(e *tracefmt.Event) *tracefmt.Event { return n.translate(e, n.host) }

func (n *numbering) fromHost(e *tracefmt.Event) *tracefmt.Event { return n.translate(e, n.run) }

func (n *numbering) translate(e *tracefmt.Event, number []tracefmt.ProcessID) *tracefmt.Event {
	t := *e
	t.Process, t.Peer = number[e.Process], number[e.Peer]
	return &t
}
