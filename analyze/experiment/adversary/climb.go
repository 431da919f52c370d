package adversary

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// climbCount is the number of climbs of a search; they share its limit of runs.
const climbCount = 16

// maxProofs is the number of rings of a climb that are certified.
const maxProofs = 3

// climb is simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 220, 1983) from one start. A better run
// is kept, and a run that is worse by d is kept with probability exp(-d/T). T falls to 0.
type climb struct {
	*search
	ctx  context.Context
	w    *world
	rand *rand.Rand
	// number counts the climbs, from 0.
	number int
	at     candidate
	best   verdict
	// proofs and refusals count the certificates.
	proofs, refusals int
}

// candidate is a run with the decisions that lead to it.
type candidate struct {
	ring    []tracefmt.ProcessID
	choices scenario.Choices // nil: the schedule does not matter
	ways    []int            // the number of options at each choice
	timers  bool
	outcome
}

// climbs makes all climbs. Each has its own random numbers, drawn from the seed of the scenario and the number
// of the climb, so the result does not depend on the workers.
func (x *search) climbs(ctx context.Context) (*verdict, error) {
	return x.parallel(ctx, climbCount, func(ctx context.Context, i int) (*verdict, error) {
		w := x.worlds.Get().(*world)
		defer x.worlds.Put(w)
		c := &climb{
			search: x, ctx: ctx, w: w, number: i,
			rand: rand.New(rand.NewPCG(uint64(x.family.base.Seed), uint64(i))),
		}
		runs := x.options.MaxRuns * (i + 1) / climbCount
		return c.makeRuns(runs - x.options.MaxRuns*i/climbCount)
	})
}

// makeRuns makes the given number of runs, and returns the best.
func (c *climb) makeRuns(runs int) (*verdict, error) {
	for i := range runs {
		next, err := c.nextRun(i == 0)
		switch {
		// An interrupt may have cut the run.
		case c.ctx.Err() != nil:
			return &c.best, nil
		case err != nil:
			return nil, err
		}
		c.addRun(&next)
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

// addRun adds a run to the best verdict.
func (c *climb) addRun(x *candidate) {
	v := verdict{outcome: x.outcome, ring: x.ring, choices: x.choices, runs: 1, timers: x.timers}
	c.best.join(&v, c.goal)
}

// nextRun makes the first run, or a run that differs a little from the present run.
func (c *climb) nextRun(first bool) (candidate, error) {
	next := candidate{ring: c.at.ring}
	var chooser guide
	switch {
	case first:
		next.ring = c.family.ring
		if c.options.Orders {
			next.ring = c.start()
		}
	case c.options.Orders && (len(c.at.choices) == 0 || c.rand.IntN(2) == 0):
		next.ring = varyRing(c.at.ring, c.rand)
		chooser.script = c.at.choices
	default:
		chooser.script = c.change()
	}
	if result, ok := c.outcomeAtOnce(next.ring); ok {
		next.outcome = result
		return next, nil
	}
	chooser.rand = c.rand
	return next, c.simulate(&next, &chooser)
}

// start returns the order at which the climb begins: the first climbs begin at the orders that are the worst of
// well-known algorithms, the others at random.
func (c *climb) start() []tracefmt.ProcessID {
	ring := make([]tracefmt.ProcessID, len(c.family.ring))
	for i := range ring {
		ring[i] = tracefmt.ProcessID(i + 1)
	}
	switch c.number {
	case 0: // the worst of Chang and Roberts
		slices.Reverse(ring)
	case 1: // the ring in the order of the ids
	case 2: // the worst of Franklin, and of others that leave half of the processes in a phase
		scenario.ReverseBits(ring)
	default:
		c.rand.Shuffle(len(ring), func(i, j int) { ring[i], ring[j] = ring[j], ring[i] })
	}
	return ring
}

// outcomeAtOnce returns the outcome of all schedules of a ring at once, if the schedule probably does not matter: all
// earlier certificates succeeded. It certifies the first rings only, since a climb proves nothing anyway.
func (c *climb) outcomeAtOnce(ring []tracefmt.ProcessID) (outcome, bool) {
	var result outcome
	var err error
	switch {
	case c.refusals > 0:
		return result, false
	case c.proofs < maxProofs || c.goal.chains:
		result, err = c.certifiedOutcome(c.ctx, c.w, ring)
	default:
		result, err = c.playedOutcome(c.ctx, c.w, ring)
	}
	if err != nil {
		c.refusals++
		return result, false
	}
	c.proofs++
	return result, true
}

// change returns the choices of the present run with one choice changed; in half of the cases the later
// choices are dropped.
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

// simulate simulates a candidate, and stores its choices.
func (c *climb) simulate(x *candidate, chooser *guide) error {
	s := c.family.scenario(x.ring, scenario.Choices{})
	if s.MaxEvents == 0 {
		s.MaxEvents = c.family.maxEvents()
	}
	config, run, err := s.Simulation()
	if err != nil {
		return err
	}
	config.Chooser = chooser
	rec := tracefmt.NewMemory(*run)
	result, err := sim.Run(c.ctx, config, rec)
	if err != nil || result.Interrupted {
		return err
	}
	_ = rec.Finish(result.End)
	x.choices, x.ways = append(scenario.Choices{}, chooser.taken...), chooser.options
	if len(x.choices) == 0 {
		// The only schedule has one option at each choice.
		x.choices = scenario.Choices{0}
	}
	x.timers = armsTimer(rec)
	x.outcome, err = c.goal.measured(rec)
	return err
}

// guide is a chooser that follows a script to its end, and then draws.
type guide struct {
	script, taken scenario.Choices
	options       []int
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
	g.taken, g.options = append(g.taken, way), append(g.options, len(p.Options))
	return way
}
