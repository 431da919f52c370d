package tracedb

import (
	"database/sql/driver"
	"fmt"
	"math/bits"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// batchSizes are the numbers of rows of an INSERT. Many rows share the cost of calling SQLite; the smaller
// sizes are for the remainder.
var batchSizes = [...]int{32, 8, 1}

// The values of each row: the columns, with time as the difference to the earliest of the batch, and the
// position of the payload in the payloads of the batch.
const (
	fieldOffset = columns + iota
	fieldLength
	fields
)

// layout is the encoding of rows as arguments of SQLite: several narrow values share an integer. It has the
// statements for this encoding.
type layout struct {
	widths [fields]uint
	// follow lets SQLite choose the ids.
	follow          bool
	absent, present bool // some event has no payload; some event has one
	stale           bool // the statements are those of another layout
	slots           [fields]slot
	integers        uint // the number of integers for a row
	statements      [len(batchSizes)]*sqlite3.SQLiteStmt
}

// notePayload notes the length of a payload.
func (l *layout) notePayload(length int) {
	if length == 0 && !l.absent {
		l.absent, l.stale = true, true
	}
	if length != 0 && !l.present {
		l.present, l.stale = true, true
	}
}

// widen makes the widths sufficient for values with these bits. It rounds widths up, so that the layout of a run
// soon stays the same.
func (l *layout) widen(seen *[fields]uint64, follow bool) {
	const step = 4
	for i, v := range seen {
		if width := uint(bits.Len64(v)); width > l.widths[i] {
			width = (width + step - 1) / step * step
			if width > packBits-step { // no room for a second value anyway
				width = 64
			}
			l.widths[i], l.stale = width, true
		}
	}
	if l.stale || l.follow != follow {
		l.close()
		l.follow, l.stale = follow, false
		crossing := l.widths[:]
		if !l.present { // a value that the statement does not use must not be passed
			crossing = crossing[:columns]
		}
		l.integers = pack(l.slots[:], crossing)
	}
}

// statement returns the INSERT for the given number of rows.
func (l *layout) statement(c *conn, rows int) (st *sqlite3.SQLiteStmt, err error) {
	i := 0
	for batchSizes[i] != rows {
		i++
	}
	if l.statements[i] == nil {
		l.statements[i], err = c.prepare(l.insertSQL(rows))
	}
	return l.statements[i], err
}

// insertSQL returns the INSERT for a number of rows. Its parameters are ?1, the id before the first row; ?2, the
// base of the times; ?3, the payloads of all rows; then the integers of each row.
//
// OR FAIL saves SQLite the undo log of the statement: after a failure the transaction is rolled back anyway.
func (l *layout) insertSQL(rows int) string {
	var b strings.Builder
	b.WriteString("INSERT OR FAIL INTO event(")
	if !l.follow {
		b.WriteString("id, ")
	}
	b.WriteString(strings.Join(columnNames[:], ", ") + ", payload) VALUES")
	for r := range rows {
		part := func(i int) string {
			return l.slots[i].unpackSQL(4 + r*int(l.integers) + int(l.slots[i].integer))
		}
		if r > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		if !l.follow {
			fmt.Fprintf(&b, "?1+%d,", r+1)
		}
		b.WriteString("?2+" + part(colTime))
		for i := colWho; i < columns; i++ {
			b.WriteString("," + part(i))
		}
		b.WriteString("," + l.payloadSQL(part(fieldOffset), part(fieldLength)) + ")")
	}
	return b.String()
}

// payloadSQL returns the SQL expression for the payload of a row. It tests for a missing payload only if events
// with and without payload occur.
func (l *layout) payloadSQL(offset, length string) string {
	switch {
	case !l.present:
		return "NULL"
	case !l.absent:
		return fmt.Sprintf("CAST(substr(?3,%s,%s) AS TEXT)", offset, length)
	}
	return fmt.Sprintf("CASE WHEN %[2]s THEN CAST(substr(?3,%[1]s,%[2]s-1) AS TEXT) END", offset, length)
}

// appendRow appends the integers of one row.
func (l *layout) appendRow(args []driver.NamedValue, p *pending, earliest int64, start int) []driver.NamedValue {
	var integers [fields]int64
	for i := range columns {
		v := p.values[i]
		if i == colTime {
			v -= earliest
		}
		integers[l.slots[i].integer] |= l.slots[i].shifted(v)
	}
	if !l.present {
		return l.appendIntegers(args, &integers)
	}
	offset, length := l.slots[fieldOffset], l.slots[fieldLength]
	integers[offset.integer] |= offset.shifted(int64(p.offset - start + 2)) // from 1, after the brace
	n := p.length
	if !l.absent {
		n-- // as payloadSQL expects it
	}
	integers[length.integer] |= length.shifted(int64(n))
	return l.appendIntegers(args, &integers)
}

// appendIntegers appends the integers of a row to the arguments of a statement.
func (l *layout) appendIntegers(args []driver.NamedValue, integers *[fields]int64) []driver.NamedValue {
	for _, v := range integers[:l.integers] {
		args = args[:len(args)+1]
		args[len(args)-1].Value = v
	}
	return args
}

// close closes the statements.
func (l *layout) close() {
	for i, st := range l.statements {
		if st != nil {
			st.Close()
			l.statements[i] = nil
		}
	}
}
