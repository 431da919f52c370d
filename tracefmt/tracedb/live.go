package tracedb

import (
	"database/sql/driver"
	"errors"
	"io/fs"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
)

// LiveOptions say how often a live recording becomes visible to others.
type LiveOptions struct {
	// Events is the greatest number of events between two commits, 1000 if 0.
	Events int
	// Interval is the longest time between two commits while events keep
	// coming, 200 ms if 0. It is looked at when an event is written: who
	// records rare events calls [Live.flush] from a timer of its own.
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

// live records runs as they happen. The trace can be read at all times, also
// by other processes, and shows what was committed last; a run that is not
// finished ends in "recording". If the recorder is killed, what was committed
// stays. If the trace is removed or replaced meanwhile, the next commit fails with
// [atomicfile.ErrGone], and so does Close. It is not safe for concurrent use.
//
// While it is open, the trace has companions (-wal, -shm) in its folder.
type live struct {
	conn    *conn
	held    *atomicfile.Held
	w       *writer
	options LiveOptions
	commits time.Time // the last one
	err     error
}

// OpenLive opens the trace at path, which it creates when absent, to record
// runs as they happen. Errors are those of [OpenAppend].
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
	if _, err = checkSchema(c); err == nil {
		err = l.enterWAL()
	}
	if err == nil {
		err = l.transaction(func() error { return ready(c) })
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

// enterWAL switches to a write-ahead log, so that readers do not wait for the
// recorder nor the recorder for readers. SQLite does not wait for others by
// itself here.
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

// transaction runs f between BEGIN and COMMIT. The write lock is held for
// that long only, so that others can append too.
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
	return l.sticky(l.transaction(func() error { return l.w.begin(run, liveReserve) }))
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

// flush commits what has been written so far.
func (l *live) flush() error {
	if l.w.run == nil {
		return l.err
	}
	return l.sticky(l.transaction(func() error {
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
	return l.sticky(l.transaction(func() error { return l.w.finish(end) }))
}

// sticky remembers a failed transaction: its events may be gone from the
// buffer, and no others can follow.
func (l *live) sticky(err error) error {
	if l.err == nil {
		l.err = err
	}
	return err
}

// Close commits what was written, leaves a run that is not finished as it is,
// and makes the trace a single file again, unless others are reading it; the
// last of them will then do so.
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
