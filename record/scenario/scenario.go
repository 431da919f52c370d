package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/record/sim/topology"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Scenario determines a simulated run. Processes are named by their ids. The zero value cannot be run: it has no
// algorithm and no processes; see [Scenario.Complete].
type Scenario struct {
	Name string
	// Algorithm is the name of one of Algorithms.
	Algorithm string
	// Algorithms is the registry of algorithms; the zero registry has the built-in ones. No written form of
	// the scenario contains it: a program that reads one sets it.
	Algorithms algorithm.Registry
	// IDs are the processes in ring order. If Shuffle is set, the seed decides the ring order; see [Scenario.Ring].
	IDs     []int64
	Shuffle bool
	// Attributes are those of the processes; Best selects the process to elect. If TiesByID is set, the greater id is
	// better among equal values; otherwise equal values are an error.
	Attributes []Attribute
	Best       Best
	TiesByID   bool
	// Anonymous is true if no process knows an id.
	Anonymous bool
	// Topology and Edges define the pairs of neighbours, by a shape or one by one; the vertices are the IDs.
	// By default every process may send to every other.
	Topology    topology.Topology
	Edges       []Edge
	Down        []int64
	Coordinator *int64
	// Start lists the starts: the processes that begin an election or the like, with their times.
	Start []At
	// Operations are the invocations of clients, with their times.
	Operations     []Operation
	Crash, Recover []At
	Delay          Delay
	Drop, Slow     []Rule
	Loss           Probability
	Duplicate      Probability
	Reorder        bool
	NoRingRepair   bool
	// RoundLength is the time between rounds, 0 for one unit.
	RoundLength tracefmt.Time
	// Choices, unless nil, take the place of time; see network.Chooser.
	Choices    Choices
	Partitions []Partition
	// Silence, Lies and Forgeries are the acts of Byzantine processes.
	Silence         []At
	Lies, Forgeries []Claim
	Edits           []Edit
	// Params are the given parameters of the algorithm; others have their defaults.
	Params    map[string]string
	Seed      int64
	Until     tracefmt.Time
	MaxEvents int64

	places places
}

// At is a process, or all processes that are up at the start, and an instant: "4@2.5", "4", "all@1".
type At struct {
	All     bool
	Process int64
	Time    tracefmt.Time
}

func (a At) String() string {
	process := strconv.FormatInt(a.Process, 10)
	if a.All {
		process = "all"
	}
	return process + "@" + a.Time.String()
}

// Delay is a distribution of delays: "1", "uniform(0.5,1.5)", "exponential(1)".
type Delay struct{ network.Delay }

func (d Delay) String() string {
	switch {
	case d.Distribution == network.Uniform:
		return "uniform(" + d.A.String() + "," + d.B.String() + ")"
	case d.Distribution == network.Exponential:
		return "exponential(" + d.A.String() + ")"
	}
	return d.A.String()
}

// Rule matches single messages: "OK:3>2#1" is the first OK from 3 to 2, "*:4>*" every message of 4. A rule that
// delays ends in "=" and the delay.
type Rule struct {
	Type     string // "" for any
	From, To *int64 // nil for any
	// Occurrence is the k of "#k", 0 for every one.
	Occurrence int
	Delay      tracefmt.Time
}

func (r Rule) String() string {
	s := orStar(r.Type) + ":" + idOrStar(r.From) + ">" + idOrStar(r.To)
	if r.Occurrence > 0 {
		s += "#" + strconv.Itoa(r.Occurrence)
	}
	return s
}

// orStar returns the text, * for "".
func orStar(s string) string {
	if s == "" {
		return "*"
	}
	return s
}

// idOrStar returns the id as text, * for nil.
func idOrStar(id *int64) string {
	if id == nil {
		return "*"
	}
	return strconv.FormatInt(*id, 10)
}

// Partition splits the network into groups for an interval: "1,2|3,4@5-8". Without an end it is permanent.
// Processes in no group form one further group.
type Partition struct {
	Groups   [][]int64
	From, To tracefmt.Time // To is 0 if it lasts
}

func (p Partition) String() string {
	groups := make([]string, len(p.Groups))
	for i, g := range p.Groups {
		groups[i] = FormatIDs(g)
	}
	s := strings.Join(groups, "|") + "@" + p.From.String()
	if p.To > 0 {
		s += "-" + p.To.String()
	}
	return s
}

// Probability is a number from 0 to 1.
type Probability float64

func (p Probability) String() string { return strconv.FormatFloat(float64(p), 'g', -1, 64) }

