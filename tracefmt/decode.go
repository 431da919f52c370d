package tracefmt

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt/text"
)

// maxLine limits a line of the text twin, so that a file without line ends cannot take all memory.
const maxLine = 64 << 20

// Decoder reads runs from JSON Lines. Its errors begin with the line number. After an error it returns the same
// error again.
type Decoder struct {
	r       *bufio.Reader
	line    int64
	start   int64  // the offset of the present line in bytes
	read    int64  // the offset after it
	buf     []byte // the present line, possibly in the reader's memory
	long    []byte // memory for lines longer than the reader's buffer
	peeked  bool   // buf holds a line that was read but not used: the next header
	run     Run
	members memberNames
	types   map[string]string
	event   Event
	keys    eventKey // the keys of event
	payload []byte   // memory of event.Payload
	sends   *sendTable
	begun   bool // a header was read
	done    bool // the run's trailer, or the end of the file, was read
	err     error
	maxLine int
	lines   bool    // see NewLineDecoder
	ended   trailer // among lines; see Ended
}

// memberNames finds members by the JSON value that names them: a string, or a number if the name is one.
type memberNames map[string]ProcessID

// NewDecoder returns a decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{r: bufio.NewReaderSize(r, 64<<10), types: make(map[string]string), maxLine: maxLine}
}

// NewLineDecoder returns a decoder for event lines of a run in any order. [Decoder.Next] skips headers, and trailers,
// see [Decoder.Ended]. The cause of an event is taken from its line.
func NewLineDecoder(r io.Reader, run *Run) *Decoder {
	d := NewDecoder(r)
	d.run, d.members, d.sends = *run, namesOf(run.Members), &sendTable{complete: true}
	d.begun, d.lines = true, true
	return d
}

// namesOf returns the JSON values that name members.
func namesOf(members []Member) memberNames {
	names := make(memberNames, 2*len(members))
	for i, m := range members {
		names[string(AppendString(nil, m.Name))] = ProcessID(i + 1)
		if plainInteger(m.Name) {
			names[m.Name] = ProcessID(i + 1)
		}
	}
	return names
}

// Run returns the run whose events are read, as far as it is known.
func (d *Decoder) Run() *Run { return &d.run }

// Text returns the line read last, without spaces around it. It is valid until the next line is read.
func (d *Decoder) Text() []byte { return d.buf }

// Line returns the number of the line read last, from 1.
func (d *Decoder) Line() int64 { return d.line }

// NextRun skips the remaining events of the present run and reads the next header. It returns io.EOF after the
// last run. The run's End and Events are known only after its last event.
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

// header reads the next line as the header of a run, and makes that run the present one. It returns io.EOF at
// the end of the file, and an error if the line is no valid header.
func (d *Decoder) header() error {
	if err := d.nextLine(); err != nil {
		return err
	}
	d.peeked = false
	if first := d.firstKey(); first != "format" && json.Valid(d.buf) {
		return d.errorf("expected the header of a run, which begins with {\"format\":%q, …, but found the key %s", JSONLFormat, text.Quote(first))
	}
	// Check the version first: other versions may have other keys.
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
		TimeUnit: h.TimeUnit, StartedAt: h.StartedAt, Tool: h.Tool, Completeness: h.Complete,
		Repaired: h.Repaired, Slice: h.Slice, End: Open, Members: make([]Member, len(h.Members)),
		Traits: nilIfEmpty(h.Traits), Best: nilIfEmpty(h.Best), Counters: nilIfEmpty(h.Counters),
		Basic: nilIfEmpty(h.Basic), Token: nilIfEmpty(h.Token), Bounds: nilIfEmpty(h.Bounds),
	}
	for i, m := range h.Members {
		d.run.Members[i] = Member{m.Name, m.Position, compact(m.Attributes)}
	}
	d.members = namesOf(d.run.Members)
	if err := d.run.Validate(); err != nil {
		return d.errorf("%w", err)
	}
	// The causes of a slice are explicit, so its sends need not be remembered.
	d.begun, d.done, d.sends = true, false, &sendTable{complete: d.run.Slice}
	return nil
}

