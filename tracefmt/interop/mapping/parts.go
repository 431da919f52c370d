package mapping

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

// parts are all parts of an import.
type parts struct {
	list []*partReader // by number
	// elements have the last two elements; turn is the index of the later one.
	elements [2]element
	turn     int
}

// partReader reads a part: its segments, in ascending order or again from the beginning.
type partReader struct {
	file   interop.PartFile
	head   partHead
	closer io.Closer // nil while it is closed
	r      *bufio.Reader
	next   int // the number of the segment that r reads next
	line   []byte
}

// fileRecords are the records of a file: the segments of the parts.
type fileRecords struct {
	segments []segmentOf
}

// segmentOf is a segment of a part, by its number.
type segmentOf struct {
	part   *partReader
	number int
}

// JoinParts implements [interop.Slicer].
func JoinParts(tool string, files []interop.PartFile) (*interop.Joined, error) {
	p := new(parts)
	for _, file := range files {
		r := &partReader{file: file}
		err := r.open(tool)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		p.list = append(p.list, r)
	}
	if err := p.complete(); err != nil {
		return nil, err
	}
	head := &p.list[0].head
	m, err := head.Map.parse()
	if err != nil {
		return nil, err
	}
	m.parts, m.found = p, m.independent()
	joined := &interop.Joined{Format: interop.Format{Name: tracefmt.Mapped, Joins: true}, Closer: p}
	joined.Format.Read = func(r *interop.Reading) error {
		m.layers.Prepare(r.FirstBytes())
		if found := m.layers.Sources(); !slices.Equal(found, head.Sources) {
			return fmt.Errorf("%s: the envelopes name sources by %q, and without copies of files by %q; expected each log once",
				p.list[0].file.Name, head.Sources, found)
		}
		return m.Read(r)
	}
	return joined, p.inputs(joined)
}

// parse returns the mapping.
func (s *partMap) parse() (*Map, error) {
	m, err := Parse(s.Source, []byte(s.Text))
	if err != nil || !s.Ready {
		return m, err
	}
	return m.AsReady()
}

// Close implements [io.Closer].
func (p *parts) Close() error {
	for _, part := range p.list {
		part.Close()
	}
	return nil
}

// complete sorts the parts. It fails unless they are all parts of one import, each once.
func (p *parts) complete() error {
	first := p.list[0]
	numbers := make(map[int]*partReader)
	for _, part := range p.list {
		if difference := part.head.differs(&first.head); difference != "" {
			return fmt.Errorf("%s: a part of another import than %s, by its %s; expected parts of one",
				part.file.Name, first.file.Name, difference)
		}
		if again := numbers[part.head.Part]; again != nil {
			return fmt.Errorf("%s: part %d of %d, as %s; expected each part once",
				part.file.Name, part.head.Part, part.head.Of, again.file.Name)
		}
		numbers[part.head.Part] = part
	}
	var missing []string
	for i := range first.head.Of {
		if numbers[i] == nil {
			missing = append(missing, strconv.Itoa(i))
		}
	}
	if missing != nil {
		return fmt.Errorf("part %s of 0 to %d is missing, expected all parts of the import", text.And(text.Few(missing, 5)), first.head.Of-1)
	}
	slices.SortFunc(p.list, func(a, b *partReader) int { return a.head.Part - b.head.Part })
	return nil
}

// differs returns what distinguishes the imports of two parts, or "".
func (h *partHead) differs(first *partHead) string {
	switch {
	case h.Of != first.Of:
		return fmt.Sprintf("%d parts instead of %d", h.Of, first.Of)
	case h.Map.Text != first.Map.Text || h.Map.Ready != first.Map.Ready:
		return "mapping"
	case !slices.Equal(h.Files, first.Files):
		return "files or their sizes"
	case !slices.Equal(h.Sources, first.Sources):
		return "envelopes"
	}
	return ""
}

// inputs sets the files of the joined parts, and which of them are copies.
func (p *parts) inputs(joined *interop.Joined) error {
	files := p.list[0].head.Files
	sections := make([][]segmentOf, len(files))
	for _, part := range p.list {
		for i, s := range part.head.Segments {
			if s.File < 0 || s.File >= len(files) {
				return fmt.Errorf("%s: file %d, expected 0 to %d", part.file.Name, s.File, len(files)-1)
			}
			sections[s.File] = append(sections[s.File], segmentOf{part, i})
		}
	}
	type content struct {
		size int64
		sum  byteSum
	}
	originals := make(map[content]string)
	for i, f := range files {
		joined.Files = append(joined.Files, f.Name)
		end, sum := int64(0), byteSum(0)
		for _, at := range sections[i] {
			s := at.segment()
			if s.From != end || s.To < s.From {
				return fmt.Errorf("%s: the bytes of %s from %d on, expected from %d on", at.part.file.Name, f.Name, s.From, end)
			}
			end, sum = s.To, sum.join(s.Bytes, s.To-s.From)
		}
		if end != f.Size || len(sections[i]) == 0 {
			return fmt.Errorf("%s: the parts have %d bytes of it, expected %d", f.Name, end, f.Size)
		}
		bytes := content{f.Size, sum}
		if original := originals[bytes]; original != "" && f.Size > 0 {
			joined.Copies, joined.Originals = append(joined.Copies, f.Name), append(joined.Originals, original)
			continue
		}
		if sum != 0 { // another file has the same size
			originals[bytes] = f.Name
		}
		records := &fileRecords{sections[i]}
		input := interop.NewSlicedInput(f.Name, sections[i][0].segment().Head, records)
		input.SetSize(f.Size)
		joined.Inputs = append(joined.Inputs, input)
	}
	return nil
}

