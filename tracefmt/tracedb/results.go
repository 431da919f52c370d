package tracedb

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"

	"github.com/mattn/go-sqlite3"

	"etrace/tracefmt/atomicfile"
)

// The marks in the header of a file of results.
const (
	// ResultsID is the SQLite application_id: "ETRS".
	ResultsID = 0x45545253
	// resultsVersion is the SQLite user_version.
	resultsVersion = 2
)

// resultObjects are the tables of a file of results. The column value is a JSON list, the column sum a CRC-32C over
// the row.
var resultObjects = []object{
	{"table", "about", `CREATE TABLE about(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  sum INTEGER NOT NULL
) WITHOUT ROWID`},
	{"table", "result", `CREATE TABLE result(
  cell INTEGER NOT NULL,
  run INTEGER NOT NULL,
  value TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY(cell, run)
) WITHOUT ROWID`},
}

// The rows of the table about: the description of the results; their cells as a JSON list of n and at, where at
// has the settings of a cell by name; and the number of results with their sum.
const (
	aboutKey = "grid"
	cellsKey = "cells"
	totalKey = "total"
)

// total counts results and adds up their checksums, to detect rows that a damaged index omits.
type total struct {
	rows int64
	sum  uint64
}

// add adds a row with its checksum.
func (t *total) add(rowSum int64) {
	t.rows++
	t.sum += uint64(rowSum)
}

// String returns the total as stored.
func (t total) String() string { return fmt.Sprintf("%d,%016x", t.rows, t.sum) }

// Results is a file with the outcomes of a sweep, by cell and number within the cell. It is not safe for
// concurrent use.
//
// Stored outcomes survive a crash of the program, and a file is never partial. While a writable Results is
// open, no other process can open the file.
type Results struct {
	path  string
	about string
	total total // only of a writable file
	conn  *conn
	held  *atomicfile.Held // nil if read-only
	put   *sqlite3.SQLiteStmt
}

// IsResults reports whether the file at path begins like a file of results, even if it is damaged.
func IsResults(path string) bool {
	err := resultsKind.check(path)
	return err == nil || errors.Is(err, errVersion) || errors.Is(err, ErrDamaged)
}

// OpenResults opens the results at path to add to them. If there is no file, it creates an empty one with the
// text about, which describes the results, and a JSON list of their cells. For an existing file the caller has
// to compare [Results.About]. It returns [errBusy] if the file is already open.
func OpenResults(path, about, cells string) (*Results, error) {
	err := resultsKind.check(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = createResults(path, about, cells)
		if errors.Is(err, fs.ErrExist) {
			err = nil // another process has just created it
		}
	}
	if err != nil {
		return nil, err
	}
	held, err := atomicfile.Hold(path)
	if err != nil {
		return nil, heldError(path, err)
	}
	r, err := writeResults(path, held)
	if errors.Is(err, errBusy) {
		err = &Error{Path: path, Text: "another sweep is writing to it, expected one at a time", Kind: errBusy}
	}
	return r, readFaultOr(path, err)
}

// writeResults opens an existing file for writing, and verifies all its rows.
func writeResults(path string, held *atomicfile.Held) (*Results, error) {
	c, err := connectWithin(0, path, path, "rw")
	if err != nil {
		return nil, err
	}
	r := &Results{path: path, conn: c, held: held}
	// The lock is held until the file is closed, or its process ends.
	if err = c.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT"); err == nil {
		err = r.checkContents()
	}
	if err == nil {
		r.total, err = r.each(func(int, int64, string) error { return nil })
	}
	if err == nil {
		r.put, err = c.prepare("INSERT INTO result VALUES(?, ?, ?, ?)")
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// ReadResults opens the results at path for reading.
func ReadResults(path string) (*Results, error) {
	if err := resultsKind.check(path); err != nil {
		return nil, err
	}
	r, err := readResults(path)
	if needsRecovery(err) && unfinished(path) {
		if err := recoverTrace(path); err != nil {
			return nil, err
		}
		r, err = readResults(path)
	}
	if errors.Is(err, errBusy) {
		err = &Error{Path: path, Text: "a sweep is writing to it, expected one that has ended", Kind: errBusy}
	}
	return r, err
}

// readResults opens a file for reading.
func readResults(path string) (*Results, error) {
	c, err := connectWithin(0, path, path, "ro")
	if err != nil {
		return nil, err
	}
	r := &Results{path: path, conn: c}
	_, err = c.Exec("SELECT count(*) FROM sqlite_schema", nil) // the first statement that takes a lock
	if err == nil {
		err = r.checkContents()
	}
	if err != nil {
		err = c.wrapError(err)
		c.Close()
		return nil, err
	}
	return r, nil
}

// createResults puts an empty file in its place.
func createResults(path, about, cells string) error {
	if err := checkCompanions(path); err != nil {
		return err
	}
	file, err := atomicfile.Create(path, atomicfile.Options{New: true, Named: true})
	if err != nil {
		return pathError(path, err)
	}
	defer file.Discard()
	c, err := connect(file.Name(), path, "rw")
	if err != nil {
		return err
	}
	sql := fmt.Sprintf("PRAGMA journal_mode = OFF; PRAGMA application_id = %d; PRAGMA user_version = %d;", ResultsID, resultsVersion)
	for _, o := range resultObjects {
		sql += o.sql + ";"
	}
	err = c.exec(sql)
	if err == nil {
		zero := total{}.String()
		err = c.exec("INSERT INTO about VALUES(?, ?, ?), (?, ?, ?), (?, ?, ?)",
			aboutKey, about, sumOf(0, 0, about), cellsKey, cells, sumOf(0, 0, cells), totalKey, zero, sumOf(0, 0, zero))
	}
	c.Close()
	if err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return pathError(path, err)
	}
	return nil
}

