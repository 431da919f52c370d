package replay

import (
	"cmp"
	"slices"

	"etrace/tracefmt"
)

// Bounds of the checkpoints of one cursor: the distance of the first ones, their greatest number, and their
// greatest memory in bytes.
const (
	firstSpacing   = 256
	maxCheckpoints = 512
	maxFrozen      = 64 << 20
	// frozenPerEvent is the greatest number of bytes of frozen states per event. Freezing so much takes a
	// fifth of the time of applying an event, for any number of processes.
	frozenPerEvent = 16
)

// checkpoint is the state after an event, in few bytes.
type checkpoint struct {
	seq tracefmt.Seq
	// latest is the greatest time up to there. Times need not ascend.
	latest tracefmt.Time
	state  frozen
	// clocks is nil if the cursor keeps no clocks.
	clocks *Clocks
}

// size returns approximately how many bytes the checkpoint takes.
func (p *checkpoint) size() int {
	size := len(p.state.bytes)
	if p.clocks != nil {
		n := len(p.clocks.processes)
		size += 8*n*(n+len(p.clocks.flights)) + 16*len(p.clocks.steps)
	}
	return size
}

// maxRecalled is the number of past steps that the clocks of a checkpoint may keep; with more, they forget
// all.
const maxRecalled = 1 << 13

// frozenClocks returns the clocks in little memory: without the steps that only later events with a cause far
// back need.
func frozenClocks(c *Clocks) *Clocks {
	if c == nil {
		return nil
	}
	d := c.Clone()
	if len(d.steps) > maxRecalled {
		d.forget(d.seq)
		d.aging = d.seq
	}
	return d
}

// checkpoints are states that the cursor passed, at even distances. When there are too many, every other one
// is dropped and the distance doubles, so their number is bounded however long the run is.
type checkpoints struct {
	spacing tracefmt.Seq
	limit   int
	kept    []checkpoint
	size    int
}

// pass saves a checkpoint if the cursor is at a multiple of the spacing. It saves none that would exceed
// frozenPerEvent, and thins the checkpoints if they are too many or too large.
func (c *checkpoints) pass(at *Cursor) {
	seq := at.state.Seq
	if seq%c.spacing != 0 {
		return
	}
	if n := len(c.kept); n > 0 &&
		seq-c.kept[n-1].seq < max(1, tracefmt.Seq(len(c.kept[n-1].state.bytes)/frozenPerEvent)) {
		return
	}
	p := checkpoint{seq, at.latest, at.state.freeze(), frozenClocks(at.clocks)}
	c.kept = append(c.kept, p)
	c.size += p.size()
	for len(c.kept) > c.limit || c.size > maxFrozen && len(c.kept) > 1 {
		c.thin()
	}
}

// thin doubles the distance of the checkpoints, and drops every checkpoint between the new places.
func (c *checkpoints) thin() {
	c.spacing *= 2
	c.kept = slices.DeleteFunc(c.kept, func(p checkpoint) bool {
		drop := p.seq%c.spacing != 0
		if drop {
			c.size -= p.size()
		}
		return drop
	})
}

// before returns the last checkpoint at or before seq.
func (c *checkpoints) before(seq tracefmt.Seq) (checkpoint, bool) {
	i, found := slices.BinarySearchFunc(c.kept, seq,
		func(p checkpoint, seq tracefmt.Seq) int {
			return cmp.Compare(p.seq, seq)
		})
	if found {
		i++
	}
	if i == 0 {
		return checkpoint{}, false
	}
	return c.kept[i-1], true
}

// beforeTime returns the last checkpoint that no event later than t precedes.
func (c *checkpoints) beforeTime(t tracefmt.Time) (checkpoint, bool) {
	i := slices.IndexFunc(c.kept, func(p checkpoint) bool { return p.latest > t })
	if i < 0 {
		i = len(c.kept)
	}
	if i == 0 {
		return checkpoint{}, false
	}
	return c.kept[i-1], true
}
