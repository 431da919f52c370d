package hunt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/record/sim/network"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// Options say how far a hunt goes.
type Options struct {
	// Faults names what may be done to a run; see [Faults]. nil means [Default].
	Faults []string
	// Plans bounds how many are tried; 0 means DefaultPlans.
	Plans int
	// Time bounds the search for a plan; 0 means no bound.
	Time time.Duration
	// Workers is how many plans may run at the same time; 0 means as many as
	// there are processors. What is found does not depend on it.
	Workers int
	// Progress, unless nil, is called with how many walks are done, see [Search].
	Progress func(done int)
}

// DefaultPlans bounds the plans of a hunt that says nothing else.
const DefaultPlans = 20_000

// maxEvents cuts runs that never end, unless the scenario has a limit of its
// own.
const maxEvents = 20_000

// Finding is what a hunt has found.
type Finding struct {
	Property *analyze.Property
	// Scenario violates the property, and no longer does if anything of it is
	// left out; Recording is its run, and Result the verdict. All are nil if
	// no plan violates it.
	Scenario  *scenario.Scenario
	Recording *tracefmt.Memory
	Result    *analyze.Result
	// Plans counts the plans up to the one that was found first, or all that
	// were tried; Largest is how many faults the largest of them added.
	Plans, Largest int
	// Refused counts the plans that the algorithm does not take: see [algorithm.Unsuited]. They
	// have no run, and are none of Plans.
	Refused int
	// Shrinking counts the runs that were needed to make the plan smaller.
	Shrinking int
	// Took is how long the search took, without the shrinking.
	Took time.Duration
	// OutOfTime: the search ended because its time was over.
	OutOfTime bool
}

// Search looks for a violation of a property around a scenario. It walks: to
// what the scenario says it adds one fault after the other, each drawn from
// what happened in the run so far (a message that was sent is slowed, a process
// crashes at an instant at which something happens), and checks each run. The
// scenario itself comes first, then walks of one fault, of two, and so on; of
// each size those that only shift times come first, then those with crashes, and
// so on: so small and harmless plans are found before others. Every walk has its own random
// numbers, from the scenario's seed and its place, and the first walk in order
// that meets a violation counts; so the same seed has the same finding, however
// many walks are made at a time. A fault with which the algorithm does not take the plan, such as
// a second start where there may be one, is left out again.
//
// What was found is then shrunk, see [Finding]. That nothing was found proves
// nothing. The error is one of the scenario, which the algorithm may refuse, of the options, or of the context.
func Search(ctx context.Context, base *scenario.Scenario, property *analyze.Property, o Options) (*Finding, error) {
	faults, err := lookup(o.Faults)
	if err != nil {
		return nil, err
	}
	if base.Shuffle { // processes that shrinking removes must not change the ring of the others
		base = clone(base)
		base.IDs, base.Shuffle = base.Ring(), false
	}
	h := &hunt{base: base, property: property, harms: byHarm(faults), options: o}
	begun := time.Now()
	found, err := h.search(ctx)
	if err != nil {
		return nil, err
	}
	f := &Finding{Property: property, Plans: h.plans, Largest: h.largest, Refused: h.refused, Took: time.Since(begun), OutOfTime: h.outOfTime}
	if found == nil {
		return f, nil
	}
	small := &shrinker{hunt: h, ctx: ctx, best: found}
	if err := small.shrink(); err != nil {
		return nil, err
	}
	f.Scenario, f.Recording, f.Result, f.Shrinking = small.best.scenario, small.best.rec, small.best.result, small.runs
	return f, nil
}

type hunt struct {
	base     *scenario.Scenario
	property *analyze.Property
	harms    [][]*Fault // that may be used together, by rising harm
	options  Options

	walks, plans, largest, refused int
	outOfTime                      bool
}

// attempt is a scenario with its run.
type attempt struct {
	scenario *scenario.Scenario
	rec      *tracefmt.Memory
	result   *analyze.Result
	looping  bool // the run ends in a proven loop
}

func (a *attempt) violated() bool { return a.result.Verdict == analyze.Violated }

// try runs a scenario and checks the property.
func (h *hunt) try(ctx context.Context, s *scenario.Scenario) (*attempt, error) {
	limited := *s
	limited.MaxEvents = cmp.Or(s.MaxEvents, maxEvents)
	rec, err := rerun.Record(ctx, &limited)
	switch {
	case ctx.Err() != nil:
		return nil, errors.New("interrupted while hunting")
	case err != nil:
		return nil, err
	}
	report, err := analyze.Check(rec, []*analyze.Property{h.property}, analyze.Options{Named: true})
	if err != nil {
		return nil, fmt.Errorf("checking: %w", err)
	}
	if rec.Run().End == tracefmt.Deadline {
		s = &limited // the limit is part of what makes this run
	} else if _, run, err := s.Simulation(); err == nil {
		rec.Run().Scenario = run.Scenario
	}
	return &attempt{s, rec, report.Results[0], report.Ending.Looping()}, nil
}

