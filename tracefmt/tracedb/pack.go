package tracedb

import (
	"fmt"
	"math/bits"
)

// Values that cross the border between Go and SQLite cost more there than in
// SQLite itself, so narrow ones cross in company: several share one 64-bit
// integer, and a statement takes them apart, or puts them together, with
// shifts and masks. How wide each is follows from the data.

// packBits is the room in one shared integer. The sign bit stays clear, so
// that a right shift brings in zeros.
const packBits = 63

// The columns of the table event that hold integers, in their order there.
const (
	colTime = iota
	colWho
	colMessage
	colCause
	colLamport
	colTerm
	columns
)

var columnNames = [columns]string{"time", "who", "message", "cause", "lamport", "term"}

// widthBits is the room for one width in run.widths.
const widthBits = 7

// joinWidths makes the value of run.widths: bit lengths of what each column
// holds in the run, time in the lowest bits.
func joinWidths(or *[columns]uint64) (joined int64) {
	for i, v := range or {
		joined |= int64(bits.Len64(v)) << (widthBits * i)
	}
	return joined
}

// splitWidths is the inverse; widths that cannot be are taken for 64.
func splitWidths(joined int64) (widths [columns]uint) {
	for i := range widths {
		widths[i] = min(64, uint(joined>>(widthBits*i))&(1<<widthBits-1))
	}
	return widths
}

// slot is where one value lies: in which of the integers, and there at which
// bits. A value of width 0 is always 0 and lies nowhere; one that is wider
// than packBits has an integer for itself, sign included.
type slot struct{ integer, shift, width uint }

// pack assigns slots to values of these widths, first fit, and returns how
// many integers they take.
func pack(slots []slot, widths []uint) (integers uint) {
	var used []uint
	for i, width := range widths {
		slots[i] = slot{width: width}
		if width == 0 {
			continue
		}
		k := 0
		for k < len(used) && used[k]+width > packBits {
			k++
		}
		if k == len(used) {
			used = append(used, 0)
		}
		slots[i].integer, slots[i].shift = uint(k), used[k]
		used[k] += width
	}
	return uint(len(used))
}

func (s slot) mask() uint64 {
	if s.width >= 64 {
		return ^uint64(0)
	}
	return 1<<s.width - 1
}

// put is the value's part of its integer.
func (s slot) put(v int64) int64 { return v << s.shift }

// take is a slot made ready for taking values out, millions of times.
type take struct {
	integer, shift uint8
	mask           uint64
}

// maxIntegers bounds how many integers a row crosses in; it is a power of two
// so that an index needs no check.
const maxIntegers = 8

func (s slot) take() take { return take{uint8(s.integer), uint8(s.shift), s.mask()} }

// from takes the value out of its integer.
func (t take) from(integers *[maxIntegers]int64) int64 {
	return int64(uint64(integers[t.integer%maxIntegers]) >> (t.shift & 63) & t.mask)
}

// unpackSQL is the same in SQL, of the parameter that holds the integer. The
// operators << >> & | share one precedence there.
func (s slot) unpackSQL(parameter int) string {
	switch {
	case s.width == 0:
		return "0"
	case s.width > packBits:
		return fmt.Sprintf("?%d", parameter)
	case s.shift == 0:
		return fmt.Sprintf("(?%d&%d)", parameter, s.mask())
	case s.shift+s.width == packBits:
		return fmt.Sprintf("(?%d>>%d)", parameter, s.shift)
	}
	return fmt.Sprintf("((?%d>>%d)&%d)", parameter, s.shift, s.mask())
}

// packSQL is put in SQL, of an expression.
func (s slot) packSQL(expression string) string {
	if s.shift == 0 {
		return expression
	}
	return fmt.Sprintf("(%s<<%d)", expression, s.shift)
}
