package tracefile

import (
	"fmt"
	"iter"
	"strconv"

	"etrace/tracefmt"
)

// Runs selects runs of a trace: all, the one with a number, or by default the last.
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

// Numbers returns the numbers of the selected runs, at least one. [Trace.Recording] checks whether a numbered
// run exists.
func (t *Trace) Numbers(r Runs) ([]int, error) {
	if err := t.arrive(0); err != nil {
		return nil, err
	}
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

// Each yields the numbers of the selected runs. For a stream that is read as it comes ([Options.Passing]) it
// yields them when their runs begin; the last run is known only at the end. Mistakes in runs that are not
// selected are errors, too.
func (t *Trace) Each(r Runs) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		if t.stream == nil || !r.All && r.Number == 0 {
			numbers, err := t.Numbers(r)
			for _, n := range numbers {
				if !yield(n, nil) {
					return
				}
			}
			if err != nil {
				yield(0, err)
			}
			return
		}
		for n := max(r.Number, 1); ; n++ {
			if err := t.arrive(n); err != nil {
				yield(0, err)
				return
			}
			if r.All && n > len(t.texts) || !yield(n, nil) {
				return
			}
			if !r.All {
				if err := t.arrive(0); err != nil {
					yield(0, err)
				}
				return
			}
		}
	}
}

// Coming reports whether runs of a stream are still to come, so that the last one is unknown.
func (t *Trace) Coming() bool { return t.stream != nil }

// Recordings yields the selected runs, up to the first error.
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
