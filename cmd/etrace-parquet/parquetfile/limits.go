package parquetfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The greatest sizes in a file, so that no stated size takes all memory.
const (
	maxFooter  = 64 << 20
	maxHeader  = 64 << 10 // bytes of the header of a page
	maxPage    = 96 << 20 // bytes of a page: more than the longest payload
	maxRows    = 1 << 20  // rows of a row group
	wholePages = "pages of version 2, packed by zstd"
)

// checkFooter checks the marks at both ends of the file, the length of its footer, and the structure of the footer.
func checkFooter(r io.ReaderAt, size int64) error {
	const ends = len(Magic) + 4 + len(Magic)
	if size < int64(ends) {
		return errors.New("the file is too short, expected a Parquet file")
	}
	var head [len(Magic)]byte
	if _, err := r.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return err
	}
	if string(head[:]) != Magic {
		return fmt.Errorf("the file does not begin with %s, expected a Parquet file", Magic)
	}
	var tail [8]byte
	if _, err := r.ReadAt(tail[:], size-8); err != nil && err != io.EOF {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) != Magic:
		return fmt.Errorf("the file does not end in %s, expected the end of a Parquet file: it was cut", Magic)
	case length > size-int64(ends):
		return fmt.Errorf("the footer has %d bytes, more than the file", length)
	case length > maxFooter:
		return fmt.Errorf("the footer has %d bytes, more than %d MiB", length, maxFooter>>20)
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-8-length); err != nil {
		return err
	}
	_, err := walk(footer)
	return err
}

// checkGroup checks the pages of a row group before it is first read.
func (f *File) checkGroup(number int) error {
	if f.checked[number].Load() {
		return nil
	}
	err := f.checkPages(number)
	f.checked[number].Store(err == nil)
	return err
}

// checkPages returns an error if the row group has too many rows, other columns, or invalid pages.
func (f *File) checkPages(number int) error {
	group := &f.file.Metadata().RowGroups[number]
	if group.NumRows < 0 || group.NumRows > maxRows || len(group.Columns) != len(f.columns) {
		return fmt.Errorf("row group %d: %d rows of %d columns, expected at most %d of %d", number+1, group.NumRows, len(group.Columns), maxRows, len(f.columns))
	}
	for i := range group.Columns {
		if err := f.checkChunk(&group.Columns[i].MetaData, group.NumRows); err != nil {
			return fmt.Errorf("row group %d, column %s: %w", number+1, f.columns[i].name, err)
		}
	}
	return nil
}

// checkChunk checks the pages of one column of a row group.
func (f *File) checkChunk(c *format.ColumnMetaData, rows int64) error {
	at := c.DataPageOffset
	if c.DictionaryPageOffset > 0 {
		at = min(at, c.DictionaryPageOffset)
	}
	switch length := c.TotalCompressedSize; {
	case c.Codec != format.Zstd:
		return fmt.Errorf("packed by %s, expected %s", c.Codec, wholePages)
	case at < 0 || length < 0 || at > f.file.Size() || length > f.file.Size()-at:
		return errors.New("its place is outside of the file")
	case c.NumValues != rows:
		return fmt.Errorf("%d values, expected %d", c.NumValues, rows)
	}
	p := newPages(io.NewSectionReader(f.source, at, c.TotalCompressedSize), f.unpack, rows)
	for p.left > 0 {
		if err := p.checkNext(); err != nil {
			return err
		}
	}
	return nil
}

// pages reads the pages of one column of a row group, to check them.
type pages struct {
	in     *bufio.Reader
	unpack *zstd.Decoder
	left   int64 // the number of values that the next pages must have
	packed []byte
	page   []byte
}

// newPages returns a reader of the pages in r, which must have this number of values.
func newPages(r io.Reader, unpack *zstd.Decoder, values int64) *pages {
	return &pages{in: bufio.NewReaderSize(r, maxHeader), unpack: unpack, left: values}
}

// checkNext checks the next page.
func (p *pages) checkNext() error {
	head, _ := p.in.Peek(maxHeader)
	length, err := walk(head)
	if err != nil {
		return err
	}
	var header format.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), head[:length], &header); err != nil {
		return err
	}
	if !validPageSize(header.CompressedPageSize) || !validPageSize(header.UncompressedPageSize) {
		return fmt.Errorf("a page of %d bytes, unpacked %d, expected at most %d MiB", header.CompressedPageSize, header.UncompressedPageSize, maxPage>>20)
	}
	if _, err := p.in.Discard(length); err != nil {
		return err
	}
	p.packed = resize(p.packed, int(header.CompressedPageSize))
	if _, err := io.ReadFull(p.in, p.packed); err != nil {
		return fmt.Errorf("a page: %w", err)
	}
	switch {
	case header.Type == format.DictionaryPage && header.DictionaryPageHeader.Valid:
		return p.checkDictionary(&header)
	case header.Type == format.DataPageV2 && header.DataPageHeaderV2.Valid:
		return p.checkData(&header, &header.DataPageHeaderV2.V)
	}
	return fmt.Errorf("a page of type %s, expected %s", header.Type, wholePages)
}

