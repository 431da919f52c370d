package tracedb

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
)

// appendBatch is how many events an Appender gathers before they go to the
// table: one statement's worth.
var appendBatch = batchSizes[0]

// Appender adds complete runs to a trace. Nothing of them is visible before
// [Appender.Commit], after which all of them are. It is not safe for
// concurrent use.
//
// The runs are built in a file beside the trace, without a journal. A trace that
// does not exist yet is put in its place when it is complete; it never replaces
// a file. To an existing one they are moved in one transaction, for which alone
// others wait; if that is not possible, the file beside it is kept.
type Appender struct {
	path string
	// file is where the runs are built, nil in a transaction on path itself. Its
	// place is path, or where the runs are kept that cannot be moved there.
	file *atomicfile.File
	kept string           // the place of file, if it is not path
	held *atomicfile.Held // the trace that is appended to; nil when it is new
	conn *conn
	w    *writer
	runs []*tracefmt.Run
	err  error // the first failure to write; nothing can follow it
	done bool
}

// OpenAppend prepares to add runs to the trace at path, which need not exist.
// What exists there and is not a trace that can be appended to is left
// untouched and reported as by [CheckFile]; [errBusy] says that another
// process has been writing to it for ten seconds. If the trace is removed or
// replaced before Commit, that is an error, [atomicfile.ErrGone].
func OpenAppend(path string) (*Appender, error) {
	if n := len(filepath.Base(path)); n > maxName {
		return nil, &Error{Path: path, Text: fmt.Sprintf("the file name has %d bytes, expected at most %d, since files with longer names lie beside a trace", n, maxName), Kind: syscall.ENAMETOOLONG}
	}
	for {
		err := CheckFile(path)
		if err == nil {
			return extend(path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := alone(path); err != nil {
			return nil, err
		}
		a, err := create(path, path)
		if !errors.Is(err, fs.ErrExist) { // else it has come into being meanwhile
			return a, err
		}
	}
}

// maxName is how long, in bytes, the name of a file may be for its companions to
// have one, of which the system allows 255.
const maxName = 240

// alone makes sure that a new trace does not get what the writer of another has
// left: SQLite would take it for a part of this one.
func alone(path string) error {
	for _, name := range []string{path + "-journal", path + "-wal"} {
		info, err := os.Stat(name)
		if _, gone := os.Stat(path); err == nil && info.Size() > 0 && errors.Is(gone, fs.ErrNotExist) {
			return &Error{Path: name, Text: "a writer of a trace that is gone has left it, expected none beside a new trace: bring the trace back, or remove this", Kind: fs.ErrExist}
		}
	}
	return nil
}

// extend begins runs for an existing trace. Whether they can be added is tried
// now, and not when they are complete.
func extend(path string) (*Appender, error) {
	to, err := appendTo(path)
	if err != nil {
		return nil, err
	}
	defer to.Discard()
	last, _, err := to.w.next()
	if err != nil {
		return nil, err
	}
	kept, err := freeName(path)
	if err != nil {
		return nil, err
	}
	a, err := create(path, kept)
	if err != nil {
		return nil, err
	}
	a.kept, a.held, a.w.before = kept, to.held, last-1
	return a, nil
}

// freeName returns the first name path.run-N that nothing has.
func freeName(path string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.run-%d", path, n)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) && !unfinished(name) {
			return name, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", pathError(path, err)
		}
	}
}

// appendTo opens a transaction on an existing trace.
func appendTo(path string) (*Appender, error) {
	c, held, err := connectHeld(path)
	if err != nil {
		return nil, err
	}
	a := &Appender{path: path, held: held, conn: c, w: newWriter(c, appendBatch)}
	a.w.follow = true
	err = c.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
	if err == nil {
		err = ready(c)
	}
	if err != nil {
		a.Discard()
		return nil, err
	}
	return a, nil
}

// connectHeld opens a trace to write to it, and keeps in mind which file it is.
func connectHeld(path string) (*conn, *atomicfile.Held, error) {
	held, err := atomicfile.Hold(path)
	if err != nil {
		return nil, nil, heldError(path, err)
	}
	c, err := connect(path, path, "rw")
	if err != nil {
		return nil, nil, err
	}
	if err := held.Check(); err != nil {
		c.Close()
		return nil, nil, heldError(path, err)
	}
	return c, held, nil
}

