package mapping

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"math/bits"
	"slices"

	"etrace/tracefmt/interop"
	"etrace/tracefmt/sealed"
)

// A part of an import is a text: a line with its head, then the elements of its segments, each segment with its account
// as its last line.

// partFormat is the version of the texts of parts.
const partFormat = "etrace.import-part/1"

// partHead is the head of a part.
type partHead struct {
	Format string  `json:"format"`
	Tool   string  `json:"tool"`
	Part   int     `json:"part"`
	Of     int     `json:"of"`
	Map    partMap `json:"map"`
	// Sources are the fields of the envelopes that name the sources of lines, as their first lines show.
	Sources  []string   `json:"sources"`
	Files    []partFile `json:"files"`
	Segments []segment  `json:"segments"`
	Sum      string     `json:"sum"`
}

// partMap is the mapping of a part.
type partMap struct {
	Source string `json:"source"`
	Ready  bool   `json:"ready"`
	Text   string `json:"text"`
}

// partFile is a file of the import, whether the part reads some of it or not.
type partFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// segment is the section of a file that a part reads: the lines that begin at bytes from From and before To.
type segment struct {
	File int   `json:"file"`
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// Head are the first bytes of the file if the segment begins it.
	Head []byte `json:"head,omitempty"`
	// Bytes is the sum of the bytes if another file has the same size.
	Bytes byteSum `json:"bytes,omitempty"`
}

// segmentEnd is the last line of a segment. Its first key distinguishes it from an element.
type segmentEnd struct {
	Segment int `json:"segment"`
	segmentAccount
	Records string `json:"records"` // the checksum of the elements
	Sum     string `json:"sum"`
}

// segmentAccount are facts about the lines of a segment.
type segmentAccount struct {
	interop.LineAccount
	Coloured int      `json:"coloured,omitempty"`
	Columns  []string `json:"columns,omitempty"` // of a table
	Fields   []string `json:"fields,omitempty"`  // that some record has, in ascending order
}

// join adds the account of the segment that follows.
func (a segmentAccount) join(next segmentAccount) segmentAccount {
	if next.Columns == nil {
		next.Columns = a.Columns
	}
	fields := slices.Concat(a.Fields, next.Fields)
	slices.Sort(fields)
	return segmentAccount{
		a.LineAccount.Join(next.LineAccount), a.Coloured + next.Coloured, next.Columns, slices.Compact(fields),
	}
}

// partWriter writes a part.
type partWriter struct {
	*reader
	slice *interop.Slice
	ctx   context.Context
	head  partHead
	heads [][]byte // the first bytes of all files, if envelopes are read from them
	out   *bufio.Writer
	buf   []byte
	hash  hash.Hash // the hash of the elements of a segment
}

// WritePart writes a slice of the lines of logs, cut by the mapping, for [JoinParts].
func (m *Map) WritePart(ctx context.Context, s *interop.Slice, w io.Writer) error {
	p := &partWriter{slice: s, ctx: ctx, out: bufio.NewWriterSize(w, 1<<16), head: partHead{
		Format: partFormat, Tool: s.Tool, Part: s.Index, Of: s.Count, Map: partMap{m.source, m.ready, m.Text},
		Sources: []string{}, Files: []partFile{}, Segments: []segment{},
	}}
	if err := p.prepare(m); err != nil {
		return err
	}
	p.reader = newReader(m)
	if err := p.divide(); err != nil {
		return err
	}
	sum, err := sealed.Sum(&p.head)
	if err != nil {
		return err
	}
	p.head.Sum = sum
	if err := p.line(&p.head); err != nil {
		return err
	}
	for i := range p.head.Segments {
		if err := p.segment(i); err != nil {
			return err
		}
	}
	return p.out.Flush()
}

// line writes a value as a line.
func (p *partWriter) line(v any) error {
	line, err := sealed.Marshal(v)
	if err == nil {
		_, err = p.out.Write(append(line, '\n'))
	}
	return err
}

// prepare finds the sources of the lines, if the mapping has envelopes, by the first lines of all files.
func (p *partWriter) prepare(m *Map) error {
	if m.layers == nil {
		return nil
	}
	if m.layers.Headed() {
		return errors.New("headings name the sources of the lines after them, which a part does not see; expected a file for each source")
	}
	if p.slice.Piece != nil {
		return errors.New("stdin as a slice does not go with a mapping that has an envelope, whose sources the first lines " +
			"show; expected files")
	}
	var heads [][]byte
	for i := range p.slice.Files {
		head, err := p.first(i)
		if err != nil {
			return err
		}
		heads = append(heads, head)
	}
	p.heads = heads
	m.layers.Prepare(heads)
	p.head.Sources = m.layers.Sources()
	return nil
}

