package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Sources is what a report of the mode events is made of besides the plan and what its shards
// found.
type Sources struct {
	Properties []*analyze.Property // those of the plan
	Options    analyze.Options
	// Decode reads the report of what was not split.
	Decode func(json.RawMessage) (*analyze.RunReport, error)
	// Open opens the recording of the run, which few reports need.
	Open func() (tracefmt.Recording, error)
}

// Report makes the report of the run of a plan of the mode events, of which the summary has all
// shards. It is an error that names the shards if some have not seen what they had to.
func (p *Plan) Report(s *Summary, from Sources) (*analyze.RunReport, error) {
	found, err := s.found(p)
	if err != nil {
		return nil, err
	}
	if err := p.One.compare(found); err != nil {
		return nil, err
	}
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	whole, err := wholeOf(found[0], from.Decode)
	if err != nil {
		return nil, err
	}
	joined, late := analyze.NewJoined(run, p.One.Overall, from.Options), p.One.Clock.Late(from.Open)
	places := make([]int, len(p.One.Groups)) // by group: of the rule in it
	for i, rule := range p.One.Rules {
		property := from.Properties[i]
		switch {
		case rule.Group < 0:
			err = joined.Settle(property)
		case !p.One.split(rule):
			if len(whole) == 0 || whole[0].Property.Name != rule.Name {
				return nil, fmt.Errorf("shard 0: no result of %s, which is not split", rule.Name)
			}
			joined.Whole(whole[0])
			whole = whole[1:]
		default:
			var all analyze.Part
			for _, f := range found {
				all = all.Join(f.Groups[rule.Group].Rules[places[rule.Group]])
			}
			err = joined.Add(property, rule.Known, all, late)
			places[rule.Group]++
		}
		if err != nil {
			return nil, err
		}
	}
	return joined.Report(), nil
}

func wholeOf(f *Found, decode func(json.RawMessage) (*analyze.RunReport, error)) ([]*analyze.Result, error) {
	if f.Whole == nil {
		return nil, nil
	}
	report, err := decode(f.Whole)
	if err != nil {
		return nil, fmt.Errorf("shard 0: %w", err)
	}
	return report.Results, nil
}

// found is what each shard found.
func (s *Summary) found(p *Plan) (all []*Found, err error) {
	for _, part := range s.Parts {
		var f Found
		dec := json.NewDecoder(bytes.NewReader(part.Found))
		if err := dec.Decode(&f); err != nil {
			return nil, fmt.Errorf("shard %d: its summary is none of a slice: %w", part.Shard, err)
		}
		ok := len(f.Groups) == len(p.One.Groups)
		for i := range f.Groups {
			ok = ok && (p.One.Groups[i].Split == None || len(f.Groups[i].Rules) == len(p.One.Groups[i].Rules))
		}
		if !ok {
			return nil, fmt.Errorf("shard %d: its summary has other groups of rules than the plan", part.Shard)
		}
		all = append(all, &f)
	}
	return all, nil
}

// compare refuses what shards found that have not seen all that the plan expects of them.
func (o *One) compare(found []*Found) error {
	var wrong []string
	have, want := int64(0), int64(0)
	other := false
	for shard, f := range found {
		bad := false
		for i, g := range o.Groups {
			seen, expected, all := f.Groups[i], Sum{}, g.All
			if shard < len(g.Expected) {
				expected = g.Expected[shard]
			}
			if seen.Own == expected && seen.All == all {
				continue
			}
			bad = true
			other = other || seen.Own.Events == expected.Events && seen.All.Events == all.Events
			have, want = have+seen.Own.Events+seen.All.Events, want+expected.Events+all.Events
		}
		if bad {
			wrong = append(wrong, fmt.Sprint(shard))
		}
	}
	switch {
	case wrong == nil:
		return nil
	case have == want && other:
		return fmt.Errorf("%s: other events than those of the plan, as their sums tell", shards(wrong))
	}
	return fmt.Errorf("%s: %d events of %d", shards(wrong), have, want)
}

// check refuses a plan of the mode events that no program made.
func (o *One) check(p *Plan) error {
	switch {
	case o == nil:
		return errors.New("a plan of events without its run")
	case len(o.Rules) != len(p.Examined.Properties):
		return fmt.Errorf("%d rules, expected %d", len(o.Rules), len(p.Examined.Properties))
	case len(o.Clock.Greatest) != len(o.Clock.First):
		return errors.New("an index of times with holes")
	}
	for i, r := range o.Rules {
		if r.Group < -1 || r.Group >= len(o.Groups) || r.Name != p.Examined.Properties[i] {
			return fmt.Errorf("rule %s of group %d, expected %s of one of %d groups", r.Name, r.Group, p.Examined.Properties[i], len(o.Groups))
		}
	}
	for i, g := range o.Groups {
		split := g.Split == ByKey && len(g.Expected) == p.Shards || g.Split == None && len(g.Expected) == 1
		members := slices.DeleteFunc(slices.Clone(o.Rules), func(r Rule) bool { return r.Group != i })
		if !split || len(members) != len(g.Rules) {
			return fmt.Errorf("group %d is split by %q, with %d rules and counts of %d shards: no plan has that", i, g.Split, len(g.Rules), len(g.Expected))
		}
	}
	return nil
}
