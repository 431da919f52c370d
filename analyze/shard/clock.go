package shard

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Clock is an index of the times of a run, in units, see [tracefmt.TimeUnit.Units].
type Clock struct {
	// Monotone: times never decrease.
	Monotone bool `json:"monotone"`
	// Block is the number of events of an entry. First has their first seqs, Least and Greatest their minimum
	// and maximum times.
	Block    int             `json:"block"`
	First    []tracefmt.Seq  `json:"first"`
	Least    []tracefmt.Time `json:"least"`
	Greatest []tracefmt.Time `json:"greatest"`

	count int
	last  tracefmt.Time
}

const clockBlock = 4096

// add adds the time of an event.
func (c *Clock) add(seq tracefmt.Seq, at tracefmt.Time) {
	c.Monotone = c.Monotone && (c.count == 0 || at >= c.last)
	c.last = at
	if c.count%clockBlock == 0 {
		c.First, c.Least, c.Greatest = append(c.First, seq), append(c.Least, at), append(c.Greatest, at)
	}
	c.count++
	last := len(c.First) - 1
	c.Least[last], c.Greatest[last] = min(c.Least[last], at), max(c.Greatest[last], at)
}

// Late returns the search for the first event after a deadline; open opens the recording of the run.
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
			if err != nil {
				return 0, 0, err
			}
			if now := rec.Run().TimeUnit.Units(e.Time); after(now) {
				return e.Seq, now, nil
			}
		}
		return 0, 0, errors.New("the trace has no event after a deadline that was over: it differs from the trace of the plan")
	}
}
