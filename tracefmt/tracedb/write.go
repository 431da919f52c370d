package tracedb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-sqlite3"

	"etrace/tracefmt"
)

// batchSizes are the numbers of rows that one INSERT takes. Many rows
// spread the cost of calling SQLite; the smaller sizes serve what is left
// at the end.
var batchSizes = [...]int{32, 8, 1}

const (
	// maxPending bounds the payload bytes that wait for their INSERT.
	maxPending = 1 << 20
	// liveReserve is how many ids a run keeps for itself while it is being
	// recorded live, so that others can be appended meanwhile. It is also
	// the greatest number of events of a run.
	liveReserve = 1 << 40
	// maxWidth is the greatest number of processes, plus one, for which
	// event.who can be told apart.
	maxWidth = 1 << 28
)

// pending is an event on its way into the table.
type pending struct {
	values [columns]int64
	// offset is where the payload begins in writer.payloads; length is that
	// of the payload without its braces, which are not stored, plus one; 0
	// for none.
	offset, length int
}

// end is where the payload ends in writer.payloads, braces included.
func (p *pending) end() int {
	if p.length == 0 {
		return p.offset
	}
	return p.offset + p.length + 1
}

// writer turns events into rows of one connection. Transactions are the
// business of its owner.
type writer struct {
	conn *conn
	run  *tracefmt.Run // nil between runs

	base, width int64
	last        tracefmt.Seq // written by the caller
	stored      int64        // events that are in the table

	types    map[string]int64
	newTypes []string // not in the table yet
	maxTypes int64
	// recent spares the map: most runs have a handful of types.
	recent [16]struct {
		name string
		id   int64
	}

	rows     []pending
	payloads []byte

	sum         eventSum
	description uint32
	seen        [columns]uint64 // bits seen in each column

	layout layout
	args   []driver.NamedValue
	// follow says that the run's ids are the last of the table and nobody
	// else can add some: SQLite then finds the ids itself, and sooner.
	follow bool
}

// newWriter returns a writer that keeps up to limit events before they go to
// the table by themselves.
func newWriter(c *conn, limit int) *writer {
	return &writer{conn: c, rows: make([]pending, 0, limit)}
}

// begin enters the run and its members. reserved is how many ids to keep for
// its events.
func (w *writer) begin(run *tracefmt.Run, reserved int64) error {
	if w.run != nil {
		return w.errorf(0, "the run is not finished, another cannot begin")
	}
	if err := validateRun(run); err != nil {
		return &Error{Path: w.conn.path, Text: err.Error()}
	}
	number, base, err := w.next()
	if err != nil {
		return err
	}
	w.run, w.base, w.width = run, base, int64(len(run.Members))+1
	w.last, w.stored, w.sum, w.seen = 0, 0, eventSum{}, [columns]uint64{}
	w.types, w.newTypes = make(map[string]int64), nil
	clear(w.recent[:])
	w.maxTypes = math.MaxInt64 >> 1 >> kindBits / (w.width * w.width)
	w.description = describe(run)
	run.Number, run.End, run.Events = number, tracefmt.Open, 0
	if err := w.insertRun(reserved); err != nil {
		w.run = nil
		return err
	}
	return nil
}

// next returns the number and the base of the next run.
func (w *writer) next() (number int, base int64, err error) {
	last, err := w.conn.integer("SELECT ifnull(max(run), 0) FROM run")
	if err == nil {
		base, err = w.conn.integer("SELECT ifnull(max(base + reserved), 0) FROM run")
	}
	if err == nil && (last < 0 || last >= math.MaxInt32 || base < 0 || base > math.MaxInt64-2*liveReserve) {
		err = w.errorf(0, "run %d ends at event id %d, no room is left for another run", last, base)
	}
	return int(last) + 1, base, err
}

// validateRun examines what the table is to hold; how the run ends is not
// known yet.
func validateRun(run *tracefmt.Run) error {
	r := *run
	r.End = tracefmt.Open
	if err := r.Validate(); err != nil {
		return err
	}
	for _, s := range [...]string{r.Name, r.Algorithm, r.Problem, r.Source, string(r.Scenario), r.StartedAt, r.Tool} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q in the description of the run is not UTF-8", s)
		}
	}
	for _, m := range r.Members {
		if !utf8.Valid(m.Attributes) {
			return fmt.Errorf("the attributes of process %q are not UTF-8", m.Name)
		}
	}
	if len(r.Members) >= maxWidth {
		return fmt.Errorf("the run has %d processes, expected fewer than %d", len(r.Members), maxWidth)
	}
	return nil
}

