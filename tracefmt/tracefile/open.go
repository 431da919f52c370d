package tracefile

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

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
	texts   []*tracefmt.TextRun    // the runs, if it is in JSON Lines
	spool   *spool                 // where they are kept, if they came from a stream
	damage  []error                // what was left out
	tells   *tracefmt.Completeness // goes over what the runs declare
	slices  bool                   // may be read
	stream  *tracefmt.TextStream   // of runs that are still to come
	pipe    io.Closer              // that is read
}

// Options say how a trace is opened.
type Options struct {
	// Stdin is what [Stream] reads, nil for that of the process.
	Stdin io.Reader
	// Salvage leaves out what is damaged, which [Trace.Damage] then lists, where
	// otherwise a damaged trace is not opened or its damaged run not read. For that
	// the whole trace is read: of a database there are the runs that match their
	// check sums, of JSON Lines also the beginnings of runs, up to the first mistake.
	Salvage bool
	// Completeness goes over what the runs declare to tell, see [tracefmt.Run.Declare]; nil for
	// nothing. The file stays as it is.
	Completeness *tracefmt.Completeness
	// Unvalidated: runs in JSON Lines need not be well-formed, only their events by
	// themselves. Those of databases are read as they are in any case.
	Unvalidated bool
	// Slices: the runs may be slices, which otherwise cannot be taken for runs, see
	// [tracefmt.ErrSlice].
	Slices bool
	// Passing: runs in JSON Lines are read as they come, see [Trace.Each], and not before Open
	// returns; what is wrong with them is an error of reading their events.
	Passing bool
}

// passes reports whether runs in JSON Lines are read as they come. What is to be salvaged of them
// is known at the end.
func (o *Options) passes() bool { return o.Passing && !o.Salvage }

// Open opens the trace at path: a database or JSON Lines, whatever the file's name.
// [Stream] reads JSON Lines from stdin, and the name of a pipe from the pipe:
// to the end, and keeps them so that they can be read again, up to 8 MB in memory,
// what is longer in a private temporary file that is gone when the trace is closed.
//
// Where the file is no trace at all, the error is a [ForeignError], of Parquet a [tracedb.ErrParquet].
func Open(path string, o Options) (*Trace, error) {
	if path == Stream {
		if o.Stdin == nil {
			o.Stdin = os.Stdin
		}
		return openStream(path, o)
	}
	if info, err := os.Stat(path); err == nil && isPipe(info) {
		return openPipe(path, o)
	}
	head := headOf(path) // to look into a pipe would take from it
	var t *Trace
	var err error
	switch {
	case isText(head) && o.passes():
		t, err = openPassingFile(path, o)
	case isText(head):
		t, err = openText(&Trace{path: path}, tracefmt.TextFile(path), o)
	default:
		t, err = openDatabase(path, o)
	}
	return t, foreign(head, err)
}

// ForeignError is the error for what is neither a database nor begins as JSON Lines of etrace
// do: perhaps the log of another program.
type ForeignError struct {
	// Head are the first bytes, at most 16 KiB.
	Head []byte
	Err  error
}

// Error implements error.
func (e *ForeignError) Error() string { return e.Err.Error() }

// Unwrap returns the error of opening it as what it is not.
func (e *ForeignError) Unwrap() error { return e.Err }

// headSize is how much of a file is kept to see what it is.
const headSize = 16 << 10

// foreign is the error of opening what begins so.
func foreign(head []byte, err error) error {
	known := bytes.HasPrefix(head, []byte(databaseMagic)) || bytes.Contains(head, []byte(`"etrace/`))
	if err == nil || len(head) == 0 || known || errors.Is(err, tracedb.ErrParquet) {
		return err
	}
	return &ForeignError{head, err}
}

// headOf returns the first bytes of a file, none if it cannot be read: opening it says why.
func headOf(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}

