package tracedb

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mattn/go-sqlite3"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
)

// DB is an open trace for reading. It is safe for concurrent use.
type DB struct {
	path string
	mu   sync.Mutex
	idle []*conn // unused connections; every stream of events has its own connection
	shut bool    // Close was called
}

// Open opens a trace for reading. In addition to the checks of [CheckFile], tables and views must have the
// definitions of this package ([ErrNotTrace]).
//
// If a writer was interrupted, Open first rolls back its changes, which needs write permission, and removes its
// journal. Nothing else in a DB changes the file.
func Open(path string) (*DB, error) {
	if err := CheckFile(path); err != nil {
		return nil, err
	}
	db := &DB{path: path}
	c, err := db.open()
	if needsRecovery(err) && unfinished(path) {
		if err := recoverTrace(path); err != nil {
			return nil, err
		}
		c, err = db.open()
	}
	if err != nil {
		return nil, err
	}
	db.release(c)
	removeStaleJournal(path)
	return db, nil
}

// open makes a connection and checks the schema.
func (db *DB) open() (*conn, error) {
	c, err := connect(db.path, db.path, "ro")
	if err != nil {
		return nil, err
	}
	var v vintage
	_, err = c.Exec("SELECT count(*) FROM sqlite_schema", nil) // the first statement that takes a lock
	if err == nil {
		v, err = checkSchema(c)
	}
	if err == nil && v != (vintage{}) {
		err = shadowViews(c, v)
	}
	if err == nil {
		err = c.exec("PRAGMA query_only = ON")
	}
	if err != nil {
		err = c.wrapError(err)
		c.Close()
		return nil, err
	}
	return c, nil
}

// needsRecovery reports whether SQLite failed because it may not write.
func needsRecovery(err error) bool {
	var se sqlite3.Error
	return errors.As(err, &se) && (se.Code == sqlite3.ErrReadonly || se.Code == sqlite3.ErrCantOpen)
}

// recoverTrace lets SQLite undo or complete the work of an interrupted writer.
func recoverTrace(path string) error {
	c, err := connect(path, path, "rw")
	if err == nil {
		defer c.Close()
		_, err = c.Exec("SELECT count(*) FROM sqlite_schema", nil)
	}
	if err != nil {
		reason := strings.TrimPrefix(sqliteError(path, err).Error(), path+": ")
		return &Error{
			Path: path,
			Text: "a writer was interrupted, and what it left cannot be rolled back: " + reason,
			Kind: ErrDamaged, cause: err,
		}
	}
	return nil
}

// removeStaleJournal removes the journal of a killed writer that has nothing to roll back. SQLite does this when the journal
// mode changes, under the lock of a writer. If that is impossible, the journal does no harm.
func removeStaleJournal(path string) {
	if _, err := os.Stat(path + "-journal"); err != nil || atomicfile.Writable(path) != nil {
		return
	}
	c, err := connect(path, path, "rw")
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.exec("PRAGMA busy_timeout = 0")
	mode := ""
	err = c.each("PRAGMA journal_mode", func(row []driver.Value) error { mode = textOf(row[0]); return nil })
	if err == nil && mode == "delete" {
		_ = c.exec("PRAGMA journal_mode = TRUNCATE; PRAGMA journal_mode = DELETE")
	}
}

// Path returns the path that the trace was opened with.
func (db *DB) Path() string { return db.path }

// Close closes unused connections; active streams continue.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	var err error
	for _, c := range db.idle {
		if e := c.Close(); err == nil {
			err = sqliteError(db.path, e)
		}
	}
	db.idle, db.shut = nil, true
	return err
}

// acquire returns an unused connection.
func (db *DB) acquire() (*conn, error) {
	db.mu.Lock()
	if n := len(db.idle); n > 0 {
		c := db.idle[n-1]
		db.idle = db.idle[:n-1]
		db.mu.Unlock()
		return c, nil
	}
	shut := db.shut
	db.mu.Unlock()
	if shut {
		return nil, &Error{Path: db.path, Text: "the trace was closed", Kind: fs.ErrClosed}
	}
	return db.open()
}

// release makes a connection available again; after Close it closes it.
func (db *DB) release(c *conn) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.shut {
		c.Close()
		return
	}
	db.idle = append(db.idle, c)
}

// Runs returns the descriptions of all runs, by number. It fails if one is damaged; see [DB.Survey].
func (db *DB) Runs() ([]*tracefmt.Run, error) {
	runs, damage, err := db.Survey()
	if err == nil && len(damage) > 0 {
		err = damage[0]
	}
	if err != nil {
		return nil, err
	}
	return runs, nil
}