func (w *writer) insertRun(reserved int64) error {
	r := w.run
	var seed driver.Value
	if r.Seed != nil {
		seed = *r.Seed
	}
	err := w.conn.exec("INSERT INTO run VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'recording', 0, 0, ?, ?)",
		int64(r.Number), w.base, reserved, w.width-1, nullText(r.Name), nullText(r.Algorithm), nullText(r.Problem),
		nullText(r.Source), nullJSON(r.Scenario), seed, string(r.TimeUnit), nullText(r.StartedAt), nullText(r.Tool),
		headSum(w.description, tracefmt.Open, 0, 0, w.sum.value()), w.sum.value())
	if err != nil {
		return err
	}
	insert, err := w.conn.prepare("INSERT INTO member VALUES(?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for i, m := range r.Members {
		_, err := insert.Exec([]driver.Value{int64(r.Number), int64(i + 1), m.Name, int64(m.Position), nullJSON(m.Attributes)})
		if err != nil {
			return sqliteError(w.conn.path, err)
		}
	}
	return nil
}

// write takes the next event. It reports whether the batch is full, which is
// then the owner's to flush.
func (w *writer) write(e *tracefmt.Event) (full bool, err error) {
	if err := w.check(e); err != nil {
		return false, err
	}
	id, err := w.typeID(e)
	if err != nil {
		return false, err
	}
	w.rows = w.rows[:len(w.rows)+1]
	p := &w.rows[len(w.rows)-1]
	p.values = [columns]int64{
		colTime:    int64(e.Time),
		colWho:     ((id*w.width+int64(e.Process))*w.width+int64(e.Peer))<<kindBits | int64(e.Kind),
		colMessage: int64(e.Message),
		colLamport: e.Lamport,
		colTerm:    e.Term,
	}
	if e.Cause != 0 {
		p.values[colCause] = int64(e.Seq - e.Cause)
	}
	p.offset, p.length = len(w.payloads), 0
	if e.Payload != nil {
		w.payloads = append(w.payloads, e.Payload...)
		p.length = len(e.Payload) - 1
	}
	w.sum.add(&p.values, p.length-1)
	w.last = e.Seq
	return len(w.rows) == cap(w.rows) || len(w.payloads) > maxPending, nil
}

// check holds the event against what the table can express.
func (w *writer) check(e *tracefmt.Event) error {
	if w.run == nil {
		return &Error{Path: w.conn.path, Text: "an event without a run, expected Begin first"}
	}
	n := tracefmt.ProcessID(w.width)
	switch b := e.Payload; {
	case e.Seq != w.last+1:
		return w.errorf(e.Seq, "the event before it has seq %d, expected seq %d", w.last, w.last+1)
	case !e.Kind.Valid():
		return w.errorf(e.Seq, "%v is not an event kind", e.Kind)
	case e.Process < 0 || e.Process >= n || e.Peer < 0 || e.Peer >= n:
		return w.errorf(e.Seq, "process %d, peer %d, but the run has %d processes", e.Process, e.Peer, n-1)
	case e.Cause < 0 || e.Cause >= e.Seq:
		return w.errorf(e.Seq, "the cause is seq %d, expected an earlier event", e.Cause)
	case b != nil && (len(b) < 2 || b[0] != '{' || b[len(b)-1] != '}' || !utf8.Valid(b)):
		return w.errorf(e.Seq, "the payload is not a JSON object in UTF-8")
	case e.Seq > liveReserve:
		return w.errorf(e.Seq, "a run has at most %d events", int64(liveReserve))
	}
	return nil
}

