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

// Options set the faults and the limits of a hunt.
type Options struct {
	// Faults names the faults to try; see [Faults]. nil means [Default].
	Faults []string
	// Plans limits the number of plans; 0 means DefaultPlans.
	Plans int
	// Time limits the search for a plan; 0 means no limit.
	Time time.Duration
	// Workers is the number of concurrent runs; 0 means one for each processor. The result does not depend on
	// it.
	Workers int
	// Progress, unless nil, is called with the number of finished walks, see [Search].
	Progress func(done int)
}

// DefaultPlans is the default limit of the plans of a hunt.
const DefaultPlans = 20_000

// maxEvents cuts endless runs, unless the scenario has its own limit.
const maxEvents = 20_000

// Finding is the result of a hunt.
type Finding struct {
	Property *analyze.Property
	// Scenario violates the property, and each part of it is necessary for that. Recording is its run, and
	// Result the verdict. All three are nil if no plan violates the property.
	Scenario  *scenario.Scenario
	Recording *tracefmt.Memory
	Result    *analyze.Result
	// Plans counts the plans up to the violation, or all plans without one; Largest is the maximum number
	// of faults that one of them added.
	Plans, Largest int
	// Refused counts the plans that the algorithm rejects: see [algorithm.Unsuited]. They have no run, and do
	// not count in Plans.
	Refused int
	// Shrinking counts the runs that made the plan smaller.
	Shrinking int
	// Took is the duration of the search, without the shrinking.
	Took time.Duration
	// OutOfTime: the search reached its time limit.
	OutOfTime bool
}

// Search looks for a violation of a property around a scenario. It makes walks: a walk adds one fault after the
// other to the scenario and checks each run. Each fault is drawn from the events of the last run: a sent
// message is slowed, or a process crashes at the time of an event. The scenario itself comes first, then walks
// of one fault, of two, and so on. Among walks of the same size, walks that only shift times come first, then walks
// with crashes, and so on. So small and harmless plans are found first. Every walk has its own random
// numbers, from the scenario's seed and the walk's number, and the first violation in this order counts. So the
// result depends on the seed, and not on the number of workers. If the algorithm rejects a plan, such as a
// second start, the walk continues without the fault.
//
// Search then shrinks the violating plan, see [Finding]. A hunt without result proves nothing. Search fails if
// the scenario or the options are invalid, if the algorithm rejects the scenario, or if the context ends.
func Search(ctx context.Context, base *scenario.Scenario, property *analyze.Property, o Options) (*Finding, error) {
	faults, err := lookup(o.Faults)
	if err != nil {
		return nil, err
	}
	// When shrinking removes processes, the ring of the others must not change.
	if base.Shuffle {
		base = clone(base)
		base.IDs, base.Shuffle = base.Ring(), false
	}
	h := &hunt{base: base, property: property, harms: byHarm(faults), options: o}
	begun := time.Now()
	found, err := h.search(ctx)
	if err != nil {
		return nil, err
	}
	f := &Finding{
		Property: property, Plans: h.plans, Largest: h.largest, Refused: h.refused,
		Took: time.Since(begun), OutOfTime: h.outOfTime,
	}
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

// hunt is the state of a search.
type hunt struct {
	base     *scenario.Scenario
	property *analyze.Property
	harms    [][]*Fault // sets of faults to draw from, by rising harm
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

// runAndCheck runs a scenario and checks the property.
func (h *hunt) runAndCheck(ctx context.Context, s *scenario.Scenario) (*attempt, error) {
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
		s = &limited // the limit is part of the scenario of this run
	} else if _, run, err := s.Simulation(); err == nil {
		rec.Run().Scenario = run.Scenario
	}
	return &attempt{s, rec, report.Results[0], report.Ending.Looping()}, nil
}

// class is a group of walks that add the same number of faults, of the same kinds. A hunt searches class by
// class.
type class struct {
	size   int      // the number of faults that each walk adds
	faults []*Fault // their kinds
	first  int      // the number of the first walk
	walks  int
}

// firstWalks is the number of walks of a class with one fault; each further fault multiplies it by growth.
const firstWalks, growth = 64, 4

// classes yields the classes whose walks together try at most the given number of plans.
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

// search returns the first plan in order that violates the property, or nil.
func (h *hunt) search(ctx context.Context) (*attempt, error) {
	start, err := h.runAndCheck(ctx, h.base)
	h.plans = 1
	if err != nil || start.violated() {
		return start, err
	}
	// The end of the time limit ends the hunt without an error, unlike an interrupt.
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

// searchClass makes the walks of a class, and returns the violation of the first walk that finds one. For a
// liveness property it prefers a violation by a proven loop, which is better evidence than a blocked run.
func (h *hunt) searchClass(ctx, bounded context.Context, c class, start *attempt) (*attempt, error) {
	searching, stop := context.WithCancel(bounded)
	defer stop()
	r := &classResult{safety: h.property.Kind == analyze.Safety, first: c.walks, walked: make([]walked, c.walks)}
	begun := h.walks
	progress := func(done int) {
		h.walks = begun + done
		if h.options.Progress != nil {
			h.options.Progress(h.walks)
		}
	}
	workers := trial.Workers{Number: h.options.Workers, Progress: progress}
	workers.Each(searching, c.walks, func(i int) {
		found, walked, err := h.walk(ctx, c, i, start)
		if r.addWalk(i, found, walked, err) {
			// Earlier walks have begun, and Each waits for them.
			stop()
		}
	})
	for i, w := range r.walked {
		h.largest = max(h.largest, w.plans)
		// The number of later walks depends on the workers.
		if !r.isFinal() || i <= r.first {
			h.plans += w.plans
			h.refused += w.refused
		}
	}
	return r.best, r.failed
}

// classResult collects the results of the walks of a class.
type classResult struct {
	mu     sync.Mutex
	safety bool
	best   *attempt
	first  int      // the number of the walk that found best
	walked []walked // by walk
	failed error
}

// walked counts the plans of a walk, each with one more fault, and the plans that the algorithm rejected.
type walked struct{ plans, refused int }

// addWalk stores the result of the i-th walk, and reports whether the search can stop.
func (r *classResult) addWalk(i int, found *attempt, w walked, err error) bool {
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
	return r.isFinal()
}

// isFinal reports whether further walks cannot find a better violation.
func (r *classResult) isFinal() bool {
	return r.failed != nil || r.best != nil && (r.safety || r.best.looping)
}

// walk makes the i-th walk of a class: it adds one fault after the other until the property is violated, and
// counts its plans. If the algorithm rejects a fault, the walk continues without it.
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
		next, err := h.runAndCheck(ctx, d.scenario)
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
