package tracefile

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// Stream is the path that means stdin for what is read, and stdout for what is
// written.
const Stream = "-"

// Trace is a trace that was opened: runs with numbers from 1. Its recordings
// can be read any number of times until it is closed.
type Trace struct {
	path    string
	numbers []int
	db      *tracedb.DB
	texts   []*tracefmt.TextRun // the runs, if it is no database
	spool   *spool              // where they are kept, if they came from a stream
}

// A Salvaged trace holds what is sound of one that may be damaged.
type Salvaged struct {
	*Trace
	// Damage says what was left out, an error for each run or place.
	Damage []error
}

// Open opens the trace at path: a database, or JSON Lines whatever the file's
// name. [Stream] reads JSON Lines from stdin, as [Read] does; so does the name
// of a pipe.
func Open(path string) (*Trace, error) {
	if path == Stream {
		return Read(Stream, os.Stdin)
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		pipe, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer pipe.Close()
		return Read(path, pipe)
	}
	if isText(path) {
		texts, err := tracefmt.OpenText(path)
		return newTrace(path, texts, nil), err
	}
	db, err := tracedb.Open(path)
	if err != nil {
		return nil, err
	}
	t, damage, err := survey(path, db)
	if err == nil && len(damage) > 0 && damage[0].Run == 0 {
		err = damage[0] // the list of runs itself
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	for _, d := range damage { // who asks for the run learns what is wrong
		t.numbers = append(t.numbers, d.Run)
	}
	slices.Sort(t.numbers)
	return t, nil
}

// survey lists the runs of a database whose descriptions are sound.
func survey(path string, db *tracedb.DB) (*Trace, []*tracedb.Error, error) {
	runs, damage, err := db.Survey()
	t := &Trace{path: path, db: db}
	for _, run := range runs {
		t.numbers = append(t.numbers, run.Number)
	}
	slices.SortStableFunc(damage, func(a, b *tracedb.Error) int { return cmp.Compare(a.Run, b.Run) })
	return t, damage, err
}

// Salvage opens what is sound of the trace at path: of a database the runs that
// match their check sums, which it reads for that; of JSON Lines also the beginnings
// of runs, up to the first mistake. The error is that of a file of which nothing can
// be read.
func Salvage(path string) (*Salvaged, error) {
	if !isText(path) {
		return salvageOther(path)
	}
	texts, damage, err := tracefmt.SalvageText(path)
	if err != nil {
		return nil, err
	}
	return &Salvaged{newTrace(path, texts, nil), damage}, nil
}

func salvageOther(path string) (*Salvaged, error) {
	db, err := tracedb.Open(path)
	if err != nil {
		return nil, err
	}
	t, damage, err := survey(path, db)
	if err != nil {
		db.Close()
		return nil, err
	}
	s := &Salvaged{Trace: t}
	for _, d := range damage {
		s.Damage = append(s.Damage, d)
	}
	t.numbers = slices.DeleteFunc(t.numbers, func(n int) bool {
		err := sound(db, n)
		if err != nil {
			s.Damage = append(s.Damage, err)
		}
		return err != nil
	})
	return s, nil
}

// sound reads a run to its end.
func sound(db *tracedb.DB, number int) error {
	rec, err := db.Recording(number)
	if err != nil {
		return err
	}
	for _, err := range rec.Events(1) {
		if err != nil {
			return err
		}
	}
	return nil
}

// SalvageStream is [Salvage] of JSON Lines that are read as by [Read].
func SalvageStream(name string, r io.Reader) (*Salvaged, error) {
	s, err := newSpool(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	texts, damage, err := tracefmt.SalvageNewText(name, s, s.size)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &Salvaged{newTrace(name, texts, s), damage}, nil
}

// Read reads a stream of JSON Lines to its end, and keeps it so that it can be
// read again: up to 8 MB in memory, what is longer in a private temporary file
// that is gone when the trace is closed. Errors call the stream name.
func Read(name string, r io.Reader) (*Trace, error) {
	s, err := newSpool(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var texts []*tracefmt.TextRun
	if s.isDatabase() {
		err = fmt.Errorf("%s: a database cannot be read from a stream, expected JSON Lines as etrace export writes them", name)
	} else {
		texts, err = tracefmt.NewText(name, s, s.size)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return newTrace(name, texts, s), nil
}

func newTrace(path string, texts []*tracefmt.TextRun, s *spool) *Trace {
	t := &Trace{path: path, texts: texts, spool: s}
	for _, r := range texts {
		t.numbers = append(t.numbers, r.Run().Number)
	}
	return t
}

// isText reports whether a file begins like the text form of a trace.
func isText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // opening it as a database says why
	}
	defer f.Close()
	head := make([]byte, 8)
	n, _ := io.ReadFull(f, head)
	return bytes.HasPrefix(bytes.TrimLeft(head[:n], "\uFEFF \t\r\n"), []byte("{"))
}

// Path returns the path or name under which the trace was opened.
func (t *Trace) Path() string { return t.path }

// DB returns the database, nil if the trace is none: only a database can be
// asked in SQL and appended to.
func (t *Trace) DB() *tracedb.DB { return t.db }

// Recording returns the run of that number.
func (t *Trace) Recording(number int) (tracefmt.Recording, error) {
	switch {
	case t.db != nil:
		return t.db.Recording(number)
	case number < 1 || number > len(t.texts):
		return nil, fmt.Errorf("%s: no run %d, the file has %d", t.path, number, len(t.texts))
	}
	return t.texts[number-1], nil
}

// Runs says which runs of a trace are meant: all, the one of a number, or by
// default the last.
type Runs struct {
	All    bool
	Number int
}

// ParseRuns reads a number from 1, "last" or "all".
func ParseRuns(s string) (Runs, error) {
	switch s {
	case "all":
		return Runs{All: true}, nil
	case "last":
		return Runs{}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return Runs{}, fmt.Errorf("%q: expected a number from 1, last, or all", s)
	}
	return Runs{Number: n}, nil
}

// Numbers returns the numbers of the runs that are meant, at least one.
// Whether the trace has a run that was named by its number is for
// [Trace.Recording] to say.
func (t *Trace) Numbers(r Runs) ([]int, error) {
	switch {
	case len(t.numbers) == 0:
		return nil, fmt.Errorf("%s: the trace has no runs", t.path)
	case r.All:
		return t.numbers, nil
	case r.Number != 0:
		return []int{r.Number}, nil
	}
	return t.numbers[len(t.numbers)-1:], nil
}

// Recordings yields the runs that are meant, one after another, up to the first
// error.
func (t *Trace) Recordings(r Runs) iter.Seq2[tracefmt.Recording, error] {
	return func(yield func(tracefmt.Recording, error) bool) {
		numbers, err := t.Numbers(r)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, n := range numbers {
			rec, err := t.Recording(n)
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// Close closes what was opened, and removes what was kept of a stream.
func (t *Trace) Close() error {
	switch {
	case t.db != nil:
		return t.db.Close()
	case t.spool != nil:
		return t.spool.Close()
	}
	return nil
}