// openText finds the runs of a text.
func openText(t *Trace, text tracefmt.Text, o Options) (_ *Trace, err error) {
	t.tells, t.slices, text = o.Completeness, o.Slices, text.WithCompleteness(o.Completeness)
	if o.Unvalidated {
		text = text.Unvalidated()
	}
	if o.Salvage {
		t.texts, t.damage, err = text.Salvage()
	} else {
		t.texts, err = text.Runs()
	}
	for _, r := range t.texts {
		t.numbers = append(t.numbers, r.Run().Number)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func openDatabase(path string, o Options) (*Trace, error) {
	db, err := tracedb.Open(path)
	if err != nil {
		return nil, err
	}
	t := &Trace{path: path, db: db, tells: o.Completeness}
	if err := t.survey(o.Salvage); err != nil {
		db.Close()
		return nil, err
	}
	return t, nil
}

// survey lists the runs of a database: those that are sound, or all of which it
// knows; whoever asks for a run that is damaged learns then what is wrong.
func (t *Trace) survey(salvage bool) error {
	runs, damage, err := t.db.Survey()
	if err != nil {
		return err
	}
	slices.SortStableFunc(damage, func(a, b *tracedb.Error) int { return cmp.Compare(a.Run, b.Run) })
	if len(damage) > 0 && damage[0].Run == 0 && !salvage {
		return damage[0] // the list of runs itself
	}
	for _, run := range runs {
		t.numbers = append(t.numbers, run.Number)
	}
	for _, d := range damage {
		if salvage {
			t.damage = append(t.damage, d)
		} else {
			t.numbers = append(t.numbers, d.Run)
		}
	}
	slices.Sort(t.numbers)
	if salvage {
		t.numbers = slices.DeleteFunc(t.numbers, t.isDamaged)
	}
	return nil
}

// isDamaged reads a run to its end, and lists what is wrong with it.
func (t *Trace) isDamaged(number int) bool {
	rec, err := t.db.Recording(number)
	if err == nil {
		err = tracefmt.Verify(context.Background(), rec)
	}
	if err != nil {
		t.damage = append(t.damage, err)
	}
	return err != nil
}

// NoDatabase reports whether the trace at path must be imported before it can be asked in SQL: [Stream], a pipe, or
// JSON Lines.
func NoDatabase(path string) bool {
	info, err := os.Stat(path)
	switch {
	case path == Stream:
		return true
	case err != nil || info.IsDir():
		return false
	case !info.Mode().IsRegular():
		return true
	}
	head := headOf(path)
	return isText(head) && bytes.Contains(head, []byte(`"etrace/`))
}

// isText reports whether a file begins like the text form of a trace.
func isText(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\uFEFF \t\r\n"), []byte("{"))
}

// Path returns the path or name under which the trace was opened.
func (t *Trace) Path() string { return t.path }

// Damage says what was left out of a trace that was salvaged, an error for each
// run or place.
func (t *Trace) Damage() []error { return t.damage }

// DB returns the database, nil if the trace is none: only a database can be
// asked in SQL and appended to.
func (t *Trace) DB() *tracedb.DB { return t.db }

// Recording returns the run of that number.
func (t *Trace) Recording(number int) (tracefmt.Recording, error) {
	rec, err := t.recording(number)
	if err != nil {
		return nil, err
	}
	if rec.Run().Slice && !t.slices {
		return nil, t.slice(number)
	}
	if rec, err = tracefmt.WithCompleteness(rec, t.tells); err != nil {
		return nil, fmt.Errorf("%s: run %d: %w", t.path, number, err)
	}
	return rec, nil
}

// slice is the error for a slice that would be taken for a run.
func (t *Trace) slice(number int) error {
	if len(t.numbers) > 1 {
		return fmt.Errorf("%s: run %d %w", t.path, number, tracefmt.ErrSlice)
	}
	return fmt.Errorf("%s: %w", t.path, tracefmt.ErrSlice)
}

// recording is the run as the file has it.
func (t *Trace) recording(number int) (tracefmt.Recording, error) {
	if err := t.arrive(max(number, 1)); err != nil {
		return nil, err
	}
	switch {
	case t.db != nil:
		return t.db.Recording(number)
	case number < 1 || number > len(t.texts):
		return nil, fmt.Errorf("%s: no run %d, the file has %d", t.path, number, len(t.texts))
	}
	return t.texts[number-1], nil
}

// ReadThrough reports whether all events of the runs were read when the trace was opened, so
// that nothing of them can be damaged but by who writes to the file meanwhile.
func (t *Trace) ReadThrough() bool { return t.texts != nil && t.stream == nil }

// Digest returns a text by which the run is known again, and how many events it has. The text is
// another one where the run or its description is: of a database it is a check sum that the file
// has, else a hash of the run as JSON Lines, which is read for it.
func (t *Trace) Digest(number int) (digest string, events int64, err error) {
	rec, err := t.recording(number)
	if err != nil {
		return "", 0, err
	}
	if rec, ok := rec.(*tracedb.Recording); ok {
		return fmt.Sprintf("%s:%08x", database, rec.Sum()), rec.Run().Events, nil
	}
	hash := sha256.New()
	if err := tracefmt.NewEncoder(hash).Encode(rec); err != nil {
		return "", 0, err
	}
	return fmt.Sprintf("%s:%x", jsonLines, hash.Sum(nil)[:8]), rec.Run().Events, nil
}

// Close closes what was opened, and removes what was kept of a stream.
func (t *Trace) Close() (err error) {
	if t.db != nil {
		return t.db.Close()
	}
	if t.pipe != nil {
		err = t.pipe.Close()
	}
	if t.spool != nil {
		err = cmp.Or(err, t.spool.Close())
	}
	return err
}
