package interop

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// An import by several tasks has four steps. Tasks read the files, each its share, and write the entries of these files: a
// [Builder] before its complete. Tasks pair the messages that have names, see [Shares.Match]. One task joins the shares and
// orders the events, without their texts, and writes the order, see [OrderSink]. Then tasks write the run, each a piece, with
// the texts of the shares, see [Order.WritePiece].
//
// A share begins with a line with its format. Then come the texts of its entries, and the other attributes of its entries. At
// the end are the ends of its messages by the hashes of their names, its account, and shareTail.

// shareFormat is the version of shares, and shareHead their first line.
const (
	shareFormat = "etrace.import-share/1"
	shareHead   = `{"format":"` + shareFormat + `"}` + "\n"
)

// Share lets an import read some of its files, and write their entries instead of runs. All tasks of an import have the
// same files, since the names and the first bytes of all files decide how each is read.
type Share struct {
	// Index is the number of the share, from 0, of Count.
	Index, Count int
	// Sum returns a checksum of the bytes of a file, to find copies. It is nil if copies are left out already.
	Sum func(file string) (string, error)
	// Out gets the entries.
	Out io.Writer

	chosen []bool // by file
	reader json.RawMessage
	// The numbers of notes and cautions about the first lines of all files, which each task finds.
	notes, cautions int
}

// shareTail is the end of a share: the places of its parts, and the sum of its account.
type shareTail struct {
	Rows, Groups, Account int64 // where they begin
	Sum                   [16]byte
	Mark                  [8]byte
}

var shareMark = [8]byte([]byte("etrshar1"))