// typeID returns the number of the event's type in the run's dictionary.
func (w *writer) typeID(e *tracefmt.Event) (int64, error) {
	name := e.Type
	if name == "" {
		return 0, nil
	}
	recent := &w.recent[(len(name)+int(name[0])+2*int(name[len(name)-1]))%len(w.recent)]
	if recent.name == name {
		return recent.id, nil
	}
	id, ok := w.types[name]
	if !ok {
		id = int64(len(w.types)) + 1
		switch {
		case !utf8.ValidString(name):
			return 0, w.errorf(e.Seq, "the type %q is not UTF-8", name)
		case id > w.maxTypes:
			return 0, w.errorf(e.Seq, "a run of %d processes has at most %d types", w.width-1, w.maxTypes)
		}
		// A type may be a part of somebody's buffer: keep a copy.
		name = strings.Clone(name)
		w.types[name] = id
		w.newTypes = append(w.newTypes, name)
		w.sum.addType(name)
	}
	recent.name, recent.id = name, id
	return id, nil
}

// flush brings the events that wait into the table.
func (w *writer) flush() error {
	if err := w.insertTypes(); err != nil {
		return err
	}
	rows := w.rows
	for _, size := range batchSizes {
		for len(rows) >= size {
			if err := w.insert(rows[:size]); err != nil {
				return err
			}
			rows = rows[size:]
		}
	}
	w.sum.addPayloads(w.payloads)
	w.rows, w.payloads = w.rows[:0], w.payloads[:0]
	return nil
}

func (w *writer) insertTypes() error {
	first := len(w.types) - len(w.newTypes) + 1
	for i, name := range w.newTypes {
		if err := w.conn.exec("INSERT INTO type VALUES(?, ?, ?)", int64(w.run.Number), int64(first+i), name); err != nil {
			return err
		}
	}
	w.newTypes = w.newTypes[:0]
	return nil
}

// insert brings rows, whose number is one of batchSizes, into the table.
func (w *writer) insert(rows []pending) error {
	earliest, seen := w.scan(rows)
	w.layout.fit(&seen, w.follow && w.stored > 0)
	st, err := w.layout.statement(w.conn, len(rows))
	if err != nil {
		return err
	}
	if need := 3 + batchSizes[0]*int(w.layout.integers); len(w.args) < need {
		w.args = make([]driver.NamedValue, need)
		for i := range w.args {
			w.args[i].Ordinal = i + 1
		}
	}
	start, end := rows[0].offset, rows[len(rows)-1].end()
	w.args[0].Value = w.base + w.stored
	w.args[1].Value = earliest
	w.args[2].Value = w.payloads[start:end]
	args := w.args[:3]
	for i := range rows {
		args = w.layout.bind(args, &rows[i], earliest, start)
	}
	if _, err := st.ExecContext(context.Background(), args); err != nil {
		return sqliteError(w.conn.path, err)
	}
	w.stored += int64(len(rows))
	return nil
}

// scan returns the time that the rows' times are counted from and the bits
// that their values take, in the order of the layout.
func (w *writer) scan(rows []pending) (earliest int64, seen [fields]uint64) {
	earliest, latest := rows[0].values[colTime], rows[0].values[colTime]
	for i := range rows {
		v := &rows[i].values
		earliest, latest = min(earliest, v[colTime]), max(latest, v[colTime])
		for k := range v {
			seen[k] |= uint64(v[k])
		}
		seen[fieldLength] |= uint64(rows[i].length)
		w.layout.see(rows[i].length)
	}
	for k := range w.seen {
		w.seen[k] |= seen[k]
	}
	// If the difference overflows, its uint64 is still right, and too wide
	// for company: times then cross as they are.
	seen[colTime] = uint64(latest) - uint64(earliest)
	if bits.Len64(seen[colTime]) > packBits {
		earliest = 0
	}
	last := &rows[len(rows)-1]
	seen[fieldOffset] = uint64(last.offset - rows[0].offset + 2)
	return earliest, seen
}

// save writes into the run's row what has changed since it began.
func (w *writer) save(end tracefmt.End, reserved int64) error {
	widths, sum := joinWidths(&w.seen), w.sum.value()
	return w.conn.exec(`UPDATE run SET reserved = ?, "end" = ?, events = ?, widths = ?, event_sum = ?, head_sum = ? WHERE run = ?`,
		reserved, string(end), w.stored, widths, sum, headSum(w.description, end, w.stored, widths, sum), int64(w.run.Number))
}

