package tracefmt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// JSONLFormat is the version mark in the first line of every run.
const JSONLFormat = "etrace/1"

// maxLine bounds a line of the text twin, so that a file without line ends
// cannot take all memory.
const maxLine = 64 << 20

// header is the first line of a run, trailer its last.
type header struct {
	Format    string          `json:"format"`
	Name      string          `json:"name,omitempty"`
	Algorithm string          `json:"algorithm,omitempty"`
	Problem   string          `json:"problem,omitempty"`
	Source    string          `json:"source,omitempty"`
	Scenario  json.RawMessage `json:"scenario,omitempty"`
	Seed      *int64          `json:"seed,omitempty"`
	TimeUnit  TimeUnit        `json:"time_unit"`
	StartedAt string          `json:"started_at,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Members   []headerMember  `json:"members"`
}

type headerMember struct {
	Name       string          `json:"name"`
	Position   int             `json:"position"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
}

type trailer struct {
	End    End   `json:"end"`
	Events int64 `json:"events"`
}

// Encoder writes runs as JSON Lines.
type Encoder struct {
	w   *bufio.Writer
	run *Run
	// names are the JSON strings of the members, by ProcessID.
	names [][]byte
	// types are the JSON strings of the types seen, made once each.
	types map[string][]byte
	line  []byte
	count int64
}

// NewEncoder returns an encoder that writes to w. [Encoder.End] flushes.
func NewEncoder(w io.Writer) *Encoder {
	return &Encoder{w: bufio.NewWriterSize(w, 64<<10), types: make(map[string][]byte)}
}

// Begin writes the header of a run.
func (enc *Encoder) Begin(run *Run) error {
	h := header{
		Format: JSONLFormat, Name: run.Name, Algorithm: run.Algorithm, Problem: run.Problem, Source: run.Source,
		Scenario: run.Scenario, Seed: run.Seed, TimeUnit: run.TimeUnit, StartedAt: run.StartedAt, Tool: run.Tool,
		Members: make([]headerMember, len(run.Members)),
	}
	enc.names = append(enc.names[:0], nil)
	for i, m := range run.Members {
		h.Members[i] = headerMember{m.Name, m.Position, m.Attributes}
		enc.names = append(enc.names, AppendString(nil, m.Name))
	}
	enc.run, enc.count = run, 0
	return enc.writeJSON(h)
}

func (enc *Encoder) writeJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := enc.w.Write(b.Bytes())
	return err
}

// Write writes the next event of the run that was begun.
func (enc *Encoder) Write(e *Event) error {
	if int(e.Process) >= len(enc.names) || int(e.Peer) >= len(enc.names) || e.Process < 0 || e.Peer < 0 {
		return fmt.Errorf("seq %d: process number out of range, the run has %d processes", e.Seq, len(enc.names)-1)
	}
	b := append(enc.line[:0], `{"seq":`...)
	b = strconv.AppendInt(b, int64(e.Seq), 10)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, int64(e.Time), 10)
	if e.Process != 0 {
		b = append(b, `,"process":`...)
		b = append(b, enc.names[e.Process]...)
	}
	b = append(b, `,"kind":"`...)
	b = append(b, e.Kind.String()...)
	b = append(b, '"')
	if e.Type != "" {
		b = append(b, `,"type":`...)
		b = append(b, enc.typeName(e.Type)...)
	}
	if e.Peer != 0 {
		b = append(b, `,"peer":`...)
		b = append(b, enc.names[e.Peer]...)
	}
	for _, f := range [...]struct {
		key   string
		value int64
	}{
		{`,"message":`, int64(e.Message)},
		{`,"cause":`, int64(e.Cause)},
		{`,"lamport":`, e.Lamport},
		{`,"term":`, e.Term},
	} {
		if f.value != 0 {
			b = append(b, f.key...)
			b = strconv.AppendInt(b, f.value, 10)
		}
	}
	if e.Payload != nil {
		b = append(b, `,"payload":`...)
		b = append(b, e.Payload...)
	}
	enc.line = append(b, '}', '\n')
	enc.count++
	_, err := enc.w.Write(enc.line)
	return err
}

func (enc *Encoder) typeName(s string) []byte {
	name, ok := enc.types[s]
	if !ok {
		name = AppendString(nil, s)
		enc.types[s] = name
	}
	return name
}

// End writes the trailer of the run and flushes. A run that is still being
// recorded has no trailer.
func (enc *Encoder) End(end End) error {
	if end != Open {
		if err := enc.writeJSON(trailer{end, enc.count}); err != nil {
			return err
		}
	}
	return enc.w.Flush()
}

// Encode writes a whole recording.
func (enc *Encoder) Encode(r Recording) error {
	if err := enc.Begin(r.Run()); err != nil {
		return err
	}
	for e, err := range r.Events(1) {
		if err != nil {
			return err
		}
		if err := enc.Write(e); err != nil {
			return err
		}
	}
	return enc.End(r.Run().End)
}

// Decoder reads runs from JSON Lines. Its errors begin with the line number.
type Decoder struct {
	r       *bufio.Reader
	line    int64
	buf     []byte
	peeked  bool // buf holds a line that was read but not used: the next header
	run     Run
	process map[string]ProcessID
	types   map[string]string
	event   Event
	done    bool // the run's trailer was read
}

// NewDecoder returns a decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{r: bufio.NewReaderSize(r, 64<<10), types: make(map[string]string)}
}

// Line returns the number of the line read last, from 1.
func (d *Decoder) Line() int64 { return d.line }

