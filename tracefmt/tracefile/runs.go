package tracefile

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Runs selects runs of a trace: all, those with the given numbers, or by default the last.
type Runs struct {
	All bool
	// numbers are sorted and distinct.
	numbers []int
}

// Last reports whether the last run is meant.
func (r Runs) Last() bool { return !r.All && r.numbers == nil }

// maxRuns bounds the numbers in a selection.
const maxRuns = 1_000_000

// ParseRuns reads numbers from 1, see [text.ParseNumbers], "last" or "all".
func ParseRuns(s string) (Runs, error) {
	switch s {
	case "all":
		return Runs{All: true}, nil
	case "last":
		return Runs{}, nil
	}
	var r Runs
	for part := range strings.SplitSeq(s, ",") {
		first, last, _ := text.CutRange(part)
		begin, err := strconv.Atoi(first)
		end, err2 := strconv.Atoi(last)
		if err == nil && err2 == nil && begin > end {
			return Runs{}, fmt.Errorf("%q: the range falls, expected %d-%d", s, end, begin)
		}
	}
	numbers, err := text.ParseNumbers(s, maxRuns)
	for _, n := range numbers {
		r.numbers = append(r.numbers, int(n))
	}
	slices.Sort(r.numbers)
	r.numbers = slices.Compact(r.numbers)
	if err != nil || r.numbers[0] < 1 {
		return Runs{}, fmt.Errorf("%q: expected numbers from 1, such as 2 or 1,3-5, last, or all", s)
	}
	return r, nil
}

// Numbers returns the numbers of the selected runs, at least one. [Trace.Recording] checks whether a numbered
// run exists.
func (t *Trace) Numbers(r Runs) ([]int, error) {
	if err := t.readUpTo(0); err != nil {
		return nil, err
	}
	switch {
	case len(t.numbers) == 0:
		return nil, fmt.Errorf("%s: the trace has no runs", t.path)
	case r.All:
		return t.numbers, nil
	case r.numbers != nil:
		return r.numbers, nil
	}
	return t.numbers[len(t.numbers)-1:], nil
}

// Each yields the numbers of the selected runs. For a stream that is read while it arrives ([Options.Passing])
// it yields each number when its run begins; the last run is known only at the end. Mistakes in runs that are
// not selected are errors, too.
func (t *Trace) Each(r Runs) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		if t.stream == nil || r.Last() {
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
		for _, n := range r.numbers {
			if err := t.readUpTo(n); err != nil {
				yield(0, err)
				return
			}
			if !yield(n, nil) {
				return
			}
		}
		for n := 1; r.All; n++ {
			if err := t.readUpTo(n); err != nil {
				yield(0, err)
				return
			}
			// The stream has ended before a further run.
			if n > len(t.texts) || !yield(n, nil) {
				return
			}
		}
		if err := t.readUpTo(0); err != nil {
			yield(0, err)
		}
	}
}

// Coming reports whether further runs of a stream may arrive, so that the last one is unknown.
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
