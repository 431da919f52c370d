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

// Options say what an adversary is after, and how far it goes.
type Options struct {
	// Measure is what it drives up: one of [Measures], "" for messages.
	Measure string
	// Minimize: it drives the measure down.
	Minimize bool
	// Orders: it decides the order of the ring, too, not only when messages arrive.
	Orders bool
	// MaxRuns bounds the runs that are made; 0 means DefaultMaxRuns. If the orders of the
	// ring are more, or the schedules of one, what is found is no proof.
	MaxRuns int
	// Workers is how many runs are made at the same time; 0 means as many as there are
	// processors. What is found does not depend on it.
	Workers int
	// Progress, unless nil, is called with how many parts of the search are done.
	Progress func(done, of int)
}

// DefaultMaxRuns bounds the runs of a search that says nothing else.
const DefaultMaxRuns = 100_000

// Result is what an adversary has achieved.
type Result struct {
	Measure  string
	Minimize bool
	// Value of the measure in the run Recording: the greatest, or least, of all runs there
	// are if Proven, else the greatest or least that was seen. Where processes draw, these
	// are the runs with the seed of the scenario.
	Value  int64
	Proven bool
	// Assumes is what holds in all schedules among which the adversary chose, "" if it could
	// choose any: [TimeoutsLong] or [RoundsLong], and [LaterAnytime], with a comma between
	// them. In others the value may be passed.
	Assumes string
	// Endless: the run has no end, or was cut before it came to one, so that there is no
	// greatest value.
	Endless bool
	// Scenario makes the run again.
	Scenario  *scenario.Scenario
	Recording *tracefmt.Memory
	// Theory is the published bounds beside what the run measures by their own conventions.
	// There are none where actions come at any moment: they are about one election.
	Theory []complexity.Compared
	// Unbounded says why the bounds that the run states are not about it, "" if they are.
	Unbounded string
	// Rings is how many orders of the ring were examined one by one, AllRings how many
	// there are: 1 where the order is no choice, 0 for too many to count.
	Rings, AllRings int64
	// Certified counts those of which it is proved that all schedules send the same
	// messages, Exhausted those all of whose schedules were explored.
	Certified, Exhausted int64
	// Runs is how many were made; of a model that was gone through, how many situations
	// it has.
	Runs int64
	// Doubt says why no proof was found for an order that was examined, "" if there is none.
	Doubt string
	// Interrupted: the context ended the search, and the value is that of what it had come to.
	Interrupted bool
}

