package shard

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
)

// Opened opens the recording of the run for a report. If the reason is not "", the whole run is examined for this
// reason.
type Opened func(reason string) (tracefmt.Recording, error)

// EventsReport returns the report of a plan that splits events, from the summaries of all shards. The properties must
// be those of the plan. opened opens the recording of the run, which only some reports need.
func (p *Plan) EventsReport(s *Summary, properties []*analyze.Property, opened Opened) (*report.Report, error) {
	open := func() (tracefmt.Recording, error) { return opened("") }
	run, err := p.joinedReport(s, properties, opened)
	if err != nil {
		return nil, err
	}
	out := report.Run{Trace: p.Traces[0].Path, RunReport: run}
	if run.Run.Source != tracefmt.Simulated && hasWitness(run) {
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

// hasWitness reports whether some verdict has a witness.
func hasWitness(run *analyze.RunReport) bool {
	return slices.ContainsFunc(run.Results, func(r *analyze.Result) bool { return len(r.Witness) > 0 })
}

// joinedReport returns the report of the run.
func (p *Plan) joinedReport(s *Summary, properties []*analyze.Property, open Opened) (*analyze.RunReport, error) {
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	divisions := analyze.Divide(run, properties, p.Options())
	found, err := s.found(p, divisions)
	if err != nil {
		return nil, err
	}
	survey := found[0].Survey
	run.End, run.Events = survey.Overall.End, survey.Overall.Events
	// The survey may show that properties depend on the whole run.
	var again []*analyze.Property
	reason := ""
	for i, d := range divisions {
		if survey.Overall.Whole != "" || d.Parted() && survey.Rules[i].Whole != "" {
			again, reason = append(again, d.Property), cmp.Or(survey.Overall.Whole, survey.Rules[i].Whole)
		}
	}
	var results []*analyze.Result
	if again != nil {
		checked, err := p.examine(again, run, reason, open)
		if err != nil || len(again) == len(properties) {
			return checked, err
		}
		results = checked.Results
	}
	unsplitResults, err := unsplitResults(found[0], divisions)
	if err != nil {
		return nil, fmt.Errorf("shard 0: %w", err)
	}
	joined := analyze.NewJoined(run, survey.Overall, p.Options())
	firstLate := cmp.Or(survey.Clock, &Clock{}).late(func() (tracefmt.Recording, error) { return open("") })
	ruleIndex := 0 // among the rules that are split
	for i, d := range divisions {
		switch {
		case d.Settled:
			err = joined.Settle(d.Property)
		case !d.Parted():
			joined.Whole(unsplitResults[0])
			unsplitResults = unsplitResults[1:]
		case survey.Rules[i].Whole != "":
			joined.Whole(results[0])
			results = results[1:]
			ruleIndex++
		default:
			var parts analyze.Part
			for _, f := range found {
				parts = parts.Join(f.Rules[ruleIndex])
			}
			err = joined.Add(d, survey.Rules[i], parts, firstLate)
			ruleIndex++
		}
		if err != nil {
			return nil, err
		}
	}
	return joined.Report(), nil
}

// examine checks properties on the whole run.
func (p *Plan) examine(
	properties []*analyze.Property, run *tracefmt.Run, reason string, open Opened,
) (*analyze.RunReport, error) {
	rec, err := open(reason)
	if err != nil {
		return nil, err
	}
	return analyze.Check(planned{rec, run}, properties, p.Options())
}

// planned is a recording with the header of the plan, in which the user may have stated another end.
type planned struct {
	tracefmt.Recording
	run *tracefmt.Run
}

// Run implements [tracefmt.Recording].
func (p planned) Run() *tracefmt.Run { return p.run }

// unsplitResults returns the results of the properties that are not split.
func unsplitResults(f *Found, divisions []analyze.Division) ([]*analyze.Result, error) {
	var properties []*analyze.Property
	for _, d := range divisions {
		if needsWholeRun(d) {
			properties = append(properties, d.Property)
		}
	}
	if properties == nil {
		return nil, nil
	}
	if f.Whole == nil {
		return nil, errors.New("no results of what is not split")
	}
	runs, err := f.Whole.Runs(properties)
	switch {
	case err != nil:
		return nil, err
	case len(runs) != 1 || len(runs[0].Results) != len(properties):
		return nil, errors.New("not the results of what is not split")
	}
	return runs[0].Results, nil
}

// found returns the result of each shard. It fails if the shards have different facts about the whole run.
func (s *Summary) found(p *Plan, divisions []analyze.Division) (results []*Found, err error) {
	for _, part := range s.Parts {
		f := &Found{}
		err := sealed.Unmarshal(part.Found, f)
		results = append(results, f)
		switch {
		case err != nil:
			err = fmt.Errorf("not the summary of a slice: %w", err)
		case f.Known != results[0].Known:
			err = fmt.Errorf("a slice of other events than those of shard %d, as their surveys show", s.Parts[0].Shard)
		default:
			err = f.check(p, part.Shard, results[0].Survey, divisions)
		}
		if err != nil {
			return nil, fmt.Errorf("shard %d: %w", part.Shard, err)
		}
	}
	return results, nil
}

// check rejects a result of shard 0 without the survey, and a result with other rules than the plan.
func (f *Found) check(p *Plan, shard int, survey *Survey, divisions []analyze.Division) error {
	if survey == nil || (f.Survey != nil) != (shard == 0) {
		return errors.New("a survey of the run is expected in the summary of shard 0, and in no other")
	}
	if shard == 0 {
		if err := survey.check(p); err != nil {
			return err
		}
		switch sum, err := survey.sum(); {
		case err != nil:
			return err
		case sum != f.Known:
			return errors.New("the survey of the run was changed after it was made")
		}
	}
	parted := len(slices.DeleteFunc(slices.Clone(divisions), func(d analyze.Division) bool { return !d.Parted() }))
	// If the whole run is examined, no shard has findings of rules.
	if survey.Overall.Whole != "" {
		parted = 0
	}
	ok := len(f.Rules) == parted
	for _, rule := range f.Rules {
		ok = ok && min(rule.Examined, rule.Violations, rule.Owed) >= 0
	}
	if !ok {
		return errors.New("its summary has other rules than the plan, or negative counts")
	}
	return nil
}

// check rejects an invalid plan that splits events.
func (o *One) check(p *Plan) error {
	switch {
	case o == nil:
		return errors.New("a plan of events without its run")
	case len(p.Traces) != 1 || len(p.Traces[0].Runs) != 1:
		return errors.New("a plan of events of other than one run of one trace")
	case !slices.EqualFunc(o.Rules, p.Examined.Properties, func(r Rule, name string) bool { return r.Name == name }):
		return errors.New("a plan of events whose rules are not the properties that it examines")
	}
	return nil
}
