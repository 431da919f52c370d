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
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

const (
	// headSize is how much of a file is looked at to recognise its format.
	headSize = 16 << 10
	// maxUnpacked bounds what a gzip file may become: a few KiB can unpack
	// to more than any disk holds.
	maxUnpacked = 4 << 30
	// maxRatio bounds how many times its size a gzip file may become, beyond freeUnpacked: gzip comes to 1,030, and
	// logs whose lines have time stamps to 30.
	maxRatio     = 200
	freeUnpacked = 16 << 20
	// maxText bounds the files that are read as a whole.
	maxText = 256 << 20
	// maxLine bounds a line of the files that are read by lines.
	maxLine = 64 << 20
)

// Input is a file to import: its name, for messages, and its contents,
// unpacked if they were gzip. It may be several files of one execution, see
// [Join], of which one is read at a time; their lines are numbered through.
type Input struct {
	part
	ctx   context.Context // of the import, nil before
	rest  []part
	read  []part // and the one at hand
	lines int    // of the files before the one at hand
	ends  int    // line ends passed in the one at hand
	cut   int    // the number of its last line, where that has no end; 0 before it is read
}

// part is one file of an input.
type part struct {
	name  string // for messages
	file  string // as it was named
	r     *bufio.Reader
	lines int // of the files before it
}

// Join returns one input of several files, at least one: those of one execution.
func Join(files ...*Input) *Input {
	if len(files) == 1 {
		return files[0]
	}
	shared := sharedFolder(files)
	all := new(Input)
	for _, in := range files {
		in.name = in.name[shared:]
		all.rest = append(all.rest, in.part)
	}
	all.part, all.rest = all.rest[0], all.rest[1:]
	all.read = []part{all.part}
	return all
}

// sharedFolder returns how long the name of the folder is in which all of the files are.
func sharedFolder(files []*Input) int {
	shared := strings.LastIndexByte(files[0].name, '/') + 1
	for _, in := range files[1:] {
		for !strings.HasPrefix(in.name, files[0].name[:shared]) {
			shared = strings.LastIndexByte(files[0].name[:shared-1], '/') + 1
		}
	}
	return shared
}

// Next goes on to the next file, false after the last one. The rest of the one at hand is
// not read.
func (in *Input) Next() bool {
	if len(in.rest) == 0 {
		return false
	}
	in.lines += in.ends + 1 // the last line may have no end
	in.ends = 0
	in.part, in.rest = in.rest[0], in.rest[1:]
	in.part.lines = in.lines
	in.read = append(in.read, in.part)
	return true
}

// Heads yields the name and the first bytes, at most 16 KiB, of each file that is still to be read.
func (in *Input) Heads() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, p := range slices.Concat([]part{in.part}, in.rest) {
			head, _ := p.r.Peek(headSize)
			if !yield(p.name, head) {
				return
			}
		}
	}
}

