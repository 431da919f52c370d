package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Family is a cell of the grid before its runs. Its scenarios differ in the order of the ring, in the chosen
// processes, and in the seed; each combination of order and processes is a variant. If anything is drawn, run
// r has the seed S+r. The first runs are one of each variant, then one more of each, and so on, so the runs
// with fewer seeds are the first runs with more seeds.
type Family struct {
	// No two runs share a seed: runs of different initiators with one seed could be copies of each other, and an
	// interval that counts them as independent would be too narrow.

	// At is the value of each axis.
	At []string
	// N is the number of processes that rules and bounds call n; see [tracefmt.Run.Size].
	N int
	// Exhausted is true if the seed draws nothing: the runs are all that exist.
	Exhausted bool

	free     bool
	base     *scenario.Scenario
	order    *order // nil: the given order of the ids
	choosers choosers
	// counts are the numbers of seeds, of orders, and of choices of each key. The last varies fastest.
	counts []int64
	bounds []tracefmt.Bound // the published bounds that apply to the runs
	// unbounded is the reason why no bound of the algorithm applies, "" if one may apply.
	unbounded string
	types     []string // the message types of the algorithm
	runs      int64
}

// family returns the cell with the given values.
func (g *Grid) family(at []string) (*Family, error) {
	f, err := g.newFamily(at)
	if err != nil {
		return nil, fmt.Errorf("%s%w", g.place(at), err)
	}
	return f, nil
}

// place names a cell at the beginning of an error; "" for the only cell.
func (g *Grid) place(at []string) string {
	var words []string
	for i, a := range g.Axes {
		if len(a.Values) > 1 {
			words = append(words, a.Name+" "+text.Printable(at[i]))
		}
	}
	if words == nil {
		return ""
	}
	return strings.Join(words, ", ") + ": "
}

// newFamily returns the cell with the given values. Its error does not name the cell.
func (g *Grid) newFamily(at []string) (*Family, error) {
	c := cellSettings{given: map[string]bool{}}
	base := cmp.Or(g.Base, &scenario.Scenario{})
	c.scenario.Algorithms = base.Algorithms
	for i, a := range g.Axes {
		if err := c.set(a.Name, at[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	s := scenario.Merge(base, &c.scenario, c.given)
	s.Algorithms = base.Algorithms
	if len(c.choosers) > 0 && s.Down == nil {
		// The axes decide which processes are down and start.
		s.Down = []int64{}
	}
	s.Complete()
	f := &Family{At: at, base: s, order: c.order}
	f.free = g.isFree(f, c.given["ids"] || base.IDs != nil)
	for _, key := range chooserKeys {
		if found := c.choosers.find(key); found != nil {
			f.choosers = append(f.choosers, found)
		}
	}
	return f, f.count(g.Seeds)
}

// count sets the number of runs. It fails if there are too many.
func (f *Family) count(seeds int64) error {
	f.counts = []int64{1, 1}
	if f.order != nil && !f.free {
		f.counts[1] = f.order.count(len(f.base.IDs))
		if f.counts[1] == 0 {
			return fmt.Errorf(
				"order %s: (%d-1)! orders, expected at most %d runs; --order random draws some",
				f.order.name, len(f.base.IDs), int64(maxRuns),
			)
		}
	}
	first := f.clone()
	sized, drawn := true, false
	// Drawn choices before this key change its candidates, so its number of candidates needs a fixed size.
	for _, c := range f.choosers {
		n := c.variants(first)
		if n != 1 && !sized {
			return errors.New("each beside random(any): how many there are of each is not known, expected one of them")
		}
		if n == 0 {
			return fmt.Errorf("%s each: all processes are down", c.key.name)
		}
		if err := c.apply(first, 0); err != nil {
			return err
		}
		sized, drawn = sized && c.hasFixedSize(), drawn || c.drawn()
		f.counts = append(f.counts, n)
	}
	draws, err := f.checkFirst(first)
	if err != nil {
		return err
	}
	f.Exhausted = !drawn && !draws && !first.Drawn()
	if f.Exhausted {
		seeds = 1
	}
	f.counts[0] = cmp.Or(seeds, DefaultSeeds)
	var fits bool
	f.runs, fits = product(f.counts...)
	if !fits {
		return fmt.Errorf("more than %d runs, expected fewer", int64(maxRuns))
	}
	if !f.Exhausted && f.base.Seed > math.MaxInt64-f.runs {
		return fmt.Errorf("seed %d: each run has a seed of its own, expected at most %d", f.base.Seed,
			math.MaxInt64-f.runs)
	}
	return nil
}

// checkFirst checks that the first scenario can run. It sets N and the bounds, and returns whether the processes draw
// random numbers.
func (f *Family) checkFirst(first *scenario.Scenario) (draws bool, err error) {
	if f.order != nil {
		f.order.apply(first, 0)
	}
	config, run, err := first.Simulation()
	if err != nil {
		return false, err
	}
	f.N = run.Size()
	f.setBounds(run)
	f.types = config.Protocol.MessageNames()
	return config.Protocol.Draws, nil
}

// Runs returns the number of runs.
func (f *Family) Runs() int64 { return f.runs }

// Scenario returns the scenario of a run; runs count from 0.
func (f *Family) Scenario(run int64) (*scenario.Scenario, error) {
	if run < 0 || run >= f.runs {
		return nil, fmt.Errorf("run %d, expected 0 to %d", run, f.runs-1)
	}
	s := f.clone()
	if !f.Exhausted {
		s.Seed += run
	}
	// The number of the run is read in the mixed base of counts, the last digit first.
	numbers := make([]int64, len(f.counts))
	for i, count := range slices.Backward(f.counts) {
		numbers[i] = run % count
		run /= count
	}
	if f.order != nil {
		f.order.apply(s, numbers[1])
	}
	for i, c := range f.choosers {
		if err := c.apply(s, numbers[i+2]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// clone returns the scenario of the cell with its own lists. The ids are sorted if an order will be applied to
// them.
func (f *Family) clone() *scenario.Scenario {
	s := *f.base
	s.IDs, s.Down, s.Start, s.Crash = slices.Clone(s.IDs), slices.Clone(s.Down), slices.Clone(s.Start),
		slices.Clone(s.Crash)
	if f.order != nil {
		slices.Sort(s.IDs)
		s.Shuffle = f.order.drawn
	}
	return &s
}
