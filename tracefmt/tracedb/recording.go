package tracedb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-sqlite3"

	"etrace/tracefmt"
)

// Recording is a run in a trace; it implements [tracefmt.Recording]. A run that is still being recorded has the
// events at the time of the call.
type Recording struct {
	db       *DB
	run      tracefmt.Run
	base     int64
	widths   [columns]uint
	headSum  int64
	eventSum int64
	types    []string // the dictionary of types, by number; [0] is ""
}

// Recording returns the run with the given number. [errNoRun] lists the existing runs.
func (db *DB) Recording(number int) (*Recording, error) {
	var r *Recording
	err := db.snapshot(func(c *conn) error {
		rows, strays, err := readRuns(c, "WHERE run = ?1", arg(1, int64(number)))
		switch {
		case err != nil:
			return err
		case len(rows) == 0 && len(strays) > 0:
			return strays[0]
		case len(rows) == 0:
			return nil
		case rows[0].damage != nil:
			return rows[0].damage
		}
		r = &Recording{
			db: db, run: rows[0].run, base: rows[0].base, widths: splitWidths(rows[0].widths),
			headSum: rows[0].headSum, eventSum: rows[0].eventSum, types: []string{""},
		}
		return r.readTypes(c)
	})
	if err == nil && r == nil {
		err = db.noRun(number)
	}
	return r, err
}

// readTypes reads the dictionary of types.
func (r *Recording) readTypes(c *conn) error {
	return c.each("SELECT type, name FROM type WHERE run = ?1 ORDER BY type", func(row []driver.Value) error {
		s := scanner{row: row}
		id, name := s.integer(), s.text()
		if s.bad != "" || id != int64(len(r.types)) {
			return r.errorf(0, "type %d follows type %d, or is not as expected", id, len(r.types)-1)
		}
		r.types = append(r.types, name)
		return nil
	}, arg(1, int64(r.run.Number)))
}

// Run returns the description.
func (r *Recording) Run() *tracefmt.Run { return &r.run }

// Sum returns the checksum of the description, which includes the stored sum of the events. Only reading the
// events verifies that sum.
func (r *Recording) Sum() uint32 { return uint32(r.headSum) }

// Events yields the events with seq >= from in order; their memory is reused. It reads batches and holds no
// lock between them, so a paused consumer blocks no writer. The data stays consistent, since runs only grow,
// and this stream ends at the length at the time of the call. Damage ends the stream with an error that has run
// and seq. If the whole run was read, it is compared with its stored sum. Text that is not UTF-8 is damage.
func (r *Recording) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		from := max(from, 1)
		if int64(from) > r.run.Events {
			return
		}
		c, err := r.db.acquire()
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.db.release(c)
		s := stream{r: r, first: from, next: from}
		if err := s.run(c, yield); err != nil {
			yield(nil, err)
		}
	}
}

// errorf returns an error about damage at an event, 0 for the run.
func (r *Recording) errorf(seq tracefmt.Seq, format string, args ...any) error {
	return &Error{Path: r.db.path, Run: r.run.Number, Seq: seq, Text: fmt.Sprintf(format, args...), Kind: ErrDamaged}
}

const (
	// sumChunk is the number of payload bytes that are summed at once.
	sumChunk = 8 << 10
	// batchEvents and batchBytes limit a batch: the events, and the bytes of their payloads.
	batchEvents = 512
	batchBytes  = 256 << 10
)

// stream is one pass over the events of a run.
type stream struct {
	r     *Recording
	first tracefmt.Seq
	next  tracefmt.Seq // the next event to be read

	extractors [columns]extractor
	count      int // the number of integers in a row
	integers   [maxIntegers]int64
	values     [columns]int64

	row   []driver.Value
	batch []tracefmt.Event
	// payloads are those of the batch; sum covers them up to the index summed.
	payloads []byte
	summed   int
	sum      eventSum
}

// run yields events until the last, until the consumer stops (nil), or until an error.
func (s *stream) run(c *conn, yield func(*tracefmt.Event, error) bool) (err error) {
	st, err := c.prepare(s.selectSQL())
	if err != nil {
		return err
	}
	defer st.Close()
	s.row = make([]driver.Value, s.count+1)
	for int64(s.next) <= s.r.run.Events {
		damage := s.readBatch(c, st)
		for i := range s.batch {
			if !yield(&s.batch[i], nil) {
				return nil
			}
		}
		if damage != nil {
			return damage
		}
	}
	return s.checkSum()
}

// readBatch reads the next batch. An error concerns the events after the batch.
func (s *stream) readBatch(c *conn, st *sqlite3.SQLiteStmt) error {
	s.batch, s.payloads, s.summed = s.batch[:0], s.payloads[:0], 0
	first := s.next
	last := min(first+batchEvents-1, tracefmt.Seq(s.r.run.Events))
	rows, err := st.QueryContext(context.Background(), []driver.NamedValue{arg(1, s.r.base+int64(first)), arg(2, s.r.base+int64(last))})
	if err != nil {
		return s.wrapError(c, err)
	}
	defer rows.Close()
	for s.next <= last && len(s.payloads) < batchBytes {
		err := rows.Next(s.row)
		switch {
		case errors.Is(err, io.EOF):
			return s.missingEvent(c, first, last)
		case err != nil:
			return s.wrapError(c, err)
		}
		s.batch = append(s.batch, tracefmt.Event{})
		if err := s.decode(s.row, &s.batch[len(s.batch)-1]); err != nil {
			s.batch = s.batch[:len(s.batch)-1]
			return err
		}
		s.next++
	}
	s.sumPayloads()
	return nil
}

