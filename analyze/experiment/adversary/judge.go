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

// judge finds the greatest value, or the least, among all schedules of a ring.
func (x *search) judge(ctx context.Context, w *world, ring []tracefmt.ProcessID) (*verdict, error) {
	is, err := x.certified(ctx, w, ring)
	if err == nil {
		return &verdict{outcome: is, ring: ring, rings: 1, certified: 1, runs: 1}, nil
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
		v.doubt = doubt.Error()
	}
	return v, nil
}

// certified returns what all schedules of a ring come to. The error says why it is not
// proved that there is such a thing.
func (x *search) certified(ctx context.Context, w *world, ring []tracefmt.ProcessID) (outcome, error) {
	if x.family.unlike != nil {
		return outcome{}, x.family.unlike
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
	if x.goal.chains && !(x.family.fifo && h.oneWay()) {
		return outcome{}, fmt.Errorf("all schedules send the same messages, but %s depends on the order in which they arrive", x.goal.name)
	}
	return x.weighed(ctx, m, h, ring)
}

// played returns what the run of a ring comes to in which every message takes equally long.
func (x *search) played(ctx context.Context, w *world, ring []tracefmt.ProcessID) (outcome, error) {
	m, err := w.model(ring)
	if err != nil {
		return outcome{}, err
	}
	h, err := m.play()
	if err != nil {
		return outcome{}, err
	}
	return x.weighed(ctx, m, h, ring)
}

// weighed returns what a history comes to, which is that run of the ring.
func (x *search) weighed(ctx context.Context, m *model, h *history, ring []tracefmt.ProcessID) (outcome, error) {
	if x.goal.weigh != nil {
		return outcome{value: x.goal.weigh(m, h)}, nil
	}
	rec, err := x.family.record(ctx, ring, nil)
	if err != nil {
		return outcome{}, err
	}
	return x.goal.of(rec)
}

// oneWay reports whether each process gets its messages from one other alone, so that on
// FIFO channels each handles the same ones in the same order in every schedule.
func (h *history) oneWay() bool {
	from := make([]tracefmt.ProcessID, len(h.handled))
	for i := range h.messages {
		m := &h.messages[i]
		if from[m.to] != 0 && from[m.to] != m.from {
			return false
		}
		from[m.to] = m.from
	}
	return true
}

// situationsPerRun is how many situations of a model cost what a run does, about.
const situationsPerRun = 10

// goThrough goes through all situations of the model of a ring, and returns nil if there is
// none, or if they are too many.
func (x *search) goThrough(ctx context.Context, w *world, ring []tracefmt.ProcessID) (*verdict, error) {
	if x.family.unlike != nil || !x.family.fifo || x.goal.each == nil && x.goal.name != "depth" {
		return nil, nil
	}
	m, err := w.model(ring)
	if err != nil {
		return nil, nil // it has none
	}
	config, _, err := x.family.scenario(ring, nil).Simulation()
	if err != nil {
		return nil, err
	}
	limit := max(1, int64(x.options.MaxRuns)*situationsPerRun/x.rings)
	value, channels, count, err := m.goThrough(x.goal, config.Edges, int(limit))
	if err != nil {
		return nil, nil // they are too many, or have no end
	}
	f := &follower{channels: channels}
	config.Chooser = f
	if _, err := sim.Run(ctx, config, ignored{}); err != nil {
		return nil, err
	}
	if len(f.choices) == 0 {
		f.choices = scenario.Choices{0}
	}
	return &verdict{outcome: outcome{value: value}, ring: ring, choices: f.choices, rings: 1, exhausted: 1, runs: count}, nil
}

// ignored takes in events and forgets them.
type ignored struct{}

func (ignored) Write(*tracefmt.Event) error { return nil }

// explore goes through all schedules of a ring, as far as the limit for one goes.
func (x *search) explore(ctx context.Context, ring []tracefmt.ProcessID) (*verdict, error) {
	v, endless := &verdict{ring: ring, rings: 1}, false
	s := x.family.scenario(ring, nil)
	s.MaxEvents = cmp.Or(s.MaxEvents, maxEvents)
	report, err := orders.Explore(ctx, s, orders.Options{
		MaxRuns: max(1, int(int64(x.options.MaxRuns)/x.rings)),
		Made: func(rec *tracefmt.Memory, choices scenario.Choices) error {
			is, err := x.goal.of(rec)
			endless = endless || is.endless
			v.timers = v.timers || arms(rec)
			if v.choices == nil || err == nil && x.goal.better(is, v.outcome) {
				v.outcome, v.choices = is, choices
			}
			return err
		},
	})
	switch {
	case ctx.Err() != nil && v.choices != nil:
		return v, nil // what was seen
	case err != nil:
		return nil, err
	}
	v.runs = int64(report.Runs)
	if report.Complete && !endless {
		v.exhausted = 1
	}
	return v, nil
}
