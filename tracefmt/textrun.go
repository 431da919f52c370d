package tracefmt

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"os"
	"sort"
	"unicode/utf8"
)

// TextRun is a run in JSON Lines. It implements [Recording] by reading the text again each time, so runs of any
// size fit.
type TextRun struct {
	from Text
	run  Run
	// header is the beginning of the run, marks are places of some of its events.
	header textMark
	marks  []textMark
	// sends is not nil if an event has no explicit cause.
	sends *sendTable
	// cut is true if invalid data follows the last event of the run in the text; wrong is the error of that data.
	cut   bool
	wrong error
	// first is not nil until the events were read for the first time.
	first *passage
}

// Text is a source of runs in JSON Lines.
type Text struct {
	name string // the name of the text in errors
	open func() (io.ReadSeekCloser, error)
	// completeness completes or overrides the declarations of its runs; nil for nothing.
	completeness *Completeness
	// unvalidated: its events need not be well-formed runs.
	unvalidated bool
}

// textMark is a line of a text: its number, its offset, the number of the run's events up to it, and the seq of
// the last of these, which differs from the number in a slice.
type textMark struct {
	line, offset, events int64
	seq                  Seq
}

// markEvery is the maximum number of events that a reader skips.
const markEvery = 4096

// TextFile returns the text in a file.
func TextFile(path string) Text {
	return Text{name: path, open: func() (io.ReadSeekCloser, error) { return os.Open(path) }}
}

// NewText returns the text in r; name is for errors.
func NewText(name string, r io.ReaderAt, size int64) Text {
	return Text{name: name, open: func() (io.ReadSeekCloser, error) { return section{io.NewSectionReader(r, 0, size)}, nil }}
}

// WithCompleteness returns the text with c over the declarations of its runs, before their events are
// validated: see [Completeness.Over]. [Run.Declare] checks that the named processes exist.
func (t Text) WithCompleteness(c *Completeness) Text {
	t.completeness = c
	return t
}

// Unvalidated returns the text with checks of single events only. Its readers check the consistency of a run.
func (t Text) Unvalidated() Text {
	t.unvalidated = true
	return t
}

// section is a part of a file that stays open.
type section struct{ *io.SectionReader }

func (section) Close() error { return nil }

// Runs finds the runs, numbered from 1. It reads and validates the whole text once, so later reads can fail
// only if the file was changed. Errors name file and line.
func (t Text) Runs() ([]*TextRun, error) {
	runs, _, err := t.runs(false)
	return runs, err
}

// Salvage finds the valid parts: the runs without a mistake, and the part of the other runs before the mistake,
// as [Open] runs. damage has an error with the line for each mistake.
func (t Text) Salvage() (runs []*TextRun, damage []error, err error) { return t.runs(true) }

// runs finds the runs up to the first mistake or, to salvage them, beyond each.
func (t Text) runs(salvage bool) (runs []*TextRun, damage []error, err error) {
	file, err := t.open()
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	// The loop ends: each round reads a run, or skips at least one line to the next header.
	for d := NewDecoder(file); ; {
		r := &TextRun{from: t}
		err := r.scan(d)
		switch {
		case err == io.EOF && len(runs)+len(damage) == 0:
			return nil, nil, t.noRun()
		case err == io.EOF:
			return runs, damage, nil
		case err != nil:
			damage = append(damage, t.named(err))
		}
		if err != nil && !salvage {
			return nil, nil, damage[0]
		}
		if err == nil || r.header.line > 0 {
			runs = append(runs, r)
			r.run.Number = len(runs)
		}
		if err != nil && !d.skipToHeader() {
			return runs, damage, nil
		}
	}
}

// skipToHeader continues after an error at the next line that looks like a header. It returns false without
// such a line.
func (d *Decoder) skipToHeader() bool {
	for d.readLine() == nil {
		d.buf = bytes.Trim(d.buf, " \t\r\n")
		if bytes.HasPrefix(d.buf, []byte(`{"format"`)) && utf8.Valid(d.buf) {
			d.err, d.begun, d.done, d.peeked = nil, false, false, true
			return true
		}
	}
	return false
}

// scan reads the next run of the text.
func (r *TextRun) scan(d *Decoder) error {
	if err := r.begin(d); err != nil {
		return err
	}
	return r.readThrough()
}

// keepSends keeps the table of sends for further reads of the run, if some event needed it to find its cause.
func (r *TextRun) keepSends(d *Decoder) {
	if d.sends.asked {
		r.sends, d.sends.complete = d.sends, true
	}
}

// mark returns the place of the line read last.
func (d *Decoder) mark() textMark {
	m := textMark{d.line, d.start, d.run.Events, Seq(d.run.Events)}
	if d.run.Slice {
		m.seq = d.event.Seq
	}
	return m
}

// Run returns the description.
func (r *TextRun) Run() *Run { return &r.run }

// Events implements [Recording].
func (r *TextRun) Events(from Seq) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		if r.first != nil && !r.first.begun && from <= 1 {
			if err := r.pass(func(e *Event) bool { return yield(e, nil) }); err != nil {
				yield(nil, r.from.named(err))
			}
			return
		}
		// The run is a stream, and is read again, or from a later event.
		if r.first != nil {
			if err := r.readThrough(); err != nil {
				yield(nil, r.from.named(err))
				return
			}
		}
		err := r.each(from, func(e *Event) bool { return e.Seq < from || yield(e, nil) })
		if err != nil {
			yield(nil, r.from.named(err))
		}
	}
}

// each calls do for the events from the last mark before from, until it returns false.
func (r *TextRun) each(from Seq, do func(*Event) bool) error {
	file, err := r.from.open()
	if err != nil {
		return err
	}
	defer file.Close()
	d := &Decoder{types: make(map[string]string), maxLine: maxLine}
	if err := d.jump(file, r.header); err != nil {
		return err
	}
	if _, err := d.NextRun(); err != nil {
		return err
	}
	if r.sends != nil {
		d.sends = r.sends
	} else {
		// In the first pass all events named their causes, so no send is looked up.
		d.sends.complete = true
	}
	if i := sort.Search(len(r.marks), func(i int) bool { return r.marks[i].seq > from }); i > 0 {
		if err := d.jump(file, r.marks[i-1]); err != nil {
			return err
		}
	}
	for {
		if r.cut && d.run.Events == r.run.Events {
			return nil
		}
		e, err := d.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case !do(e):
			return nil
		}
	}
}

// jump continues at the line of a mark.
func (d *Decoder) jump(file io.ReadSeeker, mark textMark) error {
	if _, err := file.Seek(mark.offset, io.SeekStart); err != nil {
		return err
	}
	d.r = bufio.NewReaderSize(file, 64<<10)
	d.line, d.read = mark.line-1, mark.offset
	d.run.Events = max(mark.events-1, 0)
	return nil
}
