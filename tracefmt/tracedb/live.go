package tracedb

import (
	"database/sql/driver"
	"errors"
	"io/fs"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
)

// LiveOptions set how often a live recording becomes visible to others.
type LiveOptions struct {
	// Events is the maximum number of events between two commits, 1000 if 0.
	Events int
	// Interval is the maximum time between two commits while events arrive, 200 ms if 0. It is tested when an
	// event is written, so a recorder of rare events has to call [live.flush] from its own timer.
	Interval time.Duration
}

func (o LiveOptions) withDefaults() LiveOptions {
	if o.Events <= 0 {
		o.Events = 1000
	}
	if o.Interval <= 0 {
		o.Interval = 200 * time.Millisecond
	}
	return o
}

// live records runs while they happen. The trace can be read at any time, also by other processes, in the state
// of the last commit; an unfinished run has the end "recording". If the recorder is killed, the committed
// events stay. If the trace is removed or replaced, the next commit fails with [atomicfile.ErrGone], and so
// does Close. It is not safe for concurrent use.
//
// While it is open, the trace has companions (-wal, -shm) in its folder.
type live struct {
	conn    *conn
	held    *atomicfile.Held
	w       *writer
	options LiveOptions
	commits time.Time // the time of the last commit
	err     error
}

// OpenLive opens or creates the trace at path for live recording. It fails like [OpenAppend].
func OpenLive(path string, o LiveOptions) (*live, error) {
	if err := CheckFile(path); errors.Is(err, fs.ErrNotExist) {
		if err := createEmpty(path); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	c, held, err := connectHeld(path)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	l := &live{conn: c, held: held, w: newWriter(c, o.Events), options: o, commits: time.Now()}
	_, err = checkSchema(c)
	if err == nil {
		err = l.enterWAL()
	}
	if err == nil {
		err = l.transaction(func() error { return prepareForWriting(c) })
	}
	if err != nil {
		l.conn.Close()
		return nil, err
	}
	return l, nil
}

// createEmpty makes a trace without runs.
func createEmpty(path string) error {
	a, err := OpenAppend(path)
	if err != nil {
		return err
	}
	defer a.Discard()
	return a.Commit()
}

// enterWAL switches to a write-ahead log, so that readers and recorder do not wait for each other. SQLite does
// not wait for other processes here, so enterWAL retries.
func (l *live) enterWAL() error {
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		mode := ""
		err := l.conn.each("PRAGMA journal_mode = WAL", func(row []driver.Value) error {
			mode = textOf(row[0])
			return nil
		})
		switch {
		case err == nil && mode == "wal":
			return nil
		case err == nil:
			return l.conn.errorf(nil, "no write-ahead log is possible here, journal mode is %q", mode)
		case !errors.Is(err, errBusy) || time.Since(start) > busyTimeout:
			return err
		}
	}
}

// transaction runs f between BEGIN and COMMIT. It holds the write lock only during that time, so others can
// append, too.
func (l *live) transaction(f func() error) error {
	if l.err != nil {
		return l.err
	}
	err := l.conn.exec("BEGIN IMMEDIATE")
	if err == nil {
		err = f()
	}
	if err == nil {
		err = heldError(l.conn.path, l.held.Check())
	}
	if err == nil {
		err = l.conn.exec("COMMIT")
	}
	if err != nil && !l.conn.AutoCommit() {
		l.conn.exec("ROLLBACK")
	}
	l.commits = time.Now()
	return err
}

// Begin starts a run, which others see from now on, and sets its Number.
// Otherwise it is like [Appender.Begin].
func (l *live) Begin(run *tracefmt.Run) error {
	if l.err != nil {
		return l.err
	}
	if err := l.w.admit(run); err != nil {
		return err
	}
	return l.keepError(l.transaction(func() error { return l.w.begin(run, liveReserve) }))
}

// Write adds the next event, see [Appender.Write]. Now and then it commits.
func (l *live) Write(e *tracefmt.Event) error {
	if l.err != nil {
		return l.err
	}
	full, err := l.w.write(e)
	if err != nil {
		return err
	}
	if full || time.Since(l.commits) >= l.options.Interval {
		return l.flush()
	}
	return nil
}

// flush commits the events written so far.
func (l *live) flush() error {
	if l.w.run == nil {
		return l.err
	}
	return l.keepError(l.transaction(func() error {
		if err := l.w.flush(); err != nil {
			return err
		}
		return l.w.save(tracefmt.Open, liveReserve)
	}))
}

// Finish ends the run that was begun, commits it, and sets its End and Events.
func (l *live) Finish(end tracefmt.End) error {
	if l.err != nil {
		return l.err
	}
	if err := l.w.admitEnd(end); err != nil {
		return err
	}
	return l.keepError(l.transaction(func() error { return l.w.finish(end) }))
}

// keepError keeps the error of a failed transaction, and returns it: its events may be lost, so no others may
// follow.
func (l *live) keepError(err error) error {
	if l.err == nil {
		l.err = err
	}
	return err
}

// Close commits the written events and leaves an unfinished run open. It turns the trace into a single file,
// unless others are reading it; then the last of them does so.
func (l *live) Close() error {
	if l.conn == nil {
		return nil
	}
	err := l.flush()
	if err == nil {
		err = heldError(l.conn.path, l.held.Check())
	}
	l.w.close()
	l.conn.leaveWAL()
	if e := sqliteError(l.conn.path, l.conn.Close()); err == nil {
		err = e
	}
	l.conn = nil
	l.err = &Error{Path: l.w.conn.path, Text: "the recording was closed", Kind: fs.ErrClosed}
	return err
}
