package interop

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

const (
	// headSize is the number of bytes by which the format of a file is recognised.
	headSize = 16 << 10
	// maxUnpacked bounds the unpacked size of a gzip file: a few KiB can unpack to more than any disk holds.
	maxUnpacked = 4 << 30
	// maxRatio bounds the ratio of unpacked and packed size, for files that unpack to more than freeUnpacked. Gzip
	// reaches 1,030; logs whose lines have time stamps reach 30.
	maxRatio     = 200
	freeUnpacked = 16 << 20
	// maxText bounds the files that are read as a whole.
	maxText = 256 << 20
	// maxLine bounds a line of the files that are read by lines.
	maxLine = 64 << 20
)

// Input is a file to import: its name, for messages, and its contents, unpacked if they were gzip. It may be
// several files of one execution, see [Join]. These are read one at a time, and their lines are numbered
// through.
type Input struct {
	part
	ctx    context.Context // the context of the import, nil before it begins
	unread []part
	read   []part // the last one is the present file
	lines  int    // the lines of the files before the present one
	ends   int    // the line ends read in the present file
	// For a share: the files that were read, and the first bytes of the present one.
	ended     []ownFile
	headOfOwn []byte
	cut       int // the number of its last line, if that has been read and has no end; otherwise 0
	// hasEarlierLines is true if other lines of the file are before it, see ReadSlice. replaced is true if bytes of its lines were
	// no UTF-8.
	hasEarlierLines, replaced bool
}

// part is one file of an input.
type part struct {
	name  string // the name of the file in messages
	file  string // the name that the user gave
	r     *bufio.Reader
	lines int  // the lines of the files before it
	live  bool // it is written while it is read
	// A file that was read in slices has records and its first bytes. Other files have none.
	records any
	first   []byte
	index   int   // in the order in which the files were joined
	size    int64 // in bytes, as far as it is known
}

// head returns the first bytes, at most headSize. For a live file it waits only for the first bytes, and returns
// all bytes that have arrived.
func (p *part) head() []byte {
	if p.records != nil {
		return p.first
	}
	size := headSize
	if p.live {
		_, _ = p.r.Peek(1) // a later read returns an error again
		size = p.r.Buffered()
	}
	head, _ := p.r.Peek(size)
	return head
}

// Join returns one input of several files, at least one: those of one execution.
func Join(files ...*Input) *Input {
	if len(files) == 1 {
		return files[0]
	}
	shared := sharedFolder(files)
	inputs := new(Input)
	for _, input := range files {
		input.name, input.index = input.name[shared:], len(inputs.unread)
		inputs.unread = append(inputs.unread, input.part)
	}
	inputs.part, inputs.unread = inputs.unread[0], inputs.unread[1:]
	inputs.read = []part{inputs.part}
	return inputs
}

// sharedFolder returns the length of the longest folder name with which the names of all files begin.
func sharedFolder(files []*Input) int {
	shared := strings.LastIndexByte(files[0].name, '/') + 1
	for _, input := range files[1:] {
		for !strings.HasPrefix(input.name, files[0].name[:shared]) {
			shared = strings.LastIndexByte(files[0].name[:shared-1], '/') + 1
		}
	}
	return shared
}

// Next begins the next file, without reading the rest of the present one. It returns false after the last file.
func (input *Input) Next() bool {
	if len(input.unread) == 0 {
		return false
	}
	input.lines += input.ends + 1 // the last line may have no end
	input.ends = 0
	input.part, input.unread = input.unread[0], input.unread[1:]
	input.part.lines = input.lines
	input.read = append(input.read, input.part)
	return true
}

// Heads yields the name and the first bytes, at most 16 KiB, of each file that is still to be read.
func (input *Input) Heads() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, p := range slices.Concat([]part{input.part}, input.unread) {
			if !yield(p.name, p.head()) {
				return
			}
		}
	}
}