// validPageSize reports whether a page may have this number of bytes.
func validPageSize(size int32) bool { return size >= 0 && size <= maxPage }

// resize returns n bytes, in the memory of b if it is large enough.
func resize(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// checkDictionary checks a page with a dictionary. A word takes at least four bytes.
func (p *pages) checkDictionary(header *format.PageHeader) error {
	if err := p.unpackPage(p.packed, header.UncompressedPageSize); err != nil {
		return err
	}
	if n := int(header.DictionaryPageHeader.V.NumValues); n < 0 || n > len(p.page)/4 {
		return fmt.Errorf("a dictionary of %d words in %d bytes", n, len(p.page))
	}
	return nil
}

// unpackPage unpacks a page. It fails if the page does not have the stated size.
func (p *pages) unpackPage(packed []byte, size int32) (err error) {
	p.page, err = p.unpack.DecodeAll(packed, p.page[:0])
	if err == nil && len(p.page) != int(size) {
		err = fmt.Errorf("a page of %d bytes, expected %d", len(p.page), size)
	}
	return err
}

// checkData checks a page of values.
func (p *pages) checkData(header *format.PageHeader, v2 *format.DataPageHeaderV2) error {
	values, nulls, levels := int64(v2.NumValues), int64(v2.NumNulls), v2.DefinitionLevelsByteLength
	// No column repeats, so a row has one value, and there are no repetition levels. The definition levels are at the
	// beginning of the page, and not packed, so they are a part of both sizes.
	validCounts := 0 < values && values <= p.left && 0 <= nulls && nulls <= values && int64(v2.NumRows) == values
	validLevels := v2.RepetitionLevelsByteLength == 0 && 0 <= levels && int(levels) <= len(p.packed) && levels <= header.UncompressedPageSize
	if !validCounts || !validLevels {
		return fmt.Errorf("a page of %d values, %d of them null, in %d rows, expected at most %d", values, nulls, v2.NumRows, p.left)
	}
	p.left -= values
	if err := checkLevels(p.packed[:levels], values); err != nil {
		return err
	}
	if v2.IsCompressed.Valid && !v2.IsCompressed.V {
		return fmt.Errorf("a page that is not packed, expected %s", wholePages)
	}
	if err := p.unpackPage(p.packed[levels:], header.UncompressedPageSize-levels); err != nil {
		return err
	}
	return checkValues(p.page, v2.Encoding, values-nulls)
}

// checkLevels returns an error unless there is a level, null or not, for each of the values.
func checkLevels(levels []byte, values int64) error {
	if len(levels) == 0 {
		return nil // a column without nulls has no levels
	}
	return checkRuns(levels, 1, values)
}

// checkValues returns an error if a page of values, or what parquet-go makes of it, may be longer than this number of values.
func checkValues(page []byte, encoding format.Encoding, values int64) error {
	switch encoding {
	case format.Plain:
		return nil // parquet-go decodes plain values to no more bytes than the page has
	case format.RLEDictionary:
		if len(page) == 0 || page[0] > 32 {
			return errors.New("a page of words without a width")
		}
		return checkRuns(page[1:], int(page[0]), values)
	case format.DeltaBinaryPacked:
		count := page
		for range 2 { // skips the two sizes of blocks, after which the header has the number of values
			_, n := binary.Uvarint(count)
			count = count[max(n, 0):]
		}
		if n, _ := binary.Uvarint(count); n > uint64(values) {
			return fmt.Errorf("a page of %d differences, expected %d", n, values)
		}
		return nil
	}
	return fmt.Errorf("values in %s, expected those of etrace", encoding)
}

// checkRuns returns an error if runs have more than this number of values. The lowest bit of the head of a run is its kind:
// with 0 one value repeats, in whole bytes; with 1 groups of eight values follow, each of which takes width bits. The other
// bits are the number of repetitions or of groups.
func checkRuns(runs []byte, width int, values int64) error {
	remaining := values + 7 // the last group may be incomplete
	for len(runs) > 0 {
		head, n := binary.Uvarint(runs)
		if n <= 0 {
			return errors.New("a run of values without a length")
		}
		runs = runs[n:]
		count, size := int64(head>>1), (width+7)/8
		if count > values+7 {
			return fmt.Errorf("a run of %d values, expected at most %d", count, values)
		}
		if head&1 == 1 {
			size, count = int(count)*width, 8*count
		}
		remaining -= count
		if remaining < 0 || size > len(runs) {
			return fmt.Errorf("runs of more than %d values", values)
		}
		runs = runs[size:]
	}
	return nil
}
