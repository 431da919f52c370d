package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseNumbers reads positive numbers and ranges: "8", "3..24", "3..24..3" for 3, 6, ..., 24, and lists of
// both, such as "2..8,16,32".
func ParseNumbers(text string) ([]string, error) {
	var numbers []string
	for part := range strings.SplitSeq(text, ",") {
		first, last, step, err := parseRange(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if (last-first)/step >= mostValues-len(numbers) {
			return nil, fmt.Errorf("%q: more than %d values, expected fewer", part, mostValues)
		}
		for n := first; n <= last; n += step {
			numbers = append(numbers, strconv.Itoa(n))
		}
	}
	return numbers, nil
}

// parseRange reads one number or one range.
func parseRange(part string) (first, last, step int, err error) {
	words := strings.Split(part, "..")
	numbers := [3]int{0, 0, 1}
	for i, word := range words {
		if i == len(numbers) {
			break
		}
		numbers[i], err = strconv.Atoi(word)
		if err != nil || numbers[i] < 1 || numbers[i] > mostNumber {
			return 0, 0, 0, fmt.Errorf("%q: expected a number from 1 to %d, or a range such as 3..24 or 3..24..3", part, mostNumber)
		}
	}
	first, last, step = numbers[0], numbers[1], numbers[2]
	if len(words) == 1 {
		last = first
	}
	if len(words) > len(numbers) || last < first {
		return 0, 0, 0, fmt.Errorf("%q: expected FIRST..LAST or FIRST..LAST..STEP, rising, such as 3..24..3", part)
	}
	return first, last, step, nil
}

// mostNumber is the limit for the numbers of a range.
const mostNumber = 1_000_000
