package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// Choices are the indices of the chosen options in a run without time, from 0; after the last choice, the first
// option is taken. nil means a run with time.
type Choices []int

func (c Choices) String() string {
	texts := make([]string, len(c))
	for i, n := range c {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

// parseChoices reads the indices of options, separated by commas.
func parseChoices(text string) (Choices, error) {
	var c Choices
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%q: expected numbers from 0 such as 0,2,1", text)
		}
		c = append(c, int(n))
	}
	return c, nil
}