// first returns the first bytes of a file, unpacked.
func (p *partWriter) first(file int) ([]byte, error) {
	if p.heads != nil {
		return p.heads[file], nil
	}
	f := &p.slice.Files[file]
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	input, err := interop.NewInput(f.Name, r)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(input.Head()), nil
}

// divide finds the segments of the part.
func (p *partWriter) divide() error {
	s := p.slice
	if s.Piece != nil {
		lines := bufio.NewReaderSize(s.Piece, pieceHead)
		s.Piece = lines
		head, err := lines.Peek(pieceHead)
		switch {
		case err != nil && err != io.EOF:
			return fmt.Errorf("%s: %w", s.Files[0].Name, err)
		case interop.IsPacked(head):
			return fmt.Errorf("%s: gzip, expected the lines of a slice unpacked", s.Files[0].Name)
		case s.Index == 0 && s.Count > 1 && len(head) < pieceHead:
			return fmt.Errorf("%s: the first slice has %d bytes, expected at least %d, by which files are recognised",
				s.Files[0].Name, len(head), pieceHead)
		case s.Index > 0:
			head = nil
		}
		p.head.Files = append(p.head.Files, partFile{s.Files[0].Name, int64(s.Count)})
		piece := segment{From: int64(s.Index), To: int64(s.Index) + 1, Head: bytes.Clone(head)}
		p.head.Segments = append(p.head.Segments, piece)
		return nil
	}
	total := int64(0)
	sizes := make(map[int64]int)
	for _, f := range s.Files {
		p.head.Files = append(p.head.Files, partFile{f.Name, f.Size})
		total += f.Size
		sizes[f.Size]++
	}
	low, high := share(total, s.Index, s.Count), share(total, s.Index+1, s.Count)
	begin := int64(0)
	for i, f := range s.Files {
		seg := segment{File: i, From: max(low-begin, 0), To: min(high-begin, f.Size)}
		owned := low <= begin && (begin < high || s.Index == s.Count-1)
		begin += f.Size
		if seg.From >= seg.To && !(f.Size == 0 && owned) {
			continue
		}
		undivided, err := p.isWhole(i)
		switch {
		case err != nil:
			return err
		case undivided && !owned:
			continue
		case undivided:
			seg.To = f.Size
		}
		if owned {
			seg.Head, err = p.first(i)
		}
		// Only files of one size can be copies, so only their bytes are compared.
		if err == nil && sizes[f.Size] > 1 {
			seg.Bytes, err = p.sum(&seg)
		}
		if err != nil {
			return err
		}
		p.head.Segments = append(p.head.Segments, seg)
	}
	return nil
}

// pieceHead is the number of first bytes by which a file is recognised.
const pieceHead = 16 << 10

// share returns the beginning of slice i, if total bytes are cut into n slices.
func share(total int64, i, n int) int64 {
	high, low := bits.Mul64(uint64(total), uint64(i))
	quotient, _ := bits.Div64(high, low, uint64(n))
	return int64(quotient)
}

// isWhole reports whether a file cannot be divided: it is packed, or a table, whose cells may have line ends.
func (p *partWriter) isWhole(file int) (bool, error) {
	if p.form.line == nil {
		return true, nil
	}
	r, err := p.slice.Files[file].Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	magic := make([]byte, 2)
	n, err := io.ReadFull(r, magic)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return interop.IsPacked(magic[:n]), err
}

// byteSum is a sum of bytes. The sums of two sections give that of both. It is a polynomial over the prime field of
// 2^61-1 (Karp and Rabin, Efficient randomized pattern-matching algorithms, 1987).
type byteSum uint64

const (
	byteField byteSum = 1<<61 - 1
	byteBase  byteSum = 0x1b3_4e6a_9d21_c5f7
)

// times multiplies in the field.
func (s byteSum) times(o byteSum) byteSum {
	high, low := bits.Mul64(uint64(s), uint64(o))
	return byteSum(low & uint64(byteField)).plus(byteSum(high<<3 | low>>61))
}

// plus adds in the field.
func (s byteSum) plus(o byteSum) byteSum {
	s += o
	if s >= byteField {
		s -= byteField
	}
	return s
}

// join returns the sum of both sections; length is the number of bytes of the second section.
func (s byteSum) join(second byteSum, length int64) byteSum {
	for base := byteBase; length > 0; length >>= 1 {
		if length&1 == 1 {
			s = s.times(base)
		}
		base = base.times(base)
	}
	return s.plus(second)
}

// Write adds bytes.
func (s *byteSum) Write(b []byte) (int, error) {
	for _, c := range b {
		*s = s.times(byteBase).plus(byteSum(c) + 1)
	}
	return len(b), nil
}

