package tracedb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
)

const (
	// maxPending limits the payload bytes that wait for their INSERT.
	maxPending = 1 << 20
	// liveReserve is the number of ids that a run reserves while it is recorded live, so that others can append
	// in the meantime. It is also the maximum number of events of a run.
	liveReserve = 1 << 40
	// maxWidth is the greatest number of processes, plus one, that event.who can encode.
	maxWidth = 1 << 28
)

// pending is an event that waits for its INSERT.
type pending struct {
	values [columns]int64
	offset int // the beginning of the payload in writer.payloads, with its braces
	length int // the length of the payload without its braces, which are not stored, plus 1; 0 without a payload
}

// end returns the end of the payload in writer.payloads, including braces (length is already one more than without
// braces).
func (p *pending) end() int {
	if p.length == 0 {
		return p.offset
	}
	return p.offset + p.length + 1
}

// writer turns events into rows of one connection. Its owner controls the transactions.
type writer struct {
	conn *conn
	run  *tracefmt.Run // nil between runs

	before      int // the number of runs in another file that precede the runs of this one
	base, width int64
	last        tracefmt.Seq // the last event that the caller has written
	stored      int64        // the number of events of the run in the table

	types    map[string]int64
	newTypes []string // types that are not in the table yet
	maxTypes int64
	// recent avoids the map: most runs have few types.
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
	// follow: the run's ids are the last of the table and no other writer can add some, so SQLite chooses the
	// ids, which is faster.
	follow bool
	// ended has the number and the last event id of the previous run if nothing came between. Then the next run
	// need not search for them.
	ended struct {
		number int
		last   int64
	}
}

// newWriter returns a writer that buffers up to limit events.
func newWriter(c *conn, limit int) *writer {
	return &writer{conn: c, rows: make([]pending, 0, limit)}
}

// admit returns an error if the run cannot begin. It changes nothing.
func (w *writer) admit(run *tracefmt.Run) error {
	if w.run != nil {
		return w.errorf(0, "the run is not finished, another cannot begin")
	}
	if run.Slice {
		return &Error{
			Path: w.conn.path,
			Text: "a slice of a run is not kept in a database, where it would pass for the run: expected the run, or a file in JSON Lines to write",
		}
	}
	if err := validateRun(run); err != nil {
		return &Error{Path: w.conn.path, Text: err.Error()}
	}
	return nil
}

// begin inserts an admitted run with its members. reserved is the number of ids for its events.
func (w *writer) begin(run *tracefmt.Run, reserved int64) error {
	number, base, err := w.nextRun()
	if err != nil {
		return err
	}
	w.run, w.base, w.width = run, base, int64(len(run.Members))+1
	w.last, w.stored, w.sum, w.seen = 0, 0, eventSum{}, [columns]uint64{}
	w.types, w.newTypes = make(map[string]int64), nil
	clear(w.recent[:])
	w.maxTypes = math.MaxInt64 >> 1 >> kindBits / (w.width * w.width) // the greatest that event.who can hold
	w.description = descriptionSum(run)
	run.Number, run.End, run.Events = number, tracefmt.Open, 0
	return w.insertRun(reserved)
}

// nextRun returns the number and the base of the next run.
func (w *writer) nextRun() (number int, base int64, err error) {
	if w.follow && w.ended.number > 0 && w.ended.number < math.MaxInt32-1 {
		return w.ended.number + 1, w.ended.last, nil
	}
	// A number with any row is taken, and so are the ids of the events that a run claims, regardless of its
	// reserved ids.
	last, err := w.conn.integer(`SELECT ifnull(max(run), 0) FROM (SELECT max(run) AS run FROM run
  UNION ALL SELECT max(run) FROM member UNION ALL SELECT max(run) FROM type UNION ALL SELECT max(run) FROM stated
  UNION ALL SELECT max(run) FROM verdict UNION ALL SELECT max(run) FROM verdict_sum)`)
	if err == nil {
		base, err = w.conn.integer("SELECT CAST(ifnull(max(base + max(CAST(reserved AS INTEGER), events)), 0) AS INTEGER) FROM run")
	}
	if err == nil && (last < 0 || last >= math.MaxInt32 || base < 0 || base > math.MaxInt64-2*liveReserve) {
		err = w.errorf(0, "run %d ends at event id %d, no room is left for another run", last, base)
	}
	return max(int(last), w.before) + 1, base, err
}

// validateRun checks the description; the end of the run is not known yet.
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

// insertRun inserts the row of the run, its members, and its statements.
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
	return w.insertStated()
}