// Survey returns the descriptions of the undamaged runs, by number, and an error for each damaged one. An error
// without a run concerns the list of runs, which may then be incomplete.
//
// Events may be damaged even if the description of their run is not.
func (db *DB) Survey() (runs []*tracefmt.Run, damage []*Error, err error) {
	err = db.snapshot(func(c *conn) error {
		rows, strays, err := readRuns(c, "")
		damage = strays
		var listError *Error
		if errors.As(err, &listError) && errors.Is(err, ErrDamaged) {
			damage, err = append(damage, listError), nil
		}
		for _, r := range rows {
			if r.damage != nil {
				damage = append(damage, r.damage)
			} else {
				runs = append(runs, &r.run)
			}
		}
		return err
	})
	return runs, damage, err
}

// verify reads a run to its end, or until ctx is done.
func (db *DB) verify(ctx context.Context, number int) error {
	r, err := db.Recording(number)
	if err != nil {
		return err
	}
	if err := tracefmt.Verify(ctx, r); err != nil {
		return err
	}
	return r.verifyTypes(ctx)
}

// verifyVerdicts returns an error for each run whose verdicts are damaged.
func (db *DB) verifyVerdicts() (damage []error) {
	err := db.snapshot(func(c *conn) error {
		damaged, err := damagedVerdicts(c)
		for _, run := range slices.Sorted(maps.Keys(damaged)) {
			damage = append(damage, damaged[run])
		}
		return err
	})
	if err != nil {
		damage = append(damage, err)
	}
	return damage
}

// snapshot calls f within one read transaction.
func (db *DB) snapshot(f func(c *conn) error) error {
	c, err := db.acquire()
	if err != nil {
		return err
	}
	defer db.release(c)
	if err := c.exec("BEGIN"); err != nil {
		return err
	}
	defer c.exec("COMMIT")
	return f(c)
}

// runRow is a row of the table run, with the members.
type runRow struct {
	run                                        tracefmt.Run
	base, processes, widths, headSum, eventSum int64
	damage                                     *Error // nil if the description is undamaged
}

// setDamage sets the damage of the run, unless it already has one.
func (r *runRow) setDamage(path, text string) {
	if r.damage == nil {
		r.damage = &Error{Path: path, Run: r.run.Number, Text: text, Kind: ErrDamaged}
	}
}

// strays collects the errors for rows that belong to no run, one error for each missing run number.
type strays struct {
	path string
	seen map[int64]bool
	errs []*Error
}

// add adds an error for a run number, unless it has one.
func (s *strays) add(number int64, format string, args ...any) {
	if s.seen[number] {
		return
	}
	if s.seen == nil {
		s.seen = make(map[int64]bool)
	}
	s.seen[number] = true
	e := &Error{Path: s.path, Text: fmt.Sprintf(format, args...), Kind: ErrDamaged}
	if isRunNumber(number) {
		e.Run = int(number)
	}
	s.errs = append(s.errs, e)
}

// isRunNumber reports whether a run can have the number.
func isRunNumber(number int64) bool { return 0 < number && number <= math.MaxInt32 }

// readRuns reads the runs that the condition selects, including damaged ones, and the errors of rows without a
// run. An error concerns the list of runs; the runs found so far are returned with it.
func readRuns(c *conn, where string, args ...driver.NamedValue) (rows []*runRow, stray []*Error, err error) {
	lost := &strays{path: c.path}
	last := int64(math.MinInt64)
	err = c.each(`SELECT run, base, `+runColumnsAfterBase+` FROM run `+where+` ORDER BY run`,
		func(row []driver.Value) error {
			switch number, _ := row[0].(int64); {
			case number <= last: // also ends a walk through pages that form a circle
				return c.errorf(ErrDamaged, "run %d follows run %d, expected ascending numbers", number, last)
			case !isRunNumber(number):
				lost.add(number, "a run has the number %d, expected one from 1 to %d", number, math.MaxInt32)
				last = number
			default:
				rows, last = append(rows, scanRun(c.path, row)), number
			}
			return nil
		}, args...)
	if err == nil {
		err = cmp.Or(readMembers(c, rows, lost, where, args), readStated(c, rows, lost, where, args))
	}
	for _, r := range rows {
		r.checkDescription(c.path, err == nil)
	}
	return rows, lost.errs, err
}

// scanRun reads a row.
func scanRun(path string, row []driver.Value) *runRow {
	s := scanner{row: row}
	number := s.integer()
	r := &runRow{base: s.integer()}
	s.integer() // reserved
	r.processes = s.integer()
	r.run = tracefmt.Run{
		Number: int(number), Name: s.text(), Algorithm: s.text(), Problem: s.text(), Source: s.text(), Scenario: s.json(),
		Seed: s.optional(), TimeUnit: tracefmt.TimeUnit(s.text()), StartedAt: s.text(), Tool: s.text(),
		End: tracefmt.End(s.text()), Events: s.integer(),
	}
	r.widths, r.headSum, r.eventSum = s.integer(), s.integer(), s.integer()
	switch {
	case s.bad != "":
		r.setDamage(path, "the description of the run has "+s.bad)
	case r.base < 0 || r.run.Events < 0 || r.run.Events > liveReserve || r.base > math.MaxInt64-liveReserve:
		r.setDamage(path, fmt.Sprintf("the run has %d events after id %d, which cannot be", r.run.Events, r.base))
	case r.processes < 0 || r.processes >= maxWidth:
		r.setDamage(path, fmt.Sprintf("the run has %d processes, which cannot be", r.processes))
	}
	return r
}

