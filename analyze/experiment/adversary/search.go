package adversary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/trial"
	"etrace/record/scenario"
	"etrace/tracefmt"
)

// Options set the goal and the limits of an adversary.
type Options struct {
	// Measure is the measure to maximize: one of [Measures], "" for messages.
	Measure string
	// Minimize: minimize the measure instead.
	Minimize bool
	// Orders: the adversary also decides the order of the ring.
	Orders bool
	// MaxRuns limits the runs; 0 means DefaultMaxRuns. If a ring has more orders, or an order more schedules,
	// the result is not proven.
	MaxRuns int
	// Workers is the number of concurrent runs; 0 means one for each processor. The result does not depend on
	// it.
	Workers int
	// Progress, unless nil, is called with the number of finished parts of the search.
	Progress func(done, total int)
}

// DefaultMaxRuns is the default limit of the runs of a search.
const DefaultMaxRuns = 100_000

// Result is the result of a search.
type Result struct {
	Measure  string
	Minimize bool
	// Value is the measure of the run Recording. If Proven, it is the maximum, or minimum, of all runs;
	// otherwise the maximum or minimum of the runs that were seen. If processes draw random numbers, all runs
	// have the seed of the scenario.
	Value  int64
	Proven bool
	// Assumes lists the assumptions about all schedules, "" without any: [TimeoutsLong] or [RoundsLong],
	// and [LaterAnytime], separated by a comma. Schedules that violate an assumption may have a higher or lower
	// value.
	Assumes string
	// Endless: the run does not end, or was cut before its end, so there is no maximum.
	Endless bool
	// Scenario makes the run again.
	Scenario  *scenario.Scenario
	Recording *tracefmt.Memory
	// Theory compares the published bounds with the run, each by its own convention. It is empty if actions
	// come at any moment, since bounds apply to one election.
	Theory []complexity.Compared
	// Unbounded is the reason why the stated bounds do not apply to the run, "" if they do.
	Unbounded string
	// Rings is the number of orders of the ring that were examined one by one. AllRings is the number of all
	// orders: 1 if the order is given, 0 for too many to count.
	Rings, AllRings int64
	// Certified counts the orders for which a proof shows that all schedules send the same messages. Exhausted
	// counts the orders whose schedules were all explored.
	Certified, Exhausted int64
	// Runs counts the runs, and the situations of explored models.
	Runs int64
	// Doubt is the reason why an examined order has no proof, "" if all have one.
	Doubt string
	// Interrupted: the context ended the search, and Value is that of the runs so far.
	Interrupted bool
}

// Search looks for the run of a scenario with the maximum or minimum of a measure. The adversary decides how
// long each message takes and, with [Options.Orders], the order of the processes on the ring.
//
// If the number of orders is at most the limit of runs, Search examines all of them. For each order it proves
// that the schedule does not matter (see certificate.go), or explores all schedules, as orders.Explore does, up
// to the limit. Then the value is proven. Otherwise several climbs begin at orders drawn from the seed of the
// scenario. They change one thing at a time, and keep a better run or, for a while, a little worse one. Their
// result is the maximum or minimum of the runs seen.
//
// If the context ends, the result covers the runs so far. Search fails if the scenario or the options are
// invalid, or if the context ends before the first run.
func Search(ctx context.Context, s *scenario.Scenario, o Options) (*Result, error) {
	o.MaxRuns = cmp.Or(o.MaxRuns, DefaultMaxRuns)
	o.Measure = cmp.Or(o.Measure, "messages")
	f, err := newFamily(ctx, s)
	if err != nil {
		return nil, err
	}
	if o.Orders {
		if err := f.fixedOrderReason(); err != nil {
			return nil, err
		}
	}
	g, err := newGoal(o.Measure, o.Minimize, f)
	if err != nil {
		return nil, err
	}
	x := &search{family: f, goal: g, options: o, rings: 1, worlds: sync.Pool{New: func() any { return newWorld(f) }}}
	if o.Orders {
		x.rings = factorial(len(f.ring) - 1)
	}
	found, err := x.search(ctx)
	interrupted := ctx.Err() != nil
	switch {
	// Without any complete run there is no value to report.
	case interrupted && (err != nil || found.ring == nil):
		return nil, errors.New("interrupted while the adversary searches")
	case err != nil:
		return nil, err
	}
	r, err := x.result(context.WithoutCancel(ctx), found)
	if err == nil {
		r.Interrupted = interrupted && !r.Proven
	}
	return r, err
}

// search is a search among the rings and schedules of a family.
type search struct {
	family  *family
	goal    *goal
	options Options
	rings   int64 // the number of all orders
	worlds  sync.Pool
}

// verdict is the best outcome among some rings, with the ring and the choices that lead to it.
type verdict struct {
	outcome
	ring    []tracefmt.ProcessID
	choices scenario.Choices // nil if the schedule does not matter

	rings, certified, exhausted, runs int64
	doubtReason                       string
	timers                            bool // a process armed a timer in some run
}