// Search looks for the run of a scenario in which a measure is greatest, or least, if an
// adversary decides how long each message takes and, with [Options.Orders], in which
// order the processes are on the ring.
//
// If there are no more orders of the ring than runs may be made, all are examined: of each
// it is proved that the schedule does not matter (see certificate.go), or else all schedules
// are explored, as orders.Explore does, as far as the limit goes. Then the value is
// proven. Beyond that several climbs begin at orders drawn from the seed of the scenario,
// change one thing at a time, and keep what is better, or for a while only little worse;
// so what they find is the greatest that was seen, and no more.
//
// If the context ends, what was seen until then is the result. The error is one of the scenario,
// the options, or the context, if that left no run at all.
func Search(ctx context.Context, s *scenario.Scenario, o Options) (*Result, error) {
	o.MaxRuns = cmp.Or(o.MaxRuns, DefaultMaxRuns)
	o.Measure = cmp.Or(o.Measure, "messages")
	f, err := newFamily(ctx, s)
	if err != nil {
		return nil, err
	}
	if o.Orders {
		if err := f.ordered(); err != nil {
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
	all, err := x.search(ctx)
	interrupted := ctx.Err() != nil
	switch {
	case interrupted && (err != nil || all.ring == nil):
		return nil, errors.New("interrupted while the adversary searches")
	case err != nil:
		return nil, err
	}
	r, err := x.result(context.WithoutCancel(ctx), all)
	if err == nil {
		r.Interrupted = interrupted && !r.Proven
	}
	return r, err
}

type search struct {
	family  *family
	goal    *goal
	options Options
	rings   int64 // how many there are
	worlds  sync.Pool
}

// verdict is what is known of the runs of some rings.
type verdict struct {
	outcome
	ring    []tracefmt.ProcessID
	choices scenario.Choices // nil if the schedule does not matter

	rings, certified, exhausted, runs int64
	doubt                             string
	timers                            bool // a process armed one in some run
}

// add takes in what is known of further rings, of which the earlier ones come first.
func (v *verdict) add(w *verdict, g *goal) {
	if v.ring == nil || w.ring != nil && g.better(w.outcome, v.outcome) {
		v.outcome, v.ring, v.choices = w.outcome, w.ring, w.choices
	}
	v.rings, v.certified, v.exhausted, v.runs = v.rings+w.rings, v.certified+w.certified, v.exhausted+w.exhausted, v.runs+w.runs
	v.doubt, v.timers = cmp.Or(v.doubt, w.doubt), v.timers || w.timers
}

// search examines all rings, and then climbs if that leaves something open.
func (x *search) search(ctx context.Context) (*verdict, error) {
	all := &verdict{}
	if x.rings <= int64(x.options.MaxRuns) {
		found, err := x.exhaust(ctx)
		if err != nil || found.certified+found.exhausted == x.rings {
			return found, err
		}
		all = found
	}
	climbed, err := x.climbs(ctx)
	if err != nil {
		return nil, err
	}
	all.add(climbed, x.goal)
	return all, nil
}

// mostParts is into how many parts the rings are divided, each for one worker.
const mostParts = 256

// exhaust examines all rings.
func (x *search) exhaust(ctx context.Context) (*verdict, error) {
	parts := int(min(x.rings, mostParts))
	return x.parallel(ctx, parts, func(ctx context.Context, part int) (*verdict, error) {
		w := x.worlds.Get().(*world)
		defer x.worlds.Put(w)
		all := &verdict{}
		for number := x.rings * int64(part) / int64(parts); number < x.rings*int64(part+1)/int64(parts); number++ {
			ring := x.family.ring
			if x.options.Orders {
				ring = ringOf(len(ring), number)
			}
			v, err := x.judge(ctx, w, ring)
			switch interrupted := ctx.Err() != nil; {
			case interrupted && err == nil && v.certified+v.exhausted == 0: // of whole runs
				all.add(v, x.goal)
				return all, nil
			case interrupted:
				return all, nil
			case err != nil:
				return nil, err
			}
			all.add(v, x.goal)
		}
		return all, nil
	})
}

// parallel does the parts of a search, several at a time, and joins what they find in
// their order.
func (x *search) parallel(ctx context.Context, parts int, do func(ctx context.Context, part int) (*verdict, error)) (*verdict, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	found, failed := make([]*verdict, parts), make([]error, parts)
	workers := trial.Workers{Number: x.options.Workers}
	if x.options.Progress != nil {
		workers.Progress = func(done int) { x.options.Progress(done, parts) }
	}
	workers.Each(ctx, parts, func(i int) {
		if found[i], failed[i] = do(ctx, i); failed[i] != nil {
			stop() // those before this one have begun, and are waited for
		}
	})
	all := &verdict{}
	for i := range parts {
		if failed[i] != nil {
			return nil, failed[i]
		}
		if found[i] != nil {
			all.add(found[i], x.goal)
		}
	}
	return all, nil
}

// result records the run that was found. Its measure is taken anew, from the recording.
func (x *search) result(ctx context.Context, v *verdict) (*Result, error) {
	rec, err := x.family.record(ctx, v.ring, v.choices)
	if err != nil {
		return nil, err
	}
	is, err := x.goal.of(rec)
	switch {
	case err != nil:
		return nil, err
	case is != v.outcome:
		return nil, fmt.Errorf("the adversary found a run with %s %d, but recorded it has %d: %s", x.goal.name, v.value, is.value, rec.Run().Scenario)
	}
	r := &Result{
		Measure: x.goal.name, Minimize: x.goal.minimize, Value: is.value, Endless: is.endless, Proven: v.certified+v.exhausted == x.rings,
		Scenario: x.family.scenario(v.ring, v.choices), Recording: rec,
		Assumes: x.family.assumes(v.timers),
		Rings:   v.rings, AllRings: x.rings, Certified: v.certified, Exhausted: v.exhausted, Runs: v.runs, Doubt: v.doubt,
	}
	if r.AllRings == mostRings {
		r.AllRings = 0
	}
	if rec.Run().End == tracefmt.Deadline {
		r.Scenario.MaxEvents = cmp.Or(r.Scenario.MaxEvents, maxEvents)
	}
	if x.family.later {
		return r, nil
	}
	c := complexity.NewCounter(rec.Run())
	if err := feed(rec, c); err != nil {
		return nil, err
	}
	if len(rec.Run().Bounds) > 0 {
		r.Unbounded = complexity.Unbounded(rec.Run())
	}
	r.Theory, _ = c.Stats().Theory() // where there is none, there is nothing to print
	return r, nil
}
