package parquetfile

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageOf is a page of a column with values of some encoding, and its header as it is changed.
func pageOf(t *testing.T, values int32, encoding format.Encoding, page []byte, change func(*format.PageHeader)) *pages {
	t.Helper()
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := packer.EncodeAll(page, nil)
	header := &format.PageHeader{Type: format.DataPageV2, UncompressedPageSize: int32(len(page)), CompressedPageSize: int32(len(packed))}
	header.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: values, NumRows: values, Encoding: encoding})
	if change != nil {
		change(header)
	}
	head, err := thrift.Marshal(new(thrift.CompactProtocol), header)
	if err != nil {
		t.Fatal(err)
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		t.Fatal(err)
	}
	return newPages(bytes.NewReader(append(head, packed...)), unpack, 100)
}

// TestPages: a page that says of itself what it cannot have, or that becomes more than it has
// values, is refused before any of it is made.
func TestPages(t *testing.T) {
	number := func(n ...uint64) (b []byte) {
		for _, n := range n {
			b = binary.AppendUvarint(b, n)
		}
		return b
	}
	zeros := make([]byte, 1<<20)
	for name, c := range map[string]struct {
		values   int32
		encoding format.Encoding
		page     []byte
		change   func(*format.PageHeader)
		want     string // "" for a good one
	}{
		"good":           {8, format.RLEDictionary, []byte{1, 16, 1}, nil, ""},
		"good by bits":   {5, format.RLEDictionary, []byte{1, 3, 0x1f}, nil, ""},
		"differences":    {100, format.DeltaBinaryPacked, number(128, 4, 100, 0), nil, ""},
		"many":           {101, format.Plain, nil, nil, "expected at most 100"},
		"long run":       {8, format.RLEDictionary, append([]byte{1}, number(1<<40, 1)...), nil, "a run of"},
		"runs":           {8, format.RLEDictionary, append([]byte{1}, bytes.Repeat([]byte{16, 1}, 3)...), nil, "runs of more"},
		"long bits":      {8, format.RLEDictionary, append([]byte{8}, number(1<<5|1)...), nil, "run"},
		"no width":       {8, format.RLEDictionary, []byte{33}, nil, "width"},
		"no length":      {8, format.RLEDictionary, []byte{1, 0x80}, nil, "without a length"},
		"much more":      {100, format.DeltaBinaryPacked, number(128, 4, 1<<31, 0), nil, "differences"},
		"other":          {100, format.DeltaByteArray, nil, nil, "expected those of etrace"},
		"bomb":           {8, format.Plain, zeros, func(h *format.PageHeader) { h.UncompressedPageSize = 8 }, "a page of 1048576 bytes"},
		"large":          {8, format.Plain, nil, func(h *format.PageHeader) { h.UncompressedPageSize = 1 << 30 }, "96 MiB"},
		"negative":       {8, format.Plain, nil, func(h *format.PageHeader) { h.CompressedPageSize = -1 }, "96 MiB"},
		"cut":            {8, format.Plain, nil, func(h *format.PageHeader) { h.CompressedPageSize++ }, "EOF"},
		"nulls":          {8, format.Plain, nil, func(h *format.PageHeader) { h.DataPageHeaderV2.V.NumNulls = 9 }, "9 of them null"},
		"levels":         {8, format.Plain, nil, func(h *format.PageHeader) { h.DataPageHeaderV2.V.DefinitionLevelsByteLength = 1 << 20 }, "expected at most"},
		"rows":           {8, format.Plain, nil, func(h *format.PageHeader) { h.DataPageHeaderV2.V.NumRows = 1 }, "in 1 rows"},
		"not packed":     {8, format.Plain, nil, func(h *format.PageHeader) { h.DataPageHeaderV2.V.IsCompressed = thrift.New(false) }, "not packed"},
		"of version 1":   {8, format.Plain, nil, func(h *format.PageHeader) { h.Type = format.DataPage }, "version 2"},
		"not one header": {8, format.Plain, nil, func(h *format.PageHeader) { h.DataPageHeaderV2.Valid = false }, "version 2"},
		"a dictionary": {8, format.Plain, zeros, func(h *format.PageHeader) {
			h.Type = format.DictionaryPage
			h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: 1<<18 + 1})
		}, "a dictionary of 262145 words"},
	} {
		err := pageOf(t, c.values, c.encoding, c.page, c.change).checkNext()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
}
