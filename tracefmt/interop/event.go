package interop

import (
	"encoding/binary"
	"hash/maphash"
	"iter"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
)

type (
	// hostID is an index of Builder.hosts, eventID one of Builder.events.
	hostID  int32
	eventID int32
)

const (
	noHost  hostID  = -1
	noEvent eventID = -1
	// maxRuns bounds the runs of a file, maxEvents the events of a run, maxCauses what vector clocks and lists of causes
	// have together, which are kept in memory. A run takes some 3 KB beside them.
	maxEvents = 1 << 30
	maxCauses = 128 << 20
	maxRuns   = 10_000
	// maxHosts bounds the processes of a run. A process takes some 300 bytes here, and up to 1.5 KB in a mapped log.
	maxHosts = 1 << 16
)

// host is a process or a name that may be one: it occurs as the process of an entry, as a peer, or in a clock.
type host struct {
	name    string
	role    string             // see [Builder.Role]
	files   []int              // the numbers of the files that have lines of it, see [Builder.Look]
	unclear int64              // lines of it that were not understood
	end     tracefmt.Time      // the time of the last line
	last    entryBefore        // while entries are added
	text    string             // of the last entry, if repeats are left out
	events  []eventID          // its steps, by own clock, if entries have such
	life    int32              // how often it began
	renewed int32              // how often its variables became unknown
	process tracefmt.ProcessID // numbered by first entries, later as of the run
	member  bool
	acts    bool // it has an entry
	read    bool // lines of it were read
	looked  bool // one of these lines has a time
	timed   bool // some entry has a time
}

// entryBefore is the entry before of the same process, as far as the next entry needs it.
type entryBefore struct {
	kind       tracefmt.Kind // 0 for none
	time       tracefmt.Time
	tick, rank int64
}

// event is an entry, with what the Builder later finds out about it. It has no pointers, so that it can be stored on
// disk.
type event struct {
	time tracefmt.Time
	term int64
	// tick is the own clock. rank is the own clock or, without one, that of the event before in the file.
	tick, rank int64
	lamport    int64
	// name is the digest of the message's name or, without one, of what its ends have in common.
	name  digest
	words spill.Place // see Builder.wordsOf

	clock span // of Builder.memory
	// candidates is a part of Builder.ids: the events of other hosts that the clock newly knows.
	candidates span
	// links is a part of Builder.ids: the causes that the entry names.
	links span
	// parents is a part of Builder.ids: the direct causes at other hosts.
	parents span

	seq        int32 // in the run, 0 before it has one
	message    int32 // its number, 0 before it has one
	line, life int32 // life is that of the host
	host, peer hostID
	previous   eventID // on the same host
	partner    eventID // the other end of a message
	// first is the first receive or loss of the same message, if no send is recorded.
	first eventID

	kind  tracefmt.Kind
	named bool // its message has a name
	// denied is set if another sender of the message is recorded.
	denied   bool
	inferred bool // not in the log
	// begun is set while the search for an order visits the event.
	begun bool
	// guess is set if the partner was chosen among several.
	guess bool

	// timeless is set if the entry has no time of its own. follows is then set if an earlier entry of its process has
	// one.
	timeless bool
	follows  bool // if so: one of its process that has a time is before it
}

// span is a part of a list: the items from a place up to an end, exclusive.
type span struct{ from, end int32 }

// len returns the number of items.
func (s span) len() int { return int(s.end - s.from) }

// digest represents a text of any length. It has 128 bits of randomly seeded hashes, so that two texts in a log never
// share one in practice.
type digest [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// digestOf returns the digest of texts together.
func (b *Builder) digestOf(texts ...string) digest {
	b.buf = b.buf[:0]
	for _, text := range texts {
		b.buf = appendPart(b.buf, text)
	}
	return digest{maphash.Bytes(seeds[0], b.buf), maphash.Bytes(seeds[1], b.buf)}
}

// words are the texts of an entry, which are stored on disk.
type words struct {
	text, typ, label        string
	message, content, match string
	fields, extra           []byte // JSON without braces
}

// keepWords returns the place of words.
func (b *Builder) keepWords(w *words) spill.Place {
	b.buf = b.buf[:0]
	for _, text := range [...]string{w.text, w.typ, w.label, w.message, w.content, w.match} {
		b.buf = appendPart(b.buf, text)
	}
	b.buf = appendPart(b.buf, w.fields)
	b.buf = append(b.buf, w.extra...)
	return b.words.Add(b.buf)
}

// wordsOf returns the words of an event.
func (b *Builder) wordsOf(e *event) (w words) {
	tail := b.words.At(e.words)
	for _, text := range [...]*string{&w.text, &w.typ, &w.label, &w.message, &w.content, &w.match} {
		var part []byte
		part, tail = cutPart(tail)
		*text = string(part)
	}
	w.fields, w.extra = cutPart(tail)
	return w
}

// appendPart appends a text with its length before it.
func appendPart[T string | []byte](dst []byte, part T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

// cutPart is the inverse of appendPart: it returns the first text and the rest.
func cutPart(b []byte) (part, tail []byte) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) { // the file of the words could not be read
		return nil, nil
	}
	b = b[size:]
	return b[:n:n], b[n:]
}

// at returns an event for reading. It is valid until the next call.
func (b *Builder) at(id eventID) *event { return b.events.At(int(id)) }

// edit returns an event for changing at once.
func (b *Builder) edit(id eventID) *event { return b.events.Edit(int(id)) }

// entries yields the events in the order in which they were added.
func (b *Builder) entries() iter.Seq2[eventID, *event] {
	return func(yield func(eventID, *event) bool) {
		for id := range eventID(b.events.Len()) {
			if !yield(id, b.at(id)) {
				return
			}
		}
	}
}

// clockOf returns the vector clock of an event.
func (b *Builder) clockOf(e *event) clock { return b.memory[e.clock.from:e.clock.end] }

// causes returns the causes in a list.
func (b *Builder) causes(s span) []eventID { return b.ids[s.from:s.end:s.end] }

// noCauses returns an empty list, which addTo extends until another list is begun.
func (b *Builder) noCauses() span { return span{int32(len(b.ids)), int32(len(b.ids))} }

// addTo appends a cause to the list begun last.
func (b *Builder) addTo(s *span, id eventID) {
	b.ids = append(b.ids, id)
	s.end++
}
