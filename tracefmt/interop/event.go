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

// MaxRuns bounds the runs of a file.
const MaxRuns = 10_000

const (
	noHost  hostID  = -1
	noEvent eventID = -1
	// maxEvents bounds the events of a run, maxCauses what vector clocks and lists of causes have together, which are kept
	// in memory. A run takes some 3 KB beside them.
	maxEvents = 1 << 30
	maxCauses = 128 << 20
	// maxHosts bounds the processes of a run. A process takes some 300 bytes here, and up to 1.5 KB in a mapped log.
	maxHosts = 1 << 16
	// maxFields bounds the fields of an entry, which are compared in memory: each takes some 200 bytes.
	maxFields = 1 << 17
)

// host is a process of the log: a name that occurs as a process, as a peer or in a clock.
type host struct {
	name    string
	role    string             // see [Builder.Role]
	files   []int              // the numbers of the files that have lines of it, see [Builder.Look]
	unclear int64              // lines of it that were not understood
	end     tracefmt.Time      // the time of the last line
	last    entryBefore        // while entries are added
	text    string             // the text of its last entry, for SkipRepeats
	events  []eventID          // its steps, by own clock, if entries have such
	life    int32              // the number of its starts and recoveries so far
	renewed int32              // how often its variables became unknown
	process tracefmt.ProcessID // numbered by first entries, later as of the run
	member  bool               // it is a process of the run, and not only a name in a clock
	acts    bool               // it has an entry
	read    bool               // lines of it were read
	looked  bool               // true if one of these lines has a time
	leads   bool               // it has taken the role of a leader
	timed   bool               // some entry has a time
}

// entryBefore is the part of a process's last entry that its next entry needs.
type entryBefore struct {
	kind       tracefmt.Kind // 0 for none
	time       tracefmt.Time
	tick, rank int64
}

// event is an entry, completed step by step by what Builder.understand finds. It has no pointers, so that it can
// be on disk.
type event struct {
	time       tracefmt.Time
	term       int64
	tick, rank int64 // tick is the own clock, 0 for none; rank is tick or, without one, the rank of the previous event
	lamport    int64
	name       digest      // a digest of the name of the message or, without one, of type and content
	words      spill.Place // see Builder.wordsOf

	clock      span // the vector clock, in Builder.memory
	candidates span // in Builder.ids: events of other hosts, newly known by the clock
	links      span // in Builder.ids: the causes that the entry names
	parents    span // in Builder.ids: direct causes in other hosts

	seq        int32 // the seq in the run, 0 before the events are sorted
	message    int32 // the number of its message, 0 before it has one
	line, life int32 // life is the life of the host at the event
	host, peer hostID
	previous   eventID // the previous step of the host
	partner    eventID // the other end of its message
	first      eventID // the first receiving end of a message without a send

	kind     tracefmt.Kind
	named    bool // true if the message has a name
	denied   bool // the entry names another sender than the send of its message
	inferred bool // no line of the log records it
	begun    bool // the sorter has begun to visit it
	guess    bool // partner is one of several possible sends

	timeless bool // true if the entry has no time
	follows  bool // timeless, and an earlier entry of its process has a time
}

// span is an interval of a list's indices, without end.
type span struct{ from, end int32 }

func (s span) len() int { return int(s.end - s.from) }

// digest is a hash of texts; a collision of two of its 128 bits long values is not expected.
type digest [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// digestOf returns the digest of a list of texts.
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

// storeWords stores the texts of an event, and returns their place.
func (b *Builder) storeWords(w *words) spill.Place {
	b.buf = b.buf[:0]
	if b.shares != nil {
		b.buf = append(b.buf, textsHere)
	}
	for _, text := range [...]string{w.text, w.typ, w.label, w.message, w.content, w.match} {
		b.buf = appendPart(b.buf, text)
	}
	b.buf = appendPart(b.buf, w.fields)
	b.buf = append(b.buf, w.extra...)
	return b.words.Add(b.buf)
}

// wordsOf reads the texts of an event. If its share cannot be read it returns none, and [Import] returns the error.
func (b *Builder) wordsOf(e *event) (w words) {
	texts := b.words.At(e.words)
	if b.shares == nil {
		return parseWords(texts)
	}
	if len(texts) == 0 || texts[0] == textsHere {
		return parseWords(texts[min(1, len(texts)):])
	}
	at := parseSharedTexts(texts[1:])
	texts, err := b.shares[at.share].read(at.at, at.length, at.sum)
	if err != nil {
		b.r.fail(err)
	}
	return parseWords(texts)
}

// typeOf returns the type of an event. It reads no share.
func (b *Builder) typeOf(e *event) string {
	if texts := b.words.At(e.words); b.shares != nil && len(texts) > 0 && texts[0] == textsInShare {
		at := parseSharedTexts(texts[1:])
		if at.typ == 0 {
			return ""
		}
		return b.shares[at.share].account.Entries.Types[at.typ-1]
	}
	return b.wordsOf(e).typ
}

// parseWords reads what storeWords has written.
func parseWords(tail []byte) (w words) {
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

// cutPart splits off the first text that appendPart has written.
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

// causes returns the causes of an event. All lists of causes share the memory of b.ids.
func (b *Builder) causes(s span) []eventID { return b.ids[s.from:s.end:s.end] }

// emptyList returns an empty list of causes at the end of b.ids.
func (b *Builder) emptyList() span { return span{int32(len(b.ids)), int32(len(b.ids))} }

// addTo adds a cause to the list that was begun last, which alone can grow.
func (b *Builder) addTo(s *span, id eventID) {
	b.ids = append(b.ids, id)
	s.end++
}
