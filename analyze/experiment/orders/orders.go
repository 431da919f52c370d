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

// Options say how far an exploration of all orders goes.
type Options struct {
	Properties []*analyze.Property
	// Named: the properties were asked for by name; see [analyze.Options].
	Named bool
	// MaxRuns bounds the runs that are made; 0 means DefaultMaxRuns.
	MaxRuns int
	// Made, unless nil, is called with each run that was made, and the choices that lead to
	// it. Where the exploration is complete, every run there is differs from one of them
	// in the order of concurrent events only.
	Made func(rec *tracefmt.Memory, choices scenario.Choices) error
	// Progress, unless nil, is called with how many runs were made.
	Progress func(runs int)
}

// DefaultMaxRuns bounds the runs of an exploration that says nothing else.
const DefaultMaxRuns = 100_000

// maxEvents cuts runs that never end, unless the scenario has a limit of its
// own.
const maxEvents = 2000

// Report is the outcome of an exploration.
type Report struct {
	// Complete: there are no other orders. Else the counts are lower bounds.
	Complete bool
	// Orders counts the sequences of what happens, Distinct the runs that
	// differ in more than the order of concurrent events.
	Orders   *big.Int
	Distinct int
	// Runs counts those that were made and checked, Cut those of them that
	// reached the limit of events.
	Runs, Cut int
	Verdicts  []Verdict
	// Witnesses are the runs that the verdicts point at, in the order in which
	// they were found. There is at least one, and each has the choices that
	// lead to it in its scenario.
	Witnesses []*tracefmt.Memory
}

// Verdict is the worst verdict of a property over all runs that were made.
type Verdict struct {
	Result *analyze.Result
	// Runs is how many had this verdict.
	Runs int
	// Witness is the first of them, an index of [Report.Witnesses].
	Witness int

	run int
	rec *tracefmt.Memory
}

// Verdict is the worst of all properties; unknown, at best, where not all orders
// were explored.
func (r *Report) Verdict() analyze.Verdict {
	var all []analyze.Verdict
	if !r.Complete {
		all = append(all, analyze.Unknown)
	}
	for _, v := range r.Verdicts {
		all = append(all, v.Result.Verdict)
	}
	return analyze.Worst(all...)
}

// Explore explores every order in which the run of a scenario may happen if
// messages take any time; [network.Chooser] says what that means exactly.
//
// It goes depth first, and runs the scenario anew for each order, which is
// cheap. Where it meets a configuration that it has seen (what each process
// did, and which message each receive was of, see [diff.Digest]) all that can
// follow is known: it ends the run without branching, and counts the orders
// that were found the first time. So every configuration, and every step from
// one to the next, lies on a run that was checked. What a property says about
// single states or steps is thereby decided for all orders; a property of the
// whole recorded order of a run is checked on one order of each at least.
//
// The error is one of the scenario, or of the context.
func Explore(ctx context.Context, s *scenario.Scenario, o Options) (*Report, error) {
	one := *s
	if one.MaxEvents == 0 {
		one.MaxEvents = maxEvents
	}
	if len(one.Slow) > 0 {
		return nil, errors.New("all orders: slow rules have no meaning where messages may take any time, leave them out")
	}
	if one.Choices != nil {
		return nil, errors.New("all orders: choices would leave one order only, leave them out")
	}
	one.Delay = scenario.Delay{}
	return exploreAll(ctx, func(c scenario.Choices) (sim.Config, *tracefmt.Run, error) {
		one.Choices = c
		return one.Simulation()
	}, o)
}

// simulation makes the simulation that takes those choices.
type simulation func(scenario.Choices) (sim.Config, *tracefmt.Run, error)

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

// crossroads is a configuration from which several ways lead on.
type crossroads struct {
	// orders counts the ways to an end, as far as they were explored.
	orders big.Int
}

// branch is a crossroads on the way of the present run, and the way taken.
type branch struct {
	*crossroads
	ways, taken int
}

type explorer struct {
	simulate simulation
	options  Options
	report   *Report
	seen     map[uint64]*crossroads
	ends     map[uint64]bool // the digests of whole runs

	path []branch
	// of the present run
	rec    *tracefmt.Memory
	digest *diff.Digest
	known  *crossroads // where it came to, if it was seen before
}

// Write takes in an event of the present run.
func (x *explorer) Write(e *tracefmt.Event) error {
	_ = x.digest.Write(e)
	return x.rec.Write(e)
}

// Choose implements [network.Chooser]: on the path it goes the way that the path
// says; after it, every crossroads that was not seen yet becomes part of it.
func (x *explorer) Choose(p network.Point) int {
	switch {
	case p.Number < len(x.path):
		return x.path[p.Number].taken
	case x.known != nil:
		return 0
	}
	key := x.digest.Sum() ^ p.Untold
	if x.known = x.seen[key]; x.known == nil {
		c := &crossroads{}
		x.seen[key] = c
		x.path = append(x.path, branch{c, len(p.Options), 0})
	}
	return 0
}

func (x *explorer) explore(ctx context.Context) error {
	r := x.report
	for {
		if err := x.run(ctx); err != nil {
			return err
		}
		if x.options.Progress != nil {
			x.options.Progress(r.Runs)
		}
		if r.Complete = x.turn(); r.Complete {
			break
		}
		if r.Runs >= x.options.MaxRuns {
			x.close()
			break
		}
	}
	r.Distinct = len(x.ends)
	x.collect()
	return nil
}

// turn counts the orders that were found with the last run and takes the next
// way at the last crossroads that has one; it reports whether none has.
func (x *explorer) turn() bool {
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

// close sums up what was found when the limit was reached.
func (x *explorer) close() {
	for i := range slices.Backward(x.path) {
		x.report.Orders.Add(x.report.Orders, &x.path[i].orders)
	}
}

// run makes the run that the path leads to and checks it.
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
		case v.Result == nil || v.Result.Verdict != result.Verdict && analyze.Worst(v.Result.Verdict, result.Verdict) == result.Verdict:
			*v = Verdict{Result: result, Runs: 1, run: r.Runs, rec: x.witness()}
		case v.Result.Verdict == result.Verdict:
			v.Runs++
		}
	}
	return nil
}

// choices lead to the present run; after their end the first option counts.
func (x *explorer) choices() scenario.Choices {
	choices := make(scenario.Choices, len(x.path))
	last := 0
	for i, b := range x.path {
		if choices[i] = b.taken; b.taken > 0 {
			last = i
		}
	}
	if len(choices) == 0 {
		return scenario.Choices{0}
	}
	return choices[:last+1]
}

// origin says, for errors, how to make the present run.
func (x *explorer) origin() string {
	config, _, err := x.simulate(x.choices())
	if err != nil || config.Origin == nil {
		return ""
	}
	return config.Origin()
}

// witness is the present run, with the choices that lead to it.
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
