package orders

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"etrace/analyze"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/replay/diff"
	"etrace/tracefmt"
)

// Options set the properties and the limits of an exploration.
type Options struct {
	Properties []*analyze.Property
	// Named: the user requested the properties by name; see [analyze.Options].
	Named bool
	// MaxRuns limits the runs; 0 means DefaultMaxRuns.
	MaxRuns int
	// Made, unless nil, is called with each run and the choices that lead to it. After a complete exploration,
	// every possible run equals one of these runs up to the order of concurrent events.
	Made func(rec *tracefmt.Memory, choices scenario.Choices) error
	// Progress, unless nil, is called with the number of runs so far.
	Progress func(runs int)
}

// DefaultMaxRuns is the default limit of the runs of an exploration.
const DefaultMaxRuns = 100_000

// maxEvents cuts endless runs, unless the scenario has its own limit.
const maxEvents = 2000

// Report is the outcome of an exploration.
type Report struct {
	// Complete: all orders were explored. Otherwise the counts are lower bounds.
	Complete bool
	// Orders counts the sequences of events, Distinct the runs up to the order of concurrent events.
	Orders   *big.Int
	Distinct int
	// Runs counts the runs that were made and checked, Cut the runs among them that reached the limit of
	// events.
	Runs, Cut int
	Verdicts  []Verdict
	// Witnesses are the runs of the verdicts, in the order of exploration. There is at least one.
	// The scenario of each has the choices that lead to it.
	Witnesses []*tracefmt.Memory
}

// Verdict is the worst verdict of a property over all runs.
type Verdict struct {
	Result *analyze.Result
	// Runs is the number of runs with this verdict.
	Runs int
	// Witness is the index in [Report.Witnesses] of the first run with this verdict.
	Witness int

	run int
	rec *tracefmt.Memory
}

// Verdict returns the worst verdict of all properties; it is at best unknown if the exploration is incomplete.
func (r *Report) Verdict() analyze.Verdict {
	var verdicts []analyze.Verdict
	if !r.Complete {
		verdicts = append(verdicts, analyze.Unknown)
	}
	for _, v := range r.Verdicts {
		verdicts = append(verdicts, v.Result.Verdict)
	}
	return analyze.Worst(verdicts...)
}

// Explore explores every order in which the run of a scenario can happen if messages take any time;
// [network.Chooser] defines the set of orders.
//
// The exploration is depth first, and runs the scenario again for each order, which is cheap. A configuration
// consists of the events of each process, and of the message of each receive (see [diff.Digest]). It determines
// all continuations. So at a configuration that was seen before, Explore does not branch, and adds the number
// of orders below it from the first visit. Every configuration, and every step between two, lies on a run that
// was checked. So a verdict on single states or steps holds for all orders. A property of the whole recorded
// order is checked on at least one order of each run.
//
// Explore fails if the scenario is invalid, or if the context ends.
func Explore(ctx context.Context, s *scenario.Scenario, o Options) (*Report, error) {
	base := *s
	if base.MaxEvents == 0 {
		base.MaxEvents = maxEvents
	}
	if len(base.Slow) > 0 {
		return nil, errors.New("all orders: slow rules have no meaning where messages may take any time, leave them out")
	}
	if base.Choices != nil {
		return nil, errors.New("all orders: choices would leave one order only, leave them out")
	}
	base.Delay = scenario.Delay{}
	return exploreAll(ctx, func(c scenario.Choices) (sim.Config, *tracefmt.Run, error) {
		base.Choices = c
		return base.Simulation()
	}, o)
}

// simulation returns the simulation with the given choices.
type simulation func(scenario.Choices) (sim.Config, *tracefmt.Run, error)

// exploreAll explores the runs of a simulation.
func exploreAll(ctx context.Context, simulate simulation, o Options) (*Report, error) {
	if o.MaxRuns == 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	x := &explorer{
		simulate: simulate, options: o, seen: map[uint64]*crossroads{}, ends: map[uint64]bool{},
		report: &Report{Orders: new(big.Int)},
	}
	return x.report, x.explore(ctx)
}

// crossroads is a configuration with several continuations.
type crossroads struct {
	// orders counts the explored paths from here to an end.
	orders big.Int
}

// branch is a crossroads on the path of the present run, with the option taken.
type branch struct {
	*crossroads
	ways, taken int
}

// explorer is the state of an exploration.
type explorer struct {
	simulate simulation
	options  Options
	report   *Report
	seen     map[uint64]*crossroads // by digest of the configuration
	ends     map[uint64]bool        // the digests of complete runs

	path []branch
	// The rest belongs to the present run.
	rec    *tracefmt.Memory
	digest *diff.Digest
	known  *crossroads // the crossroads at which it stopped branching, if it was seen before
}

// Write takes an event of the present run.
func (x *explorer) Write(e *tracefmt.Event) error {
	_ = x.digest.Write(e)
	return x.rec.Write(e)
}

