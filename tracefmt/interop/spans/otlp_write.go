package spans

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

func describeOTLP() string {
	return `An export has a line, which is one request, for each event, and one trace for each run. The trace id is computed
from the run, so equal runs give equal bytes. An event is a span of one nanosecond; its process is the service. A send
is a PRODUCER, a receive is a CONSUMER with a link to its send, and any other event is internal. The parent of a span is
the previous event of the process; further causes are links. If the clocks put an effect before its cause, the effect
starts some nanoseconds after the cause.

The file keeps all fields of every event, as attributes with the prefix etrace. Events without a process belong to the
service network. A loss is no step of the receiver, so it is the parent of no span. From the header, the file keeps the
names of the run and of the processes with events. etrace imports such a file with the same processes, messages, types
and causality; all other events become notes.
`
}

func writeOTLP(w *interop.Writing, runs []tracefmt.Recording) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for i, rec := range runs {
		if err := writeTrace(out, i, rec); err != nil {
			return err
		}
	}
	return out.Flush()
}

// traceOut writes a run as a trace.
type traceOut struct {
	run      *tracefmt.Run
	traceID  string
	spanBase uint64         // the upper half of the ids of spans
	previous []tracefmt.Seq // by process, its last event so far
	after    uint64         // is added to stamps: 1 if they count from 0, which OTLP reads as an unknown time
	services [][]byte       // by process, the beginning of a line with its resource
	buf      []byte
}

// writeTrace writes a run, a line for each event.
func writeTrace(out *bufio.Writer, number int, rec tracefmt.Recording) error {
	sum := sha256.New()
	stamps, err := interop.NewStamps(rec, func(e *tracefmt.Event) { addToDigest(sum, e) })
	if err != nil {
		return err
	}
	t := newTraceOut(rec.Run(), number, sum)
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		at := stamps.At(e)
		if e.Seq == 1 && at == 0 {
			t.after = 1
		}
		if _, err := out.Write(t.line(e, at+t.after)); err != nil {
			return err
		}
		if e.Kind != tracefmt.Lose { // no step of its process
			t.previous[e.Process] = e.Seq
		}
	}
	return nil
}

// addToDigest adds an event to the hash from which the id of the trace is made.
func addToDigest(sum hash.Hash, e *tracefmt.Event) {
	b := []byte{byte(e.Kind)}
	for _, n := range []int64{
		int64(e.Seq), int64(e.Time), int64(e.Process), int64(e.Peer), int64(e.Message), int64(e.Cause), e.Lamport,
		e.Term,
	} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = append(append(append(b, e.Type...), 0), e.Payload...)
	_, _ = sum.Write(b) // a hash takes everything
}

// newTraceOut returns the writer of a run. The ids are made of the run and its number, so that equal runs give
// equal bytes.
func newTraceOut(run *tracefmt.Run, number int, sum hash.Hash) *traceOut {
	for _, m := range run.Members {
		_, _ = sum.Write([]byte(m.Name + "\x00")) // a hash takes everything
	}
	_, _ = sum.Write(binary.BigEndian.AppendUint64([]byte(run.Name+"\x00"), uint64(number)))
	id := sum.Sum(nil)
	id[0], id[16] = id[0]|1, id[16]|1 // never 0
	t := &traceOut{
		run: run, traceID: hex.EncodeToString(id[:16]), spanBase: uint64(binary.BigEndian.Uint32(id[16:])) << 32,
		previous: make([]tracefmt.Seq, len(run.Members)+1), services: make([][]byte, len(run.Members)+1),
	}
	for p := range t.services {
		name := "network"
		if p > 0 {
			name = run.Members[p-1].Name
		}
		b := appendAttribute([]byte(`{"resourceSpans":[{"resource":{"attributes":[`), "service.name", name)
		t.services[p] = append(b[:len(b)-1], `]},"scopeSpans":[{"scope":{"name":"etrace"},"spans":[{`...)
	}
	return t
}

