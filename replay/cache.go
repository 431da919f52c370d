package replay

import (
	"slices"

	"etrace/tracefmt"
)

const (
	blockSize = 512
	// maxBlocks is the number of blocks that stay in memory: enough for steps in both
	// directions around a border.
	maxBlocks = 4
)

// block is a stretch of events in memory, from seq first on.
type block struct {
	first  tracefmt.Seq
	events []tracefmt.Event
	// err ended the block.
	err error
}

// blocks are the most recently read stretches of a recording, the latest first.
type blocks struct {
	rec  tracefmt.Recording
	kept []*block
}

// at returns the event with that seq, nil if the run does not have it. An error of reading concerns that event
// only, not the events before it in its block. The event is valid until maxBlocks other blocks have been read.
func (b *blocks) at(seq tracefmt.Seq) (*tracefmt.Event, error) {
	first := (seq-1)/blockSize*blockSize + 1
	i := slices.IndexFunc(b.kept, func(k *block) bool { return k.first == first })
	if i < 0 {
		if len(b.kept) == maxBlocks {
			b.kept = b.kept[:maxBlocks-1]
		}
		b.kept = slices.Insert(b.kept, 0, b.read(first))
	} else if i > 0 {
		k := b.kept[i]
		b.kept = slices.Insert(slices.Delete(b.kept, i, i+1), 0, k)
	}
	if index := int(seq - first); index < len(b.kept[0].events) {
		return &b.kept[0].events[index], nil
	}
	return nil, b.kept[0].err
}

// read reads the block that begins at first, up to blockSize events. An error of reading, or a gap in the
// seqs, ends the block.
func (b *blocks) read(first tracefmt.Seq) *block {
	k := &block{first: first}
	for e, err := range b.rec.Events(first) {
		if err == nil {
			err = follows(e, first+tracefmt.Seq(len(k.events))-1)
		}
		if err != nil {
			k.err = err
			return k
		}
		k.events = append(k.events, *e)
		k.events[len(k.events)-1].Payload = slices.Clone(e.Payload)
		if len(k.events) == blockSize {
			break
		}
	}
	return k
}
