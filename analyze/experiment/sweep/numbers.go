package sweep

import (
	"fmt"
	"strconv"

	"etrace/tracefmt/text"
)

// ParseNumbers reads numbers from 1, see [text.ParseNumbers].
func ParseNumbers(list string) ([]string, error) {
	numbers, err := text.ParseNumbers(list, maxValues)
	if err != nil {
		return nil, err
	}
	sizes := make([]string, len(numbers))
	for i, n := range numbers {
		if n < 1 || n > maxNumber {
			return nil, fmt.Errorf("%s: expected numbers from 1 to %d, such as 3..24 or 8,16,32", text.Quote(list),
				maxNumber)
		}
		sizes[i] = strconv.FormatInt(n, 10)
	}
	return sizes, nil
}

// maxNumber is the limit for the numbers of a range.
const maxNumber = 1_000_000
