package adversary

import (
	"math/rand/v2"

	"etrace/tracefmt"
)

// mostRings bounds what factorial returns.
const mostRings = 1 << 40

// factorial returns n!, or mostRings where that is less.
func factorial(n int) int64 {
	f := int64(1)
	for i := 2; i <= n && f < mostRings; i++ {
		f *= int64(i)
	}
	return min(f, mostRings)
}

// ringOf returns the ring of a number, from 0 to (n-1)!-1: the process with the greatest
// number comes first, the others in the order that has that number among all, the falling
// one first. Turned rings are the same.
func ringOf(n int, number int64) []tracefmt.ProcessID {
	ring := make([]tracefmt.ProcessID, 0, n)
	rest := make([]tracefmt.ProcessID, n)
	for i := range rest {
		rest[i] = tracefmt.ProcessID(n - i)
	}
	ring, rest = append(ring, rest[0]), rest[1:]
	for len(rest) > 0 {
		f := factorial(len(rest) - 1)
		i := number / f
		number %= f
		ring = append(ring, rest[i])
		rest = append(rest[:i], rest[i+1:]...)
	}
	return ring
}

// vary changes a ring a little: two processes change places, one goes elsewhere, or a part
// is turned round.
func vary(ring []tracefmt.ProcessID, r *rand.Rand) []tracefmt.ProcessID {
	ring = append([]tracefmt.ProcessID(nil), ring...)
	if len(ring) < 3 {
		return ring
	}
	i, j := r.IntN(len(ring)), r.IntN(len(ring)-1)
	if j >= i {
		j++
	}
	switch r.IntN(3) {
	case 0:
		ring[i], ring[j] = ring[j], ring[i]
	case 1:
		for i, j = min(i, j), max(i, j); i < j; i, j = i+1, j-1 {
			ring[i], ring[j] = ring[j], ring[i]
		}
	default:
		p := ring[i]
		for ; i < j; i++ {
			ring[i] = ring[i+1]
		}
		for ; i > j; i-- {
			ring[i] = ring[i-1]
		}
		ring[j] = p
	}
	return ring
}