// finish completes the run.
func (w *writer) finish(end tracefmt.End) error {
	if w.run == nil {
		return &Error{Path: w.conn.path, Text: "no run to finish, expected Begin first"}
	}
	if _, err := tracefmt.ParseEnd(string(end)); err != nil {
		return w.errorf(0, "%v", err)
	}
	if err := w.flush(); err != nil {
		return err
	}
	if w.follow && w.stored > 0 {
		last, err := w.conn.integer("SELECT max(id) FROM event")
		if err != nil {
			return err
		}
		if last != w.base+w.stored {
			return w.errorf(0, "the last event got id %d, expected %d: the table holds rows that belong to no run", last, w.base+w.stored)
		}
	}
	if err := w.save(end, w.stored); err != nil {
		return err
	}
	w.run.End, w.run.Events = end, w.stored
	w.run = nil
	return nil
}

// close frees the statements; the connection is its owner's.
func (w *writer) close() { w.layout.close() }

func (w *writer) errorf(seq tracefmt.Seq, format string, args ...any) error {
	number := 0
	if w.run != nil {
		number = w.run.Number
	}
	return &Error{Path: w.conn.path, Run: number, Seq: seq, Text: fmt.Sprintf(format, args...)}
}

// What crosses to SQLite for each row: the columns, time as the difference
// to the earliest of the batch, and where the payload lies in the bytes of
// the batch's payloads.
const (
	fieldOffset = columns + iota
	fieldLength
	fields
)

// layout is how rows cross to SQLite at present, with its statements.
type layout struct {
	widths [fields]uint
	// follow leaves the ids to SQLite.
	follow bool
	// absent and present say that some events have no payload, or have one.
	absent, present bool
	stale           bool // the statements are those of another layout
	slots           [fields]slot
	integers        uint
	statements      [len(batchSizes)]*sqlite3.SQLiteStmt
}

// see notes the length of a payload.
func (l *layout) see(length int) {
	if length == 0 && !l.absent {
		l.absent, l.stale = true, true
	}
	if length != 0 && !l.present {
		l.present, l.stale = true, true
	}
}

// fit widens the layout until values of these bits fit. A run soon knows its
// widths; rounding them up makes that sooner.
func (l *layout) fit(seen *[fields]uint64, follow bool) {
	const step = 4
	for i, v := range seen {
		if width := uint(bits.Len64(v)); width > l.widths[i] {
			width = (width + step - 1) / step * step
			if width > packBits-step { // no room for company anyway
				width = 64
			}
			l.widths[i], l.stale = width, true
		}
	}
	if l.stale || l.follow != follow {
		l.close()
		l.follow, l.stale = follow, false
		l.integers = pack(l.slots[:], l.widths[:])
	}
}

// statement returns the INSERT for that many rows.
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

// insertSQL: ?1 is the id before the first row's, ?2 the time that times are
// counted from, ?3 the payloads of all rows, then the integers of each row.
//
// OR FAIL spares SQLite the means to undo a part of the statement: whoever
// fails here gives up the transaction.
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

// payloadSQL cuts the payload out of all. Only where both kinds of event
// occur does it have to tell whether there is one.
func (l *layout) payloadSQL(offset, length string) string {
	switch {
	case !l.present:
		return "NULL"
	case !l.absent:
		return fmt.Sprintf("CAST(substr(?3,%s,%s) AS TEXT)", offset, length)
	}
	return fmt.Sprintf("CASE WHEN %[2]s THEN CAST(substr(?3,%[1]s,%[2]s-1) AS TEXT) END", offset, length)
}

// bind appends the integers of one row.
func (l *layout) bind(args []driver.NamedValue, p *pending, earliest int64, start int) []driver.NamedValue {
	var integers [fields]int64
	for i := range columns {
		v := p.values[i]
		if i == colTime {
			v -= earliest
		}
		integers[l.slots[i].integer] |= l.slots[i].put(v)
	}
	offset, length := l.slots[fieldOffset], l.slots[fieldLength]
	integers[offset.integer] |= offset.put(int64(p.offset - start + 2)) // from 1, behind the brace
	n := p.length
	if !l.absent {
		n-- // as payloadSQL expects it
	}
	integers[length.integer] |= length.put(int64(n))
	for _, v := range integers[:l.integers] {
		args = args[:len(args)+1]
		args[len(args)-1].Value = v
	}
	return args
}

func (l *layout) close() {
	for i, st := range l.statements {
		if st != nil {
			st.Close()
			l.statements[i] = nil
		}
	}
}
