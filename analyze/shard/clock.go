package shard

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Clock is an index of the times of a run, in units, see [tracefmt.TimeUnit.Units]. Its size does not depend on the
// run.
type Clock struct {
	// Block is the number of events of an entry. First has their first seqs, and Greatest their maximum times.
	Block    int             `json:"block"`
	First    []tracefmt.Seq  `json:"first"`
	Greatest []tracefmt.Time `json:"greatest"`

	count int // of the last entry
}

// mostBlocks is the limit for the number of entries.
const mostBlocks = 256

// newClock returns the index before the first event.
func newClock() Clock { return Clock{Block: 256, First: []tracefmt.Seq{}, Greatest: []tracefmt.Time{}} }

// add adds the time of an event.
func (c *Clock) add(seq tracefmt.Seq, at tracefmt.Time) {
	if len(c.First) == 0 || c.count == c.Block {
		if len(c.First) == mostBlocks {
			c.halve()
		}
		c.First, c.Greatest, c.count = append(c.First, seq), append(c.Greatest, at), 0
	}
	c.count++
	last := len(c.First) - 1
	c.Greatest[last] = max(c.Greatest[last], at)
}

// halve joins each two entries.
func (c *Clock) halve() {
	for i := range mostBlocks / 2 {
		c.First[i], c.Greatest[i] = c.First[2*i], max(c.Greatest[2*i], c.Greatest[2*i+1])
	}
	c.First, c.Greatest, c.Block = c.First[:mostBlocks/2], c.Greatest[:mostBlocks/2], 2*c.Block
}

// Late returns the search for the first event after a deadline; open opens the recording of the run.
func (c *Clock) Late(open func() (tracefmt.Recording, error)) analyze.Late {
	return func(after func(tracefmt.Time) bool) (tracefmt.Seq, tracefmt.Time, error) {
		at := slices.IndexFunc(c.Greatest, after)
		if at < 0 || at >= len(c.First) {
			return 0, 0, errors.New("the run has no event after a deadline that was over")
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
		return 0, 0, errors.New("the trace has no event after a deadline that was over: it differs from the sliced trace")
	}
}
