package tracefmt

import (
	"fmt"
	"io"
	"iter"
	"os"
)

// File is a run of a file in JSON Lines. It implements [Recording] by reading
// the file anew each time, so that no run is too large for it.
type File struct {
	path string
	run  Run
}

// OpenFile finds the run of that number, from 1 in the order of the file; 0
// is the last. It reads the whole file once, so that later only a file that was
// changed meanwhile can fail. Errors name file and line.
func OpenFile(path string, number int) (*File, error) {
	f := &File{path: path}
	runs := 0
	err := f.each(func(d *Decoder, run *Run) error {
		runs++
		run.Number = runs
		for {
			if _, err := d.Next(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		if number == 0 || number == runs {
			f.run = *run
			f.run.Number = runs
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case runs == 0:
		return nil, fmt.Errorf("%s: no run, expected a first line {\"format\":%q, …}", path, JSONLFormat)
	case f.run.Number == 0:
		return nil, fmt.Errorf("%s: no run %d, the file has %d", path, number, runs)
	}
	return f, nil
}

// Run returns the description.
func (f *File) Run() *Run { return &f.run }

// Events implements [Recording].
func (f *File) Events(from Seq) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		runs := 0
		err := f.each(func(d *Decoder, _ *Run) error {
			if runs++; runs != f.run.Number {
				return nil
			}
			for {
				e, err := d.Next()
				if err != nil {
					return err
				}
				if e.Seq >= from && !yield(e, nil) {
					return io.EOF
				}
			}
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// each calls do for each run of the file, until it returns an error; io.EOF
// is none.
func (f *File) each(do func(d *Decoder, run *Run) error) error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	d := NewDecoder(file)
	for {
		run, err := d.NextRun()
		if err == nil {
			err = do(d, run)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
}
