package tracedb

import (
	"database/sql/driver"
	"fmt"
	"hash/crc32"
)

// Verdict is the result of checking one property of one run: a row of the view verdicts.
type Verdict struct {
	Run      int
	Property string
	// Verdict is a word of the checker: violated, satisfied, ...
	Verdict string
	// Witness is the JSON array of the seqs of the witness, "" for none.
	Witness     string
	Explanation string
	// CheckedAt is RFC 3339 wall time, "" if it is not stored.
	CheckedAt string
	Tool      string
}

// SaveVerdicts stores verdicts in the trace, all or none. A verdict replaces that of the same run and property.
// It returns [errNoRun] for an unknown run, and [ErrDamaged] if the stored verdicts of the run do not match
// their checksum.
func SaveVerdicts(path string, vs []Verdict) (err error) {
	if err := CheckFile(path); err != nil {
		return err
	}
	defer func() { err = readFaultOr(path, err) }() // after the deferred Discard
	a, err := appendTo(path)
	if err != nil {
		return err
	}
	defer a.Discard()
	damaged, err := damagedVerdicts(a.conn)
	if err != nil {
		return err
	}
	saved := make(map[int]bool)
	for _, v := range vs {
		if err := damaged[int64(v.Run)]; err != nil {
			return err
		}
		if err := a.saveVerdict(&v); err != nil {
			return err
		}
		saved[v.Run] = true
	}
	sums, err := verdictSums(a.conn)
	if err != nil {
		return err
	}
	for run := range saved {
		if err := a.conn.exec("INSERT OR REPLACE INTO verdict_sum VALUES(?, ?)", int64(run), sums[int64(run)]); err != nil {
			return err
		}
	}
	return a.Commit()
}

// saveVerdict stores a verdict. It fails if the trace does not have the run.
func (a *Appender) saveVerdict(v *Verdict) error {
	known, err := a.conn.integer("SELECT count(*) FROM run WHERE run = ?1", arg(1, int64(v.Run)))
	if err != nil {
		return err
	}
	if known == 0 {
		return &Error{Path: a.path, Text: fmt.Sprintf("no run %d to save a verdict of", v.Run), Kind: errNoRun}
	}
	return a.conn.exec("INSERT OR REPLACE INTO verdict VALUES(?, ?, ?, ?, ?, ?, ?)", int64(v.Run), v.Property, v.Verdict,
		nullText(v.Witness), nullText(v.Explanation), nullText(v.CheckedAt), nullText(v.Tool))
}

// verdictSums returns a sum over the verdicts of each run with verdicts.
func verdictSums(c *conn) (map[int64]int64, error) {
	sums := make(map[int64]int64)
	err := c.each(
		"SELECT run, property, verdict, witness, explanation, checked_at, tool FROM main.verdict ORDER BY run, property",
		func(row []driver.Value) error {
			run, ok := row[0].(int64)
			if !ok {
				return c.errorf(ErrDamaged, "a verdict of run %v, expected a number", row[0])
			}
			var b []byte
			for _, v := range row[1:] {
				switch v := v.(type) {
				case nil:
					b = append(b, 0)
				case string:
					b = appendText(append(b, 1), v)
				default:
					b = appendText(append(b, 2), fmt.Sprint(v))
				}
			}
			sums[run] = int64(crc32.Update(uint32(sums[run]), castagnoli, b))
			return nil
		},
	)
	return sums, err
}

// sumAllVerdicts computes the sums of verdicts that were saved without sums.
func sumAllVerdicts(c *conn) error {
	sums, err := verdictSums(c)
	if err != nil {
		return err
	}
	for run, sum := range sums {
		if err := c.exec("INSERT INTO verdict_sum VALUES(?, ?)", run, sum); err != nil {
			return err
		}
	}
	return nil
}

// damagedVerdicts returns an error for each run whose verdicts do not match their sum, in a file with such
// sums.
func damagedVerdicts(c *conn) (map[int64]error, error) {
	if v, err := presentVintage(c); err != nil || v.noSums {
		return nil, err
	}
	sums, err := verdictSums(c)
	if err != nil {
		return nil, err
	}
	damaged := make(map[int64]error)
	wrong := func(run int64) {
		damaged[run] = &Error{Path: c.path, Run: int(run), Text: "the verdicts that were saved do not match their check sum", Kind: ErrDamaged}
	}
	err = c.each("SELECT run, sum FROM main.verdict_sum", func(row []driver.Value) error {
		run, _ := row[0].(int64)
		if sum, ok := row[1].(int64); !ok || sums[run] != sum {
			wrong(run)
		}
		delete(sums, run)
		return nil
	})
	for run := range sums { // the remaining verdicts have no sum
		wrong(run)
	}
	return damaged, err
}