// FirstBytes returns the heads of [Input.Heads] without the names.
func (input *Input) FirstBytes() (heads [][]byte) {
	for _, head := range input.Heads() {
		heads = append(heads, head)
	}
	return heads
}

// Samples yields the name and the first bytes, at most limit, of each file that is still to be read. The
// files stay unread.
func (input *Input) Samples(limit int) iter.Seq2[string, Sample] {
	return func(yield func(string, Sample) bool) {
		for i := -1; i < len(input.unread); i++ {
			p := &input.part
			if i >= 0 {
				p = &input.unread[i]
			}
			// An error of reading comes again when the file is read.
			first, _ := io.ReadAll(io.LimitReader(p.r, int64(limit)))
			_, err := p.r.Peek(1)
			p.r = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(first), p.r), headSize)
			if !yield(p.name, Sample{first, err == nil}) {
				return
			}
		}
	}
}

// Sample is the beginning of a file.
type Sample struct {
	Bytes []byte
	More  bool // the file is longer
}

// Arrange puts the files into another order, given by their present indices. It must be called before any file
// is read.
func (input *Input) Arrange(order []int) {
	parts := slices.Concat([]part{input.part}, input.unread)
	for i, n := range order {
		if i == 0 {
			input.part = parts[n]
			continue
		}
		input.unread[i-1] = parts[n]
	}
	input.read = []part{input.part}
}

// Names returns the names of all files of the input.
func (input *Input) Names() (names []string) {
	for _, p := range slices.Concat(input.read, input.unread) {
		names = append(names, p.name)
	}
	return names
}

// Joined reports whether the input is of several files.
func (input *Input) Joined() bool { return len(input.read)+len(input.unread) > 1 }

// place returns the file of a line, and the number of the line in this file.
func (input *Input) place(line int) (file string, local int) {
	found := input.at(line)
	return found.name, line - found.lines
}

// at returns the file that has a line, the present file if none has.
func (input *Input) at(line int) *part {
	if line == 0 || !input.Joined() {
		return &part{name: input.name, file: input.file}
	}
	later := sort.Search(len(input.read), func(i int) bool { return input.read[i].lines >= line })
	return &input.read[max(later-1, 0)]
}

// SetSize declares the size of the file in bytes, for [Share].
func (input *Input) SetSize(bytes int64) {
	input.size = bytes
	input.read[0].size = bytes
}

// origin returns the place of a line, with the name that the user gave to the file, "" for stdin. An input
// without a name is no file, so it has no places.
func (input *Input) origin(line int) tracefmt.Origin {
	found := input.at(line)
	if found.file == "" {
		return tracefmt.Origin{}
	}
	o := tracefmt.Origin{File: found.file, Line: int64(line - found.lines)}
	if o.File == "-" {
		o.File = ""
	}
	return o
}

// lineText names a line for people: "line 12", or where there are several files
// "n1.log:12".
func (input *Input) lineText(line int) string {
	file, local := input.place(line)
	if input.Joined() {
		return fmt.Sprintf("%s:%d", file, local)
	}
	return fmt.Sprintf("line %d", local)
}

// NewInput returns the input with the bytes of r. name is for messages, "" for an input that is no file. It
// reads the first bytes, and fails if that fails.
func NewInput(name string, r io.Reader) (*Input, error) { return newInput(name, r, false) }

// NewLiveInput is [NewInput] for a log that is written while it is read: it waits only for the first bytes. The
// user has to name the format, since a few bytes may not show it.
func NewLiveInput(name string, r io.Reader) (*Input, error) { return newInput(name, r, true) }

