package network

import (
	"etrace/record"
	"etrace/tracefmt"
)

// flight is a message in flight.
type flight[P any] struct {
	sent    record.Sent
	at      tracefmt.Time // of the send
	payload P
}

// flights are the messages in flight, by place. They are kept in blocks: a
// slice that grows would be copied again and again, and for that time be there
// twice, which a network of millions of messages notices.
type flights[P any] struct {
	blocks [][]flight[P]
	length int64   // of all places, used or not
	free   []int64 // places that may be used again
}

const (
	blockShift = 10
	blockSize  = 1 << blockShift
	blockMask  = blockSize - 1
)

// at returns what is at a place. It is valid as long as the place is used.
func (f *flights[P]) at(place int64) *flight[P] {
	return &f.blocks[place>>blockShift][place&blockMask]
}

// take returns a place for one more message, with what was there before.
func (f *flights[P]) take() (*flight[P], int64) {
	place := f.length
	if last := len(f.free) - 1; last >= 0 {
		place = f.free[last]
		f.free = f.free[:last]
		return f.at(place), place
	}
	f.length++
	i := int(place >> blockShift)
	if i == len(f.blocks) {
		f.blocks = append(f.blocks, f.block())
	}
	if b := &f.blocks[i]; int(place&blockMask) == len(*b) {
		*b = append(*b, flight[P]{})
	}
	return f.at(place), place
}

// block returns room for one more block. The first one grows as it is needed:
// most networks are small.
func (f *flights[P]) block() []flight[P] {
	if len(f.blocks) == 0 {
		return nil
	}
	return make([]flight[P], 0, blockSize)
}

// release gives a place up; what is there stays until it is taken.
func (f *flights[P]) release(place int64) { f.free = append(f.free, place) }

// clear gives all places up.
func (f *flights[P]) clear() { f.length, f.free = 0, f.free[:0] }
