package parquetfile

import (
	"encoding/binary"
	"errors"
)

// parquet-go allocates memory for as many elements as a list in a footer states, and recurses into nested structures. So
// this package walks through footers and headers of pages before parquet-go parses them.
const (
	maxDepth = 12      // nested structures
	maxList  = 1 << 16 // elements of a list of the footer; a file has at most 32,767 row groups
	maxInner = 64      // elements of a nested list; a row group has 12 columns
)

var errThrift = errors.New("damaged: a footer or the header of a page is no Thrift in compact form, or says that it has more than it can have")

// walk checks a structure in the compact form of Thrift, and returns its length in bytes.
func walk(data []byte) (length int, err error) {
	w := walker{data: data}
	w.structure(0, 0)
	if w.bad {
		return 0, errThrift
	}
	return w.at, nil
}

// walker reads a structure. bad is set at the first error.
type walker struct {
	data []byte
	at   int
	bad  bool
}

// The types of Thrift in compact form that take more than a number.
const (
	typeTrue = 1 + iota
	typeFalse
	typeByte
	typeInt16
	typeInt32
	typeInt64
	typeDouble
	typeBinary
	typeList
	typeSet
	typeMap
	typeStruct
)

// structure skips a structure; depth is the depth of nesting, lists the number of lists around it.
func (w *walker) structure(depth, lists int) {
	for !w.bad {
		head := w.byte()
		if head == 0 {
			return
		}
		if head>>4 == 0 {
			w.number() // the number of the field
		}
		if kind := head & 0xf; kind != typeTrue && kind != typeFalse { // the head itself has these values
			w.value(kind, depth, lists)
		}
	}
}

// value skips a value of the kind.
func (w *walker) value(kind byte, depth, lists int) {
	if depth > maxDepth {
		w.bad = true
		return
	}
	switch kind {
	case typeTrue, typeFalse, typeByte:
		w.byte()
	case typeInt16, typeInt32, typeInt64:
		w.number()
	case typeDouble:
		w.skip(8)
	case typeBinary:
		w.skip(w.number())
	case typeList, typeSet:
		w.list(depth, lists)
	case typeStruct:
		w.structure(depth+1, lists)
	default: // Parquet has no maps
		w.bad = true
	}
}

// list skips a list, and refuses a list longer than any in a valid footer.
func (w *walker) list(depth, lists int) {
	head := w.byte()
	count := uint64(head >> 4)
	if count == 15 {
		count = w.number()
	}
	if count > maxList || lists > 0 && count > maxInner {
		w.bad = true
	}
	for ; count > 0 && !w.bad; count-- {
		w.value(head&0xf, depth+1, lists+1)
	}
}

// byte reads a byte; the end of the data is an error.
func (w *walker) byte() byte {
	if w.at >= len(w.data) {
		w.bad = true
		return 0
	}
	w.at++
	return w.data[w.at-1]
}

// number reads a number of variable length.
func (w *walker) number() uint64 {
	n, length := binary.Uvarint(w.data[w.at:])
	if length <= 0 {
		w.bad = true
		return 0
	}
	w.at += length
	return n
}

// skip skips bytes; a length beyond the data is an error.
func (w *walker) skip(length uint64) {
	if length > uint64(len(w.data)-w.at) {
		w.bad = true
		return
	}
	w.at += int(length)
}
