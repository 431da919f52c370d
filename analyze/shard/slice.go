package shard

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Slicer says which shards need an event.
type Slicer struct {
	plan   *Plan
	run    *tracefmt.Run
	state  *replay.State
	rules  []analyze.Splitting
	asked  []analyze.Reading // by group: what all shards must see
	whole  bool
	shards []int
	all    []int
}

// NewSlicer returns a slicer by a plan of the mode events, which examines the properties.
func NewSlicer(p *Plan, properties []*analyze.Property) (*Slicer, error) {
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	s := &Slicer{plan: p, run: run, state: replay.NewState(run), whole: p.One.Whole()}
	for i, rule := range p.One.Rules {
		if !p.One.split(rule) {
			continue
		}
		m, err := analyze.NewSplitting(properties[i], run)
		if err != nil {
			return nil, err
		}
		s.rules = append(s.rules, m)
	}
	for _, g := range p.One.Groups {
		reading, err := g.reading(s.state)
		if err != nil {
			return nil, err
		}
		s.asked = append(s.asked, reading)
	}
	for shard := range p.Shards {
		s.all = append(s.all, shard)
	}
	return s, nil
}

// split reports whether a rule is examined in parts.
func (o *One) split(r Rule) bool { return r.Group >= 0 && o.Groups[r.Group].Split == ByKey }

// Fits refuses a run that cannot be that of the plan, nor a slice of it.
func (o *One) Fits(run *tracefmt.Run) error {
	planned, err := o.Run()
	if err == nil && !slices.EqualFunc(run.Members, planned.Members, func(a, b tracefmt.Member) bool { return a.Name == b.Name }) {
		err = errors.New("another run than that of the plan: it has other processes")
	}
	return err
}

// Run is the run of the plan.
func (s *Slicer) Run() *tracefmt.Run { return s.run }

// Header is the header of a slice in JSON Lines.
func (s *Slicer) Header() ([]byte, error) { return s.plan.sliceHeader() }

// Shards takes in the next event of the run, and returns which shards need it, which is good until
// the next event. Where the plan says that events tell their keys alone, they may come in any
// order.
func (s *Slicer) Shards(e *tracefmt.Event) []int {
	if !s.plan.One.Alone {
		s.state.Apply(e)
	}
	s.shards = s.shards[:0]
	if s.whole {
		s.shards = append(s.shards, 0)
	}
	for _, m := range s.rules {
		for _, hash := range m.Survey(s.state, e) {
			s.shards = with(s.shards, shardOf(hash, s.plan.Shards))
		}
	}
	if s.everyone(e) {
		return s.all
	}
	return s.shards
}

// everyone reports whether all shards need the event.
func (s *Slicer) everyone(e *tracefmt.Event) bool {
	if slices.ContainsFunc(s.asked, func(r analyze.Reading) bool { return r.Has(e) }) {
		return true
	}
	_, named := slices.BinarySearch(s.plan.One.Everyone, e.Seq)
	return named
}
