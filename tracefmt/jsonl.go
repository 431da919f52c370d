package tracefmt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// JSONLFormat is the version mark in the first line of every run.
const JSONLFormat = "etrace/1"

// maxInterned is the limit for the types in memory.
const maxInterned = 4096

// header is the first line of a run.
type header struct {
	Format    string           `json:"format"`
	Name      string           `json:"name,omitempty"`
	Algorithm string           `json:"algorithm,omitempty"`
	Problem   string           `json:"problem,omitempty"`
	Source    string           `json:"source,omitempty"`
	Scenario  json.RawMessage  `json:"scenario,omitempty"`
	Seed      *int64           `json:"seed,omitempty"`
	TimeUnit  TimeUnit         `json:"time_unit"`
	StartedAt string           `json:"started_at,omitempty"`
	Tool      string           `json:"tool,omitempty"`
	Members   []headerMember   `json:"members"`
	Traits    []string         `json:"traits,omitempty"`
	Best      []string         `json:"best,omitempty"`
	Counters  []string         `json:"counters,omitempty"`
	Basic     []string         `json:"basic,omitempty"`
	Token     []string         `json:"token,omitempty"`
	Bounds    []Bound          `json:"bounds,omitempty"`
	Complete  *Completeness    `json:"complete,omitempty"`
	Repaired  map[string]int64 `json:"repaired,omitempty"`
	Slice     bool             `json:"slice,omitempty"`
	Former    *Completeness    `json:"tells,omitempty"` // Complete by its former key, never written
}

// headerMember is a process in the list of members of a header.
type headerMember struct {
	Name       string          `json:"name"`
	Position   int             `json:"position"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
}

// trailer is the last line of a run.
type trailer struct {
	End    End   `json:"end"`
	Events int64 `json:"events"`
}

// sliceTrailer is the last line of a slice, where the number of events is optional.
type sliceTrailer struct {
	End      End             `json:"end"`
	Events   int64           `json:"events"`
	Surveyed json.RawMessage `json:"surveyed,omitempty"`
}

// Encoder is a [Sink] that writes runs as JSON Lines.
type Encoder struct {
	w *bufio.Writer
	// names are the JSON strings of the members, by ProcessID.
	names [][]byte
	// types are the JSON strings of the types seen, made once each.
	types map[string][]byte
	line  []byte
	count int64
	run   *Run
}

// NewEncoder returns an encoder that writes to w. [Encoder.Finish] flushes.
func NewEncoder(w io.Writer) *Encoder {
	return &Encoder{w: bufio.NewWriterSize(w, 64<<10), types: make(map[string][]byte)}
}

// Begin writes the header of a run.
func (enc *Encoder) Begin(run *Run) error {
	h := header{
		Format: JSONLFormat, Name: run.Name, Algorithm: run.Algorithm, Problem: run.Problem, Source: run.Source,
		Scenario: run.Scenario, Seed: run.Seed, TimeUnit: run.TimeUnit, StartedAt: run.StartedAt, Tool: run.Tool,
		Members: make([]headerMember, len(run.Members)), Traits: run.Traits, Best: run.Best,
		Basic: run.Basic, Token: run.Token, Counters: run.Counters, Bounds: run.Bounds,
		Complete: run.Completeness, Repaired: run.Repaired, Slice: run.Slice,
	}
	enc.names = append(enc.names[:0], nil)
	for i, m := range run.Members {
		h.Members[i] = headerMember{m.Name, m.Position, m.Attributes}
		enc.names = append(enc.names, AppendString(nil, m.Name))
	}
	enc.count, enc.run = 0, run
	return enc.writeJSON(h)
}

// writeJSON writes v as one line of JSON.
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

// Write writes the next event of the present run.
func (enc *Encoder) Write(e *Event) error {
	line, err := enc.Line(e)
	if err != nil {
		return err
	}
	enc.count++
	_, err = enc.w.Write(line)
	return err
}

// Line returns the line of an event of the present run without writing it. It is valid until the next call.
func (enc *Encoder) Line(e *Event) ([]byte, error) {
	// The keys follow in the documented order, so that equal runs are equal bytes.
	if !e.Kind.Valid() {
		return nil, fmt.Errorf("seq %d: %v is not an event kind", e.Seq, e.Kind)
	}
	if int(e.Process) >= len(enc.names) || int(e.Peer) >= len(enc.names) || e.Process < 0 || e.Peer < 0 {
		return nil, fmt.Errorf("seq %d: process number out of range, the run has %d processes", e.Seq, len(enc.names)-1)
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
	b = appendField(b, `,"message":`, int64(e.Message))
	b = appendField(b, `,"cause":`, int64(e.Cause))
	if e.Cause == 0 && infersCause(e) {
		b = append(b, `,"cause":null`...)
	}
	b = appendField(b, `,"lamport":`, e.Lamport)
	b = appendField(b, `,"term":`, e.Term)
	if len(e.Payload) > 0 {
		b = append(b, `,"payload":`...)
		b = append(b, e.Payload...)
	}
	enc.line = append(b, '}', '\n')
	return enc.line, nil
}

// appendField appends a field of an event unless it is zero.
func appendField(b []byte, key string, value int64) []byte {
	if value == 0 {
		return b
	}
	return strconv.AppendInt(append(b, key...), value, 10)
}

// typeName returns the JSON string of a type. It keeps the strings of the first types, which recur in most
// lines.
func (enc *Encoder) typeName(s string) []byte {
	name, ok := enc.types[s]
	if !ok {
		name = AppendString(nil, s)
		if len(enc.types) < maxInterned {
			enc.types[s] = name
		}
	}
	return name
}

// Finish writes the trailer of the run and flushes. A run that is still being
// recorded has no trailer.
func (enc *Encoder) Finish(end End) error {
	if end != Open {
		if err := enc.writeJSON(sliceTrailer{end, enc.count, enc.run.Surveyed}); err != nil {
			return err
		}
	}
	return enc.w.Flush()
}

// Encode writes a whole recording.
func (enc *Encoder) Encode(r Recording) error { return Copy(enc, r, nil) }
