package shard

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Slicer determines which shards need an event.
type Slicer struct {
	plan      *Plan
	run       *tracefmt.Run
	state     *replay.State
	rules     []analyze.Splitting
	asked     []analyze.Reading // by group: the filter for the events that all shards need
	unsplit   bool
	shards    []int
	allShards []int
}

// NewSlicer returns a slicer for a plan in mode events; properties are those of the plan.
func NewSlicer(p *Plan, properties []*analyze.Property) (*Slicer, error) {
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	s := &Slicer{plan: p, run: run, state: replay.NewState(run), unsplit: p.One.Whole()}
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
		s.allShards = append(s.allShards, shard)
	}
	return s, nil
}

// split reports whether a rule is checked in parts.
func (o *One) split(r Rule) bool { return r.Group >= 0 && o.Groups[r.Group].Split == ByKey }

// Fits rejects a run that cannot be the run of the plan, or a slice of it.
func (o *One) Fits(run *tracefmt.Run) error {
	planned, err := o.Run()
	if err == nil && !slices.EqualFunc(run.Members, planned.Members, func(a, b tracefmt.Member) bool { return a.Name == b.Name }) {
		err = errors.New("another run than that of the plan: it has other processes")
	}
	return err
}

// Run returns the run of the plan.
func (s *Slicer) Run() *tracefmt.Run { return s.run }

// Header returns the header of a slice in JSON Lines.
func (s *Slicer) Header() ([]byte, error) { return s.plan.sliceHeader() }

// Shards takes the next event of the run, and returns the shards that need it; the result is valid until the
// next call. If the plan has Alone, events may come in any order.
func (s *Slicer) Shards(e *tracefmt.Event) []int {
	if !s.plan.One.Alone {
		s.state.Apply(e)
	}
	s.shards = s.shards[:0]
	if s.unsplit {
		s.shards = append(s.shards, 0)
	}
	for _, m := range s.rules {
		for _, hash := range m.Survey(s.state, e) {
			s.shards = withElement(s.shards, shardOf(hash, s.plan.Shards))
		}
	}
	if s.everyone(e) {
		return s.allShards
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
