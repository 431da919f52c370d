package tracefmt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt/text"
)

// maxLine bounds a line of the text twin, so that a file without line ends
// cannot take all memory.
const maxLine = 64 << 20

// Decoder reads runs from JSON Lines. Its errors begin with the line number;
// after an error it stays at it.
type Decoder struct {
	r       *bufio.Reader
	line    int64
	start   int64  // the offset of the present line, in bytes
	read    int64  // the offset behind it
	buf     []byte // the present line; it may be the reader's memory
	own     []byte // memory for lines that the reader's buffer does not hold
	peeked  bool   // buf holds a line that was read but not used: the next header
	run     Run
	members memberNames
	types   map[string]string
	event   Event
	payload []byte // memory of event.Payload
	begun   bool   // a header was read
	done    bool   // the run's trailer, or the end of the file, was read
	err     error
	maxLine int
}

// memberNames finds members by the JSON value that names them: a string, or a
// number where the name is one.
type memberNames map[string]ProcessID

// NewDecoder returns a decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{r: bufio.NewReaderSize(r, 64<<10), types: make(map[string]string), maxLine: maxLine}
}

// Line returns the number of the line read last, from 1.
func (d *Decoder) Line() int64 { return d.line }

// NextRun skips what is left of the present run and reads the next header.
// io.EOF says that there is none. The run's End and Events are not known
// before its last event was read.
func (d *Decoder) NextRun() (*Run, error) {
	for d.begun && !d.done && !d.peeked {
		if _, err := d.Next(); err != nil && err != io.EOF {
			return nil, err
		}
	}
	if d.err == nil {
		d.err = d.header()
	}
	if d.err != nil {
		return nil, d.err
	}
	return &d.run, nil
}

func (d *Decoder) header() error {
	if err := d.nextLine(); err != nil {
		return err
	}
	d.peeked = false
	if first := d.firstKey(); first != "format" && json.Valid(d.buf) {
		return d.errorf("expected the header of a run, which begins with {\"format\":%q, …, but found the key %s", JSONLFormat, text.Quote(first))
	}
	// The version first: other versions may have other keys.
	var version struct{ Format json.RawMessage }
	if json.Unmarshal(d.buf, &version) == nil && string(version.Format) != strconv.Quote(JSONLFormat) {
		return d.errorf("format %s, expected a header with \"format\":%q", text.Short(string(version.Format), 65), JSONLFormat)
	}
	var h header
	if err := d.strict(&h); err != nil {
		return err
	}
	d.run = Run{
		Name: h.Name, Algorithm: h.Algorithm, Problem: h.Problem, Source: h.Source, Scenario: compact(h.Scenario), Seed: h.Seed,
		TimeUnit: h.TimeUnit, StartedAt: h.StartedAt, Tool: h.Tool, End: Open, Members: make([]Member, len(h.Members)),
	}
	if len(h.Traits) > 0 {
		d.run.Traits = h.Traits
	}
	if len(h.Bounds) > 0 {
		d.run.Bounds = h.Bounds
	}
	d.members = make(memberNames, 2*len(h.Members))
	for i, m := range h.Members {
		d.run.Members[i] = Member{m.Name, m.Position, compact(m.Attributes)}
		d.members[string(AppendString(nil, m.Name))] = ProcessID(i + 1)
		if plainInteger(m.Name) {
			d.members[m.Name] = ProcessID(i + 1)
		}
	}
	if err := d.run.Validate(); err != nil {
		return d.errorf("%w", err)
	}
	d.begun, d.done = true, false
	return nil
}

// Next reads the next event of the run; io.EOF after the last. The event is
// reused by the next call.
func (d *Decoder) Next() (*Event, error) {
	if d.err != nil {
		return nil, d.err
	}
	if !d.begun || d.done || d.peeked {
		return nil, io.EOF
	}
	err := d.next()
	switch {
	case err == nil:
		return &d.event, nil
	case err != io.EOF:
		d.err = err
	}
	return nil, err
}

func (d *Decoder) next() error {
	if err := d.nextLine(); err != nil {
		d.done = err == io.EOF
		return err
	}
	switch d.firstKey() {
	case "format":
		d.peeked = true
		return io.EOF
	case "end":
		return d.trailer()
	}
	if err := d.parseEvent(); err != nil {
		return err
	}
	d.run.Events++
	return nil
}

// firstKey returns the first key of the line, which tells headers and
// trailers from events; "" if the line is no object.
func (d *Decoder) firstKey() string {
	if bytes.HasPrefix(d.buf, []byte(`{"seq"`)) {
		return "seq" // no more is needed to know an event
	}
	for key := range Fields(d.buf) {
		return string(key)
	}
	return ""
}

