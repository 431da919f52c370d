package tracefmt

import (
	"fmt"
	"io"
)

// TextStream is runs in JSON Lines that are read as they come, each of them validated on its
// way. Whoever reads the events of the run at hand first gets them so; its End and Events are
// those of an open run until then.
type TextStream struct {
	from Text
	d    *Decoder
	run  *TextRun // at hand
	runs int
}

// Stream reads the runs that come from r. What was read of r must be there when the text is
// opened: a run whose events are asked for again, or not from the first on, is read from there.
func (t Text) Stream(r io.Reader) *TextStream { return &TextStream{from: t, d: NewDecoder(r)} }

// Next returns the next run, numbered from 1, once what is left of the one at hand was read;
// io.EOF after the last. Other errors name the text and the line.
func (s *TextStream) Next() (*TextRun, error) {
	if s.run != nil {
		if err := s.run.readThrough(); err != nil {
			return nil, s.from.named(err)
		}
	}
	run := &TextRun{from: s.from}
	switch err := run.begin(s.d); {
	case err == io.EOF && s.runs == 0:
		return nil, s.from.noRun()
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, s.from.named(err)
	}
	s.runs++
	s.run, run.run.Number = run, s.runs
	return run, nil
}

// passage is the first way through the events of a run.
type passage struct {
	d     *Decoder
	valid *Validator
	run   *Run // as the decoder has it
	begun bool
}

// begin reads the header of the next run.
func (r *TextRun) begin(d *Decoder) error {
	run, err := d.NextRun()
	if err != nil {
		return err
	}
	if r.from.completeness != nil {
		run.Completeness = r.from.completeness.Over(run.declared())
	}
	r.header, r.run = d.mark(), *run
	r.first = &passage{d: d, valid: NewValidator(run), run: run}
	return nil
}

// next returns the next event of the run on the first way through it; io.EOF after the last.
func (r *TextRun) next() (*Event, error) {
	d := r.first.d
	e, err := d.Next()
	if err == nil && !r.from.unvalidated {
		if err = r.first.valid.Check(e); err != nil {
			err = d.errorf("%w", err)
		}
	}
	if err != nil {
		r.end(err)
		return nil, err
	}
	if d.run.Events%markEvery == 0 {
		r.marks = append(r.marks, d.mark())
	}
	r.run.Events = d.run.Events
	return e, nil
}

// end is that of the first way, at the end of the run or at what is wrong with it.
func (r *TextRun) end(err error) {
	r.run.End = r.first.run.End
	if err != io.EOF {
		r.cut, r.run.End, r.wrong = true, Open, err
	}
	r.keepSends(r.first.d)
	r.first = nil
}

// readThrough reads what is left of the run, and returns what is wrong with it.
func (r *TextRun) readThrough() error {
	if r.first != nil && r.first.begun {
		r.first.d.payload = nil // it is that of an event that somebody looks at
	}
	for r.first != nil {
		if _, err := r.next(); err != nil && err != io.EOF {
			return err
		}
	}
	return r.wrong
}

// pass calls do for the events of the run on the first way, until it returns false. Should somebody
// ask for events of the run meanwhile, the rest is read like theirs.
func (r *TextRun) pass(do func(*Event) bool) error {
	var event Event
	for r.first.begun = true; r.first != nil; {
		e, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if event = *e; !do(&event) {
			return nil
		}
	}
	if r.wrong != nil {
		return r.wrong
	}
	return r.each(event.Seq+1, func(e *Event) bool { return e.Seq <= event.Seq || do(e) })
}

// named is an error with the name of the text.
func (t Text) named(err error) error { return fmt.Errorf("%s: %w", t.name, err) }

// noRun is the error for a text without a run.
func (t Text) noRun() error {
	return fmt.Errorf("%s: no run, expected a first line {\"format\":%q, …}", t.name, JSONLFormat)
}
