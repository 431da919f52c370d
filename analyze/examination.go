package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Examination examines a part of a run for rules that can be split by keys. The part must contain all events
// whose keys it owns, and the events that all parts need. Other events do no harm.
type Examination struct {
	run   *tracefmt.Run
	state *replay.State
	steps int64
	rules []*examined
}

// examined is a rule in an examination.
type examined struct {
	result  *Result
	monitor Splitting
}

// NewExamination returns an examination of a run, whose end and number of events need not be known.
func NewExamination(run *tracefmt.Run, o Options) *Examination {
	s := replay.NewState(run)
	s.IgnoreFlights() // rules that are split do not read them
	return &Examination{run: run, state: s, steps: cmp.Or(o.MaxSteps, DefaultMaxSteps)}
}

// Add adds a rule; owns reports whether the part owns the key with a hash. It fails if the rule cannot be
// split.
func (x *Examination) Add(p *Property, owns func(hash uint64) bool) error {
	m, err := NewSplitting(p, x.run)
	if err != nil {
		return err
	}
	m.Own(owns)
	x.rules = append(x.rules, &examined{&Result{Property: p, MaxSteps: x.steps, state: x.state, part: &partial{}}, m})
	return nil
}

// NewSplitting returns a monitor that examines a part of the run for the property. It fails if the property
// cannot be split.
func NewSplitting(p *Property, run *tracefmt.Run) (Splitting, error) {
	if p.New != nil {
		if m, ok := p.New(run).(Splitting); ok && m.Split().Whole == "" {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%s: the property cannot be split", p.Name)
}

// Write takes the next event. It fails for an event of an unknown process.
func (x *Examination) Write(e *tracefmt.Event) error {
	if err := checkProcess(x.run, e); err != nil {
		return err
	}
	x.state.Apply(e)
	for _, rule := range x.rules {
		rule.monitor.Step(rule.result, x.state, e)
	}
	return nil
}

// End ends the pass and returns the findings, by rule. It needs the facts about the whole run, and what the
// survey found for each rule.
func (x *Examination) End(overall Overall, surveyed []Surveyed) ([]Part, error) {
	x.run.End, x.run.Events = overall.End, overall.Events
	overall.adoptRecord(x.state)
	var parts []Part
	for i, rule := range x.rules {
		if surveyed[i].Whole != "" {
			// A rule that depends on the whole run has no part here: shard 0 examines the whole run for it.
			parts = append(parts, Part{})
			continue
		}
		rule.result.part.ended = true
		if err := rule.monitor.Part(rule.result, x.state, overall, surveyed[i].Known); err != nil {
			return nil, fmt.Errorf("%s: %w", rule.result.Property.Name, err)
		}
		parts = append(parts, rule.result.Part())
	}
	return parts, nil
}

// checkProcess returns an error for an event of an unknown process.
func checkProcess(run *tracefmt.Run, e *tracefmt.Event) error {
	for _, p := range [...]tracefmt.ProcessID{e.Process, e.Peer} {
		if p < 0 || int(p) > len(run.Members) {
			return fmt.Errorf("run %d seq %d: process number %d, but the run has %d processes", run.Number, e.Seq,
				p, len(run.Members))
		}
	}
	return nil
}

// Joined builds the report of a run: from the joined findings of the parts, and from the results of
// properties that were not split.
type Joined struct {
	run     *tracefmt.Run
	end     Overall
	options Options
	results []*Result
}

// NewJoined returns the report of a run with a surveyed end, without properties.
func NewJoined(run *tracefmt.Run, end Overall, o Options) *Joined {
	return &Joined{run: run, end: end, options: o}
}

// Settle adds a property that does not apply to the run by its header.
func (j *Joined) Settle(p *Property) error {
	r := &Result{Property: p, Named: j.options.Named || p.Asked}
	reason := p.inapplicableReason(j.run, j.options)
	if reason == "" {
		return fmt.Errorf("%s: the property applies to the run", p.Name)
	}
	r.NotApplicable(reason)
	r.decide(j.end.Ending)
	j.results = append(j.results, r)
	return nil
}

// Whole adds the result of a property that was not split.
func (j *Joined) Whole(r *Result) { j.results = append(j.results, r) }

// Add adds a property with the result of its survey and the joined findings of the parts.
func (j *Joined) Add(d Division, known Surveyed, found Part, late Late) error {
	p := d.Property
	m, err := NewSplitting(p, j.run)
	if err == nil {
		err = found.check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	r := &Result{Property: p, Named: j.options.Named || p.Asked}
	if d.Open {
		r.state = replay.NewState(j.run)
		j.end.adoptRecord(r.state)
	}
	r.fillFrom(found)
	if err := m.Join(known.Known, r, j.end.Ending, late); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if d.Open {
		r.restsOn(slices.Values(known.Relies))
	}
	r.decide(j.end.Ending)
	r.weigh(j.run)
	r.LogNext = r.logNext()
	r.doubtPairing(j.run, &pairings{j.end.Guessed, j.end.GuessedAt})
	j.results = append(j.results, r)
	return nil
}

// Report returns the report, with the properties in the order in which they were added.
func (j *Joined) Report() *RunReport {
	report := &RunReport{Run: j.run, Results: j.results, Ending: j.end.Ending, Assumed: j.end.Assumed}
	var list []Verdict
	for _, r := range j.results {
		list = append(list, r.Verdict)
	}
	report.Verdict = Worst(list...)
	report.Remarks = append(report.remarks(), j.end.Remarks...)
	return report
}
