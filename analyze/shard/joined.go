package shard

import (
	"errors"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
)

// EventsReport returns the report of a check in mode events. It needs the summaries of all shards. The
// properties are those of the plan; open opens the recording of the run, which few reports need. The error
// names the shards that have not seen all expected events.
func (p *Plan) EventsReport(s *Summary, properties []*analyze.Property, open func() (tracefmt.Recording, error)) (*report.Report, error) {
	run, err := p.joined(s, properties, open)
	if err != nil {
		return nil, err
	}
	out := report.Run{Trace: p.Traces[0].Path, RunReport: run}
	if run.Run.Source != tracefmt.Simulated && witnessed(run) {
		rec, err := open()
		if err == nil {
			out.Origins, err = report.Origins(rec, run)
		}
		if err != nil {
			return nil, err
		}
	}
	if run.Verdict == analyze.Unknown || run.Verdict == analyze.Pending || run.Verdict == analyze.Violated {
		rec, _ := open() // without the trace, there is no advice on what to state
		if err := run.Advise(rec, p.Options(), analyze.FewTries); err != nil {
			return nil, err
		}
	}
	r := &report.Report{Traces: []string{out.Trace}, Tool: p.Tool}
	r.Add(out)
	return r, nil
}

// witnessed reports whether some verdict has a witness.
func witnessed(run *analyze.RunReport) bool {
	return slices.ContainsFunc(run.Results, func(r *analyze.Result) bool { return len(r.Witness) > 0 })
}

// joined returns the report of the run.
func (p *Plan) joined(s *Summary, properties []*analyze.Property, open func() (tracefmt.Recording, error)) (*analyze.RunReport, error) {
	found, err := s.found(p)
	if err != nil {
		return nil, err
	}
	if err := p.One.compare(0, found...); err != nil {
		return nil, err
	}
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	unsplitResults, err := p.One.unsplit(found[0], properties)
	if err != nil {
		return nil, fmt.Errorf("shard 0: %w", err)
	}
	joined, late := analyze.NewJoined(run, p.One.Overall, p.Options()), p.One.Clock.Late(open)
	places := make([]int, len(p.One.Groups)) // by group: the index of the rule in it
	for i, rule := range p.One.Rules {
		switch {
		case rule.Group < 0:
			err = joined.Settle(properties[i])
		case !p.One.split(rule):
			joined.Whole(unsplitResults[0])
			unsplitResults = unsplitResults[1:]
		default:
			var parts analyze.Part
			for _, f := range found {
				parts = parts.Join(f.Groups[rule.Group].Rules[places[rule.Group]])
			}
			err = joined.Add(properties[i], rule.Known, parts, late)
			places[rule.Group]++
		}
		if err != nil {
			return nil, err
		}
	}
	return joined.Report(), nil
}

// unsplit returns the results of the properties that are not split.
func (o *One) unsplit(f *Found, properties []*analyze.Property) ([]*analyze.Result, error) {
	var unsplitRules []*analyze.Property
	for i, r := range o.Rules {
		if r.Group >= 0 && !o.split(r) {
			unsplitRules = append(unsplitRules, properties[i])
		}
	}
	if unsplitRules == nil {
		return nil, nil
	}
	if f.Whole == nil {
		return nil, errors.New("no results of what is not split")
	}
	runs, err := f.Whole.Runs(unsplitRules)
	switch {
	case err != nil:
		return nil, err
	case len(runs) != 1 || len(runs[0].Results) != len(unsplitRules):
		return nil, errors.New("not the results of what is not split")
	}
	return runs[0].Results, nil
}

// found returns the result of each shard.
func (s *Summary) found(p *Plan) (all []*Found, err error) {
	for _, part := range s.Parts {
		var f Found
		if err := sealed.Unmarshal(part.Found, &f); err != nil {
			return nil, fmt.Errorf("shard %d: not the summary of a slice: %w", part.Shard, err)
		}
		ok := len(f.Groups) == len(p.One.Groups)
		for i := range f.Groups {
			ok = ok && (p.One.Groups[i].Split == None || len(f.Groups[i].Rules) == len(p.One.Groups[i].Rules))
			for _, rule := range f.Groups[i].Rules {
				ok = ok && min(rule.Examined, rule.Violations, rule.Owed) >= 0
			}
		}
		if !ok {
			return nil, fmt.Errorf("shard %d: its summary has other groups of rules than the plan, or negative counts", part.Shard)
		}
		all = append(all, &f)
	}
	return all, nil
}

// Seen rejects the result of a shard that has not seen all expected events. Merge would reject it, too.
func (o *One) Seen(shard int, found *Found) error { return o.compare(shard, found) }

// compare rejects results, beginning at shard first, whose events differ from the expected ones.
func (o *One) compare(first int, found ...*Found) error {
	var wrong []string
	have, want := int64(0), int64(0)
	otherEvents, rewritten := false, true
	// Distinguish the causes: rewritten contents, other events in the right number, or missing events.
	for i, f := range found {
		shard, bad := first+i, false
		for i, g := range o.Groups {
			seen, expected, common := f.Groups[i], Sum{}, g.All
			if shard < len(g.Expected) {
				expected = g.Expected[shard]
			}
			if seen.Own == expected && seen.All == common {
				continue
			}
			bad = true
			rewritten = rewritten && seen.Own.sameSeqs(expected) && seen.All.sameSeqs(common)
			otherEvents = otherEvents || seen.Own.Events == expected.Events && seen.All.Events == common.Events
			have, want = have+seen.Own.Events+seen.All.Events, want+expected.Events+common.Events
		}
		if bad {
			wrong = append(wrong, fmt.Sprint(shard))
		}
	}
	switch {
	case wrong == nil:
		return nil
	case rewritten:
		return fmt.Errorf("%s: the events of the plan, but with other contents; expected their lines as they are in the trace", shards(wrong))
	case have == want && otherEvents:
		return fmt.Errorf("%s: other events than those of the plan, as their sums show", shards(wrong))
	}
	return fmt.Errorf("%s: %d events of %d, by groups of rules; expected all that slice writes for the shard", shards(wrong), have, want)
}

// check rejects an invalid plan in mode events.
func (o *One) check(p *Plan) error {
	switch {
	case o == nil:
		return errors.New("a plan of events without its run")
	case len(p.Traces) != 1 || len(p.Traces[0].Runs) != 1:
		return errors.New("a plan of events of other than one run of one trace")
	case len(o.Rules) != len(p.Examined.Properties):
		return fmt.Errorf("%d rules, expected %d", len(o.Rules), len(p.Examined.Properties))
	case len(o.Clock.Greatest) != len(o.Clock.First):
		return errors.New("an index of times with holes")
	}
	// Later code indexes groups and sums by these numbers without further tests.
	for i, r := range o.Rules {
		if r.Group < -1 || r.Group >= len(o.Groups) || r.Name != p.Examined.Properties[i] {
			return fmt.Errorf("rule %s of group %d, expected %s of one of %d groups", r.Name, r.Group, p.Examined.Properties[i], len(o.Groups))
		}
	}
	for i, g := range o.Groups {
		split := g.Split == ByKey && len(g.Expected) == p.Shards || g.Split == None && len(g.Expected) == 1
		members := slices.DeleteFunc(slices.Clone(o.Rules), func(r Rule) bool { return r.Group != i })
		if !split || len(members) != len(g.Rules) {
			return fmt.Errorf(
				"group %d is split by %q, with %d rules and counts of %d shards: no plan has that", i,
				g.Split, len(g.Rules), len(g.Expected),
			)
		}
	}
	return nil
}