// nilIfEmpty returns the list, nil for an empty one: a run does not distinguish a missing list from an empty list.
func nilIfEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// Next returns the next event of the run; io.EOF after the last. The next call reuses the event.
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

// next reads the next event of the run into d.event. At the trailer, the next header or the end of the file it
// returns io.EOF. A line decoder skips headers and trailers.
func (d *Decoder) next() error {
	for {
		if err := d.nextLine(); err != nil {
			d.done = err == io.EOF
			return err
		}
		key := d.firstKey()
		if key != "format" && key != "end" {
			break
		}
		switch {
		case d.lines && d.run.Slice && key == "end":
			t, err := d.parseTrailer()
			if err != nil {
				return err
			}
			// Another program may have reordered the lines, so events and further trailers may follow.
			d.run.Surveyed = append(append(d.run.Surveyed, t.Surveyed...), '\n')
		case d.lines && key == "end":
			if err := d.endOfLines(); err != nil {
				return err
			}
		case d.lines: // a header: skipped
		case key == "format":
			d.peeked = true
			return io.EOF
		default:
			return d.trailer()
		}
	}
	if err := d.parseEvent(); err != nil {
		return err
	}
	d.causeOf(&d.event)
	d.run.Events++
	return nil
}

// firstKey returns the first key of the line, which distinguishes headers and trailers from events. It returns
// "" if the line is no object.
func (d *Decoder) firstKey() string {
	if bytes.HasPrefix(d.buf, []byte(`{"seq"`)) {
		return "seq" // this key is enough to recognize an event
	}
	for key := range Fields(d.buf) {
		return string(key)
	}
	return ""
}

// trailer reads the present line as the trailer of the run. It returns io.EOF, or an error if the trailer is
// malformed or its number of events is wrong.
func (d *Decoder) trailer() error {
	t, err := d.parseTrailer()
	if err != nil {
		return err
	}
	if _, err := ParseEnd(string(t.End)); err != nil {
		return d.errorf("%w", err)
	}
	if t.Events != d.run.Events {
		return d.errorf("the run says that it has %d events, but %d were read", t.Events, d.run.Events)
	}
	d.run.End, d.run.Surveyed, d.done = t.End, t.Surveyed, true
	return io.EOF
}

// endOfLines reads the trailer among the lines of a run. A second one must be equal.
func (d *Decoder) endOfLines() error {
	t, err := d.parseTrailer()
	if err != nil {
		return err
	}
	if _, err := ParseEnd(string(t.End)); err != nil {
		return d.errorf("%w", err)
	}
	switch {
	case t.Events < 0:
		return d.errorf("a run of %d events, expected 0 or more", t.Events)
	case d.ended.End != "" && d.ended != (trailer{t.End, t.Events}):
		return d.errorf("the end of a run (%s, %d events) after another one, expected one", t.End, t.Events)
	}
	d.ended = trailer{t.End, t.Events}
	return nil
}

// Ended returns what the trailer among the lines of a run declares: its end, "" if no trailer was read, and the number
// of its events. See [NewLineDecoder].
func (d *Decoder) Ended() (end End, events int64) { return d.ended.End, d.ended.Events }

// parseTrailer decodes the present line as a trailer. Only the trailer of a slice may have the keys of
// sliceTrailer.
func (d *Decoder) parseTrailer() (t sliceTrailer, err error) {
	if !d.run.Slice {
		var plain trailer
		err = d.strict(&plain)
		return sliceTrailer{plain.End, plain.Events, nil}, err
	}
	t.Events = d.run.Events // unless the trailer has a count
	return t, d.strict(&t)
}

// nextLine reads the next non-blank line into buf.
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