// heldError is an error about the file that is written to, or nil.
func heldError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Path: path, Text: strings.TrimPrefix(err.Error(), path+": "), Kind: err}
}

// create begins runs for path in a file with another place, in the same folder,
// since only there can it be put in place in one step.
func create(path, place string) (*Appender, error) {
	file, err := atomicfile.Create(place, atomicfile.Options{New: true, Named: true})
	if err != nil {
		return nil, pathError(path, err)
	}
	a := &Appender{path: path, file: file}
	if a.conn, err = connect(file.Name(), path, "rw"); err == nil {
		a.w = newWriter(a.conn, appendBatch)
		a.w.follow = true
		// Until it is complete nobody else knows the file, and if this fails
		// it is removed: neither a journal nor a sync has any use.
		err = a.conn.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN")
	}
	if err == nil {
		err = createSchema(a.conn)
	}
	if err != nil {
		a.Discard()
		return nil, err
	}
	return a, nil
}

// Begin starts a run and sets its Number, End and Events. The description is
// validated; the caller must not change it before Finish. If others
// append meanwhile, Commit changes the Number.
func (a *Appender) Begin(run *tracefmt.Run) error {
	if err := a.usable(); err != nil {
		return err
	}
	if err := a.w.admit(run); err != nil {
		return err
	}
	a.runs = append(a.runs, run)
	a.err = a.w.begin(run, 0)
	return a.err
}

// Write adds the next event of the run that was begun. It holds the event
// against what the trace can express (ascending seqs, processes that exist,
// known kinds, an earlier cause, a payload between braces); whether the run
// is well-formed is for a [tracefmt.Validator] to say.
func (a *Appender) Write(e *tracefmt.Event) error {
	if err := a.usable(); err != nil {
		return err
	}
	full, err := a.w.write(e)
	if full {
		a.err = a.w.flush()
		return a.err
	}
	return err
}

// Finish ends the run that was begun and sets its End and Events.
func (a *Appender) Finish(end tracefmt.End) error {
	if err := a.usable(); err != nil {
		return err
	}
	if err := a.w.admitEnd(end); err != nil {
		return err
	}
	a.err = a.w.finish(end)
	return a.err
}

func (a *Appender) usable() error {
	if a.done {
		return &Error{Path: a.path, Text: "the trace was committed or discarded", Kind: fs.ErrClosed}
	}
	return a.err
}

// Commit makes all runs visible at once and closes the Appender. After an
// error the trace is as it was before, or as absent; a [*KeptError] says that the
// runs are in another file.
func (a *Appender) Commit() error {
	if err := a.usable(); err != nil {
		return err
	}
	if a.w.run != nil {
		return a.w.errorf(0, "the run is not finished, expected Finish before Commit")
	}
	defer a.Discard() // cleans up, whatever happens below
	if a.file == nil {
		return a.commitHeld()
	}
	if err := a.conn.exec("COMMIT"); err != nil {
		return err
	}
	if a.kept != "" {
		a.closeConn()
		return a.keep(a.merge())
	}
	return a.publish()
}

// commitHeld commits to a trace that was there, if it is still there: nobody
// would find what went to another file.
func (a *Appender) commitHeld() error {
	if err := a.held.Check(); err != nil {
		return heldError(a.path, err)
	}
	if err := a.conn.exec("COMMIT"); err != nil {
		return a.blocked(err)
	}
	// A live recording that broke off leaves the trace with a log file.
	a.conn.leaveWAL()
	return heldError(a.path, a.held.Check())
}

// blocked says who keeps a transaction from its end: as the others do not write,
// they read.
func (a *Appender) blocked(err error) error {
	if !errors.Is(err, errBusy) {
		return err
	}
	who := "another process"
	if found := readerOf(a.path); found != "" {
		who = found
	}
	return a.conn.errorf(errBusy, "%s has been reading it for %v seconds, expected pauses to write in", who, busyTimeout.Seconds())
}

// KeptError is why runs could not be added to a trace, and where they are
// instead.
type KeptError struct {
	Err  error
	Kept string // a trace of its own
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("%v; what was recorded is kept in %s", e.Err, e.Kept)
}

// Unwrap returns why.
func (e *KeptError) Unwrap() error { return e.Err }

