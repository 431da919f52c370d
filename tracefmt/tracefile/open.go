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

// Stream is the path that means stdin for reading, and stdout for writing.
const Stream = "-"

// Trace is an open trace: runs numbered from 1. Its recordings can be read any number of times until it is
// closed.
type Trace struct {
	path     string
	numbers  []int
	db       *tracedb.DB
	texts    []*tracefmt.TextRun    // the runs, if it is in JSON Lines
	spool    *spool                 // the buffer of a stream
	damage   []error                // the omitted parts
	complete *tracefmt.Completeness // completes or overrides the declarations of the runs
	slices   bool                   // slices may be read
	stream   *tracefmt.TextStream   // the runs of a stream that are still to come
	pipe     io.Closer              // the pipe that is read
}

// Options set how a trace is opened.
type Options struct {
	// Stdin is read for [Stream]; nil means the stdin of the process.
	Stdin io.Reader
	// Salvage omits damaged parts, which [Trace.Damage] then lists. Otherwise a damaged trace cannot be opened,
	// or its damaged run cannot be read. Salvage reads the whole trace: of a database it keeps the runs that
	// match their checksums, of JSON Lines also the beginnings of runs up to the first mistake.
	Salvage bool
	// Completeness completes or overrides the declarations of the runs, see [tracefmt.Run.Declare]; nil for no
	// change. The file stays unchanged.
	Completeness *tracefmt.Completeness
	// Unvalidated limits the checks of runs in JSON Lines to single events. Runs of databases are never validated
	// again.
	Unvalidated bool
	// Slices permits runs that are slices, which are otherwise rejected, see [tracefmt.ErrSlice].
	Slices bool
	// Passing lets Open return before the runs in JSON Lines are read: they are read while they arrive, see
	// [Trace.Each]. Then reading their events returns the mistakes.
	Passing bool
}

// readsPassing reports whether runs in JSON Lines are read while they arrive. Salvage has to read all of them first.
func (o *Options) readsPassing() bool { return o.Passing && !o.Salvage }

// Open opens the trace at path: a database or JSON Lines, regardless of the file's name. [Stream] reads JSON
// Lines from stdin, and the name of a pipe from the pipe. Open reads a stream to its end and stores it, so it
// can be read again: up to 8 MB in memory, more in a private temporary file that disappears with the trace.
//
// For a file that is no trace the error is a [ForeignError], for Parquet a [tracedb.ErrParquet].
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
	head := headOf(path) // examining a pipe would consume data
	var t *Trace
	var err error
	switch {
	case isText(head) && o.readsPassing():
		t, err = openPassingFile(path, o)
	case isText(head):
		t, err = openText(&Trace{path: path}, tracefmt.TextFile(path), o)
	default:
		t, err = openDatabase(path, o)
	}
	return t, foreignError(head, err)
}

// ForeignError is the error for a file that is neither a database nor JSON Lines of etrace, such as the log of
// another program.
type ForeignError struct {
	// Head are the first bytes, at most 16 KiB.
	Head []byte
	Err  error
}

// Error implements error.
func (e *ForeignError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *ForeignError) Unwrap() error { return e.Err }

// headSize is the size of the examined beginning of a file.
const headSize = 16 << 10

// foreignError returns the error for a file with the given head.
func foreignError(head []byte, err error) error {
	known := bytes.HasPrefix(head, []byte(databaseMagic)) || bytes.Contains(head, []byte(`"etrace/`))
	if err == nil || len(head) == 0 || known || errors.Is(err, tracedb.ErrParquet) {
		return err
	}
	return &ForeignError{head, err}
}

// headOf returns the first bytes of a file, none if it cannot be read: opening it returns the reason.
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
	t.complete, t.slices, text = o.Completeness, o.Slices, text.WithCompleteness(o.Completeness)
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

// openDatabase opens a database, and lists its runs.
func openDatabase(path string, o Options) (*Trace, error) {
	db, err := tracedb.Open(path)
	if err != nil {
		return nil, err
	}
	t := &Trace{path: path, db: db, complete: o.Completeness}
	if err := t.survey(o.Salvage); err != nil {
		db.Close()
		return nil, err
	}
	return t, nil
}

// survey lists the runs of a database: the valid ones, or all; reading a damaged run returns its mistake.
func (t *Trace) survey(salvage bool) error {
	runs, damage, err := t.db.Survey()
	if err != nil {
		return err
	}
	slices.SortStableFunc(damage, func(a, b *tracedb.Error) int { return cmp.Compare(a.Run, b.Run) })
	if len(damage) > 0 && damage[0].Run == 0 && !salvage {
		return damage[0] // run 0 is the list of runs: no run can be read without it
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

// isDamaged reads a run to its end, and lists its damage.
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

// NoDatabase reports whether the trace at path must be imported before it can be queried in SQL: [Stream], a
// pipe, or JSON Lines.
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

// isText reports whether a file begins like JSON Lines.
func isText(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\uFEFF \t\r\n"), []byte("{"))
}

// Path returns the path or name under which the trace was opened.
func (t *Trace) Path() string { return t.path }

// Damage returns an error for each run or place that salvage omitted.
func (t *Trace) Damage() []error { return t.damage }

// DB returns the database, nil for other traces: only a database allows SQL queries and appending.
func (t *Trace) DB() *tracedb.DB { return t.db }

// Recording returns the run with the given number.
func (t *Trace) Recording(number int) (tracefmt.Recording, error) {
	rec, err := t.recording(number)
	if err != nil {
		return nil, err
	}
	if rec.Run().Slice && !t.slices {
		return nil, t.sliceError(number)
	}
	rec, err = tracefmt.WithCompleteness(rec, t.complete)
	if err != nil {
		return nil, fmt.Errorf("%s: run %d: %w", t.path, number, err)
	}
	return rec, nil
}

// sliceError returns the error for a run that is a slice.
func (t *Trace) sliceError(number int) error {
	if len(t.numbers) > 1 {
		return fmt.Errorf("%s: run %d %w", t.path, number, tracefmt.ErrSlice)
	}
	return fmt.Errorf("%s: %w", t.path, tracefmt.ErrSlice)
}

// recording returns the run as stored.
func (t *Trace) recording(number int) (tracefmt.Recording, error) {
	if err := t.readUpTo(max(number, 1)); err != nil {
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

// ReadThrough reports whether all events were read when the trace was opened. Then only another program that
// writes to the file can damage them.
func (t *Trace) ReadThrough() bool { return t.texts != nil && t.stream == nil }

// Digest returns a text that identifies the run with its description, and its number of events. For a database
// it is the stored checksum, otherwise a hash of the run as JSON Lines, which is read for it.
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

// Close closes the trace, and removes the buffer of a stream.
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