func (d *Decoder) trailer() error {
	var t trailer
	if err := d.strict(&t); err != nil {
		return err
	}
	if _, err := ParseEnd(string(t.End)); err != nil {
		return d.errorf("%w", err)
	}
	if t.Events != d.run.Events {
		return d.errorf("the run says that it has %d events, but %d were read", t.Events, d.run.Events)
	}
	d.run.End, d.done = t.End, true
	return io.EOF
}

// nextLine reads the next line that is not blank into buf.
func (d *Decoder) nextLine() error {
	if d.peeked {
		return nil
	}
	for {
		if err := d.readLine(); err != nil {
			return err
		}
		if d.line == 1 {
			d.buf = bytes.TrimPrefix(d.buf, []byte("\uFEFF"))
		}
		d.buf = bytes.Trim(d.buf, " \t\r\n")
		if !utf8.Valid(d.buf) {
			return d.errorf("the line is not UTF-8")
		}
		if len(d.buf) > 0 {
			return nil
		}
	}
}

// readLine reads a line into buf. The error is io.EOF behind the last.
func (d *Decoder) readLine() error {
	d.line++
	part, err := d.r.ReadSlice('\n')
	d.start, d.read = d.read, d.read+int64(len(part))
	if err == nil {
		d.buf = part
		return nil
	}
	for d.own = d.own[:0]; ; part, err = d.r.ReadSlice('\n') {
		d.own = append(d.own, part...)
		d.buf, d.read = d.own, d.start+int64(len(d.own))
		switch {
		case len(d.own) > d.maxLine:
			return d.errorf("the line is longer than %d bytes", d.maxLine)
		case err == nil, err == io.EOF && len(d.own) > 0:
			return nil
		case err == io.EOF:
			d.line--
			return err
		case !errors.Is(err, bufio.ErrBufferFull):
			return d.errorf("%w", err)
		}
	}
}

// strict decodes the line, one JSON object, into v.
func (d *Decoder) strict(v any) error {
	err := json.Unmarshal(d.buf, v)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Offset == int64(len(d.buf)) && strings.HasPrefix(err.Error(), "unexpected end"):
		return d.errorf("the line ends inside a JSON object")
	case errors.As(err, &syntax):
		return d.errorf("column %d: %w, expected one JSON object a line", syntax.Offset, err)
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return d.errorf("expected a JSON object, not a JSON %s", wrongType.Value)
	case errors.As(err, &wrongType):
		return d.errorf("%q: unexpected %s", wrongType.Field, wrongType.Value)
	}
	return d.errorf("%w", err)
}

// The lines' own decoders refuse what encoding/json forgives: unknown keys,
// keys given twice, keys in another case.

func (h *header) UnmarshalJSON(b []byte) error {
	type fields header
	return unmarshalKeys(b, (*fields)(h), []string{"format", "time_unit", "members"},
		"name", "algorithm", "problem", "source", "scenario", "seed", "started_at", "tool", "traits", "bounds")
}

func (m *headerMember) UnmarshalJSON(b []byte) error {
	type fields headerMember
	return unmarshalKeys(b, (*fields)(m), []string{"name"}, "position", "attributes")
}

func (t *trailer) UnmarshalJSON(b []byte) error {
	type fields trailer
	return unmarshalKeys(b, (*fields)(t), []string{"end", "events"})
}

func unmarshalKeys(b []byte, v any, required []string, optional ...string) error {
	var seen []string
	for key := range Fields(b) {
		name := string(key)
		switch {
		case slices.Contains(seen, name):
			return fmt.Errorf("the key %q is given twice", name)
		case !slices.Contains(required, name) && !slices.Contains(optional, name):
			return text.Unknown("key", name, append(slices.Clone(required), optional...))
		}
		seen = append(seen, name)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return err
	}
	for _, name := range required {
		if !slices.Contains(seen, name) {
			return fmt.Errorf("expected the key %q", name)
		}
	}
	return nil
}

func (d *Decoder) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{d.line}, args...)...)
}

// syntaxError says what is wrong with a line that is no JSON object.
func (d *Decoder) syntaxError() error {
	var object map[string]json.RawMessage
	if err := d.strict(&object); err != nil {
		return err
	}
	return d.errorf("expected a JSON object")
}

