package tracefile

import (
	"fmt"
	"iter"
	"strconv"

	"etrace/tracefmt"
)

// Runs says which runs of a trace are meant: all, the one of a number, or by
// default the last.
type Runs struct {
	All    bool
	Number int
}

// ParseRuns reads a number from 1, "last" or "all".
func ParseRuns(s string) (Runs, error) {
	switch s {
	case "all":
		return Runs{All: true}, nil
	case "last":
		return Runs{}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return Runs{}, fmt.Errorf("%q: expected a number from 1, last, or all", s)
	}
	return Runs{Number: n}, nil
}

// Numbers returns the numbers of the runs that are meant, at least one.
// Whether the trace has a run that was named by its number is for
// [Trace.Recording] to say.
func (t *Trace) Numbers(r Runs) ([]int, error) {
	switch {
	case len(t.numbers) == 0:
		return nil, fmt.Errorf("%s: the trace has no runs", t.path)
	case r.All:
		return t.numbers, nil
	case r.Number != 0:
		return []int{r.Number}, nil
	}
	return t.numbers[len(t.numbers)-1:], nil
}

// Recordings yields the runs that are meant, one after another, up to the first
// error.
func (t *Trace) Recordings(r Runs) iter.Seq2[tracefmt.Recording, error] {
	return func(yield func(tracefmt.Recording, error) bool) {
		numbers, err := t.Numbers(r)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, n := range numbers {
			rec, err := t.Recording(n)
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}
