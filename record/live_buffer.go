package record

import (
	"encoding/binary"
	"slices"
	"time"

	"etrace/tracefmt"
)

// chunkBytes is the approximate size of a chunk of the buffer. The oldest chunks are dropped as a whole.
const chunkBytes = 64 << 10

// buffer holds events in the order in which they were recorded, about 40 bytes each.
type buffer struct {
	chunks []*chunk
	types  map[string]uint64 // the numbers of the types in the last chunk
	latest string            // the type of the last event
	number uint64            // the number of latest
	next   tracefmt.Seq      // the seq of the next event
}

// chunk is a part of the events. Its bytes and types only grow, so a snapshot can share them.
type chunk struct {
	first, last tracefmt.Seq
	lastTime    tracefmt.Time
	bytes       []byte
	words       []string // types by number
	shared      bool     // a snapshot uses it, so its memory cannot be used again
}

// append adds an event with the next seq, and returns that seq. It drops the events that the limit does not
// keep.
func (b *buffer) append(e *tracefmt.Event, limit Limit) tracefmt.Seq {
	b.next++
	if len(b.chunks) == 0 || len(b.chunks[len(b.chunks)-1].bytes) > chunkBytes-1<<10 {
		b.begin(limit, e.Time)
	}
	c := b.chunks[len(b.chunks)-1]
	elapsed := uint64(e.Time - c.lastTime)
	c.last, c.lastTime = b.next, e.Time
	if e.Type != b.latest {
		b.latest, b.number = e.Type, b.numberOf(c, e.Type)
	}
	c.bytes = encode(c.bytes, e, elapsed, b.number)
	return b.next
}

// begin begins a chunk, if possible in the memory of a dropped chunk.
func (b *buffer) begin(limit Limit, now tracefmt.Time) {
	c := b.dropOldest(limit, now)
	if c == nil || c.shared || cap(c.bytes) > 2*chunkBytes { // memory for a large payload is not kept
		c = &chunk{bytes: make([]byte, 0, chunkBytes)}
	}
	*c = chunk{first: b.next, bytes: c.bytes[:0], words: append(c.words[:0], "")}
	b.chunks = append(b.chunks, c)
	b.types = map[string]uint64{"": 0}
	b.latest, b.number = "", 0
}

// numberOf returns the number of a type in the last chunk.
func (b *buffer) numberOf(c *chunk, typ string) uint64 {
	number, known := b.types[typ]
	if !known {
		number = uint64(len(c.words))
		b.types[typ], c.words = number, append(c.words, typ)
	}
	return number
}

// dropOldest drops the oldest chunks whose events the limit does not keep. It returns the last dropped chunk.
func (b *buffer) dropOldest(limit Limit, now tracefmt.Time) (forgotten *chunk) {
	for len(b.chunks) > 1 {
		oldest := b.chunks[0]
		many := limit.Events > 0 && int64(b.next-1-oldest.last) >= int64(limit.Events)
		old := limit.For > 0 && time.Duration(now-oldest.lastTime) > limit.For
		if !many && !old {
			break
		}
		forgotten = oldest
		b.chunks[0] = nil
		b.chunks = b.chunks[1:]
	}
	return forgotten
}

// encode appends an event; typ is the number of its type, elapsed the time since the previous event of the
// chunk. A bit of the second byte is set for each optional field that is not zero, and only these fields follow.
func encode(buffer []byte, e *tracefmt.Event, elapsed, typ uint64) []byte {
	const longest = 2 + 9*binary.MaxVarintLen64
	buffer = slices.Grow(buffer, longest+len(e.Payload))
	head := buffer[len(buffer) : len(buffer)+longest]
	head[0], head[1] = byte(e.Kind), 0
	at := putUvarint(head, 2, elapsed)
	at = putUvarint(head, at, uint64(e.Process))
	at = putUvarint(head, at, uint64(e.Lamport))
	for i, n := range [...]uint64{
		uint64(e.Peer), typ, uint64(e.Message), uint64(e.Cause), uint64(e.Term), uint64(len(e.Payload)),
	} {
		if n != 0 {
			head[1] |= 1 << i
			at = putUvarint(head, at, n)
		}
	}
	return append(buffer[:len(buffer)+at], e.Payload...)
}

