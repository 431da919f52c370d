package text

import (
	"fmt"
	"strconv"
	"strings"
)

// NumbersForm is the form that [ParseNumbers] reads.
const NumbersForm = "numbers such as 4, 1,2,5, 0-7, 3..8 or 2..16..2"

// ParseNumbers reads whole numbers from 0: a list, separated by commas, of numbers and of ranges, rising or falling,
// that may have a step: "4", "1,2,5", "0-7", "3..8", "2..16..2". More than limit numbers are an error.
func ParseNumbers(text string, limit int) ([]int64, error) {
	var list []int64
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := CutRange(part)
		last, every, stepped := CutRange(last)
		words := []string{first, last, every}
		if !ranged {
			words[1] = first
		}
		if !stepped {
			words[2] = "1"
		}
		var numbers [3]int64
		for i, word := range words {
			n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 63)
			if err != nil || i == 2 && n == 0 {
				return nil, fmt.Errorf("%s: expected %s", Quote(part), NumbersForm)
			}
			numbers[i] = int64(n)
		}
		begin, end, step := numbers[0], numbers[1], numbers[2]
		steps := max(begin-end, end-begin) / step
		if steps >= int64(limit-len(list)) {
			return nil, fmt.Errorf("%s: expected at most %d numbers in all", Quote(part), limit)
		}
		if end < begin {
			step = -step
		}
		for i := range steps + 1 { // a counter up to the last number would overflow at the greatest integer
			list = append(list, begin+i*step)
		}
	}
	return list, nil
}

// CutRange cuts a range, written FIRST..REST or FIRST-REST, after its first bound.
func CutRange(text string) (first, last string, ranged bool) {
	first, last, ranged = strings.Cut(text, "..")
	if ranged {
		return first, last, true
	}
	return strings.Cut(text, "-")
}
