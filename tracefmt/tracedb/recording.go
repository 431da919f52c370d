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

	"etrace/tracefmt"
)

// Recording is a run in a trace; it implements [tracefmt.Recording]. Of a run
// that is still being recorded it shows what was there when it was asked for.
type Recording struct {
	db       *DB
	run      tracefmt.Run
	base     int64
	widths   [columns]uint
	eventSum int64
	types    []string // [0] is ""
}

// Recording returns the run of that number. [ErrNoRun] says which there are.
func (db *DB) Recording(number int) (*Recording, error) {
	rows, err := db.runs("WHERE run = ?1", arg(1, int64(number)))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, db.noRun(number)
	}
	r := &Recording{
		db: db, run: rows[0].run, base: rows[0].base, widths: splitWidths(rows[0].widths),
		eventSum: rows[0].eventSum, types: []string{""},
	}
	return r, r.readTypes()
}

func (r *Recording) readTypes() error {
	c, err := r.db.acquire()
	if err != nil {
		return err
	}
	defer r.db.release(c)
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

// Events yields the events with seq >= from in their order, each in the same
// memory as the one before. Damage ends the stream with an error that names
// run and seq; when the whole run was read, it is also compared with the sum
// that was taken when it was written. Text that is not UTF-8 is damage.
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

func (r *Recording) errorf(seq tracefmt.Seq, format string, args ...any) error {
	return &Error{Path: r.db.path, Run: r.run.Number, Seq: seq, Text: fmt.Sprintf(format, args...), Kind: ErrDamaged}
}

// sumChunk is how many bytes of payloads are summed in one go.
const sumChunk = 8 << 10

// stream is one pass over the events of a run.
type stream struct {
	r     *Recording
	first tracefmt.Seq
	next  tracefmt.Seq

	takes    [columns]take
	count    int // of the integers in a row
	integers [maxIntegers]int64
	values   [columns]int64

	event tracefmt.Event
	// payloads holds the payloads since the last sum; the event's is its end.
	payloads []byte
	sum      eventSum
}

// run yields events until the last, until the consumer has enough (nil), or
// until an error.
func (s *stream) run(c *conn, yield func(*tracefmt.Event, error) bool) (err error) {
	st, err := c.prepare(s.query())
	if err != nil {
		return err
	}
	defer st.Close()
	rows, err := st.QueryContext(context.Background(), []driver.NamedValue{
		arg(1, s.r.base+int64(s.next)), arg(2, s.r.base+s.r.run.Events),
	})
	if err != nil {
		return s.failed(err)
	}
	defer rows.Close()
	row := make([]driver.Value, s.count+1)
	for {
		if err := rows.Next(row); err != nil {
			if errors.Is(err, io.EOF) {
				return s.complete(c)
			}
			return s.failed(err)
		}
		if err := s.decode(row); err != nil {
			return err
		}
		if !yield(&s.event, nil) {
			return nil
		}
		s.next++
	}
}

// query puts narrow columns together: every result column costs. The id is
// no part of it: as many different ids as there are numbers in the range
// leave no gap, which complete finds out.
func (s *stream) query() string {
	var slots [columns]slot
	s.count = int(pack(slots[:], s.r.widths[:]))
	expressions := make([]string, s.count)
	for i, slot := range slots {
		s.takes[i] = slot.take()
		if slot.width > 0 {
			e := &expressions[slot.integer]
			*e = strings.TrimPrefix(*e+"|"+slot.packSQL(columnNames[i]), "|")
		}
	}
	return "SELECT " + strings.Join(append(expressions, "payload"), ", ") + " FROM event WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
}

// decode turns a row into the event with seq next.
func (s *stream) decode(row []driver.Value) error {
	for i, value := range row[:s.count] {
		v, ok := value.(int64)
		if !ok {
			return s.r.errorf(s.next, "the event has a value of type %T, expected an integer", value)
		}
		s.integers[i%maxIntegers] = v
	}
	v := &s.values
	for i := range v {
		v[i] = s.takes[i].from(&s.integers)
	}
	e := &s.event
	e.Seq, e.Time = s.next, tracefmt.Time(v[colTime])
	e.Message, e.Lamport, e.Term = tracefmt.MessageID(v[colMessage]), v[colLamport], v[colTerm]
	if err := s.who(v[colWho]); err != nil {
		return err
	}
	if e.Cause = 0; v[colCause] != 0 {
		if e.Cause = s.next - tracefmt.Seq(v[colCause]); e.Cause < 1 || e.Cause >= s.next {
			return s.r.errorf(s.next, "the cause is seq %d, expected an earlier event", e.Cause)
		}
	}
	return s.payload(row[len(row)-1])
}

// who takes the column of that name apart.
func (s *stream) who(v int64) error {
	e, width := &s.event, uint64(len(s.r.run.Members))+1
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

// payload takes the last value of a row and sums up the event.
func (s *stream) payload(v driver.Value) error {
	if len(s.payloads) >= sumChunk {
		s.sumPayloads()
	}
	if v == nil {
		s.event.Payload = nil
		s.sum.add(&s.values, -1)
		return nil
	}
	inner, ok := v.(string)
	if !ok || !utf8.ValidString(inner) {
		return s.r.errorf(s.next, "the payload is not text in UTF-8")
	}
	start, b := len(s.payloads), append(s.payloads, '{')
	b = append(append(b, inner...), '}')
	s.payloads, s.event.Payload = b, b[start:len(b):len(b)]
	s.sum.add(&s.values, len(inner))
	return nil
}

func (s *stream) sumPayloads() {
	s.sum.addPayloads(s.payloads)
	s.payloads = s.payloads[:0]
}

// complete looks back when there are no more rows.
func (s *stream) complete(c *conn) error {
	if int64(s.next) != s.r.run.Events+1 {
		return s.gap(c)
	}
	if s.first != 1 {
		return nil
	}
	s.sumPayloads()
	for _, name := range s.r.types[1:] {
		s.sum.addType(name)
	}
	if s.sum.value() != s.r.eventSum {
		return s.r.errorf(0, "the events do not match their check sum")
	}
	return nil
}

// gap finds the first event that is not there.
func (s *stream) gap(c *conn) error {
	missing, err := c.integer(`SELECT ifnull(
  (SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM event WHERE id = ?1)),
  (SELECT id + 1 FROM event e WHERE id BETWEEN ?1 AND ?2 AND NOT EXISTS (SELECT 1 FROM event WHERE id = e.id + 1) ORDER BY id LIMIT 1))`,
		arg(1, s.r.base+int64(s.first)), arg(2, s.r.base+s.r.run.Events))
	if err != nil {
		return err
	}
	return s.r.errorf(tracefmt.Seq(missing-s.r.base), "the event is missing, expected %d events in the run", s.r.run.Events)
}

// failed adds the place to what SQLite reports.
func (s *stream) failed(err error) error {
	var e *Error
	if err = sqliteError(s.r.db.path, err); errors.As(err, &e) {
		e.Run, e.Seq = s.r.run.Number, s.next
	}
	return err
}