// Samples yields the name and the first bytes, at most limit, of each file that is still to be read; more
// says that there are others. They stay to be read.
func (in *Input) Samples(limit int) iter.Seq2[string, Sample] {
	return func(yield func(string, Sample) bool) {
		for i := -1; i < len(in.rest); i++ {
			p := &in.part
			if i >= 0 {
				p = &in.rest[i]
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
	More  bool // there is more of it
}

// Arrange puts the files into another order, by their numbers in the present one, from 0. It is for
// before any of them is read.
func (in *Input) Arrange(order []int) {
	all := slices.Concat([]part{in.part}, in.rest)
	for i, n := range order {
		if i == 0 {
			in.part = all[n]
			continue
		}
		in.rest[i-1] = all[n]
	}
	in.read = []part{in.part}
}

// Names returns the names of all files of the input.
func (in *Input) Names() (names []string) {
	for _, p := range slices.Concat(in.read, in.rest) {
		names = append(names, p.name)
	}
	return names
}

// Joined reports whether the input is of several files.
func (in *Input) Joined() bool { return len(in.read)+len(in.rest) > 1 }

// place returns the file of a line, and the number that the line has there.
func (in *Input) place(line int) (file string, local int) {
	of := in.at(line)
	return of.name, line - of.lines
}

// at returns the file of a line, for none the one at hand.
func (in *Input) at(line int) part {
	if line == 0 || !in.Joined() {
		return part{name: in.name, file: in.file}
	}
	of := in.read[0]
	for _, p := range in.read {
		if p.lines < line {
			of = p
		}
	}
	return of
}

// origin is the place of a line as the user named the file; the file is "" for stdin. An input without a name is no file,
// so that its lines are no places.
func (in *Input) origin(line int) tracefmt.Origin {
	of := in.at(line)
	if of.file == "" {
		return tracefmt.Origin{}
	}
	o := tracefmt.Origin{File: of.file, Line: int64(line - of.lines)}
	if o.File == "-" {
		o.File = ""
	}
	return o
}

// lineText names a line for people: "line 12", or where there are several files
// "n1.log:12".
func (in *Input) lineText(line int) string {
	file, local := in.place(line)
	if in.Joined() {
		return fmt.Sprintf("%s:%d", file, local)
	}
	return fmt.Sprintf("line %d", local)
}

// NewInput returns the input that r holds, under a name, "" for what is no file. It reads the first bytes.
func NewInput(name string, r io.Reader) (*Input, error) {
	in := &Input{part: part{name: name, file: name, r: bufio.NewReaderSize(r, headSize)}}
	in.read = []part{in.part}
	if magic, _ := in.r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := unpack(in.r, maxUnpacked)
		if err != nil {
			return nil, in.Errorf(0, "%w", err)
		}
		in.r = bufio.NewReaderSize(unpacked, headSize)
		in.read = []part{in.part}
	}
	if _, err := in.r.Peek(headSize); err != nil && err != io.EOF {
		return nil, in.Errorf(0, "%w", err)
	}
	return in, nil
}

// Name returns the name that messages use, of several files that of the one at hand.
func (in *Input) Name() string { return in.name }

// Head returns the first bytes, at most 16 KiB. It is valid until the input
// is read.
func (in *Input) Head() []byte {
	head, _ := in.r.Peek(headSize)
	return head
}

// Read implements [io.Reader] over the unpacked bytes.
func (in *Input) Read(p []byte) (int, error) {
	if err := in.interrupted(); err != nil {
		return 0, err
	}
	n, err := in.r.Read(p)
	in.ends += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// Line is the number of a line of the file at hand among those of all files.
func (in *Input) Line(local int) int { return in.lines + local }

// Cut is the number of the last line of the file at hand if it has no end, so that a part of it may be missing; 0 if it has
// one or was not read.
func (in *Input) Cut() int { return in.cut }

// noteReplaced is the remark about bytes that are no text.
const noteReplaced = "bytes that are not UTF-8 were replaced by U+FFFD"

// Text returns the whole file, at most 256 MiB, as lines that end in \n,
// without a byte order mark and as valid UTF-8. Line numbers stay those of the
// file.
func (r *Reading) Text() (string, error) {
	all, replaced, err := r.text(maxText)
	if replaced {
		r.Note(noteReplaced)
	}
	r.heap.raise(len(all))
	return all, err
}

// Lines yields the lines of the file at hand with their numbers, see [Input.Line], each at most 64 MiB, as
// valid UTF-8 and without their ends and a byte order mark. It ends early when
// the file cannot be read, when a [Builder] takes no more, and at an
// interrupt; [Import] returns the error.
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
			if err != nil {
				if err != io.EOF {
					r.fail(err)
				}
				return
			}
			line := raw
			if !utf8.ValidString(raw) {
				line, replaced = strings.ToValidUTF8(raw, "\uFFFD"), true
			}
			if !yield(r.Line(n), line) {
				return
			}
		}
	}
}

// line returns line n without its end, io.EOF after the last one.
func (r *Reading) line(n int) (string, error) {
	if n&1023 == 0 {
		if err := r.interrupted(); err != nil {
			return "", err
		}
	}
	part, err := r.r.ReadSlice('\n')
	if err == nil { // most lines fit into the buffer
		return trimLine(n, string(part)), nil
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
		return trimLine(n, long.String()), nil
	case err == io.EOF:
		return "", err
	}
	return "", r.Errorf(r.Line(n), "%w", err)
}

// trimLine takes the end off line n, and off the first one the byte order mark.
func trimLine(n int, line string) string {
	if n == 1 {
		line = strings.TrimPrefix(line, "\uFEFF")
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

// fail keeps the first error of what returns none.
func (r *Reading) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// text is Text; replaced says that there were bytes to replace.
func (in *Input) text(limit int64) (text string, replaced bool, err error) {
	whole, n, err := readPieces(io.LimitReader(in, limit+1))
	if err != nil {
		return "", false, in.Errorf(0, "%w", err)
	}
	if n > limit {
		return "", false, in.Errorf(0, "the file has more than %d MiB of text, the most that this format reads", limit>>20)
	}
	raw := strings.ReplaceAll(strings.TrimPrefix(whole, "\uFEFF"), "\r\n", "\n")
	valid := strings.ToValidUTF8(raw, "\uFFFD")
	return valid, valid != raw, nil
}

// readPieces reads all that r has, and its length. A text that grows while it is read would allocate six times its
// length, since each copy is a quarter longer than the one before.
func readPieces(r io.Reader) (whole string, n int64, err error) {
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
func (in *Input) Errorf(line int, format string, args ...any) error {
	file, local := in.place(line)
	return &Error{File: file, Line: local, Err: fmt.Errorf(format, args...)}
}

// Error is a complaint about a place in a file.
type Error struct {
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	Err  error
}

// Error writes file:line: complaint. What it quotes from the file cannot
// steer a terminal.
func (e *Error) Error() string {
	if e.Line == 0 {
		return text.Printable(fmt.Sprintf("%s: %v", e.File, e.Err))
	}
	return text.Printable(fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err))
}

// Unwrap returns the complaint without its place.
func (e *Error) Unwrap() error { return e.Err }

// unpack returns the unpacked bytes of a gzip stream, with an error instead
// of the byte after the limit, or after maxRatio times what was packed.
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

type unpacker struct {
	z        *gzip.Reader
	packed   *counted
	limit, n int64 // n bytes so far
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	switch u.n += int64(n); {
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
