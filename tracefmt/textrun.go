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

// TextRun is a run in JSON Lines. It implements [Recording] by reading the text
// anew each time, so that no run is too large for it.
type TextRun struct {
	from Text
	run  Run
	// header is where the run begins, marks where some of its events are.
	header textMark
	marks  []textMark
	// sends are there if an event leaves out its cause, else nil.
	sends *sendTable
	// cut: the text goes on after the run's last event, with what is no part of it; wrong says why.
	cut   bool
	wrong error
	// first is there until the events were read for the first time.
	first *passage
}

// Text is where runs in JSON Lines are read.
type Text struct {
	name string // what errors call it
	open func() (io.ReadSeekCloser, error)
	// completeness goes over what its runs declare; nil for nothing.
	completeness *Completeness
	// unvalidated: its events need not make well-formed runs.
	unvalidated bool
}

// textMark is a line of a text: its number, where it begins, and the number of
// the run's events up to it; and the seq of the last of these, which in a slice is another
// number.
type textMark struct {
	line, offset, events int64
	seq                  Seq
}

// markEvery is how many events a reader may have to skip.
const markEvery = 4096

// TextFile is the text in a file.
func TextFile(path string) Text {
	return Text{name: path, open: func() (io.ReadSeekCloser, error) { return os.Open(path) }}
}

// NewText is the text that r holds, which errors call name.
func NewText(name string, r io.ReaderAt, size int64) Text {
	return Text{name: name, open: func() (io.ReadSeekCloser, error) { return section{io.NewSectionReader(r, 0, size)}, nil }}
}

// Levels is the text with what its runs declare to tell gone over, before their events
// are validated: see [Completeness.Over]. Whether a run has the processes that are named is for
// [Run.Declare] to say.
func (t Text) WithCompleteness(c *Completeness) Text {
	t.completeness = c
	return t
}

// Unvalidated is the text whose events need only be such by themselves: that they go
// together is for those to say who read it.
func (t Text) Unvalidated() Text {
	t.unvalidated = true
	return t
}

// section is a part of something that stays open.
type section struct{ *io.SectionReader }

func (section) Close() error { return nil }

// Runs finds the runs, numbered from 1. It reads and validates the whole text
// once, so that later only a file that was changed meanwhile can fail. Errors name
// file and line.
func (t Text) Runs() ([]*TextRun, error) {
	runs, _, err := t.runs(false)
	return runs, err
}

// Salvage finds what is sound: the runs without a mistake, and of the others what
// comes before it, as runs that are still [Open]. damage has an error for each
// mistake, which names its line.
func (t Text) Salvage() (runs []*TextRun, damage []error, err error) { return t.runs(true) }

// runs finds the runs, up to the first mistake or, to salvage them, past each.
func (t Text) runs(salvage bool) (runs []*TextRun, damage []error, err error) {
	file, err := t.open()
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
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

// skipToHeader goes on after an error at the next line that looks like the header
// of a run. It returns false if there is none.
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

// scan takes in the next run of the text.
func (r *TextRun) scan(d *Decoder) error {
	if err := r.begin(d); err != nil {
		return err
	}
	return r.readThrough()
}

func (r *TextRun) keepSends(d *Decoder) {
	if d.sends.asked {
		r.sends, d.sends.complete = d.sends, true
	}
}

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
		if r.first != nil { // of a stream, and asked for again or from somewhere else on
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

// each calls do for the events from the last mark before from on, until it
// returns false.
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
		d.sends.complete = true // none is needed
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

// jump goes to the line of a mark, which is the next to be read.
func (d *Decoder) jump(file io.ReadSeeker, to textMark) error {
	if _, err := file.Seek(to.offset, io.SeekStart); err != nil {
		return err
	}
	d.r = bufio.NewReaderSize(file, 64<<10)
	d.line, d.read = to.line-1, to.offset
	d.run.Events = max(to.events-1, 0)
	return nil
}