// NextRun skips what is left of the present run and reads the next header.
// io.EOF says that there is none. The run's End and Events are not known
// before its last event was read.
func (d *Decoder) NextRun() (*Run, error) {
	for d.run.Members != nil && !d.done && !d.peeked {
		if _, err := d.Next(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	if err := d.nextLine(); err != nil {
		return nil, err
	}
	d.peeked = false
	var h header
	if err := d.strict(&h); err != nil {
		return nil, err
	}
	if h.Format != JSONLFormat {
		return nil, d.errorf("format %q, expected a header with \"format\":%q", h.Format, JSONLFormat)
	}
	d.run = Run{
		Name: h.Name, Algorithm: h.Algorithm, Problem: h.Problem, Source: h.Source, Scenario: compact(h.Scenario), Seed: h.Seed,
		TimeUnit: h.TimeUnit, StartedAt: h.StartedAt, Tool: h.Tool, End: Open, Members: make([]Member, len(h.Members)),
	}
	d.process = make(map[string]ProcessID, len(h.Members))
	for i, m := range h.Members {
		d.run.Members[i] = Member{m.Name, m.Position, compact(m.Attributes)}
		d.process[m.Name] = ProcessID(i + 1)
	}
	if err := d.run.Validate(); err != nil {
		return nil, d.errorf("%w", err)
	}
	d.done = false
	return &d.run, nil
}

// Next reads the next event of the run; io.EOF after the last. The event is
// reused by the next call.
func (d *Decoder) Next() (*Event, error) {
	if d.done || d.peeked {
		return nil, io.EOF
	}
	if err := d.nextLine(); err != nil {
		d.done = true
		return nil, err
	}
	if !json.Valid(d.buf) {
		return nil, d.strict(&struct{}{})
	}
	first := ""
	for key := range Fields(d.buf) {
		first = string(key)
		break
	}
	switch first {
	case "format":
		d.peeked = true
		return nil, io.EOF
	case "end":
		return nil, d.trailer()
	}
	if err := d.parseEvent(); err != nil {
		return nil, err
	}
	d.run.Events++
	return &d.event, nil
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
		d.line++
		d.buf = d.buf[:0]
		for {
			part, err := d.r.ReadSlice('\n')
			d.buf = append(d.buf, part...)
			if len(d.buf) > maxLine {
				return d.errorf("the line is longer than %d MiB", maxLine>>20)
			}
			if err == nil {
				break
			}
			if err == io.EOF && len(d.buf) > 0 {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return err
			}
		}
		d.buf = bytes.TrimSpace(d.buf)
		if d.line == 1 {
			d.buf = bytes.TrimPrefix(d.buf, []byte("\uFEFF"))
		}
		if len(d.buf) > 0 {
			return nil
		}
	}
}

// strict decodes the line into v and refuses keys that v does not have.
func (d *Decoder) strict(v any) error {
	dec := json.NewDecoder(bytes.NewReader(d.buf))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			return d.errorf("expected one JSON object a line")
		}
		return nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return d.errorf("column %d: %w", syntax.Offset, err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return d.errorf("the line ends inside a JSON object")
	}
	return d.errorf("%w", err)
}

func (d *Decoder) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{d.line}, args...)...)
}

// parseEvent reads the line into d.event. The line is valid JSON.
func (d *Decoder) parseEvent() error {
	d.event = Event{Payload: d.event.Payload[:0]}
	e := &d.event
	payload := false
	for key, value := range Fields(d.buf) {
		var err error
		switch string(key) {
		case "seq":
			err = integer(value, (*int64)(&e.Seq))
		case "time":
			err = integer(value, (*int64)(&e.Time))
		case "message":
			err = integer(value, (*int64)(&e.Message))
		case "cause":
			err = integer(value, (*int64)(&e.Cause))
		case "lamport":
			err = integer(value, &e.Lamport)
		case "term":
			err = integer(value, &e.Term)
		case "process":
			e.Process, err = d.member(value)
		case "peer":
			e.Peer, err = d.member(value)
		case "kind":
			var name string
			if name, err = d.intern(value); err == nil {
				e.Kind, err = ParseKind(name)
			}
		case "type":
			e.Type, err = d.intern(value)
		case "payload":
			payload = true
			if value[0] != '{' {
				err = errors.New("expected a JSON object")
			}
			e.Payload = appendCompact(e.Payload, value)
		default:
			err = errors.New("an event has no such key")
		}
		if err != nil {
			return d.errorf("%q: %w", key, err)
		}
	}
	if !payload {
		e.Payload = nil
	}
	if e.Kind == 0 {
		return d.errorf("expected an event, which has a \"kind\"")
	}
	return nil
}

// member returns the process that a JSON string, or a number, names.
func (d *Decoder) member(value []byte) (ProcessID, error) {
	name := string(value)
	if value[0] == '"' {
		var err error
		if name, err = d.intern(value); err != nil {
			return 0, err
		}
	}
	p, ok := d.process[name]
	if !ok {
		return 0, fmt.Errorf("%q is not a member of the run", name)
	}
	return p, nil
}

// intern returns the string of a JSON string; equal ones share memory.
func (d *Decoder) intern(value []byte) (string, error) {
	if s, ok := d.types[string(value)]; ok {
		return s, nil
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return "", errors.New("expected a string")
	}
	d.types[string(value)] = s
	return s, nil
}

func integer(value []byte, n *int64) error {
	i, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return fmt.Errorf("%s is not an integer between %d and %d", value, math.MinInt64, math.MaxInt64)
	}
	*n = i
	return nil
}

func compact(raw json.RawMessage) []byte {
	if raw == nil {
		return nil
	}
	return appendCompact(nil, raw)
}

// appendCompact appends valid JSON without insignificant white space.
func appendCompact(dst, src []byte) []byte {
	b := bytes.NewBuffer(dst)
	if json.Compact(b, src) != nil {
		return append(dst, src...)
	}
	return b.Bytes()
}
