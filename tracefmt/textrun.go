package tracefmt

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"
	"sort"
)

// File is a run of a file in JSON Lines. It implements [Recording] by reading
// the file anew each time, so that no run is too large for it.
type File struct {
	path string
	run  Run
	// header is where the run begins, marks where some of its events stand.
	header fileMark
	marks  []fileMark
}

// fileMark is a line of a file: its number, where it begins, and the number of
// the run's events up to it.
type fileMark struct {
	line, offset, events int64
}

// markEvery is how many events a reader may have to skip.
const markEvery = 4096

// OpenFile finds the runs of a file, numbered from 1. It reads and validates
// the whole file once, so that later only a file that was changed meanwhile can
// fail. Errors name file and line.
func OpenFile(path string) ([]*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var runs []*File
	for d := NewDecoder(file); ; {
		f := &File{path: path}
		switch err := f.scan(d); {
		case err == nil:
			runs = append(runs, f)
			f.run.Number = len(runs)
		case err != io.EOF:
			return nil, fmt.Errorf("%s: %w", path, err)
		case len(runs) == 0:
			return nil, fmt.Errorf("%s: no run, expected a first line {\"format\":%q, …}", path, JSONLFormat)
		default:
			return runs, nil
		}
	}
}

// scan takes in the next run of the file.
func (f *File) scan(d *Decoder) error {
	run, err := d.NextRun()
	if err != nil {
		return err
	}
	f.header = d.mark()
	valid := NewValidator(run)
	for {
		e, err := d.Next()
		if err == io.EOF {
			f.run = *run // its end and number of events are known now
			return nil
		}
		if err == nil {
			if err = valid.Check(e); err != nil {
				err = d.errorf("%w", err)
			}
		}
		if err != nil {
			return err
		}
		if d.run.Events%markEvery == 0 {
			f.marks = append(f.marks, d.mark())
		}
	}
}

func (d *Decoder) mark() fileMark { return fileMark{d.line, d.start, d.run.Events} }

// Run returns the description.
func (f *File) Run() *Run { return &f.run }

// Events implements [Recording].
func (f *File) Events(from Seq) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		err := f.each(from, func(e *Event) bool { return e.Seq < from || yield(e, nil) })
		if err != nil {
			yield(nil, fmt.Errorf("%s: %w", f.path, err))
		}
	}
}

// each calls do for the events from the last mark before from on, until it
// returns false.
func (f *File) each(from Seq, do func(*Event) bool) error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	d := &Decoder{types: make(map[string]string), maxLine: maxLine}
	if err := d.jump(file, f.header); err != nil {
		return err
	}
	if _, err := d.NextRun(); err != nil {
		return err
	}
	if i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].events > int64(from) }); i > 0 {
		if err := d.jump(file, f.marks[i-1]); err != nil {
			return err
		}
	}
	for {
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
func (d *Decoder) jump(file io.ReadSeeker, to fileMark) error {
	if _, err := file.Seek(to.offset, io.SeekStart); err != nil {
		return err
	}
	d.r = bufio.NewReaderSize(file, 64<<10)
	d.line, d.read = to.line-1, to.offset
	d.run.Events = max(to.events-1, 0)
	return nil
}