// sum returns the sum of the bytes of a segment.
func (p *partWriter) sum(seg *segment) (sum byteSum, err error) {
	r, err := p.at(seg.File, seg.From)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	_, err = io.Copy(&sum, io.LimitReader(r, seg.To-seg.From))
	return sum, err
}

// at opens a file at an offset.
func (p *partWriter) at(file int, offset int64) (io.ReadCloser, error) {
	r, err := p.slice.Files[file].Open()
	if err != nil {
		return nil, err
	}
	if _, err := r.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// segment writes the elements of a segment, and its account.
func (p *partWriter) segment(number int) error {
	seg := &p.head.Segments[number]
	f := &p.slice.Files[seg.File]
	p.hash = sha256.New()
	end := &segmentEnd{Segment: number}
	first := seg.From == 0
	var source io.Reader = p.slice.Piece
	if source == nil {
		r, err := p.at(seg.File, max(seg.From-1, 0))
		if err != nil {
			return err
		}
		defer r.Close()
		section := io.LimitReader(r, f.Size-max(seg.From-1, 0))
		lines := &stretch{r: bufio.NewReaderSize(section, 1<<16), left: seg.To - seg.From}
		if err := lines.begin(first); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		source = lines
		if first && seg.To == f.Size {
			source = lines.r
		}
	}
	err := interop.ReadSlice(p.ctx, f.Name, source, seg.From, func(r *interop.Reading) error {
		if err := p.elements(r, first); err != nil {
			return err
		}
		end.segmentAccount = segmentAccount{r.LineAccount(), p.coloured, p.columns, p.had()}
		return nil
	})
	if err != nil {
		return err
	}
	end.Records = hex.EncodeToString(p.hash.Sum(nil)[:16])
	end.Sum, err = sealed.Sum(end)
	if err != nil {
		return err
	}
	return p.line(end)
}

// elements writes the elements of the lines of a segment.
func (p *partWriter) elements(r *interop.Reading, first bool) error {
	p.coloured, p.columns, p.tries = 0, nil, 0
	clear(p.rec.had)
	if p.form.line == nil {
		for row, err := range p.rows(r, true) {
			if err != nil {
				return tableError(r, err)
			}
			if err := p.write(p.element(row.line, plain{}, &row)); err != nil {
				return err
			}
		}
		return nil
	}
	last := p.slice.Piece == nil || p.slice.Index == p.slice.Count-1
	for n, line := range p.joined(p.loose(p.plainLines(r), first)) {
		e := p.element(n, line, nil)
		e.unended = last && r.Cut() == n+line.more
		if err := p.write(e); err != nil {
			return err
		}
	}
	return nil
}

// loose marks the lines that continue a record of the slice before. Each of them is an element.
func (p *partWriter) loose(lines iter.Seq2[int, plain], first bool) iter.Seq2[int, plain] {
	if first || p.Map.begin == nil {
		return lines
	}
	return func(yield func(int, plain) bool) {
		within := false
		for n, line := range lines {
			within = within || p.Map.begins(line.Text)
			if !within {
				line.place = continues
			}
			if !yield(n, line) {
				return
			}
		}
	}
}

// had returns the names of the fields that some record of the segment has.
func (p *partWriter) had() (names []string) {
	for slot, has := range p.rec.had {
		if has {
			names = append(names, p.slots.names[slot])
		}
	}
	slices.Sort(names)
	return names
}

// write writes an element.
func (p *partWriter) write(e *element) error {
	p.buf = append(e.append(p.buf[:0], p.slots.names), '\n')
	p.hash.Write(p.buf)
	_, err := p.out.Write(p.buf)
	return err
}

// stretch reads the lines that begin in a section of a file.
type stretch struct {
	r    *bufio.Reader
	left int64 // the rest of the section in bytes; negative in the last line
	done bool
}

// begin skips to the first line that begins in the section. The reader is at the byte before the section, unless the
// section is the first.
func (s *stretch) begin(first bool) error {
	if first {
		return nil
	}
	s.left++
	for {
		skipped, err := s.r.ReadSlice('\n')
		s.left -= int64(len(skipped))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF || err == nil:
			s.done = s.left <= 0
			return nil
		default:
			return err
		}
	}
}

// Read implements [io.Reader].
func (s *stretch) Read(b []byte) (int, error) {
	if s.done {
		return 0, io.EOF
	}
	n, err := s.r.Read(b[:min(len(b), 1<<16)])
	// The line with the last byte of the section ends at the first line end from there on.
	if last := max(s.left-1, 0); last < int64(n) {
		if end := bytes.IndexByte(b[last:n], '\n'); end >= 0 {
			n, s.done = int(last)+end+1, true
		}
	}
	s.left -= int64(n)
	return n, err
}
