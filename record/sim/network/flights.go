package network

import (
	"etrace/record"
	"etrace/tracefmt"
)

// flight is a message in flight.
type flight[P any] struct {
	sent    record.Sent
	at      tracefmt.Time // the time of the send
	payload P
}

// flights holds the messages in flight by place. It consists of blocks: a single slice that grows would be
// copied again and again, and would exist twice during each copy, which matters with millions of messages.
type flights[P any] struct {
	blocks [][]flight[P]
	length int64   // the number of places, used or free
	free   []int64 // free places
}

const (
	blockShift = 10
	blockSize  = 1 << blockShift
	blockMask  = blockSize - 1
)

// at returns the flight at a place. The pointer is valid until the place is released.
func (f *flights[P]) at(place int64) *flight[P] {
	return &f.blocks[place>>blockShift][place&blockMask]
}

// allot returns a free place with its flight, which still has old contents.
func (f *flights[P]) allot() (*flight[P], int64) {
	place := f.length
	if last := len(f.free) - 1; last >= 0 {
		place = f.free[last]
		f.free = f.free[:last]
		return f.at(place), place
	}
	f.length++
	i := int(place >> blockShift)
	if i == len(f.blocks) {
		f.blocks = append(f.blocks, f.newBlock())
	}
	if b := &f.blocks[i]; int(place&blockMask) == len(*b) {
		*b = append(*b, flight[P]{})
	}
	return f.at(place), place
}

// newBlock returns memory for one more block. The first block grows on demand, since most networks are small.
func (f *flights[P]) newBlock() []flight[P] {
	if len(f.blocks) == 0 {
		return nil
	}
	return make([]flight[P], 0, blockSize)
}

// release frees a place. Its contents stay until the next take.
func (f *flights[P]) release(place int64) { f.free = append(f.free, place) }

// clear frees all places.
func (f *flights[P]) clear() { f.length, f.free = 0, f.free[:0] }
