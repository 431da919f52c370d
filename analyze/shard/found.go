package shard

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/replay"
	"etrace/tracefmt"
)

// Found is what a shard of the mode events found.
type Found struct {
	// Groups are what it has seen of each group, and found of its rules.
	Groups []FoundGroup `json:"groups"`
	// Whole is the report of the rules that are not split, of shard 0.
	Whole *report.Saved `json:"whole,omitempty"`
}

// FoundGroup is what a shard has seen and found of a group.
type FoundGroup struct {
	// Own are the events with keys of the shard, and All those that all shards must see.
	Own   Sum            `json:"own"`
	All   Sum            `json:"all"`
	Rules []analyze.Part `json:"rules,omitempty"`
}

// Examination checks a shard of a plan of the mode events.
type Examination struct {
	plan  *Plan
	of    *analyze.Examination
	rules [][]*analyze.Examined // by group
	asked []analyze.Reading     // by group
	found Found
	// whole checks the rules that are not split; nil for none.
	whole *analyze.Checker
	first bool // it is shard 0, which sees all events if something is not split
	last  tracefmt.Seq
}

// NewExamination returns the examination of a shard. The properties are those of the plan.
func NewExamination(p *Plan, shard int, properties []*analyze.Property, o analyze.Options) (*Examination, error) {
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	x := &Examination{
		plan: p, of: analyze.NewExamination(run, p.One.Overall, o),
		first: shard == 0,
		rules: make([][]*analyze.Examined, len(p.One.Groups)), found: Found{Groups: make([]FoundGroup, len(p.One.Groups))},
	}
	owns := func(hash uint64) bool { return shardOf(hash, p.Shards) == shard }
	state := replay.NewState(run)
	for _, g := range p.One.Groups {
		reading, err := g.reading(state)
		if err != nil {
			return nil, err
		}
		x.asked = append(x.asked, reading)
	}
	var whole []*analyze.Property
	for i, rule := range p.One.Rules {
		switch {
		case rule.Group < 0:
		case p.One.split(rule):
			examined, err := x.of.Add(properties[i], rule.Known, owns)
			if err != nil {
				return nil, err
			}
			x.rules[rule.Group] = append(x.rules[rule.Group], examined)
		default:
			whole = append(whole, properties[i])
		}
	}
	if whole != nil && x.first {
		x.whole = analyze.NewFollower(run, p.One.Overall, whole, o)
	}
	return x, nil
}

// Run is the run of the plan.
func (x *Examination) Run() *tracefmt.Run { return x.of.Run() }

// Write takes in the next event of the slice.
func (x *Examination) Write(e *tracefmt.Event) error {
	if e.Seq <= x.last {
		return fmt.Errorf("seq %d after seq %d: the events of a slice come in the order of the run, each once", e.Seq, x.last)
	}
	x.last = e.Seq
	if err := x.of.Write(e); err != nil {
		return err
	}
	of := seenOf(e)
	_, named := slices.BinarySearch(x.plan.One.Everyone, e.Seq)
	for i, rules := range x.rules {
		seen, group := &x.found.Groups[i], &x.plan.One.Groups[i]
		if group.Split == None {
			if x.first {
				seen.Own.add(of)
			}
			continue
		}
		if slices.ContainsFunc(rules, func(r *analyze.Examined) bool { return r.Owned }) {
			seen.Own.add(of)
		}
		if len(group.Broadcast) > 0 && (named || x.asked[i].Has(e)) {
			seen.All.add(of)
		}
	}
	if x.whole == nil {
		return nil
	}
	return x.whole.Write(e)
}

// Read takes in the events of the slice as lines of JSON Lines, without a header.
func (x *Examination) Read(lines io.Reader) error {
	slice := *x.Run()
	slice.Slice, slice.Number = true, 0
	dec, validator := tracefmt.NewLineDecoder(lines, &slice), tracefmt.NewValidator(&slice)
	for {
		e, err := dec.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			if err = validator.Check(e); err == nil {
				err = x.Write(e)
			}
			if err != nil {
				err = fmt.Errorf("line %d: %w", dec.Line(), err)
			}
		}
		if err != nil {
			return err
		}
	}
}

// End ends the slice, and returns what the shard found.
func (x *Examination) End() (*Found, error) {
	x.of.End()
	for i, rules := range x.rules {
		for _, rule := range rules {
			x.found.Groups[i].Rules = append(x.found.Groups[i].Rules, rule.Part())
		}
	}
	if x.whole == nil {
		return &x.found, nil
	}
	saved, err := report.Save([]report.Run{{Trace: x.plan.Traces[0].Path, RunReport: x.whole.Report()}})
	x.found.Whole = saved
	return &x.found, err
}