// Complete fills in defaults: the algorithm of the lecture notes' example and the processes 0 to 7. If the
// scenario then has no events, it becomes the example of the algorithm, or the plan of the lecture notes: 7 is
// down and 4 notices.
func (s *Scenario) Complete() {
	if s.Algorithm == "" {
		s.Algorithm = "bully"
	}
	defer s.bindAttributes()
	if s.IDs != nil {
		return
	}
	planless := s.Down == nil && s.Start == nil && s.Crash == nil && s.Recover == nil && s.Coordinator == nil
	if planless && s.takeExample() {
		return
	}
	s.IDs = []int64{0, 1, 2, 3, 4, 5, 6, 7}
	if planless {
		s.Down = []int64{7}
		s.Start = []At{{Process: 4}}
	}
}

// takeExample sets the keys that were not given to those of the algorithm's example. It reports whether there is
// an example.
func (s *Scenario) takeExample() bool {
	a, err := builtin.Or(s.Algorithms).Lookup(s.Algorithm)
	if err != nil || a.Example == "" {
		return false
	}
	example, err := Parse(a.Name, []byte("{algorithm: "+a.Name+", "+a.Example+"}"))
	if err != nil {
		panic(err) // unreachable: a test reads all examples
	}
	for i := range Keys {
		k := &Keys[i]
		if k.get == nil || len(k.get(s)) > 0 {
			continue
		}
		for _, text := range k.get(example) {
			if err := k.Set(s, text); err != nil {
				panic(err) // unreachable: every key reads its own output
			}
		}
	}
	return true
}

// Simulation returns the simulation that the scenario describes, and the
// description of its run. The scenario must be complete.
func (s *Scenario) Simulation() (sim.Config, *tracefmt.Run, error) {
	return new(Maker).Simulation(s)
}

// Network returns the network of the scenario, and the crashes, recoveries, splits and heals. It is for
// programs without an algorithm of etrace: only the keys with [Key.Network] count.
func (s *Scenario) Network() (network.Config, []sim.Action, error) {
	b := &builder{roster: newRoster(s), scenario: s}
	c := sim.Config{Config: s.network()}
	b.addFaults(&c)
	b.addRules(&c, nil)
	return c.Config, c.Actions, b.err
}

// network returns the behaviour of the network for all messages.
func (s *Scenario) network() network.Config {
	return network.Config{
		Delay: s.Delay.Delay, Loss: float64(s.Loss), Duplicate: float64(s.Duplicate), Reorder: s.Reorder, Seed: s.Seed,
	}
}

// numbered returns the values with process numbers in place of ids.
func (b *builder) numbered(a *algorithm.Algorithm, values algorithm.Values) algorithm.Values {
	return a.Number(values, func(param string, id int64) tracefmt.ProcessID {
		b.setPlace(paramsKey+" "+param, 0)
		return b.process(id, values[param])
	})
}

// resolve returns all parameters with their defaults. It checks them one by one first, so that an error can name
// the place of the wrong one.
func (s *Scenario) resolve(a *algorithm.Algorithm) (algorithm.Values, error) {
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		if _, err := a.Resolve(map[string]string{name: s.Params[name]}); err != nil {
			return nil, s.places.wrap(paramsKey+" "+name, 0, err)
		}
	}
	return a.Resolve(s.Params)
}

// builder translates ids to process numbers and keeps the first error.
type builder struct {
	*roster
	scenario *Scenario
	run      tracefmt.Run
	// key and index name the value that is being translated, for errors.
	key   string
	index int
	err   error // the first error
}

// setPlace sets the value that is translated next.
func (b *builder) setPlace(key string, index int) { b.key, b.index = key, index }

// addMembers adds the processes to the run in the order of their numbers; see [Scenario.Ranked].
func (b *builder) addMembers() {
	b.setPlace("ids", 0)
	if b.duplicate != nil {
		b.fail(": process %d is listed twice", *b.duplicate)
		return
	}
	b.run.Members = make([]tracefmt.Member, len(b.names))
	for i, name := range b.names {
		b.run.Members[i].Name = name
	}
	for i, id := range b.scenario.Ring() {
		b.run.Members[b.number[id]-1].Position = i + 1
	}
	b.setAttributes()
}

// setRoles sets the roles that the algorithm gives to processes.
func (b *builder) setRoles(a *algorithm.Algorithm, numbered algorithm.Values) {
	if a.Role == nil {
		return
	}
	for i := range b.run.Members {
		b.setRole(tracefmt.ProcessID(i+1), a.Role(numbered, tracefmt.ProcessID(i+1), tracefmt.ProcessID(len(b.run.Members))))
	}
}