// checkContents checks the file, and reads its description.
func (r *Results) checkContents() error {
	f, err := readContents(r.conn)
	if err != nil {
		return err
	}
	for _, want := range resultObjects {
		if !f.found[want] {
			return r.conn.errorf(errNotResults, "the table %q is not there, or not defined as expected in results of etrace sweep", want.name)
		}
	}
	for _, e := range f.entries {
		isKey := e.kind == "index" && e.sql == "" // an index that SQLite makes for a key
		if !isKey && !f.isResultTable(e) {
			return r.conn.errorf(
				errNotResults,
				"the file holds the %s %q, expected results of etrace sweep with nothing added",
				fold(e.kind), e.name,
			)
		}
	}
	rows, err := r.description()
	r.about = rows[aboutKey]
	return err
}

// description returns the rows of the table about.
func (r *Results) description() (map[string]string, error) {
	rows, sound := map[string]string{}, true
	err := r.conn.each("SELECT key, value, sum FROM about", func(row []driver.Value) error {
		key, value := textOf(row[0]), textOf(row[1])
		rows[key] = value
		sound = sound && row[2] == sumOf(0, 0, value)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, key := range []string{aboutKey, cellsKey, totalKey} {
		_, repeated := rows[key]
		sound = sound && repeated
	}
	if !sound || len(rows) != 3 {
		return nil, r.conn.errorf(ErrDamaged, "the file is damaged: what its results are of does not have its check sum")
	}
	return rows, nil
}

// isResultTable reports whether an entry is one of the tables of results.
func (f *contents) isResultTable(e entry) bool {
	for _, o := range resultObjects {
		if e.object == o && e.table == e.name {
			return true
		}
	}
	return false
}

// sumOf returns the checksum of a row.
func sumOf(cell, run int64, value string) int64 {
	return int64(crc32.Checksum(fmt.Appendf(nil, "%d,%d,%s", cell, run, value), castagnoli))
}

// About returns the description of the results, as given when the file was made.
func (r *Results) About() string { return r.about }

// SetAbout replaces the description. The stored results must be the first ones of the new description.
func (r *Results) SetAbout(about string) error {
	if err := r.held.Check(); err != nil {
		return heldError(r.path, err)
	}
	if err := r.conn.exec("UPDATE about SET value = ?, sum = ? WHERE key = ?", about, sumOf(0, 0, about), aboutKey); err != nil {
		return err
	}
	r.about = about
	return nil
}

// Path returns the path that the file was opened with.
func (r *Results) Path() string { return r.path }

// Put adds the outcomes of n runs, all or none.
func (r *Results) Put(n int, row func(i int) (cell int, run int64, value string)) error {
	if err := r.held.Check(); err != nil {
		return heldError(r.path, err)
	}
	err := r.conn.exec("BEGIN")
	after := r.total
	for i := 0; i < n && err == nil; i++ {
		cell, run, value := row(i)
		sum := sumOf(int64(cell), run, value)
		_, err = r.put.Exec([]driver.Value{int64(cell), run, value, sum})
		after.add(sum)
	}
	if err == nil {
		err = r.conn.exec("UPDATE about SET value = ?, sum = ? WHERE key = ?", after.String(), sumOf(0, 0, after.String()), totalKey)
	}
	if err != nil {
		_ = r.conn.exec("ROLLBACK")
		return sqliteError(r.path, err)
	}
	if err := r.conn.exec("COMMIT"); err != nil {
		return err
	}
	r.total = after
	return nil
}

// Each calls f with each outcome, in the order of cells and runs. It stops at the first error. At the end it
// returns an error if results are missing.
func (r *Results) Each(f func(cell int, run int64, value string) error) error {
	_, err := r.each(f)
	return err
}

// each is Each, and also returns the total of the rows.
func (r *Results) each(f func(cell int, run int64, value string) error) (found total, err error) {
	err = r.conn.each("SELECT cell, run, value, sum FROM result ORDER BY cell, run", func(row []driver.Value) error {
		cell, _ := row[0].(int64)
		run, _ := row[1].(int64)
		value := textOf(row[2])
		if row[3] != sumOf(cell, run, value) {
			return r.conn.errorf(ErrDamaged, "the file is damaged: cell %d run %d does not have its check sum", cell, run)
		}
		found.add(sumOf(cell, run, value))
		return f(int(cell), run, value)
	})
	if err != nil {
		return found, err
	}
	rows, err := r.description()
	if err == nil && rows[totalKey] != found.String() {
		err = r.conn.errorf(ErrDamaged, "the file is damaged: its results are %s (number, sum), expected %s", found, rows[totalKey])
	}
	return found, err
}

// Close closes the file and releases its lock. Closing twice does no harm.
func (r *Results) Close() error {
	if r.conn == nil {
		return nil
	}
	if r.put != nil {
		r.put.Close()
	}
	err := sqliteError(r.path, r.conn.Close())
	r.conn = nil
	return err
}
