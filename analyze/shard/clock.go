package shard

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Clock is an index of the times of a run.
type Clock struct {
	// Monotone: it never goes back.
	Monotone bool `json:"monotone"`
	// Block is how many events an entry is of: First are their first seqs, Least and Greatest
	// their times.
	Block    int             `json:"block"`
	First    []tracefmt.Seq  `json:"first"`
	Least    []tracefmt.Time `json:"least"`
	Greatest []tracefmt.Time `json:"greatest"`

	count int
	last  tracefmt.Time
}

const clockBlock = 4096

func (c *Clock) add(e *tracefmt.Event) {
	c.Monotone = c.Monotone && (c.count == 0 || e.Time >= c.last)
	if c.last = e.Time; c.count%clockBlock == 0 {
		c.First, c.Least, c.Greatest = append(c.First, e.Seq), append(c.Least, e.Time), append(c.Greatest, e.Time)
	}
	c.count++
	at := len(c.First) - 1
	c.Least[at], c.Greatest[at] = min(c.Least[at], e.Time), max(c.Greatest[at], e.Time)
}

// Late is the search for the event with which a time was over, in the recording of the run,
// which open opens.
func (c *Clock) Late(open func() (tracefmt.Recording, error)) analyze.Late {
	return func(after func(tracefmt.Time) bool) (tracefmt.Seq, tracefmt.Time, error) {
		at := slices.IndexFunc(c.Greatest, after)
		if at < 0 || at >= len(c.First) {
			return 0, 0, errors.New("the plan knows no event after a deadline that was over")
		}
		rec, err := open()
		if err != nil {
			return 0, 0, err
		}
		for e, err := range rec.Events(c.First[at]) {
			if err != nil || after(e.Time) {
				return e.Seq, e.Time, err
			}
		}
		return 0, 0, errors.New("the trace has no event after a deadline that was over: it is not the one that was planned")
	}
}
