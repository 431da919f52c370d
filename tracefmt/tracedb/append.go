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

// appendBatch is the number of events that an Appender buffers: the rows of one statement.
var appendBatch = batchSizes[0]

// Appender adds complete runs to a trace. The runs become visible all at once, by [Appender.Commit]. It is not
// safe for concurrent use.
//
// The runs are built in a file beside the trace, without a journal. A trace that does not exist yet is put in
// its place when it is complete; it never replaces a file. To an existing trace the runs are moved in one
// transaction, and only during this transaction other writers wait. If that fails, the file beside the trace is
// kept.
type Appender struct {
	path string
	// file is the file in which the runs are built, nil in a transaction on path itself.
	file *atomicfile.File
	kept string           // the final name of file if its runs cannot be moved to path; "" for a new trace
	held *atomicfile.Held // the existing trace; nil for a new one
	conn *conn
	w    *writer
	runs []*tracefmt.Run
	err  error // the first error of a write; all later calls return it
	done bool
}

// OpenAppend prepares to add runs to the trace at path, which need not exist. If the existing file is no trace,
// or cannot be appended to, it stays unchanged, and the error is that of [CheckFile]. [errBusy] means that
// another process has been writing to it for ten seconds. If the trace is removed or replaced before Commit,
// the error is [atomicfile.ErrGone].
func OpenAppend(path string) (*Appender, error) {
	if n := len(filepath.Base(path)); n > maxName {
		return nil, &Error{
			Path: path,
			Text: fmt.Sprintf("the file name has %d bytes, expected at most %d, since files with longer names lie beside a trace", n, maxName),
			Kind: syscall.ENAMETOOLONG,
		}
	}
	for {
		err := CheckFile(path)
		if err == nil {
			a, err := beginExisting(path)
			return a, readFaultOr(path, err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := checkCompanions(path); err != nil {
			return nil, err
		}
		a, err := beginNew(path, path)
		if !errors.Is(err, fs.ErrExist) { // otherwise another process has just created it
			return a, err
		}
	}
}

// maxName is the limit for the length of a file name in bytes, so that its companions also have a name; the
// system allows 255.
const maxName = 240

// checkCompanions fails if a new trace would have companions of a former trace: SQLite would use them as parts
// of the new one.
func checkCompanions(path string) error {
	for _, name := range []string{path + "-journal", path + "-wal"} {
		info, err := os.Stat(name)
		if _, gone := os.Stat(path); err == nil && info.Size() > 0 && errors.Is(gone, fs.ErrNotExist) {
			return &Error{
				Path: name,
				Text: "a writer of a trace that is gone has left it, expected none beside a new trace: bring the trace back, or remove this",
				Kind: fs.ErrExist,
			}
		}
	}
	return nil
}

// beginExisting begins runs for an existing trace. It checks now, and not at the end, whether they can be added.
func beginExisting(path string) (*Appender, error) {
	target, err := appendTo(path)
	if err != nil {
		return nil, err
	}
	defer target.Discard()
	last, _, err := target.w.nextRun()
	if err != nil {
		return nil, err
	}
	kept, err := freeName(path)
	if err != nil {
		return nil, err
	}
	a, err := beginNew(path, kept)
	if err != nil {
		return nil, err
	}
	a.kept, a.held, a.w.before = kept, target.held, last-1
	return a, nil
}

// freeName returns the first unused name path.run-N.
func freeName(path string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.run-%d", path, n)
		_, err := os.Lstat(name)
		isAbsent := errors.Is(err, fs.ErrNotExist)
		switch {
		case isAbsent && !unfinished(name):
			return name, nil
		case err != nil && !isAbsent:
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
		err = prepareForWriting(c)
	}
	if err != nil {
		a.Discard()
		return nil, err
	}
	return a, nil
}

// connectHeld opens an existing trace for writing, and notes its identity, see [atomicfile.Hold].
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

// heldError adds the path to an error about the file that is written, nil for none.
func heldError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Path: path, Text: strings.TrimPrefix(err.Error(), path+": "), Kind: err}
}

