package tracedb

import (
	"fmt"
	"math/bits"
)

// A value that crosses between Go and SQLite costs more than its processing in SQLite. So several narrow values
// share one 64-bit integer, and SQL splits or joins them with shifts and masks. The widths follow from the
// data.

// packBits is the room in a shared integer. The sign bit stays 0, so a right shift inserts zeros.
const packBits = 63

// The integer columns of the table event, in their order there; columns is their number.
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

// joinWidths returns the value of run.widths: the bit lengths of the columns, time in the lowest bits.
func joinWidths(or *[columns]uint64) (joined int64) {
	for i, v := range or {
		joined |= int64(bits.Len64(v)) << (widthBits * i)
	}
	return joined
}

// splitWidths is the inverse of joinWidths. It replaces impossible widths by 64.
func splitWidths(joined int64) (widths [columns]uint) {
	for i := range widths {
		widths[i] = min(64, uint(joined>>(widthBits*i))&(1<<widthBits-1))
	}
	return widths
}

// slot is the place of a value: the integer, and its bits there. A value of width 0 is always 0 and has no
// place; a value wider than packBits has its own integer, including the sign.
type slot struct{ integer, shift, width uint }

// pack assigns slots to values of these widths by first fit, and returns the number of integers.
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

// mask returns the bits of a value before it is shifted.
func (s slot) mask() uint64 {
	if s.width >= 64 {
		return ^uint64(0)
	}
	return 1<<s.width - 1
}

// shifted returns the bits of a value in its integer.
func (s slot) shifted(v int64) int64 { return v << s.shift }

// extractor is a slot in the form that extracts millions of values fastest.
type extractor struct {
	integer, shift uint8
	mask           uint64
}

// maxIntegers is the limit for the integers of a row; it is a power of two, so that an index needs no bounds
// check.
const maxIntegers = 8

func (s slot) extractor() extractor { return extractor{uint8(s.integer), uint8(s.shift), s.mask()} }

// extract extracts the value from its integer.
func (t extractor) extract(integers *[maxIntegers]int64) int64 {
	return int64(uint64(integers[t.integer%maxIntegers]) >> (t.shift & 63) & t.mask)
}

// unpackSQL returns the SQL expression that extracts the value; parameter is the number of the integer. In SQL
// the operators << >> & | have the same precedence.
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

// packSQL returns the SQL expression for the bits of a value in its integer.
func (s slot) packSQL(expression string) string {
	if s.shift == 0 {
		return expression
	}
	return fmt.Sprintf("(%s<<%d)", expression, s.shift)
}
