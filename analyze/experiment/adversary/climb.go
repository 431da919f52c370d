package adversary

import (
	"context"
	"math"
	"math/rand/v2"

	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// climbCount is how many climbs a search makes; they share its runs.
const climbCount = 16

// mostProofs is how many rings of a climb are certified.
const mostProofs = 3

// climb is simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983) from
// one place on: what is better is kept, what is worse by d with the probability exp(-d/T), and
// T falls to 0.
type climb struct {
	*search
	ctx  context.Context
	w    *world
	rand *rand.Rand
	at   candidate
	best verdict
	// proofs and refusals count the certificates.
	proofs, refusals int
}

// candidate is a run, by what an adversary decides.
type candidate struct {
	ring    []tracefmt.ProcessID
	choices scenario.Choices // nil: the schedule does not matter
	ways    []int            // how many there were at each choice
	timers  bool
	outcome
}

// climbs makes all climbs. Each has its own random numbers, from the seed of the scenario
// and its place, so the workers decide nothing.
func (x *search) climbs(ctx context.Context) (*verdict, error) {
	return x.parallel(ctx, climbCount, func(ctx context.Context, i int) (*verdict, error) {
		w := x.worlds.Get().(*world)
		defer x.worlds.Put(w)
		c := &climb{search: x, ctx: ctx, w: w, rand: rand.New(rand.NewPCG(uint64(x.family.base.Seed), uint64(i)))}
		runs := x.options.MaxRuns * (i + 1) / climbCount
		return c.up(runs - x.options.MaxRuns*i/climbCount)
	})
}

// up climbs for so many runs.
func (c *climb) up(runs int) (*verdict, error) {
	for i := range runs {
		next, err := c.next(i == 0)
		switch {
		case c.ctx.Err() != nil: // which may have cut the run
			return &c.best, nil
		case err != nil:
			return nil, err
		}
		c.note(&next)
		worse := float64(c.at.value - next.value)
		if c.goal.minimize {
			worse = -worse
		}
		warmth := math.Max(1, math.Abs(float64(c.at.value))/20) * (1 - float64(i)/float64(runs))
		if i == 0 || worse <= 0 || c.rand.Float64() < math.Exp(-worse/warmth) {
			c.at = next
		}
	}
	return &c.best, nil
}

// note takes in a run.
func (c *climb) note(x *candidate) {
	v := verdict{outcome: x.outcome, ring: x.ring, choices: x.choices, runs: 1, timers: x.timers}
	c.best.add(&v, c.goal)
}

// next makes a run that differs a little from the present one, or the first run.
func (c *climb) next(first bool) (candidate, error) {
	next := candidate{ring: c.at.ring}
	var chooser guide
	switch {
	case first:
		next.ring = c.family.ring
		if c.options.Orders {
			next.ring = append([]tracefmt.ProcessID(nil), next.ring...)
			c.rand.Shuffle(len(next.ring), func(i, j int) { next.ring[i], next.ring[j] = next.ring[j], next.ring[i] })
		}
	case c.options.Orders && (len(c.at.choices) == 0 || c.rand.IntN(2) == 0):
		next.ring = vary(c.at.ring, c.rand)
		chooser.script = c.at.choices
	default:
		chooser.script = c.change()
	}
	if is, ok := c.quick(next.ring); ok {
		next.outcome = is
		return next, nil
	}
	chooser.rand = c.rand
	return next, c.run(&next, &chooser)
}

// quick returns what every schedule of a ring comes to, if it is likely that they are alike: of
// the first rings that is examined, and if no proof was refused any run is as good as another,
// since a climb proves nothing.
func (c *climb) quick(ring []tracefmt.ProcessID) (outcome, bool) {
	var is outcome
	var err error
	switch {
	case c.refusals > 0:
		return is, false
	case c.proofs < mostProofs || c.goal.chains:
		is, err = c.certified(c.ctx, c.w, ring)
	default:
		is, err = c.played(c.ctx, c.w, ring)
	}
	if err != nil {
		c.refusals++
		return is, false
	}
	c.proofs++
	return is, true
}

// change changes a choice of the present run, and those after it or not.
func (c *climb) change() scenario.Choices {
	if len(c.at.ways) == 0 {
		return nil
	}
	i := c.rand.IntN(len(c.at.choices))
	script := append(scenario.Choices(nil), c.at.choices...)
	script[i] = (script[i] + 1 + c.rand.IntN(c.at.ways[i]-1)) % c.at.ways[i]
	if c.rand.IntN(2) == 0 {
		script = script[:i+1]
	}
	return script
}

// run simulates a candidate, and keeps its choices.
func (c *climb) run(x *candidate, by *guide) error {
	s := c.family.scenario(x.ring, scenario.Choices{})
	if s.MaxEvents == 0 {
		s.MaxEvents = maxEvents
	}
	config, run, err := s.Simulation()
	if err != nil {
		return err
	}
	config.Chooser = by
	rec := tracefmt.NewMemory(*run)
	result, err := sim.Run(c.ctx, config, rec)
	if err != nil || result.Interrupted {
		return err
	}
	_ = rec.Finish(result.End)
	x.choices, x.ways = append(scenario.Choices{}, by.taken...), by.ways
	if len(x.choices) == 0 {
		x.choices = scenario.Choices{0} // there is one schedule
	}
	x.timers = arms(rec)
	x.outcome, err = c.goal.of(rec)
	return err
}

// guide is a chooser that follows a script as far as it goes, and then draws.
type guide struct {
	script, taken scenario.Choices
	ways          []int
	rand          *rand.Rand
}

// Choose implements [network.Chooser].
func (g *guide) Choose(p network.Point) int {
	way := 0
	if p.Number < len(g.script) {
		way = g.script[p.Number] % len(p.Options)
	} else {
		way = g.rand.IntN(len(p.Options))
	}
	g.taken, g.ways = append(g.taken, way), append(g.ways, len(p.Options))
	return way
}