// keep leaves the runs in a file of their own if they could not be merged.
func (a *Appender) keep(err error) error {
	if err == nil || len(a.runs) == 0 {
		return err
	}
	if a.kept != "" && a.file.Commit() == nil {
		return &KeptError{err, a.kept}
	}
	kept, lost := a.file.Keep(a.path)
	if lost != nil {
		return fmt.Errorf("%w; what was recorded is lost, since it cannot be kept either: %w", err, lost)
	}
	return &KeptError{err, kept}
}

// publish puts the new trace in its place.
func (a *Appender) publish() error {
	a.closeConn()
	switch err := a.file.Commit(); {
	case errors.Is(err, fs.ErrExist):
		return a.keep(a.merge())
	case err != nil:
		return a.keep(pathError(a.path, err))
	}
	return nil
}

// merge appends the runs of the file beside the trace to it.
func (a *Appender) merge() error {
	if a.held != nil {
		if err := a.held.Check(); err != nil {
			return heldError(a.path, err)
		}
	}
	if err := CheckFile(a.path); err != nil {
		return err
	}
	to, err := appendTo(a.path)
	if err != nil {
		return err
	}
	defer to.Discard()
	numbers, err := to.copyRuns(a.file.Name())
	if err != nil {
		return err
	}
	if err := to.Commit(); err != nil {
		return err
	}
	for i, run := range a.runs {
		run.Number = numbers[i]
	}
	return nil
}

// copyRuns appends the runs of another trace; only numbers and ids change.
func (a *Appender) copyRuns(from string) (numbers []int, err error) {
	// Read-only: BEGIN IMMEDIATE would begin to write to both, and a commit to two
	// files takes one more, which a killed writer leaves for good.
	if from, err = fileURI(from, "ro"); err != nil {
		return nil, err
	}
	// It is not possible inside a transaction.
	err = a.conn.exec("ROLLBACK")
	if err == nil {
		err = a.conn.exec("ATTACH ? AS other", from)
	}
	if err == nil {
		err = a.conn.exec("BEGIN IMMEDIATE")
	}
	if err == nil {
		err = ready(a.conn)
	}
	if err != nil {
		return nil, err
	}
	type move struct{ run, base, events, ids int64 }
	var moves []move
	err = a.conn.each("SELECT run, base, events, max(CAST(reserved AS INTEGER), events) FROM other.run ORDER BY run", func(row []driver.Value) error {
		moves = append(moves, move{row[0].(int64), row[1].(int64), row[2].(int64), row[3].(int64)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		number, base, err := a.w.next()
		if err != nil {
			return nil, err
		}
		for _, statement := range []string{
			`INSERT INTO main.run SELECT run + ?1, base + ?2, ` + runColumnsAfterBase + ` FROM other.run WHERE run = ?3`,
			`INSERT INTO main.member SELECT run + ?1, process, name, position, attributes FROM other.member WHERE run = ?3`,
			`INSERT INTO main.stated SELECT run + ?1, key, value FROM other.stated WHERE run = ?3`,
			`INSERT INTO main.type SELECT run + ?1, type, name FROM other.type WHERE run = ?3`,
			`INSERT INTO main.event SELECT id + ?2, time, who, message, cause, lamport, term, payload FROM other.event WHERE id BETWEEN ?4 + 1 AND ?4 + ?5`,
		} {
			if err := a.conn.exec(statement, int64(number)-m.run, base-m.base, m.run, m.base, m.events); err != nil {
				return nil, err
			}
		}
		a.w.took(number, base+m.ids)
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// Discard gives up everything since OpenAppend: an existing trace is as it
// was, a new one does not come into being. After Commit it does nothing, so
// that it can be deferred.
func (a *Appender) Discard() error {
	if a.done {
		return nil
	}
	a.done = true
	if a.conn != nil && !a.conn.AutoCommit() {
		a.conn.exec("ROLLBACK") // closing would do the same
	}
	err := a.closeConn()
	if a.file != nil {
		return cmp.Or(err, a.file.Discard())
	}
	if a.err != nil && unfinished(a.path) {
		// After an error of the disk SQLite leaves the rollback to the next
		// who opens the trace: that should not be an unsuspecting reader.
		return recoverTrace(a.path)
	}
	return err
}

func (a *Appender) closeConn() error {
	if a.conn == nil {
		return nil
	}
	if a.w != nil {
		a.w.close()
	}
	err := sqliteError(a.path, a.conn.Close())
	a.conn = nil
	return err
}