// newInput returns the input with the bytes of r, which it unpacks if they are gzip.
func newInput(name string, r io.Reader, live bool) (*Input, error) {
	input := &Input{part: part{name: name, file: name, r: bufio.NewReaderSize(r, headSize), live: live}}
	input.read = []part{input.part}
	if magic, _ := input.r.Peek(2); IsPacked(magic) {
		unpacked, err := unpack(input.r, maxUnpacked)
		if err != nil {
			return nil, input.Errorf(0, "%w", err)
		}
		input.r = bufio.NewReaderSize(unpacked, headSize)
		input.read = []part{input.part}
	}
	if !live {
		if _, err := input.r.Peek(headSize); err != nil && err != io.EOF {
			return nil, input.Errorf(0, "%w", err)
		}
	}
	return input, nil
}

// IsPacked reports whether a file begins as gzip does.
func IsPacked(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// Name returns the name for messages; of several files, that of the present file.
func (input *Input) Name() string { return input.name }

// Head returns the first bytes, at most 16 KiB; of a live input, the bytes that have arrived. It is valid until
// the input is read.
func (input *Input) Head() []byte { return input.part.head() }

// Read implements [io.Reader] over the unpacked bytes.
func (input *Input) Read(p []byte) (int, error) {
	if err := input.interrupted(); err != nil {
		return 0, err
	}
	n, err := input.r.Read(p)
	input.ends += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// Line returns the number of a line of the present file in the numbering through all files.
func (input *Input) Line(local int) int { return input.lines + local }

// Cut returns the number of the last line of the present file if the line has no end, so that a part of it may
// be missing. It returns 0 if the line has an end or was not read.
func (input *Input) Cut() int { return input.cut }

// noteReplaced is the note about bytes that are no UTF-8.
const noteReplaced = "bytes that are not UTF-8 were replaced by U+FFFD"

// Text returns the whole file, at most 256 MiB, as lines that end in \n,
// without a byte order mark and as valid UTF-8. Line numbers stay those of the
// file.
func (r *Reading) Text() (string, error) {
	data, replaced, err := r.text(maxText)
	if replaced {
		r.Note(noteReplaced)
	}
	r.heap.raise(len(data))
	return data, err
}

// Lines yields the lines of the present file with their numbers, see [Input.Line]. A line has at most 64 MiB, is
// valid UTF-8, and has neither line end nor byte order mark. The sequence ends early if the file cannot be read,
// if a [Builder] has failed, or if the import is interrupted; [Import] returns the error.
func (r *Reading) Lines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		replaced := false
		defer func() {
			if replaced {
				r.Note(noteReplaced)
			}
		}()
		for n := 1; r.err == nil; n++ {
			raw, err := r.line(n)
			r.ends = n
			r.boundLines(len(raw))
			if err != nil {
				if err != io.EOF {
					r.fail(err)
				}
				return
			}
			line := raw
			if !utf8.ValidString(raw) {
				line, replaced, r.replaced = strings.ToValidUTF8(raw, "\uFFFD"), true, true
			}
			if !yield(r.Line(n), line) {
				return
			}
		}
	}
}

// longLine is the length of the lines that are texts to be read as a whole.
const longLine = 1 << 20

// boundLines raises the bound of the heap by lines, from the first long one on. Shorter lines make no garbage that counts.
func (r *Reading) boundLines(bytes int) {
	r.unbounded += bytes
	if r.unbounded >= longLine && (r.heap.limit != 0 || bytes >= longLine) {
		r.heap.raise(r.unbounded)
		r.unbounded = 0
	}
}

// line returns line n without its end; io.EOF after the last line.
func (r *Reading) line(n int) (string, error) {
	if n&1023 == 0 {
		if err := r.interrupted(); err != nil {
			return "", err
		}
	}
	part, err := r.r.ReadSlice('\n')
	if err == nil { // most lines fit into the buffer
		return r.trimLine(n, string(part)), nil
	}
	var long strings.Builder
	long.Write(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.r.ReadSlice('\n')
		if long.Len()+len(part) > maxLine {
			return "", r.Errorf(r.Line(n), "the line has more than %d MiB", maxLine>>20)
		}
		long.Write(part)
	}
	switch {
	case err == io.EOF && long.Len() > 0, err == nil:
		if err != nil {
			r.cut = r.Line(n)
		}
		return r.trimLine(n, long.String()), nil
	case err == io.EOF:
		return "", err
	}
	return "", r.Errorf(r.Line(n), "%w", err)
}