// readMembers reads the members of the runs in one pass.
func readMembers(c *conn, runs []*runRow, lost *strays, where string, args []driver.NamedValue) error {
	i := 0
	return c.each(`SELECT run, process, name, position, attributes FROM member `+where+` ORDER BY run, process`,
		func(row []driver.Value) error {
			s := scanner{row: row}
			number, process := s.integer(), s.integer()
			m := tracefmt.Member{Name: s.text(), Position: int(s.integer()), Attributes: s.json()}
			for i < len(runs) && int64(runs[i].run.Number) < number {
				i++
			}
			if i == len(runs) || int64(runs[i].run.Number) != number {
				lost.add(number, "process %d belongs to run %d, which does not exist", process, number)
				return nil
			}
			r := runs[i]
			if process != int64(len(r.run.Members))+1 || s.bad != "" {
				r.setDamage(c.path, fmt.Sprintf("process %d follows process %d, or is not as expected", process, len(r.run.Members)))
			}
			if r.damage == nil {
				r.run.Members = append(r.run.Members, m)
			}
			return nil
		}, args...)
}

// checkDescription compares the description with itself and with its sum. complete is true if all its parts could be read.
func (r *runRow) checkDescription(path string, complete bool) {
	switch err := r.run.Validate(); {
	case int64(len(r.run.Members)) != r.processes:
		r.setDamage(path, fmt.Sprintf("%d of %d processes were found", len(r.run.Members), r.processes))
	case err != nil:
		r.setDamage(path, err.Error())
	case headSum(descriptionSum(&r.run), r.run.End, r.run.Events, r.widths, r.eventSum) == r.headSum:
	case !complete:
		r.setDamage(path, "the description of the run cannot be read as a whole")
	default:
		r.setDamage(path, "the description of the run does not match its check sum")
	}
}

// noRun returns the error for a run number that the trace does not have.
func (db *DB) noRun(number int) error {
	runs, damage, err := db.Survey()
	if err != nil {
		return err
	}
	var numbers []int
	for _, r := range runs {
		numbers = append(numbers, r.Number)
	}
	for _, d := range damage {
		numbers = append(numbers, d.Run)
	}
	slices.Sort(numbers)
	if len(numbers) == 0 {
		return &Error{Path: db.path, Text: fmt.Sprintf("no run %d, the trace has no runs", number), Kind: errNoRun}
	}
	return &Error{Path: db.path, Text: fmt.Sprintf("no run %d, the trace has %s", number, ranges(numbers)), Kind: errNoRun}
}

// ranges writes ascending numbers as "run 1", "runs 1-3, 5".
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(numbers[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	if len(numbers) == 1 {
		return "run " + parts[0]
	}
	return "runs " + strings.Join(parts, ", ")
}

// scanner reads the values of a row in order. It keeps the first error of type.
type scanner struct {
	row []driver.Value // the remaining values
	bad string         // the first value of an unexpected type, "" for none
}

// next returns the next value.
func (s *scanner) next() driver.Value {
	v := s.row[0]
	s.row = s.row[1:]
	return v
}

// require registers a value of an unexpected type if ok is false.
func (s *scanner) require(ok bool, want string, v driver.Value) {
	if !ok && s.bad == "" {
		s.bad = fmt.Sprintf("a value of type %T, expected %s", v, want)
	}
}

// integer returns the next value, which must be an integer.
func (s *scanner) integer() int64 {
	v := s.next()
	n, ok := v.(int64)
	s.require(ok, "an integer", v)
	return n
}

// optional returns the next value, which must be an integer or NULL; nil for NULL.
func (s *scanner) optional() *int64 {
	if s.row[0] == nil {
		s.next()
		return nil
	}
	n := s.integer()
	return &n
}

// text returns the next value, which must be UTF-8 text or NULL; "" for NULL.
func (s *scanner) text() string {
	v := s.next()
	t, ok := v.(string)
	s.require((ok || v == nil) && utf8.ValidString(t), "text in UTF-8", v)
	return t
}

// json returns the next value, which must be JSON or NULL; nil for NULL.
func (s *scanner) json() []byte {
	if s.row[0] == nil {
		s.next()
		return nil
	}
	return []byte(s.text())
}