// write takes the next event. It reports whether the batch is full; the owner then flushes it.
func (w *writer) write(e *tracefmt.Event) (full bool, err error) {
	if err := w.checkEvent(e); err != nil {
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

// checkEvent rejects events that the table cannot express.
func (w *writer) checkEvent(e *tracefmt.Event) error {
	if w.run == nil {
		return &Error{Path: w.conn.path, Text: "an event without a run, expected Begin first"}
	}
	n := tracefmt.ProcessID(w.width)
	// The table stores distances and combined numbers, so an event outside these ranges would be read back as
	// another event.
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
	// A cheap hash, of the length and the letters at both ends.
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
		// A type may be a part of a caller's buffer: keep a copy.
		name = strings.Clone(name)
		w.types[name] = id
		w.newTypes = append(w.newTypes, name)
		w.sum.addType(name)
	}
	recent.name, recent.id = name, id
	return id, nil
}

// flush inserts the buffered events into the table.
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

// insertTypes inserts the new types into the dictionary of the run.
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

// insert inserts rows, whose number is one of batchSizes, into the table.
func (w *writer) insert(rows []pending) error {
	earliest, seen := w.measure(rows)
	w.layout.widen(&seen, w.follow && w.stored > 0)
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
		args = w.layout.appendRow(args, &rows[i], earliest, start)
	}
	if _, err := st.ExecContext(context.Background(), args); err != nil {
		return sqliteError(w.conn.path, err)
	}
	w.stored += int64(len(rows))
	return nil
}

// measure returns the base of the rows' times and the bits of their values, in the order of the layout.
func (w *writer) measure(rows []pending) (earliest int64, seen [fields]uint64) {
	earliest, latest := rows[0].values[colTime], rows[0].values[colTime]
	for i := range rows {
		v := &rows[i].values
		earliest, latest = min(earliest, v[colTime]), max(latest, v[colTime])
		for k := range v {
			seen[k] |= uint64(v[k])
		}
		seen[fieldLength] |= uint64(rows[i].length)
		w.layout.notePayload(rows[i].length)
	}
	for k := range w.seen {
		w.seen[k] |= seen[k]
	}
	// If the difference overflows, its uint64 is still correct, and too wide to share an integer: times then
	// cross unchanged.
	seen[colTime] = uint64(latest) - uint64(earliest)
	if bits.Len64(seen[colTime]) > packBits {
		earliest = 0
	}
	last := &rows[len(rows)-1]
	seen[fieldOffset] = uint64(last.offset - rows[0].offset + 2)
	return earliest, seen
}

// save updates the row of the run.
func (w *writer) save(end tracefmt.End, reserved int64) error {
	widths, sum := joinWidths(&w.seen), w.sum.value()
	return w.conn.exec(`UPDATE run SET reserved = ?, "end" = ?, events = ?, widths = ?, event_sum = ?, head_sum = ? WHERE run = ?`,
		reserved, string(end), w.stored, widths, sum, headSum(w.description, end, w.stored, widths, sum), int64(w.run.Number))
}

// admitEnd returns an error if the run cannot have this end. It changes nothing.
func (w *writer) admitEnd(end tracefmt.End) error {
	if w.run == nil {
		return &Error{Path: w.conn.path, Text: "no run to finish, expected Begin first"}
	}
	if _, err := tracefmt.ParseEnd(string(end)); err != nil {
		return w.errorf(0, "%v", err)
	}
	return nil
}

// finish completes the run with an admitted end.
func (w *writer) finish(end tracefmt.End) error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.checkIDs(); err != nil {
		return err
	}
	if err := w.save(end, w.stored); err != nil {
		return err
	}
	w.run.End, w.run.Events = end, w.stored
	w.noteRun(w.run.Number, w.base+w.stored)
	w.run = nil
	return nil
}

// noteRun notes the number of a run, and its ids up to last.
func (w *writer) noteRun(number int, last int64) { w.ended.number, w.ended.last = number, last }

// checkIDs checks that SQLite has chosen the expected ids.
func (w *writer) checkIDs() error {
	if !w.follow || w.stored == 0 {
		return nil
	}
	last, err := w.conn.integer("SELECT max(id) FROM event")
	if err == nil && last != w.base+w.stored {
		err = w.errorf(0, "the last event got id %d, expected %d: the table holds rows that belong to no run", last, w.base+w.stored)
	}
	return err
}

// close closes the statements; the connection belongs to the owner.
func (w *writer) close() { w.layout.close() }

// errorf returns an error at an event of the run, 0 for the run.
func (w *writer) errorf(seq tracefmt.Seq, format string, args ...any) error {
	number := 0
	if w.run != nil {
		number = w.run.Number
	}
	return &Error{Path: w.conn.path, Run: number, Seq: seq, Text: fmt.Sprintf(format, args...)}
}