// parseEvent reads the line into d.event, in one pass.
func (d *Decoder) parseEvent() error {
	d.event = Event{}
	s := scanner{b: d.buf}
	if d.buf[0] != '{' {
		return d.syntaxError()
	}
	var seen eventKey
	i := s.space(1)
	for i < len(d.buf) && d.buf[i] != '}' {
		start := i
		if i = s.key(i); i < 0 {
			return d.syntaxError()
		}
		name := unquoteKey(d.buf[start:skipString(d.buf, start)])
		start, s.spaced = i, false
		if i = s.value(i, 1); i < 0 {
			return d.syntaxError()
		}
		key, err := d.field(name, d.buf[start:i], s.spaced)
		if err == nil && seen&key != 0 {
			err = errors.New("the key is given twice")
		}
		if err != nil {
			return d.errorf("%s: %w", text.Quote(string(name)), err)
		}
		seen |= key
		i = s.space(i)
		if i < len(d.buf) && d.buf[i] == ',' {
			if i = s.space(i + 1); i < len(d.buf) && d.buf[i] == '}' {
				return d.syntaxError()
			}
		} else if i >= len(d.buf) || d.buf[i] != '}' {
			return d.syntaxError()
		}
	}
	if i != len(d.buf)-1 {
		return d.syntaxError()
	}
	if d.event.Kind == 0 {
		return d.errorf("expected an event, which has a \"kind\"")
	}
	return nil
}

// eventKey is a set of the keys of an event.
type eventKey uint16

const (
	keySeq eventKey = 1 << iota
	keyTime
	keyProcess
	keyKind
	keyType
	keyPeer
	keyMessage
	keyCause
	keyLamport
	keyTerm
	keyPayload
)

// field takes in one field of an event. The value is valid JSON; spaced says
// whether white space stands between its parts.
func (d *Decoder) field(name, value []byte, spaced bool) (eventKey, error) {
	e := &d.event
	var err error
	switch string(name) {
	case "seq":
		return keySeq, integer(value, (*int64)(&e.Seq))
	case "time":
		return keyTime, integer(value, (*int64)(&e.Time))
	case "process":
		e.Process, err = d.member(value)
		return keyProcess, err
	case "kind":
		e.Kind, err = d.kind(value)
		return keyKind, err
	case "type":
		e.Type, err = d.intern(value)
		return keyType, err
	case "peer":
		e.Peer, err = d.member(value)
		return keyPeer, err
	case "message":
		return keyMessage, integer(value, (*int64)(&e.Message))
	case "cause":
		return keyCause, integer(value, (*int64)(&e.Cause))
	case "lamport":
		return keyLamport, integer(value, &e.Lamport)
	case "term":
		return keyTerm, integer(value, &e.Term)
	case "payload":
		if value[0] != '{' {
			return 0, errors.New("expected a JSON object")
		}
		d.payload = append(d.payload[:0], value...)
		if spaced {
			d.payload = compact(value)
		}
		e.Payload = d.payload
		return keyPayload, nil
	}
	return 0, errors.New("an event has no such key")
}

// member returns the process that a JSON string, or a number, names.
func (d *Decoder) member(value []byte) (ProcessID, error) {
	if p, ok := d.members[string(value)]; ok {
		return p, nil
	}
	name := string(value)
	if value[0] == '"' {
		if json.Unmarshal(value, &name) != nil {
			return 0, errors.New("expected a string")
		}
		// The string may be escaped in another way than AppendString does.
		if p, ok := d.members[string(AppendString(nil, name))]; ok {
			return p, nil
		}
	}
	return 0, fmt.Errorf("%s is not a member of the run", text.Quote(name))
}

func (d *Decoder) kind(value []byte) (Kind, error) {
	if value[0] == '"' {
		if k, ok := kindByName[string(value[1:len(value)-1])]; ok {
			return k, nil
		}
	}
	name, err := d.intern(value)
	if err != nil {
		return 0, err
	}
	return ParseKind(name)
}

// intern returns the string of a JSON string; equal ones share memory.
func (d *Decoder) intern(value []byte) (string, error) {
	if s, ok := d.types[string(value)]; ok {
		return s, nil
	}
	var s string
	if value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return "", errors.New("expected a string")
	}
	if len(d.types) < maxInterned {
		d.types[string(value)] = s
	}
	return s, nil
}

func integer(value []byte, n *int64) error {
	i, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return fmt.Errorf("%s is not an integer between %d and %d", text.Short(string(value), 65), math.MinInt64, math.MaxInt64)
	}
	*n = i
	return nil
}

// compact returns valid JSON without white space between its parts.
func compact(raw json.RawMessage) []byte {
	if raw == nil {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