// setRole sets the role of a process, unless it is "".
func (b *builder) setRole(p tracefmt.ProcessID, role string) {
	if p > 0 && role != "" {
		m := &b.run.Members[p-1]
		m.Attributes = withAttribute(m.Attributes, "role", tracefmt.AppendString(nil, role))
	}
}

// fail keeps the first error. format continues the key of the present value, so it begins with a blank or a colon.
func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = b.scenario.places.wrap(b.key, b.index, fmt.Errorf("%s"+format, append([]any{b.key}, args...)...))
	}
}

// process returns the number of the process with an id; text is the value with the id, for errors.
func (b *builder) process(id int64, text string) tracefmt.ProcessID {
	p, ok := b.number[id]
	if !ok {
		b.fail(" %s: there is no process %d, the processes are %s", text, id, FormatIDs(b.scenario.IDs))
	}
	return p
}

// processes returns the numbers of processes.
func (b *builder) processes(ids []int64) []tracefmt.ProcessID {
	ps := make([]tracefmt.ProcessID, len(ids))
	for i, id := range ids {
		ps[i] = b.process(id, FormatIDs(ids))
	}
	return ps
}

// addFaults adds the processes that are down at the start, the coordinator, and the actions of the plan.
func (b *builder) addFaults(c *sim.Config) {
	s := b.scenario
	b.setPlace("down", 0)
	c.Down = b.processes(s.Down)
	if s.Coordinator != nil {
		b.setPlace("coordinator", 0)
		c.Coordinator = b.process(*s.Coordinator, idOrStar(s.Coordinator))
	}
	for _, part := range []struct {
		name string
		kind sim.ActionKind
		list []At
	}{{"crash", sim.CrashProcess, s.Crash}, {"recover", sim.RecoverProcess, s.Recover}, {"start", sim.StartProcess, s.Start}} {
		for i, a := range part.list {
			b.setPlace(part.name, i)
			for _, p := range b.startedBy(a) {
				c.Actions = append(c.Actions, sim.Action{Kind: part.kind, At: a.Time, Process: p})
			}
		}
	}
	b.addOperations(c)
	b.addPartitions(c)
}

// addPartitions adds the splits and heals. The heals come first: if a partition begins when another one ends, the
// network is healed before it is split.
func (b *builder) addPartitions(c *sim.Config) {
	var splits []sim.Action
	for i, p := range b.scenario.Partitions {
		b.setPlace("partition", i)
		split := sim.Action{Kind: sim.SplitNetwork, At: p.From, Partition: i, Groups: b.groups(p)}
		splits = append(splits, split)
		if p.To > 0 {
			split.Kind, split.At = sim.HealNetwork, p.To
			c.Actions = append(c.Actions, split)
		}
	}
	c.Actions = append(c.Actions, splits...)
}

// groups returns the groups of a partition. It fails if a process is in two groups.
func (b *builder) groups(p Partition) [][]tracefmt.ProcessID {
	var groups [][]tracefmt.ProcessID
	seen := map[int64]bool{}
	for _, g := range p.Groups {
		for _, id := range g {
			if seen[id] {
				b.fail(" %s: process %d is in two groups", p, id)
			}
			seen[id] = true
		}
		groups = append(groups, b.processes(g))
	}
	return groups
}

// startedBy returns the numbers of the processes that an At names.
func (b *builder) startedBy(a At) []tracefmt.ProcessID {
	var ps []tracefmt.ProcessID
	for _, id := range b.scenario.candidates(a) {
		ps = append(ps, b.process(id, a.String()))
	}
	return ps
}

// addRules adds the rules for single messages. types are the known message types, nil for any type.
func (b *builder) addRules(c *sim.Config, types []string) {
	add := func(key string, rules []Rule, drop bool) {
		for i, r := range rules {
			b.setPlace(key, i)
			if r.Type != "" && types != nil && !slices.Contains(types, r.Type) {
				b.fail(" %s: %w", r, text.Unknown("message type of "+b.scenario.Algorithm, r.Type, types))
			}
			rule := network.Rule{Type: r.Type, Occurrence: r.Occurrence, Drop: drop, Delay: r.Delay}
			if r.From != nil {
				rule.From = b.process(*r.From, r.String())
			}
			if r.To != nil {
				rule.To = b.process(*r.To, r.String())
			}
			c.Rules = append(c.Rules, rule)
		}
	}
	add("drop", b.scenario.Drop, true)
	add("slow", b.scenario.Slow, false)
}