// class is a group of walks that are alike. Hunts go from one to the next.
type class struct {
	size   int      // how many faults each walk adds
	faults []*Fault // and which
	first  int      // the number of the first walk
	walks  int
}

// firstWalks is how many walks the classes of one fault have; there are growth
// times as many for each further fault.
const firstWalks, growth = 64, 4

// classes yields the classes whose walks try at most that many plans.
func (h *hunt) classes(plans int) iter.Seq[class] {
	return func(yield func(class) bool) {
		first := 0
		for size, walks := 1, firstWalks; ; size, walks = size+1, walks*growth {
			for _, faults := range h.harms {
				c := class{size, faults, first, min(walks, plans/size)}
				if c.walks == 0 || !yield(c) {
					return
				}
				first, plans = first+c.walks, plans-c.walks*size
			}
		}
	}
}

// search returns the first plan in order that violates the property, nil if
// none does.
func (h *hunt) search(ctx context.Context) (*attempt, error) {
	start, err := h.try(ctx, h.base)
	h.plans = 1
	if err != nil || start.violated() {
		return start, err
	}
	bounded, stop := context.WithCancel(ctx)
	if h.options.Time > 0 {
		bounded, stop = context.WithTimeout(ctx, h.options.Time)
	}
	defer stop()
	for c := range h.classes(cmp.Or(h.options.Plans, DefaultPlans) - 1) {
		found, err := h.searchClass(ctx, bounded, c, start)
		switch {
		case ctx.Err() != nil:
			return nil, errors.New("interrupted while hunting")
		case err != nil || found != nil:
			return found, err
		case bounded.Err() != nil:
			h.outOfTime = true
			return nil, nil
		}
	}
	return nil, nil
}

// searchClass makes the walks of a class. The first that finds a violation
// counts; but of a liveness property one that never ends says more than one
// that gets stuck, so all are made until there is such a one.
func (h *hunt) searchClass(ctx, bounded context.Context, c class, start *attempt) (*attempt, error) {
	searching, stop := context.WithCancel(bounded)
	defer stop()
	r := &classResult{safety: h.property.Kind == analyze.Safety, first: c.walks, walked: make([]walked, c.walks)}
	begun := h.walks
	progress := func(done int) {
		if h.walks = begun + done; h.options.Progress != nil {
			h.options.Progress(h.walks)
		}
	}
	workers := trial.Workers{Number: h.options.Workers, Progress: progress}
	workers.Each(searching, c.walks, func(i int) {
		found, walked, err := h.walk(ctx, c, i, start)
		if r.take(i, found, walked, err) {
			stop() // the walks before this one have begun, and are waited for
		}
	})
	for i, w := range r.walked {
		h.largest = max(h.largest, w.plans)
		if !r.enough() || i <= r.first { // later ones depend on the workers
			h.plans += w.plans
			h.refused += w.refused
		}
	}
	return r.best, r.failed
}

// classResult takes in the walks of a class as they are done.
type classResult struct {
	mu     sync.Mutex
	safety bool
	best   *attempt
	first  int // the walk that found best
	walked []walked
	failed error
}

// walked is how many plans a walk has tried, each with one fault more, and how many the algorithm
// has refused.
type walked struct{ plans, refused int }

// take reports whether no further walks are needed.
func (r *classResult) take(i int, found *attempt, w walked, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.walked[i] = w
	switch {
	case err != nil:
		r.failed = err
	case found == nil:
	case r.best == nil, found.looping && !r.best.looping, found.looping == r.best.looping && i < r.first:
		r.best, r.first = found, i
	}
	return r.enough()
}

func (r *classResult) enough() bool {
	return r.failed != nil || r.best != nil && (r.safety || r.best.looping)
}

// walk is the i-th of a class: it adds one fault after the other until the
// property is violated, and counts the plans that it tries. The algorithm refuses some faults: it
// goes on without these.
func (h *hunt) walk(ctx context.Context, c class, i int, at *attempt) (found *attempt, w walked, err error) {
	number := c.first + i
	d := &draw{Rand: rand.New(rand.NewPCG(uint64(h.base.Seed), uint64(number)))}
	s := clone(h.base)
	if random(s) {
		s.Seed += int64(number)
	}
	for range c.size {
		d.scenario, d.rec = clone(s), at.rec
		if !d.fault(c.faults) {
			break
		}
		next, err := h.try(ctx, d.scenario)
		if _, refused := errors.AsType[*algorithm.Unsuited](err); refused {
			w.refused++
			continue
		}
		if err != nil {
			return nil, w, err
		}
		if w.plans++; next.violated() {
			return next, w, nil
		}
		s, at = d.scenario, next
	}
	return nil, w, nil
}

// random reports whether a run depends on the seed.
func random(s *scenario.Scenario) bool {
	return s.Delay.Distribution != network.Fixed || s.Loss > 0 || s.Duplicate > 0
}
