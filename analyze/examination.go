package analyze

import (
	"cmp"
	"encoding/json"
	"fmt"

	"etrace/replay"
	"etrace/tracefmt"
)

// Examination is a pass over a part of a run for rules that are split. It must receive all events whose keys the
// part owns, and the shared ones; further events do no harm.
type Examination struct {
	run   *tracefmt.Run
	state *replay.State
	end   Overall
	steps int64
	rules []*Examined
}

// Examined is a rule in an examination.
type Examined struct {
	Property *Property
	// Owned is set if the last event belongs to the part.
	Owned bool

	result  *Result
	monitor Splitting
}

// NewExamination returns an examination of a run with a surveyed end.
func NewExamination(run *tracefmt.Run, end Overall, o Options) *Examination {
	return &Examination{run: run, state: replay.NewState(run), end: end, steps: cmp.Or(o.MaxSteps, DefaultMaxSteps)}
}

// Add adds a rule with the result of its survey, and the keys that the part owns, by their hashes. It fails if
// the rule cannot be split.
func (x *Examination) Add(p *Property, known json.RawMessage, owns func(hash uint64) bool) (*Examined, error) {
	m, err := NewSplitting(p, x.run)
	if err != nil {
		return nil, err
	}
	if err := m.Own(known, owns); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	rule := &Examined{Property: p, monitor: m, result: &Result{Property: p, MaxSteps: x.steps, state: x.state, part: &partial{}}}
	x.rules = append(x.rules, rule)
	return rule, nil
}

// NewSplitting returns the monitor of a rule that can be split, for a run.
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
	if err := fits(x.run, e); err != nil {
		return err
	}
	x.state.Apply(e)
	for _, rule := range x.rules {
		rule.monitor.Step(rule.result, x.state, e)
		rule.Owned = rule.monitor.Owned()
	}
	return nil
}

// Run returns the whole run, also if a part of it is examined.
func (x *Examination) Run() *tracefmt.Run { return x.run }

// End ends the pass. Then each rule has a [Examined.Part].
func (x *Examination) End() {
	x.state.Finish()
	for _, rule := range x.rules {
		rule.result.part.ended = true
		rule.monitor.Part(rule.result, x.state, x.end)
	}
}

// Part returns the findings of the rule.
func (x *Examined) Part() Part { return x.result.Part() }

// fits refuses an event of an unknown process.
func fits(run *tracefmt.Run, e *tracefmt.Event) error {
	for _, p := range [...]tracefmt.ProcessID{e.Process, e.Peer} {
		if p < 0 || int(p) > len(run.Members) {
			return fmt.Errorf("run %d seq %d: process number %d, but the run has %d processes", run.Number, e.Seq, p, len(run.Members))
		}
	}
	return nil
}

// Joined builds the report of a run from the joined findings of the parts, and the results of properties that
// were not split.
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
	reason := p.settled(j.run, j.options)
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
func (j *Joined) Add(p *Property, known json.RawMessage, found Part, late Late) error {
	m, err := NewSplitting(p, j.run)
	if err == nil {
		err = found.check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	r := &Result{Property: p, Named: j.options.Named || p.Asked}
	r.take(found)
	if err := m.Join(known, r, j.end.Ending, late); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	r.decide(j.end.Ending)
	r.weigh(j.run)
	r.doubtPairing(&pairings{j.end.Guessed, j.end.GuessedAt})
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