// readLine reads a line into buf. It returns io.EOF after the last.
func (d *Decoder) readLine() error {
	d.line++
	part, err := d.r.ReadSlice('\n')
	d.start, d.read = d.read, d.read+int64(len(part))
	if err == nil {
		d.buf = part
		return nil
	}
	// The line is longer than the buffer of the reader, so its parts are collected in d.long.
	for d.long = d.long[:0]; ; part, err = d.r.ReadSlice('\n') {
		d.long = append(d.long, part...)
		d.buf, d.read = d.long, d.start+int64(len(d.long))
		switch {
		case len(d.long) > d.maxLine:
			return d.errorf("the line is longer than %d bytes", d.maxLine)
		case err == nil, err == io.EOF && len(d.long) > 0:
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
	switch {
	case errors.As(err, &syntax) && syntax.Offset == int64(len(d.buf)) && strings.HasPrefix(err.Error(), "unexpected end"):
		return d.errorf("the line ends inside a JSON object")
	case errors.As(err, &syntax):
		found, _, _ := strings.Cut(err.Error(), " looking for") // the rest is a state of Go's parser
		return d.errorf("column %d: %s, expected one JSON object a line", syntax.Offset, found)
	}
	return d.errorf("%w", typeError(err))
}

// typeError rewrites the error for a JSON value of an unexpected type in words of JSON; other errors stay
// unchanged.
func typeError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Field == "":
		return fmt.Errorf("expected a JSON object, not a JSON %s", wrong.Value)
	}
	return fmt.Errorf("%q: unexpected %s, expected %s", wrong.Field, wrong.Value, inJSON(wrong.Type))
}

// inJSON names the JSON type of a value of a Go type.
func inJSON(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a text"
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a number"
}

// formerKeys maps old names of keys, which are still read, to the present names.
var formerKeys = map[string]string{"tells": "complete"}

// The lines have their own decoders because encoding/json accepts unknown keys, repeated keys, and keys in
// another case.

// UnmarshalJSON rejects unknown keys, and reads the old name of the completeness.
func (h *header) UnmarshalJSON(b []byte) error {
	type fields header
	if err := unmarshalKeys(b, (*fields)(h), headerKeys); err != nil {
		return err
	}
	h.Complete, h.Former = cmp.Or(h.Complete, h.Former), nil
	return nil
}

func (m *headerMember) UnmarshalJSON(b []byte) error {
	type fields headerMember
	return unmarshalKeys(b, (*fields)(m), memberKeys)
}

func (t *trailer) UnmarshalJSON(b []byte) error {
	type fields trailer
	return unmarshalKeys(b, (*fields)(t), trailerKeys)
}

func (t *sliceTrailer) UnmarshalJSON(b []byte) error {
	type fields sliceTrailer
	return unmarshalKeys(b, (*fields)(t), sliceTrailerKeys)
}

// unmarshalKeys decodes a JSON object into v. It fails if a key is unknown, repeated, or required and missing.
// It accepts the old names in formerKeys.
func unmarshalKeys(b []byte, v any, keys []jsonKey) error {
	var seen []string
	for key := range Fields(b) {
		name := cmp.Or(formerKeys[string(key)], string(key))
		switch {
		case slices.Contains(seen, name):
			return fmt.Errorf("the key %q is given twice", name)
		case !slices.ContainsFunc(keys, func(k jsonKey) bool { return k.name == name }):
			return text.Unknown("key", name, keyNames(keys))
		}
		seen = append(seen, name)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return err
	}
	for _, k := range keys {
		if k.required && !slices.Contains(seen, k.name) {
			return fmt.Errorf("expected the key %q", k.name)
		}
	}
	return nil
}

// errorf returns an error that begins with the number of the present line.
func (d *Decoder) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{d.line}, args...)...)
}

// syntaxError returns the mistake in a line that is no JSON object.
func (d *Decoder) syntaxError() error {
	var object map[string]json.RawMessage
	if err := d.strict(&object); err != nil {
		return err
	}
	return d.errorf("expected a JSON object")
}

// compact returns valid JSON without insignificant white space.
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