// shareAccount is what is known of a share beside its entries.
type shareAccount struct {
	Tool  string `json:"tool"`
	Share int    `json:"share"`
	Of    int    `json:"of"`
	// AtOnce is the reason why the files must be read at once, or "".
	AtOnce string `json:"at_once,omitempty"`
	// Files are all files of the import.
	Files []sharedFile `json:"files"`
	Own   []ownFile    `json:"own"`
	// Reader is what the reader of the format has found in the files.
	Reader   json.RawMessage `json:"reader,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
	Cautions []string        `json:"cautions,omitempty"`
	Run      *RunReport      `json:"run,omitempty"`
	Entries  *entriesAccount `json:"entries,omitempty"`
}

// sharedFile is a file of an import.
type sharedFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// ownFile is a file that the share has read. Its lines have the numbers after Lines, up to Lines and Ends.
type ownFile struct {
	File  int    `json:"file"`
	Lines int    `json:"lines"`
	Ends  int    `json:"ends"`
	Head  []byte `json:"head"`
	Sum   string `json:"sum,omitempty"`
}

// entriesAccount are the fields of a Builder beside its events.
type entriesAccount struct {
	Events int    `json:"events"`
	Rows   string `json:"rows"` // the checksum of the attributes of entries
	// Nameless: some end of a message has no name and no clock, so that only all events together show its other end.
	Nameless   bool                `json:"nameless,omitempty"`
	Groups     []messageGroup      `json:"groups"`
	Hosts      []sharedHost        `json:"hosts"`
	Kinds      map[string]int64    `json:"kinds,omitempty"`
	Variables  []string            `json:"variables,omitempty"`
	Types      []string            `json:"types,omitempty"`
	Inferred   bool                `json:"inferred,omitempty"`
	Timed      bool                `json:"timed,omitempty"`
	Untimed    bool                `json:"untimed,omitempty"`
	Timeless   bool                `json:"timeless,omitempty"` // the first entry has no time
	Repeats    int                 `json:"repeats,omitempty"`
	Resolution tracefmt.Time       `json:"resolution"`
	Missing    []sharedMissing     `json:"missing,omitempty"`
	Unplaced   int                 `json:"unplaced,omitempty"`
	Lists      []string            `json:"lists,omitempty"`
	Named      map[string][]string `json:"named,omitempty"` // values of the variables that name processes
	Aliases    map[string]string   `json:"aliases,omitempty"`
	Holes      []sharedHole        `json:"holes,omitempty"`
	Reported   []sharedGap         `json:"reported,omitempty"`
	Dated      []sharedDays        `json:"dated,omitempty"`
}

// messageGroup are the ends of messages of one group: where they begin, their length in bytes, and their checksum.
type messageGroup struct {
	At  int64  `json:"at"`
	Len int64  `json:"len"`
	Sum uint32 `json:"sum"`
}

// sharedHost is a host without what only its next entry needs.
type sharedHost struct {
	Name    string        `json:"name"`
	Role    string        `json:"role,omitempty"`
	Files   []int         `json:"files,omitempty"`
	Unclear int64         `json:"unclear,omitempty"`
	End     tracefmt.Time `json:"end,omitempty"`
	Number  int           `json:"number,omitempty"`
	Flags   uint8         `json:"flags,omitempty"`
}

// The flags of a host.
const (
	hostMember = 1 << iota
	hostActs
	hostRead
	hostLooked
	hostLeads
)

type sharedMissing struct {
	Kind     tracefmt.Kind `json:"kind"`
	Variable string        `json:"variable,omitempty"`
	Host     hostID        `json:"host"`
}

type sharedHole struct {
	Host    hostID  `json:"host"`
	After   eventID `json:"after"`
	Before  eventID `json:"before"`
	Dropped int64   `json:"dropped,omitempty"`
}

type sharedGap struct {
	Process string  `json:"process,omitempty"`
	File    int     `json:"file"`
	At      eventID `json:"at"`
	Dropped int64   `json:"dropped,omitempty"`
}

type sharedDays struct {
	File  int           `json:"file"`
	Name  string        `json:"name"`
	From  eventID       `json:"from"`
	First tracefmt.Time `json:"first"`
	Last  tracefmt.Time `json:"last"`
}

// The flags of an entry in a share, above the five bits of its kind.
const (
	rowNamed = 1 << (5 + iota)
	rowInferred
	rowTimeless
	rowFollows
	rowHasClock
	rowHasKeys
	rowIsEnd
	rowKindBits = 1<<5 - 1
)

// maxTypes bounds the types of events in a share, which its account lists.
const maxTypes = 1 << 16

// Sharing reports whether the import reads a share of its files.
func (r *Reading) Sharing() bool { return r.settings.Share != nil }

// Divided reports whether tasks share the files: the import reads some of them, or what other tasks have read.
func (r *Reading) Divided() bool { return r.Sharing() || r.order() != nil }

// AtOnce declares why the files must be read at once if tasks share them. The first reason counts.
func (r *Reading) AtOnce(format string, args ...any) {
	if r.atOnce == "" {
		r.atOnce = text.Printable(fmt.Sprintf(format, args...))
	}
}

// Divide chooses the files of the share. A tied file is in the share of the file before it. All shares get about the same
// number of bytes.
func (r *Reading) Divide(tied []bool) {
	s := r.settings.Share
	s.notes, s.cautions = len(r.report.Notes), len(r.report.Cautions)
	files := slices.Concat([]part{r.part}, r.unread)
	total := int64(0)
	for _, f := range files {
		total += f.size
	}
	s.chosen = make([]bool, len(files))
	before, share := int64(0), 0
	for i, f := range files {
		if i == 0 || !tied[i] {
			// The share that has the middle of the file's bytes.
			share = min(s.Count-1, int(float64(before+f.size/2)/float64(max(total, 1))*float64(s.Count)))
		}
		s.chosen[i] = share == s.Index
		before += f.size
	}
}

// Own reports whether the import reads the present file: always, unless another share has the file.
func (r *Reading) Own() bool {
	s := r.settings.Share
	if s != nil {
		r.headOfOwn = bytes.Clone(r.head())
	}
	return s == nil || s.chosen[len(r.read)-1]
}

// Runs returns the number of runs so far.
func (r *Reading) Runs() int { return len(r.builders) }

// SetReader sets what the reader of the format has found in the files of the share, for [Reading.Shared].
func (r *Reading) SetReader(found json.RawMessage) { r.settings.Share.reader = found }

// FileEnded registers the present file as read, for [Share].
func (r *Reading) FileEnded() {
	if r.settings.Share != nil {
		r.ended = append(r.ended, ownFile{File: r.index, Lines: r.lines, Ends: r.ends, Head: r.headOfOwn})
	}
}

// writeShare writes the entries of all files that were read.
func (r *Reading) writeShare() error {
	s := r.settings.Share
	account := &shareAccount{
		Tool: r.settings.Tool, Share: s.Index, Of: s.Count, AtOnce: r.atOnce,
		Files: r.files, Own: []ownFile{},
	}
	out := &shareWriter{w: bufio.NewWriterSize(s.Out, 1<<16)}
	if err := out.write([]byte(shareHead)); err != nil {
		return err
	}
	if r.atOnce == "" {
		if err := out.entries(r, account); err != nil {
			return err
		}
	}
	return out.close(account)
}

// sumCopies sets the sums of the files that may have copies: of those with the size of another file.
func (r *Reading) sumCopies(files []ownFile) error {
	sizes := make(map[int64]int)
	for _, f := range r.files {
		sizes[f.Size]++
	}
	for i := range files {
		f := r.files[files[i].File]
		if r.settings.Share.Sum == nil || f.Size == 0 || sizes[f.Size] < 2 {
			continue
		}
		sum, err := r.settings.Share.Sum(f.Name)
		if err != nil {
			return err
		}
		files[i].Sum = sum
	}
	return nil
}

// shareWriter writes a share.
type shareWriter struct {
	w    *bufio.Writer
	at   int64
	tail shareTail
}

func (w *shareWriter) write(b []byte) error {
	w.at += int64(len(b))
	_, err := w.w.Write(b)
	return err
}

// entries writes the texts and the attributes of all entries, and fills the account.
func (w *shareWriter) entries(r *Reading, account *shareAccount) error {
	s := r.settings.Share
	account.Own, account.Reader = append(account.Own, r.ended...), s.reader
	account.Notes, account.Cautions = r.report.Notes[s.notes:], r.report.Cautions[s.cautions:]
	if err := r.sumCopies(account.Own); err != nil {
		return err
	}
	if len(r.builders) == 0 {
		return nil
	}
	b := r.builders[0]
	account.Run, account.Entries = b.RunReport, b.entriesAccount()
	keys := make(map[eventID]string, len(b.keys))
	for key, id := range b.keys {
		keys[id] = key
	}
	rows, types := spill.NewTexts(r.store), make(map[string]int)
	row := rowWriter{Builder: b, keys: keys, after: b.after, types: types, groups: make([]groupWriter, account.Of)}
	for i := range row.groups {
		row.groups[i].texts = rows
	}
	// The texts go to the share at once. The rows wait in the store, since they come after all texts.
	for _, e := range b.entries() {
		texts := b.words.At(e.words)
		if err := w.write(texts); err != nil {
			return err
		}
		row.append(e, texts)
		if len(row.buf) > 1<<15 {
			row.flush(rows)
		}
	}
	row.flush(rows)
	if err := r.store.Err(); err != nil {
		return err
	}
	if len(types) > maxTypes {
		*account = shareAccount{
			Tool: account.Tool, Share: account.Share, Of: account.Of, Files: account.Files, Own: []ownFile{},
			AtOnce: fmt.Sprintf("the events have more than %d types", maxTypes),
		}
		return nil
	}
	account.Entries.Types = make([]string, len(types))
	for name, number := range types {
		account.Entries.Types[number-1] = name
	}
	w.tail.Rows = w.at
	sum := sha256.New()
	for _, at := range row.places {
		sum.Write(rows.At(at))
		if err := w.write(rows.At(at)); err != nil {
			return err
		}
	}
	w.tail.Groups = w.at
	account.Entries.Rows, account.Entries.Nameless = hex.EncodeToString(sum.Sum(nil)[:16]), row.nameless
	for i := range row.groups {
		group := messageGroup{At: w.at}
		row.groups[i].flush()
		for _, at := range row.groups[i].places {
			ends := rows.At(at)
			group.Len, group.Sum = group.Len+int64(len(ends)), crc32.Update(group.Sum, castagnoli, ends)
			if err := w.write(ends); err != nil {
				return err
			}
		}
		account.Entries.Groups = append(account.Entries.Groups, group)
	}
	return r.store.Err()
}

// close writes the account and the tail.
func (w *shareWriter) close(account *shareAccount) error {
	line, err := sealed.Marshal(account)
	if err != nil {
		return err
	}
	w.tail.Account, w.tail.Mark = w.at, shareMark
	if account.Entries == nil {
		w.tail.Rows, w.tail.Groups = w.at, w.at
	}
	sum := sha256.Sum256(line)
	copy(w.tail.Sum[:], sum[:])
	tail, _ := binary.Append(nil, binary.LittleEndian, &w.tail) // its size is fixed
	return errors.Join(w.write(line), w.write(tail), w.w.Flush())
}

// rowWriter writes the attributes of entries.
type rowWriter struct {
	*Builder
	buf    []byte
	places []spill.Place
	keys   map[eventID]string
	after  []cause // of the entries that are to come
	types  map[string]int
	id     eventID
	time   tracefmt.Time
	line   int32

	groups   []groupWriter
	nameless bool
}

// groupWriter writes the ends of messages of one group.
type groupWriter struct {
	texts  *spill.Texts
	buf    []byte
	places []spill.Place
	id     eventID // the last
}

// add adds an end with its flags and the digest of its name.
func (w *groupWriter) add(id eventID, e *event, name *[16]byte) {
	b := binary.AppendUvarint(w.buf, uint64(id-w.id))
	b = binary.AppendUvarint(b, uint64(e.kind))
	b = binary.AppendUvarint(b, uint64(e.host+1))
	b = binary.AppendUvarint(b, uint64(e.peer+1))
	b = binary.AppendUvarint(b, uint64(e.life))
	w.buf, w.id = append(b, name[:]...), id
	if len(w.buf) > 1<<12 {
		w.flush()
	}
}

// flush moves the ends so far to the list.
func (w *groupWriter) flush() {
	if len(w.buf) > 0 {
		w.places, w.buf = append(w.places, w.texts.Add(w.buf)), w.buf[:0]
	}
}

// flush moves the rows so far to the list.
func (w *rowWriter) flush(rows *spill.Texts) {
	w.places, w.buf = append(w.places, rows.Add(w.buf)), w.buf[:0]
}

// append appends the row of an entry with its texts.
func (w *rowWriter) append(e *event, texts []byte) {
	// A row has all that pairing and ordering need, so that an order reads no texts: beside the attributes the number of the
	// type, and the digest of the name of a message.
	words := parseWords(texts)
	key, hasKey := w.keys[w.id]
	causes := w.after
	for len(w.after) > 0 && w.after[0].event == w.id {
		w.after = w.after[1:]
	}
	causes = causes[:len(causes)-len(w.after)]
	flags := uint64(e.kind)
	for _, f := range [...]struct {
		set  bool
		flag uint64
	}{
		{e.named, rowNamed},
		{e.inferred, rowInferred},
		{e.timeless, rowTimeless},
		{e.follows, rowFollows},
		{e.clock.len() > 0, rowHasClock},
		{hasKey || len(causes) > 0, rowHasKeys},
		{e.kind == tracefmt.Send || e.isEnd(), rowIsEnd},
	} {
		if f.set {
			flags |= f.flag
		}
	}
	b := binary.AppendUvarint(w.buf, flags)
	b = binary.AppendUvarint(b, uint64(e.host+1))
	b = binary.AppendUvarint(b, uint64(e.peer+1))
	b = binary.AppendVarint(b, int64(e.time-w.time))
	b = binary.AppendVarint(b, int64(e.line-w.line))
	b = binary.AppendVarint(b, e.term)
	b = binary.AppendUvarint(b, uint64(e.tick))
	b = binary.AppendUvarint(b, uint64(e.life))
	number := 0
	if words.typ != "" {
		number = w.types[words.typ]
		if number == 0 && len(w.types) <= maxTypes {
			number = len(w.types) + 1
			w.types[words.typ] = number
		}
	}
	b = binary.AppendUvarint(b, uint64(number))
	b = binary.AppendUvarint(b, uint64(len(texts)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(texts, castagnoli))
	if flags&rowIsEnd != 0 {
		sum := stableDigest(&words)
		b = append(b, sum[:]...)
		if e.named {
			w.groups[binary.LittleEndian.Uint64(sum[:])%uint64(len(w.groups))].add(w.id, e, &sum)
		}
		w.nameless = w.nameless || !e.named && e.clock.len() == 0
	}
	if flags&rowHasClock != 0 {
		b = binary.AppendUvarint(b, uint64(e.clock.len()))
		for _, x := range w.clockOf(e) {
			b = binary.AppendUvarint(b, uint64(x.host))
			b = binary.AppendUvarint(b, uint64(x.value))
		}
	}
	if flags&rowHasKeys != 0 {
		b = appendPart(b, key)
		b = binary.AppendUvarint(b, uint64(len(causes)))
		for _, c := range causes {
			b = appendPart(b, c.key)
		}
	}
	w.buf, w.time, w.line = b, e.time, e.line
	w.id++
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// stableDigest is digestOf of an end of a message, equal in all tasks.
func stableDigest(w *words) (sum [16]byte) {
	var b []byte
	if w.message != "" {
		b = appendPart(nil, w.message)
	} else {
		b = appendPart(appendPart(appendPart(nil, w.typ), w.content), w.match)
	}
	long := sha256.Sum256(b)
	copy(sum[:], long[:])
	return sum
}

// entriesAccount returns the fields of the Builder beside its events.
func (b *Builder) entriesAccount() *entriesAccount {
	a := &entriesAccount{
		Events: b.events.Len(), Kinds: make(map[string]int64), Variables: slices.Sorted(maps.Keys(b.variables)), Inferred: b.inferred,
		Timed: b.timed, Untimed: b.untimed, Repeats: b.repeats, Resolution: b.resolution, Unplaced: b.unplaced,
		Lists: slices.Sorted(maps.Keys(b.lists)), Aliases: b.aliases,
	}
	// The state that only the next entry of a process needs stays here: all entries of the process are in this share.
	if b.events.Len() > 0 {
		first := b.at(0)
		a.Timeless = first.timeless && !first.follows
	}
	for kind, count := range b.kinds {
		a.Kinds[kind.String()] = count
	}
	for _, h := range b.hosts {
		shared := sharedHost{Name: h.name, Role: h.role, Files: h.files, Unclear: h.unclear, End: h.end, Number: int(h.process)}
		for i, flag := range [...]bool{h.member, h.acts, h.read, h.looked, h.leads} {
			if flag {
				shared.Flags |= 1 << i
			}
		}
		a.Hosts = append(a.Hosts, shared)
	}
	for fact, hosts := range b.missing {
		for host := range hosts {
			a.Missing = append(a.Missing, sharedMissing{fact.Kind, fact.Variable, host})
		}
	}
	slices.SortFunc(a.Missing, func(x, y sharedMissing) int { return bytes.Compare(fmt.Append(nil, x), fmt.Append(nil, y)) })
	if b.namedValues != nil {
		a.Named = make(map[string][]string)
		for variable, names := range b.namedValues {
			a.Named[variable] = slices.Sorted(maps.Keys(names))
		}
	}
	for _, h := range b.holes {
		a.Holes = append(a.Holes, sharedHole{h.host, h.after, h.before, h.dropped})
	}
	for _, g := range b.reported {
		a.Reported = append(a.Reported, sharedGap{g.process, g.file, g.at, g.dropped})
	}
	for _, d := range b.dated {
		a.Dated = append(a.Dated, sharedDays{d.file, d.name, d.from, d.first, d.last})
	}
	return a
}
