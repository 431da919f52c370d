package tracedb

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"

	"etrace/tracefmt"
)

// statement is a key of the header of a run that the table stated holds.
type statement struct {
	key string
	// value returns a pointer to the field of the run for the key.
	value func(run *tracefmt.Run) any
}

// statements lists the keys in their order.
var statements = []statement{
	{"basic", func(run *tracefmt.Run) any { return &run.Basic }},
	{"best", func(run *tracefmt.Run) any { return &run.Best }},
	{"bounds", func(run *tracefmt.Run) any { return &run.Bounds }},
	{"counters", func(run *tracefmt.Run) any { return &run.Counters }},
	{"repaired", func(run *tracefmt.Run) any { return &run.Repaired }},
	{"tells", func(run *tracefmt.Run) any { return &run.Completeness }},
	{"token", func(run *tracefmt.Run) any { return &run.Token }},
	{"traits", func(run *tracefmt.Run) any { return &run.Traits }},
}

// text returns the JSON text of a key of a run, "" for none.
func (s statement) text(run *tracefmt.Run) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s.value(run)); err != nil {
		return "", err
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if text == "null" || text == "[]" || text == "{}" {
		return "", nil
	}
	return text, nil
}

// insertStated inserts the statements of a run.
func (w *writer) insertStated() error {
	for _, s := range statements {
		text, err := s.text(w.run)
		if err == nil && text != "" {
			err = w.conn.exec("INSERT INTO stated VALUES(?, ?, ?)", int64(w.run.Number), s.key, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readStated reads the statements of the runs that the condition selects.
func readStated(c *conn, runs []*runRow, lost *strays, where string, args []driver.NamedValue) error {
	if v, err := presentVintage(c); err != nil || v.noStated {
		return err
	}
	byNumber := make(map[int64]*runRow, len(runs))
	for _, r := range runs {
		byNumber[int64(r.run.Number)] = r
	}
	return c.each("SELECT run, key, value FROM stated "+where+" ORDER BY run, key", func(row []driver.Value) error {
		s := scanner{row: row}
		number, key, value := s.integer(), s.text(), s.text()
		run := byNumber[number]
		switch {
		case run == nil:
			lost.add(number, "the key %q belongs to run %d, which does not exist", key, number)
		case s.bad != "":
			run.setDamage(c.path, "what the run states has "+s.bad)
		default:
			run.readStatement(c.path, key, value)
		}
		return nil
	}, args...)
}

// readStatement sets the field of the run for a key. An unknown key or a malformed value is damage of the run.
func (r *runRow) readStatement(path, key, value string) {
	for _, s := range statements {
		if s.key != key {
			continue
		}
		if err := json.Unmarshal([]byte(value), s.value(&r.run)); err != nil {
			r.setDamage(path, fmt.Sprintf("what the run states under %q: %v", key, err))
		}
		return
	}
	r.setDamage(path, fmt.Sprintf("the run states %q, which this etrace does not know", key))
}