// beginNew begins a new file with the final name place. It is in the same folder as path, since only there it can
// be put in place in one step.
func beginNew(path, place string) (*Appender, error) {
	file, err := atomicfile.Create(place, atomicfile.Options{New: true, Named: true})
	if err != nil {
		return nil, pathError(path, err)
	}
	a := &Appender{path: path, file: file}
	a.conn, err = connect(file.Name(), path, "rw")
	if err == nil {
		a.w = newWriter(a.conn, appendBatch)
		a.w.follow = true
		// No other process knows the unfinished file, and a failure removes it, so neither a journal nor a sync
		// has any use.
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

// Begin starts a run and sets its Number, End and Events. It validates the description, which the caller must
// not change before Finish. If others append in the meantime, Commit changes the Number.
func (a *Appender) Begin(run *tracefmt.Run) error {
	if err := a.checkUsable(); err != nil {
		return err
	}
	if err := a.w.admit(run); err != nil {
		return err
	}
	a.runs = append(a.runs, run)
	a.err = a.w.begin(run, 0)
	return a.err
}

// Write adds the next event of the present run. It rejects events that the trace cannot express: seqs must
// ascend, processes and kinds exist, causes be earlier, and payloads be in braces. A [tracefmt.Validator]
// checks whether the run is well-formed.
func (a *Appender) Write(e *tracefmt.Event) error {
	if err := a.checkUsable(); err != nil {
		return err
	}
	full, err := a.w.write(e)
	if full {
		a.err = a.w.flush()
		return a.err
	}
	return err
}

// Finish ends the present run and sets its End and Events.
func (a *Appender) Finish(end tracefmt.End) error {
	if err := a.checkUsable(); err != nil {
		return err
	}
	if err := a.w.admitEnd(end); err != nil {
		return err
	}
	a.err = a.w.finish(end)
	return a.err
}

// checkUsable returns an error after Commit or Discard, or after a failed write.
func (a *Appender) checkUsable() error {
	if a.done {
		return &Error{Path: a.path, Text: "the trace was committed or discarded", Kind: fs.ErrClosed}
	}
	return a.err
}

// Commit makes all runs visible at once and closes the Appender. After an error the trace is unchanged, or
// still absent; a [*KeptError] has the file in which the runs are kept.
func (a *Appender) Commit() error {
	if err := a.checkUsable(); err != nil {
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
		return a.keepApart(a.merge())
	}
	return a.publish()
}

// commitHeld commits to an existing trace if the path still leads to it: data in another file would be lost.
func (a *Appender) commitHeld() error {
	if err := a.held.Check(); err != nil {
		return heldError(a.path, err)
	}
	if err := a.conn.exec("COMMIT"); err != nil {
		return a.busyError(err)
	}
	// An interrupted live recording leaves the trace with a write-ahead log.
	a.conn.leaveWAL()
	return heldError(a.path, a.held.Check())
}

// busyError adds to the error of a blocked transaction the name of the process that reads the file.
func (a *Appender) busyError(err error) error {
	if !errors.Is(err, errBusy) {
		return err
	}
	holder := "another process"
	if found := readerOf(a.path); found != "" {
		holder = found
	}
	return a.conn.errorf(errBusy, "%s has been reading it for %v seconds, expected pauses to write in", holder, busyTimeout.Seconds())
}

// KeptError is the reason why runs could not be added to a trace, and the file in which they are kept.
type KeptError struct {
	Err  error
	Kept string // a trace with these runs only
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("%v; what was recorded is kept in %s", e.Err, e.Kept)
}

// Unwrap returns the reason.
func (e *KeptError) Unwrap() error { return e.Err }

// keepApart puts the runs into a file of their own if they could not be merged.
func (a *Appender) keepApart(err error) error {
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
		return a.keepApart(a.merge())
	case err != nil:
		return a.keepApart(pathError(a.path, err))
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
	target, err := appendTo(a.path)
	if err != nil {
		return err
	}
	defer target.Discard()
	numbers, err := target.copyRuns(a.file.Name())
	if err != nil {
		return err
	}
	if err := target.Commit(); err != nil {
		return err
	}
	for i, run := range a.runs {
		run.Number = numbers[i]
	}
	return nil
}

// copyRuns appends the runs of another trace; only numbers and ids change.
func (a *Appender) copyRuns(from string) (numbers []int, err error) {
	// Read-only: BEGIN IMMEDIATE would also begin to write to the source, and a commit to two files creates one
	// more file, which a killed writer would leave forever.
	from, err = fileURI(from, "ro")
	if err != nil {
		return nil, err
	}
	// ATTACH is impossible inside a transaction.
	err = a.conn.exec("ROLLBACK")
	if err == nil {
		err = a.conn.exec("ATTACH ? AS other", from)
	}
	if err == nil {
		err = a.conn.exec("BEGIN IMMEDIATE")
	}
	if err == nil {
		err = prepareForWriting(a.conn)
	}
	if err != nil {
		return nil, err
	}
	type move struct{ run, base, events, ids int64 }
	var moves []move
	err = a.conn.each(
		"SELECT run, base, events, max(CAST(reserved AS INTEGER), events) FROM other.run ORDER BY run",
		func(row []driver.Value) error {
			moves = append(moves, move{row[0].(int64), row[1].(int64), row[2].(int64), row[3].(int64)})
			return nil
		},
	)
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		number, base, err := a.w.nextRun()
		if err != nil {
			return nil, err
		}
		for _, statement := range []string{
			`INSERT INTO main.run SELECT run + ?1, base + ?2, ` + runColumnsAfterBase + ` FROM other.run WHERE run = ?3`,
			`INSERT INTO main.member SELECT run + ?1, process, name, position, attributes FROM other.member WHERE run = ?3`,
			`INSERT INTO main.stated SELECT run + ?1, key, value FROM other.stated WHERE run = ?3`,
			`INSERT INTO main.type SELECT run + ?1, type, name FROM other.type WHERE run = ?3`,
			`INSERT INTO main.event SELECT id + ?2, time, who, message, cause, lamport, term, payload FROM other.event ` +
				`WHERE id BETWEEN ?4 + 1 AND ?4 + ?5`,
		} {
			if err := a.conn.exec(statement, int64(number)-m.run, base-m.base, m.run, m.base, m.events); err != nil {
				return nil, err
			}
		}
		a.w.noteRun(number, base+m.ids)
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// Discard drops everything since OpenAppend: an existing trace is unchanged, and a new one is not created.
// After Commit it does nothing, so it can be deferred.
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
		// After a disk error SQLite leaves the rollback to the next process that opens the trace, which should
		// not be an unsuspecting reader.
		return recoverTrace(a.path)
	}
	return err
}

// closeConn closes the connection and its statements. It may be called twice.
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
