package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// Choices say what comes next, in a run without time, at each moment at which
// several things may: the number of the option, from 0; after their end the
// first. nil: the run has time.
type Choices []int

func (c Choices) String() string {
	texts := make([]string, len(c))
	for i, n := range c {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

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