// join joins the verdict on further rings. Of equal outcomes it keeps the earlier one.
func (v *verdict) join(w *verdict, g *goal) {
	if v.ring == nil || w.ring != nil && g.better(w.outcome, v.outcome) {
		v.outcome, v.ring, v.choices = w.outcome, w.ring, w.choices
	}
	v.rings, v.certified, v.exhausted, v.runs = v.rings+w.rings, v.certified+w.certified, v.exhausted+w.exhausted,
		v.runs+w.runs
	v.doubtReason, v.timers = cmp.Or(v.doubtReason, w.doubtReason), v.timers || w.timers
}

// search examines all rings if they are few. If some remain undecided, it climbs.
func (x *search) search(ctx context.Context) (*verdict, error) {
	total := &verdict{}
	if x.rings <= int64(x.options.MaxRuns) {
		found, err := x.exhaust(ctx)
		if err != nil || found.certified+found.exhausted == x.rings {
			return found, err
		}
		total = found
	}
	climbed, err := x.climbs(ctx)
	if err != nil {
		return nil, err
	}
	total.join(climbed, x.goal)
	return total, nil
}

// maxParts is the number of parts into which the rings are divided, each for one worker.
const maxParts = 256

// exhaust examines all rings, one by one.
func (x *search) exhaust(ctx context.Context) (*verdict, error) {
	parts := int(min(x.rings, maxParts))
	return x.parallel(ctx, parts, func(ctx context.Context, part int) (*verdict, error) {
		w := x.worlds.Get().(*world)
		defer x.worlds.Put(w)
		total := &verdict{}
		for number := x.rings * int64(part) / int64(parts); number < x.rings*int64(part+1)/int64(parts); number++ {
			ring := x.family.ring
			if x.options.Orders {
				ring = ringOf(len(ring), number)
			}
			v, err := x.judge(ctx, w, ring)
			switch interrupted := ctx.Err() != nil; {
			case interrupted && err == nil && v.certified+v.exhausted == 0: // the search of this ring has at least one complete run
				total.join(v, x.goal)
				return total, nil
			case interrupted:
				return total, nil
			case err != nil:
				return nil, err
			}
			total.join(v, x.goal)
		}
		return total, nil
	})
}

// parallel runs the parts of a search concurrently, and joins their results in order.
func (x *search) parallel(
	ctx context.Context, parts int, do func(ctx context.Context, part int) (*verdict, error),
) (*verdict, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	found, failed := make([]*verdict, parts), make([]error, parts)
	workers := trial.Workers{Number: x.options.Workers}
	if x.options.Progress != nil {
		workers.Progress = func(done int) { x.options.Progress(done, parts) }
	}
	workers.Each(ctx, parts, func(i int) {
		found[i], failed[i] = do(ctx, i)
		if failed[i] != nil {
			// Earlier parts have begun, and Each waits for them.
			stop()
		}
	})
	total := &verdict{}
	for i := range parts {
		if failed[i] != nil {
			return nil, failed[i]
		}
		if found[i] != nil {
			total.join(found[i], x.goal)
		}
	}
	return total, nil
}

// result records the best run, and measures the recording again. It fails if that gives another value.
func (x *search) result(ctx context.Context, v *verdict) (*Result, error) {
	rec, err := x.family.record(ctx, v.ring, v.choices)
	if err != nil {
		return nil, err
	}
	measured, err := x.goal.measured(rec)
	switch {
	case err != nil:
		return nil, err
	case measured != v.outcome:
		return nil, fmt.Errorf(
			"the adversary found a run with %s %d, but recorded it has %d: %s", x.goal.name, v.value,
			measured.value, rec.Run().Scenario,
		)
	}
	r := &Result{
		Measure: x.goal.name, Minimize: x.goal.minimize, Value: measured.value, Endless: measured.endless,
		Proven:   v.certified+v.exhausted == x.rings,
		Scenario: x.family.scenario(v.ring, v.choices), Recording: rec,
		Assumes: x.family.assumes(v.timers),
		Rings:   v.rings, AllRings: x.rings, Certified: v.certified, Exhausted: v.exhausted, Runs: v.runs,
		Doubt: v.doubtReason,
	}
	if r.AllRings == maxRings {
		r.AllRings = 0
	}
	if rec.Run().End == tracefmt.Deadline {
		r.Scenario.MaxEvents = cmp.Or(r.Scenario.MaxEvents, x.family.maxEvents())
	}
	if x.family.later {
		return r, nil
	}
	c := complexity.NewCounter(rec.Run())
	if err := replayInto(rec, c); err != nil {
		return nil, err
	}
	if len(rec.Run().Bounds) > 0 {
		r.Unbounded = complexity.Unbounded(rec.Run())
	}
	// A run without bounds has nothing to print.
	r.Theory, _ = c.Stats().Theory()
	return r, nil
}
