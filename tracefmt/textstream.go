package tracefmt

import (
	"fmt"
	"io"
)

// TextStream reads runs in JSON Lines while they arrive, and validates them. The first reader of the present
// run's events gets them as they arrive; until then its End and Events are those of an open run.
type TextStream struct {
	from Text
	// run is the present run.
	d    *Decoder
	run  *TextRun
	runs int
}

// Stream reads the runs from r. The data read from r must also be available by opening the text: a run is read
// from there if it is read again, or not from its first event.
func (t Text) Stream(r io.Reader) *TextStream { return &TextStream{from: t, d: NewDecoder(r)} }

// Next returns the next run, numbered from 1, after the rest of the present run was read; io.EOF after the
// last. Other errors name the text and the line.
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

// passage is the first pass through the events of a run, which validates them.
type passage struct {
	d     *Decoder
	valid *Validator
	run   *Run // the run in the form of the decoder
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
	r.first = &passage{d: d, valid: d.Validator(run), run: run}
	return nil
}

// next returns the next event of the run in the first pass; io.EOF after the last.
func (r *TextRun) next() (*Event, error) {
	d := r.first.d
	e, err := d.Next()
	if err == nil && !r.from.unvalidated {
		err = r.first.valid.Check(e)
		if err != nil {
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

// end ends the first pass, at the end of the run or at a mistake.
func (r *TextRun) end(err error) {
	r.run.End, r.run.Surveyed = r.first.run.End, r.first.run.Surveyed
	if err != io.EOF {
		r.cut, r.run.End, r.wrong = true, Open, err
	}
	r.keepSends(r.first.d)
	r.first = nil
}

// readThrough reads the rest of the run, and returns its mistake, if any.
func (r *TextRun) readThrough() error {
	if r.first != nil && r.first.begun {
		r.first.d.payload = nil // a caller still uses the present payload
	}
	for r.first != nil {
		if _, err := r.next(); err != nil && err != io.EOF {
			return err
		}
	}
	return r.wrong
}

// pass calls do for the events of the run in the first pass, until do returns false. If do itself reads events
// of the run, the rest is read again like a repeated read.
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
		event = *e
		if !do(&event) {
			return nil
		}
	}
	if r.wrong != nil {
		return r.wrong
	}
	return r.each(event.Seq+1, func(e *Event) bool { return e.Seq <= event.Seq || do(e) })
}

// named adds the name of the text to an error.
func (t Text) named(err error) error { return fmt.Errorf("%s: %w", t.name, err) }

// noRun returns the error for a text without a run.
func (t Text) noRun() error {
	return fmt.Errorf("%s: no run, expected a first line {\"format\":%q, …}", t.name, JSONLFormat)
}
