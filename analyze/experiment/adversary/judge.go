package adversary

import (
	"cmp"
	"context"
	"fmt"

	"etrace/analyze/experiment/orders"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// judge finds the best outcome among all schedules of a ring. It tries a proof first, then the situations of
// a model, then all schedules.
func (x *search) judge(ctx context.Context, w *world, ring []tracefmt.ProcessID) (*verdict, error) {
	result, err := x.certifiedOutcome(ctx, w, ring)
	if err == nil {
		return &verdict{outcome: result, ring: ring, rings: 1, certified: 1, runs: 1}, nil
	}
	doubt := err
	v, err := x.goThrough(ctx, w, ring)
	if err != nil || v != nil {
		return v, err
	}
	v, err = x.explore(ctx, ring)
	if err != nil {
		return nil, err
	}
	if v.exhausted == 0 {
		v.doubtReason = doubt.Error()
	}
	return v, nil
}

// certifiedOutcome returns the common outcome of all schedules of a ring. It fails if it cannot prove that they have
// the same outcome.
func (x *search) certifiedOutcome(ctx context.Context, w *world, ring []tracefmt.ProcessID) (outcome, error) {
	if x.family.unprovable != nil {
		return outcome{}, x.family.unprovable
	}
	m, err := w.model(ring)
	if err != nil {
		return outcome{}, err
	}
	h, err := m.play()
	if err != nil {
		return outcome{}, err
	}
	if err := m.certify(h, x.family.fifo); err != nil {
		return outcome{}, err
	}
	// A chain depends on the order of arrivals, unless all messages of a process come from one neighbour in FIFO
	// order.
	if x.goal.chains && !(x.family.fifo && h.oneWay()) {
		return outcome{}, fmt.Errorf("all schedules send the same messages, but %s depends on the order in which they arrive", x.goal.name)
	}
	return x.outcomeOf(ctx, m, h, ring)
}

// playedOutcome returns the outcome of the run of a ring in which every message takes equally long.
func (x *search) playedOutcome(ctx context.Context, w *world, ring []tracefmt.ProcessID) (outcome, error) {
	m, err := w.model(ring)
	if err != nil {
		return outcome{}, err
	}
	h, err := m.play()
	if err != nil {
		return outcome{}, err
	}
	return x.outcomeOf(ctx, m, h, ring)
}

// outcomeOf returns the outcome of a history of the ring.
func (x *search) outcomeOf(ctx context.Context, m *model, h *history, ring []tracefmt.ProcessID) (outcome, error) {
	if x.goal.weigh != nil {
		return outcome{value: x.goal.weigh(m, h)}, nil
	}
	rec, err := x.family.record(ctx, ring, nil)
	if err != nil {
		return outcome{}, err
	}
	return x.goal.measured(rec)
}

// oneWay reports whether each process receives from at most one other process. Then, on FIFO channels, each
// process handles the same messages in the same order in every schedule.
func (h *history) oneWay() bool {
	from := make([]tracefmt.ProcessID, len(h.handled))
	for i := range h.messages {
		m := &h.messages[i]
		if from[m.receiver] != 0 && from[m.receiver] != m.sender {
			return false
		}
		from[m.receiver] = m.sender
	}
	return true
}

// situationsPerRun is the number of situations that cost about as much as a run.
const situationsPerRun = 10

// goThrough explores all situations of the model of a ring. It returns nil if there is no model, or if there
// are too many situations.
func (x *search) goThrough(ctx context.Context, w *world, ring []tracefmt.ProcessID) (*verdict, error) {
	if x.family.unprovable != nil || !x.family.fifo || x.goal.perMessage == nil && x.goal.name != "depth" {
		return nil, nil
	}
	m, err := w.model(ring)
	if err != nil {
		return nil, nil // no model
	}
	config, _, err := x.family.scenario(ring, nil).Simulation()
	if err != nil {
		return nil, err
	}
	limit := max(1, int64(x.options.MaxRuns)*situationsPerRun/x.rings)
	value, channels, count, err := m.goThrough(x.goal, config.Edges, int(limit))
	if err != nil {
		return nil, nil // too many situations, or a repeating schedule
	}
	f := &follower{channels: channels}
	config.Chooser = f
	if _, err := sim.Run(ctx, config, ignored{}); err != nil {
		return nil, err
	}
	if len(f.choices) == 0 {
		f.choices = scenario.Choices{0}
	}
	return &verdict{
		outcome: outcome{value: value}, ring: ring, choices: f.choices, rings: 1, exhausted: 1,
		runs: count,
	}, nil
}

// ignored is a writer that discards events.
type ignored struct{}

func (ignored) Write(*tracefmt.Event) error { return nil }

// explore explores all schedules of a ring, up to the limit for one ring.
func (x *search) explore(ctx context.Context, ring []tracefmt.ProcessID) (*verdict, error) {
	v, endless := &verdict{ring: ring, rings: 1}, false
	s := x.family.scenario(ring, nil)
	s.MaxEvents = cmp.Or(s.MaxEvents, x.family.maxEvents())
	report, err := orders.Explore(ctx, s, orders.Options{
		MaxRuns: max(1, int(int64(x.options.MaxRuns)/x.rings)),
		Made: func(rec *tracefmt.Memory, choices scenario.Choices) error {
			result, err := x.goal.measured(rec)
			endless = endless || result.endless
			v.timers = v.timers || armsTimer(rec)
			if v.choices == nil || err == nil && x.goal.better(result, v.outcome) {
				v.outcome, v.choices = result, choices
			}
			return err
		},
	})
	switch {
	case ctx.Err() != nil && v.choices != nil:
		// Return the best of the runs before the interrupt.
		return v, nil
	case err != nil:
		return nil, err
	}
	v.runs = int64(report.Runs)
	if report.Complete && !endless {
		v.exhausted = 1
	}
	return v, nil
}