// trimLine removes the end of line n, and the byte order mark of the first line.
func (input *Input) trimLine(n int, line string) string {
	if n == 1 && !input.hasEarlierLines {
		line = strings.TrimPrefix(line, "\uFEFF")
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

// fail registers an error for [Import] to return. The first error counts.
func (r *Reading) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// text returns the whole file as [Reading.Text] does, at most limit bytes. replaced is true if some bytes were
// no UTF-8.
func (input *Input) text(limit int64) (text string, replaced bool, err error) {
	content, n, err := readPieces(io.LimitReader(input, limit+1))
	if err != nil {
		return "", false, input.Errorf(0, "%w", err)
	}
	if n > limit {
		return "", false, input.Errorf(0, "the file has more than %d MiB of text, the most that this format reads", limit>>20)
	}
	raw := strings.ReplaceAll(strings.TrimPrefix(content, "\uFEFF"), "\r\n", "\n")
	valid := strings.ToValidUTF8(raw, "\uFFFD")
	return valid, valid != raw, nil
}

// readPieces reads r to its end. It returns the content and its length. It reads pieces and joins them, since a
// text that grows while it is read would allocate six times its length.
func readPieces(r io.Reader) (content string, n int64, err error) {
	var pieces [][]byte
	for err == nil {
		piece := make([]byte, 0, 1<<20)
		for err == nil && len(piece) < cap(piece) {
			var read int
			read, err = r.Read(piece[len(piece):cap(piece)])
			piece = piece[:len(piece)+read]
		}
		pieces = append(pieces, piece)
		n += int64(len(piece))
	}
	if err != io.EOF {
		return "", n, err
	}
	var b strings.Builder
	b.Grow(int(n))
	for _, piece := range pieces {
		b.Write(piece)
	}
	return b.String(), n, nil
}

// Errorf returns an [Error] at a line, 0 for the file as a whole.
func (input *Input) Errorf(line int, format string, args ...any) error {
	file, local := input.place(line)
	return &Error{File: file, Line: local, Err: fmt.Errorf(format, args...)}
}

// Error is an error at a place in a file.
type Error struct {
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	Err  error
}

// Error returns file:line: text. Quoted text from the file cannot control a terminal.
func (e *Error) Error() string {
	if e.Line == 0 {
		return text.Printable(fmt.Sprintf("%s: %v", e.File, e.Err))
	}
	return text.Printable(fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err))
}

// Unwrap returns the error without its place.
func (e *Error) Unwrap() error { return e.Err }

// unpack returns the unpacked bytes of a gzip stream. Reading fails after limit bytes, or after maxRatio times the
// packed bytes.
func unpack(r io.Reader, limit int64) (io.Reader, error) {
	packed := &counted{r: r}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return &unpacker{z, packed, limit, 0}, nil
}

// counted is a reader that counts its bytes.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacker is the reader of unpack.
type unpacker struct {
	z        *gzip.Reader
	packed   *counted
	limit, n int64 // n is the number of unpacked bytes so far
}

// Read reads unpacked bytes. It fails if there are more than limit, or more than maxRatio times the packed
// bytes.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	u.n += int64(n)
	switch {
	case u.n > u.limit:
		return 0, fmt.Errorf("gzip: the file unpacks to more than %d MiB", u.limit>>20)
	case u.n > freeUnpacked && u.n > maxRatio*u.packed.n:
		return 0, fmt.Errorf("gzip: the file unpacks to more than %d times its size, as no log does; unpack it to read it all the same", maxRatio)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("gzip: %w", err)
	}
	return n, err
}