// putUvarint is binary.PutUvarint in a form that the compiler can inline. It returns the index after the number.
func putUvarint(buffer []byte, at int, n uint64) int {
	for ; n >= 0x80; at++ {
		buffer[at], n = byte(n)|0x80, n>>7
	}
	buffer[at] = byte(n)
	return at + 1
}

// decode reads the event at the beginning of bytes, and returns the remaining bytes; before is the time of the
// previous event of the chunk.
func decode(bytes []byte, words []string, before tracefmt.Time, e *tracefmt.Event) []byte {
	kind, set := tracefmt.Kind(bytes[0]), bytes[1]
	bytes = bytes[2:]
	next := func() uint64 {
		value, size := binary.Uvarint(bytes)
		bytes = bytes[size:]
		return value
	}
	*e = tracefmt.Event{Kind: kind, Time: before + tracefmt.Time(next()), Process: tracefmt.ProcessID(next()), Lamport: int64(next())}
	var n [6]uint64
	for i := range n {
		if set&(1<<i) != 0 {
			n[i] = next()
		}
	}
	e.Peer, e.Type, e.Message = tracefmt.ProcessID(n[0]), words[n[1]], tracefmt.MessageID(n[2])
	e.Cause, e.Term = tracefmt.Seq(n[3]), int64(n[4])
	if size := n[5]; size > 0 {
		e.Payload, bytes = bytes[:size:size], bytes[size:]
	}
	return bytes
}

// snapshot is the content of a buffer at one moment.
type snapshot struct {
	chunks []chunk
	from   tracefmt.Seq // the seq of the first kept event
	next   tracefmt.Seq // the seq after the last event
	firsts map[tracefmt.ProcessID]tracefmt.Seq
	counts map[tracefmt.ProcessID]int64
}

// survey drops the events that the limit does not keep, and counts the events of each process.
func (s *snapshot) survey(limit Limit, now tracefmt.Time) {
	s.firsts, s.counts = map[tracefmt.ProcessID]tracefmt.Seq{}, map[tracefmt.ProcessID]int64{}
	if limit.Events > 0 {
		s.from = max(s.from, s.next-tracefmt.Seq(limit.Events))
	}
	kept := tracefmt.Seq(0)
	for e, seq := range s.events {
		if kept == 0 && limit.For > 0 && time.Duration(now-e.Time) > limit.For {
			continue
		}
		if kept == 0 {
			kept = seq
		}
		s.counts[e.Process]++
		if s.firsts[e.Process] == 0 {
			s.firsts[e.Process] = seq - kept + 1
		}
	}
	s.from = kept
	if kept == 0 {
		s.from = s.next
	}
}

// eventsOf returns the seq of the first kept event of a process, 0 for none, and the number of its events.
func (s *snapshot) eventsOf(p tracefmt.ProcessID) (first tracefmt.Seq, count int64) {
	return s.firsts[p], s.counts[p]
}

// events yields each kept event with its seq in the recording. The event is valid until the next one.
func (s *snapshot) events(yield func(*tracefmt.Event, tracefmt.Seq) bool) {
	var e tracefmt.Event
	for _, c := range s.chunks {
		seq, before := c.first, tracefmt.Time(0)
		for bytes := c.bytes; len(bytes) > 0; seq++ {
			bytes = decode(bytes, c.words, before, &e)
			before = e.Time
			if seq >= s.from && !yield(&e, seq) {
				return
			}
		}
	}
}

// write writes the events to a sink, numbered from 1. It leaves out causes that were dropped.
func (s *snapshot) write(w tracefmt.Writer) error {
	for e, seq := range s.events {
		e.Seq = seq - s.from + 1
		e.Cause = max(0, e.Cause-s.from+1)
		if err := w.Write(e); err != nil {
			return err
		}
	}
	return nil
}