func (s *segmentOf) segment() *segment { return &s.part.head.Segments[s.number] }

// open begins to read the part, and reads its head.
func (r *partReader) open(tool string) error {
	opened, err := r.file.Open()
	if err != nil {
		return err
	}
	r.closer, r.next = opened, 0
	input, err := interop.NewInput(r.file.Name, opened) // with its limits for gzip
	if err != nil {
		return err
	}
	r.r = bufio.NewReaderSize(input, 1<<16)
	line, err := r.read()
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(line, []byte(`{"format":"`+partFormat+`"`)) {
		return fmt.Errorf("expected a part that etrace import --part has written")
	}
	var head partHead
	if err := sealed.Unmarshal(line, &head); err != nil {
		return err
	}
	if head.Tool != tool {
		return fmt.Errorf("a part of %s, and this is %s; expected the same", text.Printable(head.Tool), tool)
	}
	// The sum was made before it was a field of the head.
	sum := head.Sum
	head.Sum = ""
	if found, err := sealed.Sum(&head); err != nil || found != sum {
		return errors.Join(err, errors.New("the head of the part was changed"))
	}
	if head.Part < 0 || head.Part >= head.Of || head.Of > maxParts {
		return fmt.Errorf("part %d of %d, expected at most %d parts", head.Part, head.Of, maxParts)
	}
	r.head = head
	if len(head.Segments) == 0 {
		return r.end()
	}
	return nil
}

// end returns an error unless the part ends here.
func (r *partReader) end() error {
	if _, err := r.r.ReadByte(); err != io.EOF {
		return errors.Join(err, errors.New("more lines after the end of the part"))
	}
	return nil
}

// Close implements [io.Closer].
func (r *partReader) Close() error {
	if r.closer == nil {
		return nil
	}
	err := r.closer.Close()
	r.closer, r.r = nil, nil
	return err
}

// read returns the next line without its end. It is valid until the next call.
func (r *partReader) read() ([]byte, error) {
	r.line = r.line[:0]
	for {
		piece, err := r.r.ReadSlice('\n')
		if err == nil && len(r.line) == 0 {
			return piece[:len(piece)-1], nil
		}
		r.line = append(r.line, piece...)
		switch {
		case err == nil:
			return r.line[:len(r.line)-1], nil
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil, errors.New("the part is cut off, expected it whole")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(r.line) > maxElement:
			return nil, fmt.Errorf("a line of more than %d MiB", maxElement>>20)
		}
	}
}

const (
	// maxElement is the greatest length of an element, which may have the text of a line several times.
	maxElement = 256 << 20
	// maxParts is the greatest number of parts.
	maxParts = 1 << 20
)

// endMark begins the last line of a segment.
var endMark = []byte(`{"segment":`)

// segment yields the elements of a segment, each valid until the second after it, and returns the account.
func (r *partReader) segment(number int, m *Map, yield func(*element) bool) (end segmentEnd, stopped bool, err error) {
	if r.closer == nil || r.next > number {
		r.Close()
		if err := r.open(r.head.Tool); err != nil {
			return end, false, err
		}
	}
	sum := sha256.New()
	for {
		line, err := r.read()
		if err != nil {
			return end, false, err
		}
		if !bytes.HasPrefix(line, endMark) {
			if r.next < number {
				continue
			}
			sum.Write(line)
			sum.Write([]byte{'\n'})
			// The record before may still wait for the lines that continue it.
			m.parts.turn ^= 1
			e := &m.parts.elements[m.parts.turn]
			if err := e.parse(line, m); err != nil {
				return end, false, err
			}
			if !yield(e) {
				return end, true, r.Close()
			}
			continue
		}
		if r.next++; r.next <= number {
			continue
		}
		if err := sealed.Unmarshal(line, &end); err != nil {
			return end, false, err
		}
		return end, false, r.check(number, end, hex.EncodeToString(sum.Sum(nil)[:16]))
	}
}

// check compares the last line of a segment with its elements. After the last segment, it closes the part.
func (r *partReader) check(number int, end segmentEnd, records string) error {
	declared := end.Sum
	end.Sum = ""
	sum, err := sealed.Sum(&end)
	switch {
	case err != nil:
		return err
	case end.Segment != number || end.Records != records || sum != declared:
		return fmt.Errorf("the lines of %s were changed, or some are missing", r.head.Files[r.head.Segments[number].File].Name)
	case r.next < len(r.head.Segments):
		return nil
	}
	return errors.Join(r.end(), r.Close())
}

// sliced yields the lines of the present file that the parts have read, with their numbers.
func (m *Map) sliced(r *interop.Reading, had []bool) iter.Seq2[int, plain] {
	return func(yield func(int, plain) bool) {
		var account segmentAccount
		for _, s := range r.Records().(*fileRecords).segments {
			end, stopped, err := s.part.segment(s.number, m, func(e *element) bool {
				line := e.plain
				if !e.isUncut {
					line.read = e
				}
				n := r.Line(account.Lines + e.line)
				if e.unended {
					r.CutOff(n + e.more)
				}
				return yield(n, line)
			})
			if err != nil {
				m.failed = fmt.Errorf("%s: %w", s.part.file.Name, err)
			}
			if err != nil || stopped {
				return
			}
			account = account.join(end.segmentAccount)
		}
		m.columns = account.Columns
		for _, name := range account.Fields {
			if slot, ok := m.slots.index[name]; ok {
				had[slot] = true
			}
		}
		r.Account(account.LineAccount)
		noteColoured(r, account.Coloured)
	}
}
