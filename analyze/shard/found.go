package shard

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
)

// Found is the result of a shard that checks events.
type Found struct {
	// Known is the check sum of the survey. Only shard 0 contains the survey itself.
	Known  string  `json:"known"`
	Survey *Survey `json:"survey,omitempty"`
	// Rules has the findings for the split rules.
	Rules []analyze.Part `json:"rules,omitempty"`
	// Whole is the report on the rules that are not split. Only shard 0 has it.
	Whole *report.Saved `json:"whole,omitempty"`
}

// Examination checks a shard of a plan that splits events.
type Examination struct {
	plan        *Plan
	shard       int
	run         *tracefmt.Run
	properties  []*analyze.Property
	divisions   []analyze.Division
	examination *analyze.Examination
	unsplit     *analyze.Checker // examines the rules that are not split; nil without any
	slicer      *Slicer          // surveys the whole run, if the shard is given that; nil for a slice
	found       Found
	hasher      hasher
	// seen is the sum of the events of a slice. For the whole run it stays empty.
	seen Sum
	last tracefmt.Seq
}

// NewExamination returns the examination of a shard. The given run is a slice or the whole run. The properties must
// be those of the plan.
func NewExamination(p *Plan, shard int, given *tracefmt.Run, properties []*analyze.Property) (*Examination, error) {
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	x := &Examination{
		plan: p, shard: shard, run: run, properties: properties,
		divisions:   analyze.Divide(run, properties, p.Options()),
		examination: analyze.NewExamination(run, p.Options()),
	}
	if !given.Slice {
		x.slicer, err = NewSlicer(p, properties)
		if err != nil {
			return nil, err
		}
	}
	var unparted []*analyze.Property
	for _, d := range x.divisions {
		switch {
		case d.Parted():
			if err := x.examination.Add(d.Property, func(hash uint64) bool { return p.shardOf(hash) == shard }); err != nil {
				return nil, err
			}
		case needsWholeRun(d):
			unparted = append(unparted, d.Property)
		}
	}
	if unparted != nil && shard == 0 {
		x.unsplit = analyze.NewFollower(run, nil, unparted, p.Options())
	}
	return x, nil
}

// Write takes the next event.
func (x *Examination) Write(e *tracefmt.Event) error {
	if e.Seq <= x.last {
		return fmt.Errorf("seq %d after seq %d: the events of a slice come in the order of the run, each once",
			e.Seq, x.last)
	}
	x.last = e.Seq
	if err := x.examination.Write(e); err != nil {
		return err
	}
	if x.slicer == nil {
		x.seen.add(x.hasher.hash(e))
	} else if _, err := x.slicer.Shards(e); err != nil {
		return err
	}
	if x.unsplit == nil {
		return nil
	}
	return x.unsplit.Write(e)
}

// Read reads a slice in JSON Lines. The trailer may be on any line, because engines sort lines.
func (x *Examination) Read(lines io.Reader) (*Found, error) {
	slice := *x.run
	slice.Slice, slice.Number = true, 0
	dec := tracefmt.NewLineDecoder(lines, &slice)
	validator := dec.Validator(&slice)
	for {
		e, err := dec.Next()
		if errors.Is(err, io.EOF) {
			return x.End(dec.Run())
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
			return nil, err
		}
	}
}

// End ends the slice or the whole run, and returns the result of the shard. It fails if the slice is not complete and
// unchanged.
func (x *Examination) End(run *tracefmt.Run) (found *Found, err error) {
	var survey *Survey
	if x.slicer != nil {
		survey, err = x.slicer.End(run.End)
	} else {
		survey, err = x.loadSurvey(run.Surveyed)
	}
	if err == nil {
		x.found.Known, err = survey.sum()
	}
	if err != nil {
		return nil, err
	}
	if x.shard == 0 {
		x.found.Survey = survey
	}
	x.run.End, x.run.Events = survey.Overall.End, survey.Overall.Events
	// The parts do not suffice, so the whole run will be examined elsewhere.
	if survey.Overall.Whole != "" {
		return &x.found, nil
	}
	var parted []analyze.Surveyed
	for i, d := range x.divisions {
		if d.Parted() {
			parted = append(parted, survey.Rules[i])
		}
	}
	x.found.Rules, err = x.examination.End(survey.Overall, parted)
	if x.unsplit == nil || err != nil {
		return &x.found, err
	}
	x.found.Whole, err = report.Save([]report.Run{{Trace: x.plan.Traces[0].Path, RunReport: x.unsplit.Report()}})
	return &x.found, err
}

// loadSurvey parses what etrace slice found in the run, and compares the events of the slice with the events that
// etrace slice has sent.
func (x *Examination) loadSurvey(written []byte) (survey *Survey, err error) {
	var sent Sum
	var stretches []*stretch
	for line := range bytes.Lines(written) {
		var s surveyed
		if err := sealed.Unmarshal(bytes.TrimSpace(line), &s); err != nil {
			return nil, fmt.Errorf("the last line of the slice: surveyed: %w", err)
		}
		switch seal, err := s.seal(); {
		case err != nil:
			return nil, err
		case seal != s.Seal:
			return nil, errors.New("the last line of the slice was changed after it was written")
		case s.Shard != x.shard:
			return nil, fmt.Errorf("the slice of shard %d, expected that of shard %d", s.Shard, x.shard)
		}
		sent, survey, stretches = sent.plus(s.Sent), cmp.Or(s.Survey, survey), append(stretches, s.Stretches...)
	}
	// A slice without any trailer was cut. One with stretches was made by tasks that shared the run.
	switch {
	case survey == nil && stretches == nil:
		return nil, errors.New("the slice is cut: its last line is missing; expected all that slice writes for the shard")
	case survey == nil:
		survey, err = x.plan.survey(x.run, x.properties, stretches)
	default:
		err = survey.check(x.plan)
	}
	switch {
	case err != nil:
		return nil, err
	case x.seen == sent:
		return survey, nil
	case x.seen.sameSeqs(sent):
		return nil, errors.New("the events of the slice, but with other contents; expected their lines as slice wrote them")
	case x.seen.Events == sent.Events:
		return nil, errors.New("other events than slice wrote, as their sums show")
	default:
		return nil, fmt.Errorf("%d events of %d; expected all that slice writes for the shard", x.seen.Events,
			sent.Events)
	}
}

// otherPlan returns the error for a slice of another plan.
func otherPlan(id string, p *Plan) error {
	return fmt.Errorf("a slice of another plan: its id is %s, expected %s", quoted(id), p.ID)
}

// check rejects a survey of another plan.
func (s *Survey) check(p *Plan) error {
	switch {
	case s.Plan != p.ID:
		return otherPlan(s.Plan, p)
	case len(s.Rules) != len(p.One.Rules):
		return errors.New("a survey of other rules than those of the plan")
	}
	return s.Clock.check()
}

// sum returns the check sum of the facts that all shards know.
func (s *Survey) sum() (string, error) {
	copied := *s
	copied.Clock = nil
	return sealed.Sum(copied)
}
