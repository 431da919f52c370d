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

// host is a name that occurs as a process, as a peer or in a clock.
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

// entryBefore is what an entry needs of the one before it of its process.
type entryBefore struct {
	kind       tracefmt.Kind // 0 for none
	time       tracefmt.Time
	tick, rank int64
}

// event is an entry, and then what was understood of it. It has no pointers, so that it can
// be on disk.
type event struct {
	time       tracefmt.Time
	term       int64
	tick, rank int64 // rank is own, or that of the event before in the file
	lamport    int64
	name       digest      // of a message, or of what its ends have in common
	words      spill.Place // see Builder.wordsOf

	clock      span // of Builder.memory
	candidates span // of Builder.ids: events of other hosts, newly known by the clock
	links      span // of them, what after names
	parents    span // of them, direct causes in other hosts

	seq        int32 // in the run, 0 before it has one
	message    int32 // its number, 0 before it has one
	line, life int32 // life is that of the host
	host, peer hostID
	previous   eventID // on the same host
	partner    eventID // the other end of a message
	first      eventID // of the ends of its message without a send

	kind     tracefmt.Kind
	named    bool // its message has a name
	denied   bool // the message is of another sender
	inferred bool // not in the log
	begun    bool // being brought into order
	guess    bool // that it belongs to its partner

	timeless bool // the log has no time of it
	follows  bool // if so: one of its process that has a time is before it
}

// span is a part of a list.
type span struct{ from, end int32 }

func (s span) len() int { return int(s.end - s.from) }

// digest represents a text. Two texts with the same digest do not occur.
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

// words are the texts of an entry.
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

func appendPart[T string | []byte](dst []byte, part T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

func cutPart(b []byte) (part, tail []byte) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) { // the file of the words could not be read
		return nil, nil
	}
	b = b[size:]
	return b[:n:n], b[n:]
}

// at returns an event to be read, and edit one to be changed, at once.
func (b *Builder) at(id eventID) *event   { return b.events.At(int(id)) }
func (b *Builder) edit(id eventID) *event { return b.events.Edit(int(id)) }

// all yields the events as they were added.
func (b *Builder) entries() iter.Seq2[eventID, *event] {
	return func(yield func(eventID, *event) bool) {
		for id := range eventID(b.events.Len()) {
			if !yield(id, b.at(id)) {
				return
			}
		}
	}
}

// clockOf is the vector clock of an event.
func (b *Builder) clockOf(e *event) clock { return b.memory[e.clock.from:e.clock.end] }

// causes returns the causes of an event. noCauses returns an empty list, which addTo extends until another list is
// begun.
func (b *Builder) causes(s span) []eventID { return b.ids[s.from:s.end:s.end] }
func (b *Builder) noCauses() span          { return span{int32(len(b.ids)), int32(len(b.ids))} }
func (b *Builder) addTo(s *span, id eventID) {
	b.ids = append(b.ids, id)
	s.end++
}
