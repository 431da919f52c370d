package interop

import (
	"bufio"
	"bytes"
	"cmp"
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
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

// ShareFile is a file with the share of a task.
type ShareFile struct {
	Name string
	Size int64
	io.ReaderAt
}

// Shares are all shares of an import, by number.
type Shares struct {
	list    []*openShare
	atOnce  string
	matches *Matches // nil if the order pairs the messages
}

// openShare is a share that is read.
type openShare struct {
	file    ShareFile
	tail    shareTail
	account shareAccount
	pages   pages
	// filesRead is the number of its files that the import has reached.
	filesRead int
}

// OpenShares opens the shares of an import. It fails unless they are all shares of one import, each once.
func OpenShares(tool string, files []ShareFile) (*Shares, error) {
	s := new(Shares)
	for _, file := range files {
		share, err := openShareFile(tool, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text.Printable(file.Name), err)
		}
		s.list = append(s.list, share)
	}
	first := s.list[0]
	byNumber := make(map[int]*openShare)
	for _, share := range s.list {
		a, expected := &share.account, &first.account
		switch again := byNumber[a.Share]; {
		case a.Of != expected.Of || !slices.Equal(a.Files, expected.Files):
			return nil, fmt.Errorf("%s: a share of another import than %s, by its files or their sizes; expected shares of one",
				share.file.Name, first.file.Name)
		case again != nil:
			return nil, fmt.Errorf("%s: share %d of %d, as %s; expected each share once", share.file.Name, a.Share, a.Of, again.file.Name)
		}
		byNumber[a.Share] = share
	}
	var missing []string
	for i := range first.account.Of {
		if byNumber[i] == nil {
			missing = append(missing, strconv.Itoa(i))
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("share %s of 0 to %d is missing, expected all shares of the import",
			text.And(text.Few(missing, 5)), first.account.Of-1)
	}
	slices.SortFunc(s.list, func(x, y *openShare) int { return cmp.Compare(x.account.Share, y.account.Share) })
	return s, nil
}

// openShareFile reads the account of a share.
func openShareFile(tool string, file ShareFile) (*openShare, error) {
	s := &openShare{file: file}
	size := int64(binary.Size(s.tail))
	head := make([]byte, len(shareHead))
	if _, err := file.ReadAt(head, 0); err != nil || string(head) != shareHead {
		return nil, errors.New("expected a share that etrace import --files has written")
	}
	if file.Size < size {
		return nil, errCutShare
	}
	// The tail has the places of all parts, so that a share that is cut off is noticed before anything is read.
	err := binary.Read(io.NewSectionReader(file, file.Size-size, size), binary.LittleEndian, &s.tail)
	switch t := &s.tail; {
	case err != nil:
		return nil, err
	case t.Mark != shareMark || t.Rows < 0 || t.Rows > t.Groups || t.Groups > t.Account || t.Account > file.Size-size:
		return nil, errCutShare
	}
	line := make([]byte, file.Size-size-s.tail.Account)
	if _, err := file.ReadAt(line, s.tail.Account); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(line); !bytes.Equal(sum[:16], s.tail.Sum[:]) {
		return nil, errors.New("the account of the share was changed")
	}
	a := &s.account
	if err := sealed.Unmarshal(line, a); err != nil {
		return nil, err
	}
	if a.Tool != tool {
		return nil, fmt.Errorf("a share of %s, and this is %s; expected the same", text.Printable(a.Tool), tool)
	}
	if !a.isConsistent() {
		return nil, errors.New("the account of the share was changed")
	}
	s.pages = pages{from: file, end: s.tail.Rows}
	return s, nil
}

// isConsistent reports whether the numbers of processes and entries in the account exist.
func (a *shareAccount) isConsistent() bool {
	e := a.Entries
	if e == nil {
		return true
	}
	isHost := func(id hostID) bool { return noHost <= id && int(id) < len(e.Hosts) }
	isEvent := func(id eventID) bool { return noEvent <= id && int(id) < e.Events }
	return a.Run != nil && 0 <= e.Events && e.Events <= maxEvents && e.Resolution > 0 && len(e.Groups) == a.Of &&
		!slices.ContainsFunc(e.Missing, func(m sharedMissing) bool { return !isHost(m.Host) }) &&
		!slices.ContainsFunc(e.Holes, func(h sharedHole) bool {
			return h.Host < 0 || !isHost(h.Host) || !isEvent(h.After) || !isEvent(h.Before)
		}) &&
		// A gap or a file may begin after the last entry.
		!slices.ContainsFunc(e.Reported, func(g sharedGap) bool { return g.At < 0 || int(g.At) > e.Events }) &&
		!slices.ContainsFunc(e.Dated, func(d sharedDays) bool { return d.From < 0 || int(d.From) > e.Events })
}

var errCutShare = errors.New("the share is cut off, expected it whole")

// AtOnce returns the reason why the files of the import must be read at once, or "".
func (s *Shares) AtOnce() string {
	for _, share := range s.list {
		s.atOnce = cmp.Or(s.atOnce, share.account.AtOnce)
	}
	return s.atOnce
}

// Reader returns what the reader of the format has found in the files of the first share that has files.
func (s *Shares) Reader() json.RawMessage {
	for _, share := range s.list {
		if share.account.Reader != nil {
			return share.account.Reader
		}
	}
	return nil
}

// Inputs returns an input for each file of the import, in the order in which the tasks got them. It fails unless each
// file is in one share.
func (s *Shares) Inputs() (inputs []*Input, err error) {
	files := s.list[0].account.Files
	inputs = make([]*Input, len(files))
	sums := make(map[string]string)
	for _, share := range s.list {
		for _, file := range share.account.Own {
			if file.File < 0 || file.File >= len(files) || inputs[file.File] != nil {
				return nil, fmt.Errorf("%s: file %d of %d again, expected each once", share.file.Name, file.File, len(files))
			}
			name := files[file.File].Name
			if original := sums[file.Sum]; file.Sum != "" && original != "" {
				s.atOnce = text.Printable(fmt.Sprintf("%s has the same bytes as %s", name, original))
			}
			sums[file.Sum] = name
			inputs[file.File] = NewSlicedInput(name, file.Head, &sharedRecords{s, share, file.Ends})
		}
	}
	for i, input := range inputs {
		if input == nil {
			return nil, fmt.Errorf("no share has the file %s", text.Printable(files[i].Name))
		}
	}
	return inputs, nil
}

// sharedRecords are the records of a file that a task has read.
type sharedRecords struct {
	shares *Shares
	share  *openShare
	ends   int
}

// Shared returns what the reader of the format has found in the files of the share that has the present file, if that is
// the first file of the share. isShared is true if a share has the present file.
func (r *Reading) Shared() (found json.RawMessage, isShared bool) {
	shared, ok := r.records.(*sharedRecords)
	if !ok {
		return nil, false
	}
	r.ends = shared.ends
	share := shared.share
	if share.filesRead++; share.filesRead == 1 {
		return share.account.Reader, true
	}
	return nil, true
}

// Absorb adds the entries of the present file's share, whose files are numbered through from here on. It calls
// [Reading.AtOnce] for entries that an import at once would not read so.
func (b *Builder) Absorb() error {
	records := b.r.records.(*sharedRecords)
	share := records.share
	lines := b.r.lines
	var bases []ownFile
	for _, file := range share.account.Own {
		bases = append(bases, ownFile{Lines: lines, Ends: file.Ends})
		lines += file.Ends + 1
	}
	a := &absorber{Builder: b, share: share, bases: bases, first: eventID(b.events.Len())}
	b.r.report.Notes = append(b.r.report.Notes, share.account.Notes...)
	b.r.report.Cautions = append(b.r.report.Cautions, share.account.Cautions...)
	if share.account.Entries == nil {
		return nil
	}
	b.shares, b.matched = records.shares.list, records.shares.matches
	a.addReport(share.account.Run)
	a.addAccount(share.account.Entries)
	return a.addEvents(share.account.Entries)
}

// absorber adds the entries of a share to a Builder.
type absorber struct {
	*Builder
	share *openShare
	bases []ownFile // the numbers of the lines of its files
	first eventID   // the first of its events
	hosts []hostID  // by host in the share
	file  int       // of the last line
}

// line returns the number that a line of the share has now.
func (a *absorber) line(line int) int {
	files := a.share.account.Own
	if line == 0 || len(files) == 0 {
		return 0
	}
	within := func(i int) bool { return files[i].Lines < line && line <= files[i].Lines+files[i].Ends+1 }
	if !within(a.file) {
		a.file = max(0, slices.IndexFunc(files, func(file ownFile) bool { return line <= file.Lines+file.Ends+1 }))
	}
	return a.bases[a.file].Lines + line - files[a.file].Lines
}

// addReport adds the remarks about the files.
func (a *absorber) addReport(run *RunReport) {
	moved := *run
	moved.Findings, moved.Skipped.First = slices.Clone(run.Findings), slices.Clone(run.Skipped.First)
	for i := range moved.Findings {
		moved.Findings[i].Line = a.line(moved.Findings[i].Line)
	}
	for i := range moved.Skipped.First {
		moved.Skipped.First[i].Number = a.line(moved.Skipped.First[i].Number)
	}
	a.RunReport.takeIn(&moved)
}

// host returns the host of a host in the share.
func (a *absorber) host(id hostID) hostID {
	if id < 0 || int(id) >= len(a.hosts) {
		return noHost
	}
	return a.hosts[id]
}

// event returns the event of an event in the share.
func (a *absorber) event(id eventID) eventID {
	if id == noEvent {
		return noEvent
	}
	return a.first + id
}

// addAccount adds what is known of the entries.
func (a *absorber) addAccount(from *entriesAccount) {
	b := a.Builder
	// In an import at once, an entry without a time has that of the entry before it, which may be in another share.
	if a.first > 0 && from.Timeless && (b.timed || from.Timed) {
		b.r.AtOnce("the first entry of %s has no time", b.r.Name())
	}
	a.addNames(from)
	for kind, count := range from.Kinds {
		if k, err := tracefmt.ParseKind(kind); err == nil {
			b.kinds[k] += count
		}
	}
	for _, name := range from.Variables {
		b.variables[name] = true
	}
	b.inferred, b.timed, b.untimed = b.inferred || from.Inferred, b.timed || from.Timed, b.untimed || from.Untimed
	b.repeats, b.unplaced, b.resolution = b.repeats+from.Repeats, b.unplaced+from.Unplaced, min(b.resolution, from.Resolution)
	for _, m := range from.Missing {
		b.addMissing(a.host(m.Host), tracefmt.Fact{Kind: m.Kind, Variable: m.Variable})
	}
	a.addValues(from)
	for _, h := range from.Holes {
		b.holes = append(b.holes, hole{a.host(h.Host), a.event(h.After), a.event(h.Before), h.Dropped})
	}
	for _, g := range from.Reported {
		b.reported = append(b.reported, reported{g.Process, g.File, a.event(g.At), g.Dropped})
	}
	for _, d := range from.Dated {
		b.dated = append(b.dated, daysOf{file: d.File, name: d.Name, from: a.event(d.From), first: d.First, last: d.Last})
	}
}

// addNames adds the processes of the share, and their other names.
func (a *absorber) addNames(from *entriesAccount) {
	b := a.Builder
	for _, alias := range slices.Sorted(maps.Keys(from.Aliases)) {
		if known, ok := b.aliases[alias]; ok && known != from.Aliases[alias] {
			b.r.AtOnce("%s is another name of %s and of %s", alias, known, from.Aliases[alias])
			continue
		}
		if b.aliases == nil {
			b.aliases = make(map[string]string)
		}
		b.aliases[alias] = from.Aliases[alias]
	}
	a.addHosts(from.Hosts)
}

// addValues adds the names of processes in lists and values.
func (a *absorber) addValues(from *entriesAccount) {
	b := a.Builder
	for _, list := range from.Lists {
		if b.lists == nil {
			b.lists = make(map[string]bool)
		}
		b.lists[list] = true
	}
	for variable, names := range from.Named {
		if b.namedValues == nil {
			b.namedValues = make(map[string]map[string]bool)
		}
		if b.namedValues[variable] == nil {
			b.namedValues[variable] = make(map[string]bool)
		}
		for _, name := range names {
			b.namedValues[variable][name] = true
		}
		if len(b.namedValues[variable]) > maxApart {
			b.r.AtOnce("the variable %s has more than %d values", variable, maxApart)
		}
	}
	if len(b.lists) > maxLists {
		b.r.AtOnce("the log has more than %d lists of members", maxLists)
	}
}

// addHosts adds the processes of the share. A process with lines in two shares has been read without its earlier lines.
func (a *absorber) addHosts(hosts []sharedHost) {
	b := a.Builder
	numbers := make([]int, len(hosts))
	for i, shared := range hosts {
		id := b.intern(shared.Name)
		a.hosts, numbers[i] = append(a.hosts, id), i
		h := b.hosts[id]
		if h.read && shared.Flags&hostRead != 0 {
			b.r.AtOnce("%s has lines in several files", shared.Name)
		}
		if h.role != "" && shared.Role != "" && h.role != shared.Role {
			b.r.AtOnce("%s has the role %s, and %s in another file", shared.Name, h.role, shared.Role)
		}
		h.role = cmp.Or(h.role, shared.Role)
		h.files, h.unclear = append(h.files, shared.Files...), h.unclear+shared.Unclear
		h.member = h.member || shared.Flags&hostMember != 0
		h.acts = h.acts || shared.Flags&hostActs != 0
		h.read = h.read || shared.Flags&hostRead != 0
		h.leads = h.leads || shared.Flags&hostLeads != 0
		if shared.Flags&hostLooked != 0 {
			h.end, h.looked = shared.End, true
		}
	}
	// The numbers by first entries go on.
	slices.SortStableFunc(numbers, func(x, y int) int { return cmp.Compare(hosts[x].Number, hosts[y].Number) })
	for _, i := range numbers {
		if h := b.hosts[a.hosts[i]]; hosts[i].Number > 0 && h.process == 0 {
			b.acting++
			h.process = b.acting
		}
	}
}

// addEvents adds the events of the share.
func (a *absorber) addEvents(from *entriesAccount) error {
	b := a.Builder
	sum := sha256.New()
	section := io.NewSectionReader(a.share.file, a.share.tail.Rows, a.share.tail.Groups-a.share.tail.Rows)
	r := &rowReader{r: bufio.NewReaderSize(io.TeeReader(section, sum), 1<<16), account: from, row: row{texts: int64(len(shareHead))}}
	ranks := make(map[hostID]int64)
	types := make([]string, len(from.Types)+1)
	copy(types[1:], from.Types)
	for range from.Events {
		if b.events.Len() == maxEvents {
			return b.r.Errorf(0, "the run has more than %d events, the most that this format reads", maxEvents)
		}
		row := r.next()
		if r.err != nil {
			break
		}
		ev := event{
			kind: row.kind, host: a.host(row.host), peer: a.host(row.peer), line: int32(a.line(row.line)), tick: row.tick, term: row.term,
			time: row.time, inferred: row.flags&rowInferred != 0, timeless: row.flags&rowTimeless != 0, follows: row.flags&rowFollows != 0,
			life: row.life, named: row.flags&rowNamed != 0, name: row.name, previous: noEvent, partner: noEvent, first: noEvent,
		}
		// An entry without an own clock has the rank of the entry before it of its process, which is in this share, too.
		ev.rank = ev.tick
		if ev.rank == 0 {
			ev.rank = ranks[ev.host]
		}
		ranks[ev.host] = ev.rank
		b.numbered = b.numbered || ev.tick > 0
		if row.flags&rowIsEnd != 0 {
			b.ends++
		}
		if len(row.clock) > 0 {
			start := len(b.memory)
			for _, x := range row.clock {
				b.memory = append(b.memory, entry{a.host(x.host), x.value})
			}
			sorted, _ := clock(b.memory[start:]).normalise()
			ev.clock = span{int32(start), int32(start + len(sorted))}
		}
		a.addKeys(row)
		if len(b.memory)+len(b.after) > maxCauses {
			return b.r.Errorf(0, "the clocks and causes of the run have more than %d entries, the most that are kept", maxCauses)
		}
		at := sharedTexts{a.share.account.Share, row.texts, row.length, row.sum, row.typ}
		ev.words = b.words.Add(at.append(nil))
		b.events.Add(ev)
		if err := b.r.interrupted(); err != nil && b.events.Len()&1023 == 0 {
			return err
		}
	}
	if r.err == nil {
		if _, err := r.r.ReadByte(); err != io.EOF || hex.EncodeToString(sum.Sum(nil)[:16]) != from.Rows {
			r.err = errors.New("the entries of the share were changed, or some are missing")
		}
	}
	if r.err != nil {
		return fmt.Errorf("%s: %w", a.share.file.Name, r.err)
	}
	return nil
}

// addKeys adds the keys of an entry and of its causes.
func (a *absorber) addKeys(row *row) {
	b := a.Builder
	id := eventID(b.events.Len())
	for _, key := range row.after {
		b.after = append(b.after, cause{id, key})
	}
	if row.key == "" {
		return
	}
	if _, twice := b.keys[row.key]; twice {
		b.r.AtOnce("two entries have the key %s", text.Quote(row.key))
		return
	}
	b.keys[row.key] = id
}

// checkShared calls [Reading.AtOnce] if two processes of different shares turned out to be one.
func (b *Builder) checkShared() {
	if len(b.shares) < 2 || len(b.aliases) == 0 {
		return
	}
	read := make(map[string]string)
	for _, h := range b.hosts {
		called := b.Called(h.name)
		if before, twice := read[called]; h.read && twice {
			b.r.AtOnce("%s and %s are one process, with lines in several files", before, h.name)
		}
		if h.read {
			read[called] = h.name
		}
	}
}

// row has the attributes of an entry in a share.
type row struct {
	flags      uint64
	kind       tracefmt.Kind
	host, peer hostID
	time       tracefmt.Time
	line       int
	term, tick int64
	life       int32
	typ        int
	texts      int64 // the place of its texts
	length     int
	sum        uint32
	name       digest
	clock      clock
	key        string
	after      []string
}

// rowReader reads rows. The first error stays.
type rowReader struct {
	r       *bufio.Reader
	account *entriesAccount
	row     row
	err     error
}

// next returns the next row, which is valid until the call after.
func (r *rowReader) next() *row {
	w := &r.row
	// The order of the fields is that of rowWriter.append. The texts of entries follow each other in the share.
	w.texts += int64(w.length)
	w.clock, w.after, w.key = w.clock[:0], w.after[:0], ""
	w.flags = r.number()
	w.kind = tracefmt.Kind(w.flags & rowKindBits)
	w.host, w.peer = r.index(), r.index()
	w.time += tracefmt.Time(r.signed())
	w.line += int(r.signed())
	w.term, w.tick = r.signed(), int64(r.number())
	w.life, w.typ, w.length = int32(r.number()), int(r.number()), int(r.number())
	w.sum, w.name = binary.LittleEndian.Uint32(r.bytes(4)), digest{}
	if w.flags&rowIsEnd != 0 {
		b := r.bytes(16)
		w.name = digest{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	}
	if w.flags&rowHasClock != 0 {
		for range r.number() {
			if r.err != nil {
				break
			}
			w.clock = append(w.clock, entry{hostID(r.number()), int64(r.number())})
		}
	}
	if w.flags&rowHasKeys != 0 {
		w.key = r.text()
		for range r.number() {
			if r.err != nil {
				break
			}
			w.after = append(w.after, r.text())
		}
	}
	if r.err == nil && (!w.kind.Valid() || w.typ > len(r.account.Types) || w.texts < 0 || w.length < 0 || w.line < 0) {
		r.err = errors.New("an entry of the share was changed")
	}
	return w
}

func (r *rowReader) number() uint64 {
	n, err := binary.ReadUvarint(r.r)
	r.fail(err)
	return n
}

func (r *rowReader) signed() int64 {
	n, err := binary.ReadVarint(r.r)
	r.fail(err)
	return n
}

// index reads an index that was written as one more, so that -1 is 0.
func (r *rowReader) index() hostID { return hostID(r.number()) - 1 }

// bytes returns the next bytes, zeros after an error. They are valid until the next read.
func (r *rowReader) bytes(n int) []byte {
	b, err := r.r.Peek(n)
	if err != nil {
		r.fail(err)
		return make([]byte, n)
	}
	_, _ = r.r.Discard(n) // they are in the buffer
	return b
}

func (r *rowReader) text() string {
	n := r.number()
	if r.err != nil || n > maxLine {
		r.fail(errors.New("an entry of the share was changed"))
		return ""
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r.r, b)
	r.fail(err)
	return string(b)
}

func (r *rowReader) fail(err error) {
	if err != nil && r.err == nil {
		r.err = cmp.Or(map[error]error{io.EOF: errors.New("the entries of the share are cut off")}[err], err)
	}
}

// sharedTexts is the place of the texts of an entry in a share, and their checksum. typ is the number of its type.
type sharedTexts struct {
	share  int
	at     int64
	length int
	sum    uint32
	typ    int
}

// append writes the place in place of texts. Its first byte distinguishes it.
func (s *sharedTexts) append(b []byte) []byte {
	b = append(b, textsInShare)
	b = binary.AppendUvarint(b, uint64(s.share))
	b = binary.AppendUvarint(b, uint64(s.at))
	b = binary.AppendUvarint(b, uint64(s.length))
	b = binary.LittleEndian.AppendUint32(b, s.sum)
	return binary.AppendUvarint(b, uint64(s.typ))
}

// The first byte of the texts of a Builder with shares.
const (
	textsHere = iota
	textsInShare
)

// parseSharedTexts reads what sharedTexts.append has written.
func parseSharedTexts(b []byte) (s sharedTexts) {
	next := func() int64 {
		n, size := binary.Uvarint(b)
		b = b[max(size, 0):]
		return int64(n)
	}
	s.share, s.at, s.length = int(next()), next(), int(next())
	if len(b) > 4 {
		s.sum = binary.LittleEndian.Uint32(b)
		b = b[4:]
		s.typ = int(next())
	}
	return s
}

// read returns the texts at a place.
func (s *openShare) read(at int64, length int, sum uint32) ([]byte, error) {
	texts, err := s.pages.read(at, length)
	if err == nil && crc32.Checksum(texts, castagnoli) != sum {
		err = errors.New("the texts of the share were changed")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file.Name, err)
	}
	return texts, nil
}

// pages reads a file by pages, and keeps the latest pages. Texts of several files are mixed, each in ascending order.
type pages struct {
	from  io.ReaderAt
	end   int64
	cache map[int64][]byte
	queue []int64 // the numbers of the pages kept, the oldest first
	buf   []byte
}

const (
	pageSize  = 32 << 10
	keptPages = 512
)

// read returns bytes of the file. They are valid until the next call.
func (p *pages) read(at int64, length int) ([]byte, error) {
	if at < 0 || length < 0 || at+int64(length) > p.end {
		return nil, errors.New("texts beyond the end of the share")
	}
	number, within := at/pageSize, int(at%pageSize)
	page, err := p.page(number)
	if err != nil {
		return nil, err
	}
	if within+length <= len(page) {
		return page[within : within+length], nil
	}
	p.buf = p.buf[:0]
	for length > 0 {
		piece := page[within:min(within+length, len(page))]
		p.buf, length = append(p.buf, piece...), length-len(piece)
		number, within = number+1, 0
		if length == 0 {
			break
		}
		page, err = p.page(number)
		if err != nil {
			return nil, err
		}
	}
	return p.buf, nil
}

// page returns a page.
func (p *pages) page(number int64) ([]byte, error) {
	if page, ok := p.cache[number]; ok {
		return page, nil
	}
	if p.cache == nil {
		p.cache = make(map[int64][]byte)
	}
	page := make([]byte, min(pageSize, p.end-number*pageSize))
	if len(p.queue) == keptPages {
		oldest := p.queue[0]
		p.queue = p.queue[1:]
		if old := p.cache[oldest]; cap(old) >= len(page) {
			page = old[:len(page)]
		}
		delete(p.cache, oldest)
	}
	if _, err := p.from.ReadAt(page, number*pageSize); err != nil && err != io.EOF {
		return nil, err
	}
	p.cache[number], p.queue = page, append(p.queue, number)
	return page, nil
}