// kindOf has the numbers of span kinds.
var kindOf = map[tracefmt.Kind]int{tracefmt.Send: 4, tracefmt.Receive: 5}

// line returns the request with the span of an event that starts at a time.
func (t *traceOut) line(e *tracefmt.Event, at uint64) []byte {
	b := append(t.buf[:0], t.services[e.Process]...)
	b = t.appendID(b, e.Seq)
	if parent := t.previous[e.Process]; parent != 0 {
		b = t.appendSpanID(b, `,"parentSpanId":"`, parent)
	}
	b = tracefmt.AppendString(append(b, `,"name":`...), strings.TrimSpace(e.Kind.String()+" "+e.Type))
	kind := kindOf[e.Kind]
	if kind == 0 {
		kind = 1 // internal
	}
	b = strconv.AppendInt(append(b, `,"kind":`...), int64(kind), 10)
	b = strconv.AppendUint(append(b, `,"startTimeUnixNano":"`...), at, 10)
	b = strconv.AppendUint(append(b, `","endTimeUnixNano":"`...), at+1, 10)
	b = append(b, `","attributes":[`...)
	b = t.appendAttributes(b, e)
	b[len(b)-1] = ']'
	b = append(b, `,"links":[`...)
	for cause := range e.Causes() {
		if 0 < cause && cause < e.Seq {
			b = append(t.appendID(append(b, '{'), cause), `,"flags":768},`...)
		}
	}
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	t.buf = append(b, "]}]}]}]}\n"...)
	return t.buf
}

// appendID appends the ids of the span of an event.
func (t *traceOut) appendID(b []byte, seq tracefmt.Seq) []byte {
	b = append(append(append(b, `"traceId":"`...), t.traceID...), '"')
	return t.appendSpanID(b, `,"spanId":"`, seq)
}

// appendSpanID appends the id of the span of an event after its key.
func (t *traceOut) appendSpanID(b []byte, key string, seq tracefmt.Seq) []byte {
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], t.spanBase^uint64(seq))
	return append(hex.AppendEncode(append(b, key...), id[:]), '"')
}

// appendAttributes appends the fields of the event as attributes, with a comma after each.
func (t *traceOut) appendAttributes(b []byte, e *tracefmt.Event) []byte {
	b = appendAttribute(b, "etrace.kind", e.Kind.String())
	for _, a := range [...]struct {
		key   string
		value int64
	}{
		{"etrace.seq", int64(e.Seq)},
		{"etrace.time", int64(e.Time)},
		{"etrace.message", int64(e.Message)},
		{"etrace.cause", int64(e.Cause)},
		{"etrace.lamport", e.Lamport},
		{"etrace.term", e.Term},
		{"etrace.network", networkBit(e)},
	} {
		if a.value != 0 {
			b = appendAttribute(b, a.key, a.value)
		}
	}
	peer := t.run.ProcessName(e.Peer)
	for _, a := range [...]struct{ key, value string }{
		{"etrace.type", e.Type}, {"etrace.peer", peer}, {"etrace.payload", string(e.Payload)},
	} {
		if a.value != "" {
			b = appendAttribute(b, a.key, a.value)
		}
	}
	if e.Kind == tracefmt.Send {
		b = appendAttribute(b, "messaging.destination.name", peer)
	}
	return b
}

// networkBit returns 1 for an event of no process, and otherwise 0. It distinguishes such an event from one of a
// process with the name network.
func networkBit(e *tracefmt.Event) int64 {
	if e.Process == 0 {
		return 1
	}
	return 0
}

// appendAttribute appends an attribute that is a text or a whole number.
func appendAttribute(b []byte, key string, value any) []byte {
	b = append(append(append(b, `{"key":"`...), key...), `","value":{`...)
	switch value := value.(type) {
	case string:
		b = tracefmt.AppendString(append(b, `"stringValue":`...), value)
	case int64:
		b = strconv.AppendInt(append(b, `"intValue":"`...), value, 10)
		b = append(b, '"')
	}
	return append(b, "}},"...)
}
