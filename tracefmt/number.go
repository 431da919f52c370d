package tracefmt

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

// Number is a number of a trace, exact at any size. Equal numbers are equal in Go, regardless of their
// notation: 9, 9.0, 0.9e1 and the text "9".
type Number struct {
	small int64
	// long is the canonical text of a number beyond 64 bits, "" for others.
	long string
}

// WholeNumber returns n as a Number.
func WholeNumber(n int64) Number { return Number{small: n} }

// ParseNumber reads a raw JSON value: a number, or a text with a whole number in plain form, such as "9" or
// "-3". It rejects other texts, such as "007", "1e3", "1.5" and " 9", and exponents of more than nine digits.
func ParseNumber(value []byte) (n Number, ok bool) {
	if len(value) > 0 && value[0] == '"' {
		return NumberOf(value[1:max(1, len(value)-1)])
	}
	if small, ok := smallInteger(value); ok {
		return Number{small: small}, true
	}
	if len(value) == 0 || (&scanner{b: value}).number(0) != len(value) {
		return Number{}, false
	}
	return parseLong(value)
}

// ParseInteger reads a raw JSON value with a whole number of 64 bits.
func ParseInteger(value []byte) (n int64, ok bool) {
	number, ok := ParseNumber(value)
	n, fits := number.Int64()
	return n, ok && fits
}

// NumberOf reads a text without quotes: a whole number in plain form.
func NumberOf[T string | []byte](text T) (n Number, ok bool) {
	if small, ok := smallInteger(text); ok && (small != 0 || len(text) == 1) {
		return Number{small: small}, true
	}
	if !plainNumeral(text) {
		return Number{}, false
	}
	return parseLong([]byte(text))
}

// Int64 returns a whole number of 64 bits; ok is false for other numbers.
func (n Number) Int64() (int64, bool) { return n.small, n.long == "" }

// Whole reports whether the number is whole.
func (n Number) Whole() bool {
	d := n.decompose()
	return d.point >= len(d.digits)
}

// String writes the number as JSON; equal numbers have equal texts.
func (n Number) String() string {
	if n.long != "" {
		return n.long
	}
	return strconv.FormatInt(n.small, 10)
}

// Compare compares two numbers exactly.
func (n Number) Compare(m Number) int {
	if n.long == "" && m.long == "" {
		return cmp.Compare(n.small, m.small)
	}
	return n.decompose().compare(m.decompose())
}

// Canonical returns a form of a raw JSON value in which equal numbers are equal bytes, for comparisons and
// keys. It writes numbers, and texts with numbers, like [Number.String], and returns other values unchanged.
func Canonical(value []byte) []byte {
	if len(value) == 0 {
		return value
	}
	if value[0] == '"' {
		if text := value[1:max(1, len(value)-1)]; plainNumeral(text) {
			return text
		}
		return value
	}
	if plainNumeral(value) || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return value
	}
	n, ok := ParseNumber(value)
	if !ok {
		return value
	}
	return []byte(n.String())
}

// smallInteger reads a whole number of up to 18 digits without leading zeros.
func smallInteger[T string | []byte](text T) (n int64, ok bool) {
	i := 0
	if len(text) > 0 && text[0] == '-' {
		i = 1
	}
	digits := len(text) - i
	if digits < 1 || digits > 18 || text[i] == '0' && digits > 1 {
		return 0, false
	}
	negative := i == 1
	for ; i < len(text); i++ {
		c := text[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	if negative {
		n = -n
	}
	return n, true
}

// plainNumeral reports whether a text is a whole number of any size in the form of strconv.
func plainNumeral[T string | []byte](text T) bool {
	i := 0
	if len(text) > 1 && text[0] == '-' {
		i = 1
	}
	if i == len(text) || text[i] == '0' && len(text) > 1 {
		return false
	}
	for ; i < len(text); i++ {
		if text[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// decomposed is a number as sign * 0.DIGITS * 10^point. Its digits neither begin nor end with 0; zero has no
// digits.
type decomposed struct {
	negative bool
	digits   []byte
	point    int
}

// decompose splits the number into sign, digits and point.
func (n Number) decompose() decomposed {
	d, _ := decompose([]byte(n.String()))
	return d
}

// decompose splits a JSON number into its parts; ok is false if its exponent is too long.
func decompose(numeral []byte) (d decomposed, ok bool) {
	numeral, d.negative = bytes.CutPrefix(numeral, []byte("-"))
	if i := bytes.IndexAny(numeral, "eE"); i >= 0 {
		d.point, ok = parseExponent(numeral[i+1:])
		if !ok {
			return decomposed{}, false
		}
		numeral = numeral[:i]
	}
	integer, fraction, _ := bytes.Cut(numeral, []byte("."))
	d.point += len(integer)
	d.digits = integer
	if len(fraction) > 0 {
		d.digits = append(bytes.Clone(integer), fraction...)
	}
	significant := bytes.TrimLeft(d.digits, "0")
	d.point -= len(d.digits) - len(significant)
	d.digits = bytes.TrimRight(significant, "0")
	if len(d.digits) == 0 {
		return decomposed{}, true
	}
	return d, true
}

// parseExponent returns the value of the exponent of a JSON number; ok is false beyond nine digits.
func parseExponent(text []byte) (int, bool) {
	digits := bytes.TrimLeft(bytes.TrimLeft(text, "+-"), "0")
	if len(digits) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	if text[0] == '-' {
		n = -n
	}
	return n, true
}

// compare orders numbers by sign, then by point, then by digits.
func (d decomposed) compare(e decomposed) int {
	if c := cmp.Compare(d.sign(), e.sign()); c != 0 || d.sign() == 0 {
		return c
	}
	return d.sign() * cmp.Or(cmp.Compare(d.point, e.point), bytes.Compare(d.digits, e.digits))
}

// sign returns -1, 0 or 1.
func (d decomposed) sign() int {
	switch {
	case len(d.digits) == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// parseLong reads a JSON number of any form.
func parseLong(numeral []byte) (Number, bool) {
	d, ok := decompose(numeral)
	if !ok {
		return Number{}, false
	}
	s := d.String()
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Number{small: n}, true
	}
	return Number{long: s}, true
}

// mostZeros is the maximum number of padding zeros; longer numbers have an exponent.
const mostZeros = 40

// String returns the canonical form of the number.
func (d decomposed) String() string {
	sign, digits := "", string(d.digits)
	if d.negative {
		sign = "-"
	}
	switch zeros := d.point - len(digits); {
	case digits == "":
		return "0"
	case zeros >= 0 && zeros <= mostZeros:
		return sign + digits + strings.Repeat("0", zeros)
	case zeros < 0 && d.point > 0:
		return sign + digits[:d.point] + "." + digits[d.point:]
	case d.point <= 0 && d.point >= -mostZeros:
		return sign + "0." + strings.Repeat("0", -d.point) + digits
	case len(digits) == 1:
		return sign + digits + "e" + strconv.Itoa(d.point-1)
	}
	return sign + digits[:1] + "." + digits[1:] + "e" + strconv.Itoa(d.point-1)
}
