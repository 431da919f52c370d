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

// Found is the result of a shard in mode events.
type Found struct {
	// Groups has the results of each group.
	Groups []FoundGroup `json:"groups"`
	// Whole is the report of the rules that are not split; only shard 0 has it.
	Whole *report.Saved `json:"whole,omitempty"`
}

// FoundGroup has the sums of the events seen for a group, and the results of its rules.
type FoundGroup struct {
	// Own is the sum of the shard's events with keys, and All that of the events for all shards.
	Own   Sum            `json:"own"`
	All   Sum            `json:"all"`
	Rules []analyze.Part `json:"rules,omitempty"`
}

// Examination checks a shard of a plan in mode events.
type Examination struct {
	plan        *Plan
	examination *analyze.Examination
	rules       [][]*analyze.Examined // by group
	asked       []analyze.Reading     // by group
	found       Found
	// whole checks the rules that are not split; it is nil without any.
	unsplit *analyze.Checker
	first   bool // shard 0 sees all events if some rule is not split
	last    tracefmt.Seq
}

// NewExamination returns the examination of a shard; properties are those of the plan.
func NewExamination(p *Plan, shard int, properties []*analyze.Property, o analyze.Options) (*Examination, error) {
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	x := &Examination{
		plan: p, examination: analyze.NewExamination(run, p.One.Overall, o),
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
	var unsplit []*analyze.Property
	for i, rule := range p.One.Rules {
		switch {
		case rule.Group < 0:
		case p.One.split(rule):
			examined, err := x.examination.Add(properties[i], rule.Known, owns)
			if err != nil {
				return nil, err
			}
			x.rules[rule.Group] = append(x.rules[rule.Group], examined)
		default:
			unsplit = append(unsplit, properties[i])
		}
	}
	if unsplit != nil && x.first {
		x.unsplit = analyze.NewFollower(run, p.One.Overall, unsplit, o)
	}
	return x, nil
}

// Run returns the run of the plan.
func (x *Examination) Run() *tracefmt.Run { return x.examination.Run() }

// Write takes the next event of the slice.
func (x *Examination) Write(e *tracefmt.Event) error {
	if e.Seq <= x.last {
		return fmt.Errorf("seq %d after seq %d: the events of a slice come in the order of the run, each once", e.Seq, x.last)
	}
	x.last = e.Seq
	if err := x.examination.Write(e); err != nil {
		return err
	}
	hashes := seenOf(e)
	_, named := slices.BinarySearch(x.plan.One.Everyone, e.Seq)
	for i, rules := range x.rules {
		seen, group := &x.found.Groups[i], &x.plan.One.Groups[i]
		if group.Split == None {
			if x.first {
				seen.Own.add(hashes)
			}
			continue
		}
		if slices.ContainsFunc(rules, func(r *analyze.Examined) bool { return r.Owned }) {
			seen.Own.add(hashes)
		}
		if len(group.Broadcast) > 0 && (named || x.asked[i].Has(e)) {
			seen.All.add(hashes)
		}
	}
	if x.unsplit == nil {
		return nil
	}
	return x.unsplit.Write(e)
}

// Read reads the events of the slice as JSON Lines without a header.
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
			err = validator.Check(e)
			if err == nil {
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

// End ends the slice, and returns the result of the shard.
func (x *Examination) End() (*Found, error) {
	x.examination.End()
	for i, rules := range x.rules {
		for _, rule := range rules {
			x.found.Groups[i].Rules = append(x.found.Groups[i].Rules, rule.Part())
		}
	}
	if x.unsplit == nil {
		return &x.found, nil
	}
	saved, err := report.Save([]report.Run{{Trace: x.plan.Traces[0].Path, RunReport: x.unsplit.Report()}})
	x.found.Whole = saved
	return &x.found, err
}