// Choose implements [network.Chooser]. It follows the path to its end, and then appends every new crossroads to
// the path.
func (x *explorer) Choose(p network.Point) int {
	switch {
	case p.Number < len(x.path):
		return x.path[p.Number].taken
	case x.known != nil:
		return 0
	}
	key := x.digest.Sum() ^ p.Rest
	x.known = x.seen[key]
	if x.known == nil {
		c := &crossroads{}
		x.seen[key] = c
		x.path = append(x.path, branch{c, len(p.Options), 0})
	}
	return 0
}

// explore makes runs until all orders are explored, or the limit of runs is reached.
func (x *explorer) explore(ctx context.Context) error {
	r := x.report
	for {
		if err := x.run(ctx); err != nil {
			return err
		}
		if x.options.Progress != nil {
			x.options.Progress(r.Runs)
		}
		r.Complete = x.nextOrder()
		if r.Complete {
			break
		}
		if r.Runs >= x.options.MaxRuns {
			x.addUp()
			break
		}
	}
	r.Distinct = len(x.ends)
	x.collect()
	return nil
}

// nextOrder adds up the orders found with the last run, and moves to the next option at the last crossroads with
// untried options. It reports whether all options are tried.
func (x *explorer) nextOrder() bool {
	below := big.NewInt(1)
	if x.known != nil {
		below = &x.known.orders
	}
	for len(x.path) > 0 {
		b := &x.path[len(x.path)-1]
		b.orders.Add(&b.orders, below)
		if b.taken++; b.taken < b.ways {
			return false
		}
		below = &b.orders
		x.path = x.path[:len(x.path)-1]
	}
	x.report.Orders.Set(below)
	return true
}

// addUp adds up the orders found so far, when the limit is reached.
func (x *explorer) addUp() {
	for i := range slices.Backward(x.path) {
		x.report.Orders.Add(x.report.Orders, &x.path[i].orders)
	}
}

// run makes the run of the present path and checks it.
func (x *explorer) run(ctx context.Context) error {
	config, run, err := x.simulate(nil)
	if err != nil {
		return err
	}
	config.Chooser, config.Origin = x, x.origin
	x.rec, x.digest, x.known = tracefmt.NewMemory(*run), diff.NewDigest(run), nil
	result, err := sim.Run(ctx, config, x)
	switch {
	case err != nil:
		return fmt.Errorf("all orders: %w", err)
	case ctx.Err() != nil:
		return errors.New("interrupted while exploring orders")
	}
	x.rec.Finish(result.End)
	x.ends[x.digest.Sum()] = true
	if x.report.Runs++; result.End == tracefmt.Deadline {
		x.report.Cut++
	}
	if x.options.Made != nil {
		if err := x.options.Made(x.rec, x.choices()); err != nil {
			return err
		}
	}
	return x.check()
}

// check checks the properties on the present run, and keeps the worst verdict of each.
func (x *explorer) check() error {
	report, err := analyze.Check(x.rec, x.options.Properties, analyze.Options{Named: x.options.Named})
	if err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	r := x.report
	if r.Verdicts == nil {
		r.Verdicts = make([]Verdict, len(report.Results))
	}
	for i, result := range report.Results {
		v := &r.Verdicts[i]
		switch {
		// The first run, or a run with a worse verdict, becomes the witness.
		case v.Result == nil || v.Result.Verdict != result.Verdict &&
			analyze.Worst(v.Result.Verdict, result.Verdict) == result.Verdict:
			*v = Verdict{Result: result, Runs: 1, run: r.Runs, rec: x.witness()}
		case v.Result.Verdict == result.Verdict:
			v.Runs++
		}
	}
	return nil
}

// choices returns the choices that lead to the present run, without the zeros at the end.
func (x *explorer) choices() scenario.Choices {
	choices := make(scenario.Choices, len(x.path))
	last := 0
	for i, b := range x.path {
		choices[i] = b.taken
		if b.taken > 0 {
			last = i
		}
	}
	if len(choices) == 0 {
		return scenario.Choices{0}
	}
	return choices[:last+1]
}

// origin describes, for errors, how to make the present run.
func (x *explorer) origin() string {
	config, _, err := x.simulate(x.choices())
	if err != nil || config.Origin == nil {
		return ""
	}
	return config.Origin()
}

// witness returns the present run, with the choices that lead to it.
func (x *explorer) witness() *tracefmt.Memory {
	if _, run, err := x.simulate(x.choices()); err == nil {
		x.rec.Run().Scenario = run.Scenario
	}
	return x.rec
}

// collect lists the witnesses, each once.
func (x *explorer) collect() {
	r := x.report
	order := make([]int, len(r.Verdicts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return r.Verdicts[i].run - r.Verdicts[j].run })
	for _, i := range order {
		v := &r.Verdicts[i]
		if n := len(r.Witnesses); n == 0 || r.Witnesses[n-1] != v.rec {
			r.Witnesses = append(r.Witnesses, v.rec)
		}
		v.Witness = len(r.Witnesses) - 1
	}
	if len(r.Witnesses) == 0 {
		r.Witnesses = append(r.Witnesses, x.rec)
	}
}