// selectSQL returns the SELECT for a batch. It joins narrow columns, since each result column has a cost. It omits
// the id: if the number of different ids equals the size of the range, there is no gap, which complete verifies.
func (s *stream) selectSQL() string {
	var slots [columns]slot
	s.count = int(pack(slots[:], s.r.widths[:]))
	expressions := make([]string, s.count)
	for i, slot := range slots {
		s.extractors[i] = slot.extractor()
		if slot.width > 0 {
			e := &expressions[slot.integer]
			*e = strings.TrimPrefix(*e+"|"+slot.packSQL(columnNames[i]), "|")
		}
	}
	return "SELECT " + strings.Join(append(expressions, "payload"), ", ") + " FROM event WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
}

// decode decodes a row into the event with seq next.
func (s *stream) decode(row []driver.Value, e *tracefmt.Event) error {
	for i, value := range row[:s.count] {
		v, ok := value.(int64)
		if !ok {
			return s.r.errorf(s.next, "the event has a value of type %T, expected an integer", value)
		}
		s.integers[i%maxIntegers] = v
	}
	v := &s.values
	for i := range v {
		v[i] = s.extractors[i].extract(&s.integers)
	}
	e.Seq, e.Time = s.next, tracefmt.Time(v[colTime])
	e.Message, e.Lamport, e.Term = tracefmt.MessageID(v[colMessage]), v[colLamport], v[colTerm]
	if err := s.decodeWho(v[colWho], e); err != nil {
		return err
	}
	e.Cause = 0
	if v[colCause] != 0 {
		e.Cause = s.next - tracefmt.Seq(v[colCause])
		if e.Cause < 1 || e.Cause >= s.next {
			return s.r.errorf(s.next, "the cause is seq %d, expected an earlier event", e.Cause)
		}
	}
	return s.decodePayload(row[len(row)-1], e)
}

// decodeWho splits the column who into type, process, peer and kind.
func (s *stream) decodeWho(v int64, e *tracefmt.Event) error {
	width := uint64(len(s.r.run.Members)) + 1
	e.Kind = tracefmt.Kind(v & kindMask)
	link := uint64(v) >> kindBits
	pair := link / width // one division for quotient and remainder each
	e.Peer = tracefmt.ProcessID(link - pair*width)
	id := pair / width
	e.Process = tracefmt.ProcessID(pair - id*width)
	switch {
	case id >= uint64(len(s.r.types)):
		return s.r.errorf(s.next, "the event has type number %d, but the run has %d types", id, len(s.r.types)-1)
	case !e.Kind.Valid():
		return s.r.errorf(s.next, "%v is not an event kind", e.Kind)
	}
	e.Type = s.r.types[id]
	return nil
}

// decodePayload decodes the last value of a row and adds the event to the sum.
func (s *stream) decodePayload(v driver.Value, e *tracefmt.Event) error {
	if len(s.payloads)-s.summed >= sumChunk {
		s.sumPayloads()
	}
	if v == nil {
		s.sum.add(&s.values, -1)
		return nil
	}
	inner, ok := v.(string)
	if !ok || !utf8.ValidString(inner) {
		return s.r.errorf(s.next, "the payload is not text in UTF-8")
	}
	start, b := len(s.payloads), append(s.payloads, '{')
	b = append(append(b, inner...), '}')
	s.payloads, e.Payload = b, b[start:len(b):len(b)]
	s.sum.add(&s.values, len(inner))
	return nil
}

// sumPayloads adds the payloads of the batch to the sum.
func (s *stream) sumPayloads() {
	s.sum.addPayloads(s.payloads[s.summed:])
	s.summed = len(s.payloads)
}

// checkSum compares a completely read run with its sum.
func (s *stream) checkSum() error {
	if s.first != 1 {
		return nil
	}
	for _, name := range s.r.types[1:] {
		s.sum.addType(name)
	}
	if s.sum.value() != s.r.eventSum {
		return s.r.errorf(0, "the events do not match their check sum")
	}
	return nil
}

// missingEvent returns the error for the first missing event from first to last. The later events of the batch are
// dropped.
func (s *stream) missingEvent(c *conn, first, last tracefmt.Seq) error {
	missing, err := c.integer(`SELECT ifnull(
  (SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM event WHERE id = ?1)),
  (SELECT id + 1 FROM event e WHERE id BETWEEN ?1 AND ?2 AND NOT EXISTS (SELECT 1 FROM event WHERE id = e.id + 1) ORDER BY id LIMIT 1))`,
		arg(1, s.r.base+int64(first)), arg(2, s.r.base+int64(last)))
	if err != nil {
		s.batch = s.batch[:0]
		return err
	}
	seq := tracefmt.Seq(missing - s.r.base)
	s.batch = s.batch[:max(0, min(len(s.batch), int(seq-first)))]
	return s.r.errorf(seq, "the event is missing, expected %d events in the run", s.r.run.Events)
}

// wrapError adds the run and the seq to an error of SQLite.
func (s *stream) wrapError(c *conn, err error) error {
	var e *Error
	err = c.wrapError(err)
	if !errors.As(err, &e) {
		return err
	}
	placed := *e
	placed.Run, placed.Seq = s.r.run.Number, s.next
	return &placed
}
