package shard

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Clock is an index of the times of consecutive events, in units, see [tracefmt.TimeUnit.Units]. Block b contains the
// events with seq >> Bits == b. The blocks are as small as maxBlocks allows. So the index depends only on the
// events, and not on the order in which parts of it were joined.
type Clock struct {
	Bits int `json:"bits"`
	// First is the number of the first block. Greatest has the greatest time of each block from there on.
	First    tracefmt.Seq    `json:"first"`
	Greatest []tracefmt.Time `json:"greatest"`
}

// maxBlocks is the greatest number of blocks.
const maxBlocks = 256

// check rejects an index that no events can have. Without events, the index is nil.
func (c *Clock) check() error {
	if c == nil {
		return nil
	}
	// The limits keep the seqs of the blocks, First<<Bits and following, within 62 bits.
	if c.Bits < 0 || c.Bits >= 50 || c.First < 0 || c.First >= 1<<(62-c.Bits) || len(c.Greatest) > maxBlocks {
		return errors.New("an index of times that no events have")
	}
	return nil
}

// covers reports whether the index has exactly the events from first to last.
func (c *Clock) covers(first, last tracefmt.Seq) bool {
	return c.First == first>>c.Bits && c.First+tracefmt.Seq(len(c.Greatest))-1 == last>>c.Bits
}

// add adds the time of the next event.
func (c *Clock) add(seq tracefmt.Seq, at tracefmt.Time) {
	if len(c.Greatest) == 0 {
		c.First = seq >> c.Bits
	}
	for seq>>c.Bits-c.First >= maxBlocks {
		c.coarsen()
	}
	if block := int(seq>>c.Bits - c.First); block < len(c.Greatest) {
		c.Greatest[block] = max(c.Greatest[block], at)
	} else {
		c.Greatest = append(c.Greatest, at)
	}
}

// coarsen joins pairs of adjacent blocks.
func (c *Clock) coarsen() {
	first := c.First >> 1
	var joined []tracefmt.Time
	for i, at := range c.Greatest {
		if block := int((c.First+tracefmt.Seq(i))>>1 - first); block < len(joined) {
			joined[block] = max(joined[block], at)
		} else {
			joined = append(joined, at)
		}
	}
	c.Bits, c.First, c.Greatest = c.Bits+1, first, joined
}

// join adds the index of the events that follow.
func (c *Clock) join(next Clock) {
	for c.Bits < next.Bits {
		c.coarsen()
	}
	for next.Bits < c.Bits {
		next.coarsen()
	}
	for i, at := range next.Greatest {
		c.add((next.First+tracefmt.Seq(i))<<next.Bits, at)
	}
}

// late returns a function that finds the first event after a deadline. open opens the recording of the run.
func (c *Clock) late(open func() (tracefmt.Recording, error)) analyze.Late {
	return func(after func(tracefmt.Time) bool) (tracefmt.Seq, tracefmt.Time, error) {
		index := slices.IndexFunc(c.Greatest, after)
		if index < 0 {
			return 0, 0, errors.New("the run has no event after a deadline that was over")
		}
		rec, err := open()
		if err != nil {
			return 0, 0, err
		}
		for e, err := range rec.Events(max(1, (c.First+tracefmt.Seq(index))<<c.Bits)) {
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
